import { missing, subtract, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import type { Instant, Microseconds } from './instant.ts';
import { overlapLook } from './look-back.ts';
import type { LookBack } from './look-back.ts';
import type { Window } from './window.ts';
import { repeatedAround } from './zone.ts';
import type { Zone } from './zone.ts';

/** `live` is the edge, `history` everything older: catch-up, gap repair, backfill. Live never waits behind history. */
export type Lane = 'live' | 'history';

/** The part of a source's schedule that is about time. Lengths are whole µs; `align` and `maxWindow` are at least 1. */
export interface Policy {
  /** No time before this instant is asked for, except where an operator's `range` begins earlier. */
  readonly start: Instant;
  /** How old a point must be before it is asked for. */
  readonly settle: Microseconds;
  /** The grid the edge and the boundaries between windows lie on. */
  readonly align: Microseconds;
  /** How late a point may come into covered time and still be found; see look-back.ts. */
  readonly overlap: Microseconds;
  /** The longest window ever asked for. */
  readonly maxWindow: Microseconds;
  /** The zone of a platform that knows local times only. */
  readonly zone?: Zone | undefined;
}

export interface PlanRequest {
  readonly policy: Policy;
  readonly coverage: Coverage;
  readonly now: Instant;
  readonly lane: Lane;
  /** The window length that is known to work (learn.ts). */
  readonly learned: Microseconds;
  /** History only: plan the missing part of this range and nothing else. It may begin before `policy.start`. */
  readonly range?: Window;
  /** History only; `newest` unless told. */
  readonly order?: 'newest' | 'oldest';
  /** At most this many windows are returned. History needs it, because years of history are millions of windows. */
  readonly limit?: number;
  /** Windows that are being asked for at this moment: they are not planned again, but not covered yet either. */
  readonly underWay?: Coverage;
  /** Time that could not be read (unreadable.ts). The plan leaves it out. */
  readonly unreadable?: Coverage;
  /** Live only: how it looks for late data. Without this field it asks for no covered time. */
  readonly look?: LookBack;
}

type Settling = Pick<Policy, 'settle' | 'align' | 'zone'>;

/**
 * The newest instant worth asking for: `now - settle`, on the grid. Local times that are shown twice are asked for when they
 * are over, because until then the platform goes on adding points to them.
 */
export function edgeOf({ settle, align, zone }: Settling, now: Instant): Instant {
  const repeated = zone && repeatedAround(zone, now - settle);
  return Math.floor((repeated?.from ?? now - settle) / align) * align;
}

/** When all time before an instant has settled: the first `now` at which `edgeOf` reaches it. */
export function settledAt({ settle, align, zone }: Settling, instant: Instant): Instant {
  const aligned = Math.ceil(instant / align) * align;
  const repeated = zone && repeatedAround(zone, aligned);
  return (repeated !== undefined && repeated.from < aligned ? repeated.to : aligned) + settle;
}

/**
 * The missing windows: the one question that polling, catch-up, gap repair and backfill ask.
 *
 * Live gets the missing time that reaches the edge, at most the newest `learned` µs of it. History gets all other
 * missing time.
 *
 * Late points may have come into covered time. Live asks for the overlap once more where its one window has room for it. The bridge
 * owes the rest (look-back.ts), and history asks for it.
 *
 * The windows of one call never overlap, leave nothing out and are never longer than `learned` or `maxWindow`. A caller
 * that covers them, all or only the first, and plans again comes to an end.
 */
export function plan(request: PlanRequest): Window[] {
  const limit = request.limit ?? Infinity;
  const windows: Window[] = [];
  for (const window of around(request.unreadable, request.lane === 'live' ? live(request) : history(request))) {
    if (windows.length >= limit) break;
    windows.push(window);
  }
  return windows;
}

/** The parts of windows that can be read. */
function* around(unreadable: Coverage = [], windows: Iterable<Window>): Iterable<Window> {
  for (const window of windows) yield* subtract([window], unreadable);
}

/** A stretch is cut into windows of at most `length`, with the boundaries between them on the grid where possible. */
interface Cut {
  readonly length: Microseconds;
  readonly align: Microseconds;
}

/** The time that is not asked for: covered, unreadable or being asked for. */
const notAsked = ({ coverage, underWay = [], unreadable = [] }: PlanRequest): Coverage =>
  union(union(coverage, unreadable), underWay);

function survey(request: PlanRequest) {
  const { policy, now, learned } = request;
  const edge = edgeOf(policy, now);
  const length = Math.max(1, Math.floor(Math.min(learned, policy.maxWindow)));
  const cut: Cut = { length, align: length < policy.align ? 1 : policy.align };
  const gaps = missing({ from: policy.start, to: edge }, notAsked(request));
  const newest = gaps.at(-1);
  const atEdge =
    newest?.to === edge ? { from: Math.max(newest.from, gridUp(edge - length, cut)), to: edge } : undefined;
  return { edge, cut, gaps, newest, atEdge };
}

function live(request: PlanRequest): Window[] {
  const { edge, cut, newest, atEdge } = survey(request);
  if (atEdge === undefined || newest === undefined) return [];
  const look = request.look && overlapLook(request.look, newest.from, edge);
  const before = subtract(request.coverage, request.unreadable ?? []).find(({ to }) => to === atEdge.from);
  if (look === undefined || before === undefined) return [atEdge];
  const from = Math.max(look.from, before.from, gridUp(edge - cut.length, cut));
  return [{ from: Math.min(from, atEdge.from), to: edge }];
}

function* history(request: PlanRequest): Iterable<Window> {
  const { range } = request;
  const { edge, cut, gaps, atEdge } = survey(request);
  const wanted =
    range === undefined ? gaps : missing({ from: range.from, to: Math.min(range.to, edge) }, notAsked(request));
  // A range does not leave its end to live, because live never asks for time that is covered and only asked again.
  const stretches = atEdge === undefined || range !== undefined ? wanted : subtract(wanted, [atEdge]);
  if (request.order === 'oldest') for (const stretch of stretches) yield* oldestFirst(stretch, cut);
  else for (const stretch of stretches.toReversed()) yield* newestFirst(stretch, cut);
}

function* newestFirst(stretch: Window, cut: Cut): Iterable<Window> {
  for (let to = stretch.to; to > stretch.from;) {
    const from = to - cut.length <= stretch.from ? stretch.from : gridUp(to - cut.length, cut);
    yield { from, to };
    to = from;
  }
}

function* oldestFirst(stretch: Window, cut: Cut): Iterable<Window> {
  for (let from = stretch.from; from < stretch.to;) {
    const to = from + cut.length >= stretch.to ? stretch.to : gridDown(from + cut.length, cut);
    yield { from, to };
    from = to;
  }
}

const gridUp = (instant: Instant, { align }: Cut): Instant => Math.ceil(instant / align) * align;

const gridDown = (instant: Instant, { align }: Cut): Instant => Math.floor(instant / align) * align;
