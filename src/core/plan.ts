import { intersect, missing, subtract, totalLength, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import type { Instant, Microseconds } from './instant.ts';
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
  /** How much of the covered end is asked again for late data. */
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
  /** Time that could not be read (unreadable.ts). It is planned around, and late data is looked for on both sides of it. */
  readonly unreadable?: Coverage;
  /**
   * History only, for a caller that plans one window at a time: the time that it has asked again so far. The plan then
   * asks for the whole overlap before the window that closes the stretch, because a closed stretch no longer shows where
   * it began. Without this field, newest first asks for the rest of the overlap last, and oldest first never asks for it.
   */
  readonly askedAgain?: Coverage;
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
 * Late points may have come into the covered time just before a missing stretch. The lane that fills the start of the
 * stretch therefore asks for that overlap again. Live does so a few times in every `overlap`, which is enough to find a
 * point up to `overlap` late. It then goes oldest first: a process that covers the edge first and is killed would leave
 * no trace of the look back it owed. History that goes oldest first needs `askedAgain` for it, because the start of its
 * stretch moves with every window, and each window would ask for the overlap.
 *
 * The windows of one call never overlap, leave nothing out and are never longer than `learned` or `maxWindow`. A caller
 * that covers all of them and plans again comes to an end; one that covers only the first does, unless live looks back.
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

function* live(request: PlanRequest): Iterable<Window> {
  const { cut, newest, atEdge } = survey(request);
  if (atEdge === undefined || newest === undefined) return;
  const step = lookBackStep(request.policy);
  const looksBack = atEdge.from === newest.from && crossesGrid(atEdge, step);
  const again = looksBack ? coveredBefore(newest.from, request, step) : undefined;
  if (again === undefined) yield* newestFirst(atEdge, cut);
  else yield* oldestFirst({ from: again.from, to: atEdge.to }, cut);
}

function* history(request: PlanRequest): Iterable<Window> {
  const { range } = request;
  const { edge, cut, gaps, atEdge } = survey(request);
  const wanted =
    range === undefined ? gaps : missing({ from: range.from, to: Math.min(range.to, edge) }, notAsked(request));
  // A range does not leave its end to live, because live never asks for time that is covered and only asked again.
  const stretches = atEdge === undefined || range !== undefined ? wanted : subtract(wanted, [atEdge]);
  if (request.order === 'oldest') {
    for (const stretch of stretches) yield* afterOverlap(stretch, coveredBefore(stretch.from, request), cut, request);
    return;
  }
  for (const stretch of stretches.toReversed()) {
    const again = coveredBefore(stretch.from, request);
    if (again === undefined) yield* newestFirst(stretch, cut);
    else yield* withOverlap(stretch, again, cut, request);
  }
}

/**
 * Live looks back this often in every overlap, so a late point is found at most a fourth of the overlap after it came.
 */
const LOOK_BACKS = 4;

/**
 * Live looks back when the edge passes a multiple of this step, and asks for one step more than the overlap. It does
 * not look back with every poll, because a source polled every second would be asked for the whole overlap every
 * second.
 */
const lookBackStep = ({ overlap, align }: Policy): Microseconds => Math.max(align, Math.ceil(overlap / LOOK_BACKS));

const crossesGrid = ({ from, to }: Window, step: Microseconds): boolean =>
  Math.floor(from / step) !== Math.floor(to / step);

/**
 * The covered time, with unreadable time in it, that ends at `instant`: at most `overlap` and `more` long, not before `start`. Undefined where
 * there is none.
 */
function coveredBefore(
  instant: Instant,
  { policy, coverage, unreadable = [] }: PlanRequest,
  more = 0,
): Window | undefined {
  const covered = union(coverage, unreadable).find((window) => window.to === instant);
  if (covered === undefined) return undefined;
  if (policy.overlap === 0) return undefined;
  const from = Math.max(covered.from, policy.start, instant - policy.overlap - more);
  return from < instant ? { from, to: instant } : undefined;
}

/**
 * Newest first. The window at the start of the stretch also asks for the overlap, up to half the length of a window:
 * a `limit` then cannot cut off a short overlap, and a long one leaves room for new time. The rest of the overlap comes
 * before that window where `askedAgain` tells how much of it was asked, otherwise last.
 */
function* withOverlap(
  stretch: Window,
  again: Window,
  cut: Cut,
  { askedAgain, underWay = [], unreadable = [] }: PlanRequest,
): Iterable<Window> {
  const half = stretch.from - Math.floor(cut.length / 2);
  const from = again.from >= half ? again.from : Math.min(gridUp(half, cut), stretch.from);
  const end = from + cut.length;
  const aligned = gridDown(end, cut) > stretch.from ? gridDown(end, cut) : end;
  const to = end < stretch.to ? aligned : stretch.to;
  yield* newestFirst({ from: to, to: stretch.to }, cut);
  if (askedAgain === undefined) {
    yield { from, to };
    yield* newestFirst({ from: again.from, to: from }, cut);
    return;
  }
  const rest = again.from < from ? subtract([{ from: again.from, to: from }], union(askedAgain, unreadable)) : [];
  const notUnderWay = subtract(rest, underWay);
  for (const part of notUnderWay) yield* oldestFirst(part, cut);
  // Unreadable time may cut this window into parts, of which those before the stretch have had their turn.
  const hadTurn = intersect(askedAgain, { from, to: stretch.from });
  if (rest.length === 0 || notUnderWay.length > 0) yield* subtract([{ from, to }], hadTurn);
}

/**
 * Oldest first. The overlap comes before the stretch, and no part of the stretch is asked while a part of the overlap
 * is under way. They share no window, because a page of the overlap that cannot be read would keep new time from being
 * read.
 */
function* afterOverlap(
  stretch: Window,
  again: Window | undefined,
  cut: Cut,
  { askedAgain, underWay = [], unreadable = [] }: PlanRequest,
): Iterable<Window> {
  const rest = again === undefined || askedAgain === undefined ? [] : subtract([again], union(askedAgain, unreadable));
  const notUnderWay = subtract(rest, underWay);
  for (const part of notUnderWay) yield* oldestFirst(part, cut);
  if (totalLength(notUnderWay) === totalLength(rest)) yield* oldestFirst(stretch, cut);
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
