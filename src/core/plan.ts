import { missing, subtract, totalLength, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import type { Instant, Microseconds } from './instant.ts';
import type { Window } from './window.ts';

/** `live` is the edge, `history` everything older: catch-up, gap repair, backfill. Live never waits behind history. */
export type Lane = 'live' | 'history';

/** What a source's schedule says about time. All lengths in µs and whole; `align` and `maxWindow` are at least 1. */
export interface Policy {
  /** Nothing before this instant is asked for, except where an operator's `range` says so. */
  readonly start: Instant;
  /** How old a point must be before it is worth asking for it. */
  readonly settle: Microseconds;
  /** The grid the edge and the boundaries between windows lie on. */
  readonly align: Microseconds;
  /** How much of the covered end is asked again for late data. */
  readonly overlap: Microseconds;
  /** The longest window ever asked for. */
  readonly maxWindow: Microseconds;
}

export interface PlanRequest {
  readonly policy: Policy;
  readonly coverage: Coverage;
  readonly now: Instant;
  readonly lane: Lane;
  /** The window length that is known to work (learn.ts). */
  readonly learned: Microseconds;
  /** History only: nothing but the missing part of this range. It may reach before `policy.start`. */
  readonly range?: Window;
  /** History only; `newest` unless told. */
  readonly order?: 'newest' | 'oldest';
  /** How many windows are returned at most. Give one: years of history are millions of windows. */
  readonly limit?: number;
  /** What is being asked just now: planned around, but not covered yet. */
  readonly underWay?: Coverage;
  /**
   * History: what was asked already, told by a caller that plans one window at a time. The overlap is asked whole then, before the window
   * that closes the stretch: closed, nobody would know of it any more. Without it newest first asks last what does not fit
   * into one window with new time, and oldest first asks nothing again.
   */
  readonly askedAgain?: Coverage;
}

/** The newest instant worth asking for: `now - settle`, on the grid. */
export const edgeOf = (policy: Pick<Policy, 'settle' | 'align'>, now: Instant): Instant =>
  Math.floor((now - policy.settle) / policy.align) * policy.align;

/** When everything before an instant is worth asking for: the first `now` at which `edgeOf` reaches it. */
export const settledAt = (policy: Pick<Policy, 'settle' | 'align'>, instant: Instant): Instant =>
  Math.ceil(instant / policy.align) * policy.align + policy.settle;

/**
 * Which windows are missing: the one question that polling, catch-up, gap repair and backfill ask.
 *
 * The live lane gets the newest `learned` µs below the edge, as far as they are missing, and nothing until there is a
 * new edge; history gets whatever else is missing. The covered time just before a missing stretch is asked again for
 * late data, by whichever lane fills the start of that stretch; live does so a few times in every `overlap`,
 * such that a point which came up to `overlap` late is found, and oldest first then: were the edge covered and the
 * process killed, nobody would look back any more. History that goes oldest first needs to be told what was asked again:
 * the start moves with every window then, and the overlap would be asked with each of them.
 *
 * The windows of one call never overlap, leave nothing out and are never longer than `learned` or `maxWindow`. Covering
 * all of them and planning again comes to an end; so does covering the first one, unless live looks back.
 */
export function plan(request: PlanRequest): Window[] {
  const limit = request.limit ?? Infinity;
  const windows: Window[] = [];
  if (limit <= 0) return windows;
  for (const window of request.lane === 'live' ? live(request) : history(request)) {
    windows.push(window);
    if (windows.length >= limit) break;
  }
  return windows;
}

/** How a stretch is cut: windows of at most `length`, boundaries between them on the grid where that is possible. */
interface Cut {
  readonly length: Microseconds;
  readonly align: Microseconds;
}

function survey({ policy, coverage, underWay = [], now, learned }: PlanRequest) {
  const edge = edgeOf(policy, now);
  const length = Math.max(1, Math.floor(Math.min(learned, policy.maxWindow)));
  const cut: Cut = { length, align: length < policy.align ? 1 : policy.align };
  const open = missing({ from: policy.start, to: edge }, union(coverage, underWay));
  const newest = open.at(-1);
  const atEdge =
    newest?.to === edge ? { from: Math.max(newest.from, gridUp(edge - length, cut)), to: edge } : undefined;
  return { edge, cut, open, newest, atEdge };
}

function* live(request: PlanRequest): Iterable<Window> {
  const { cut, newest, atEdge } = survey(request);
  if (atEdge === undefined || newest === undefined) return;
  const joins = atEdge.from === newest.from && crossesGrid(atEdge, lookBackStep(request.policy));
  const again = joins ? coveredBefore(newest.from, request, lookBackStep(request.policy)) : undefined;
  if (again === undefined) yield* newestFirst(atEdge, cut);
  else yield* oldestFirst({ from: again.from, to: atEdge.to }, cut);
}

function* history(request: PlanRequest): Iterable<Window> {
  const { coverage, underWay = [], range } = request;
  const { edge, cut, open, atEdge } = survey(request);
  const wished = range && { from: range.from, to: Math.min(range.to, edge) };
  const wanted = wished === undefined ? open : missing(wished, union(coverage, underWay));
  // A wish does not leave its end to live: asked again it is no gap, and then live would never come to it.
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

/** Into how many steps the overlap is cut: a late point is found a fourth of the overlap after it came, at the latest. */
const LOOK_BACKS = 4;

/**
 * How often live looks back. With each poll it would ask for the whole overlap every second where a source is polled
 * every second; so it does when the edge passes a multiple of this, and asks for one step more than the overlap.
 */
const lookBackStep = ({ overlap, align }: Policy): Microseconds => Math.max(align, Math.ceil(overlap / LOOK_BACKS));

const crossesGrid = ({ from, to }: Window, step: Microseconds): boolean =>
  Math.floor(from / step) !== Math.floor(to / step);

/**
 * The covered time that ends where a missing stretch begins, `overlap` and `more` long, not before `start`.
 */
function coveredBefore(instant: Instant, { policy, coverage }: PlanRequest, more = 0): Window | undefined {
  const covered = coverage.find((window) => window.to === instant);
  if (covered === undefined) return undefined;
  if (policy.overlap === 0) return undefined;
  const from = Math.max(covered.from, policy.start, instant - policy.overlap - more);
  return from < instant ? { from, to: instant } : undefined;
}

/**
 * The window at the start of the stretch takes the overlap with it, up to half its length: so the usual short overlap
 * cannot get lost to a `limit`, and a long one cannot keep the window from making progress. The rest comes before it
 * where it is known how much of it was asked, otherwise last.
 */
function* withOverlap(
  stretch: Window,
  again: Window,
  cut: Cut,
  { askedAgain, underWay = [] }: PlanRequest,
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
  const rest = again.from < from ? subtract([{ from: again.from, to: from }], askedAgain) : [];
  const left = subtract(rest, underWay);
  for (const part of left) yield* oldestFirst(part, cut);
  if (rest.length === 0 || left.length > 0) yield { from, to };
}

/**
 * Oldest first what is asked again lies on the way: the stretch follows when all of it was answered. They share no window,
 * or a page of the past that cannot be read would keep new time from being read.
 */
function* afterOverlap(
  stretch: Window,
  again: Window | undefined,
  cut: Cut,
  { askedAgain, underWay = [] }: PlanRequest,
): Iterable<Window> {
  const rest = again === undefined || askedAgain === undefined ? [] : subtract([again], askedAgain);
  const left = subtract(rest, underWay);
  for (const part of left) yield* oldestFirst(part, cut);
  if (totalLength(left) === totalLength(rest)) yield* oldestFirst(stretch, cut);
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
