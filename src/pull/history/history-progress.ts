import { coverageOf, covers, intersect, missing, subtract, union } from '../../core/coverage.ts';
import type { Coverage } from '../../core/coverage.ts';
import { MINUTE } from '../../core/instant.ts';
import { WAITS } from '../../core/retry.ts';
import type { Instant } from '../../core/instant.ts';
import type { Learned } from '../../core/learn.ts';
import { edgeOf, plan, settledAt } from '../../core/plan.ts';
import type { PlanRequest } from '../../core/plan.ts';
import { nextRetryAt, unreadableTime, wantedOf, windowToRetry } from '../../core/unreadable.ts';
import type { Unreadable } from '../../core/unreadable.ts';
import type { Window } from '../../core/window.ts';
import { looksToAsk } from '../look-back.ts';
import type { OpenSource, Stream } from '../open/open-source.ts';
import { mayAskMore } from './wishes.ts';
import type { Wish } from './wishes.ts';

/** What a run of history knows. It changes as windows come back. */
export interface RunState {
  readonly begun: Instant;
  covered: Coverage;
  learned: Learned;
  wishes: readonly Wish[];
  unreadable: readonly Unreadable[];
  /** Covered time to ask for once more for late data. */
  lookAgain: Coverage;
  /** How often commits had noted looks for the stream when the run last read `lookAgain`. */
  looksNoted: number;
  /** What is being asked for. The plan leaves its windows out, so that none is asked for twice at a time. */
  readonly underWay: ReadonlySet<Pick<Ask, 'window'>>;
  /** Whose turn the next window is; see `nextAsk`. */
  turn: number;
}

export interface Ask {
  readonly window: Window;
  readonly wish: Wish | undefined;
}

/** A run that begins within the same stretch of this length begins with the same turn. */
const TURN = 5 * MINUTE;

/**
 * The turn with which a run that begins at `now` begins. At a slow pace a run reads one window, so runs take turns, too.
 */
export const firstTurnAt = (now: Instant): number => Math.floor(now / TURN);

/**
 * The next window. Missing time and time to ask for once more take turns. Within missing time, gaps and backfills take turns.
 * So none of them waits for the end of another. Where a kind has no window, the other kind has its turn.
 */
export function nextAsk(source: OpenSource, progress: RunState, now: Instant): Ask | undefined {
  const missingTime = (): Ask | undefined => {
    const [first, second] = kindsOfMissing(progress);
    return first(source, progress, now) ?? second(source, progress, now);
  };
  const oldTime = (): Ask | undefined => askAgain(source, progress, now);
  const [first, second] = progress.turn % 2 === 1 ? [oldTime, missingTime] : [missingTime, oldTime];
  return first() ?? second();
}

const kindsOfMissing = ({ turn }: RunState) =>
  turn % 4 < 2 ? ([askForGap, askForWish] as const) : ([askForWish, askForGap] as const);

/** The next window of the time since the start of the source that is missing: catch-up and gap repair. */
function askForGap(source: OpenSource, progress: RunState, now: Instant): Ask | undefined {
  const order = source.config.schedule.catchUp;
  const [window] = plan({ ...requestOf(source, progress, now), order });
  if (window === undefined) return undefined;
  // A backfill with --what all would ask for it once more.
  return {
    window,
    wish: progress.wishes.find((one) => one.again && mayAsk(one) && covers(one.wanted, window)),
  };
}

/** The next window of the first wish that has a missing one and a request left for today. */
function askForWish(source: OpenSource, progress: RunState, now: Instant): Ask | undefined {
  for (const wish of progress.wishes) {
    if (!mayAsk(wish)) continue;
    const window = windowOf(wish, source, progress, now);
    if (window) return { window, wish };
  }
  return undefined;
}

function windowOf(wish: Wish, source: OpenSource, progress: RunState, now: Instant): Window | undefined {
  const { range, order, wanted } = wish;
  // Time of the range that is not wanted counts as covered, so that the plan asks for none of it.
  const coverage = union(doneOf(wish, progress), missing(range, wanted));
  // Planned with the edge of the run's begin: a wish that ends at unsettled time would otherwise ask for it second by second.
  const [window] = plan({ ...requestOf(source, progress, now), now: progress.begun, coverage, range, order });
  return window;
}

const doneOf = ({ again, done }: Wish, { covered }: RunState): Coverage => (again ? done : covered);

/** Whether today's requests leave one window more; a window reserves what it may need before it asks. */
const mayAsk = ({ budget }: Wish): boolean => budget === undefined || mayAskMore(budget);

/** The running backfills that a window asked for now serves: the one that asks, and those that also ask for covered time. */
export const servedBy = ({ window, wish }: Ask, { wishes }: RunState): readonly Wish[] => [
  ...(wish === undefined ? [] : [wish]),
  ...wishes.filter((one) => one.again && one.id !== wish?.id && intersect(one.wanted, window).length > 0),
];

/** The next window of unreadable time, otherwise of covered time that late data may have come into. */
function askAgain(source: OpenSource, progress: RunState, now: Instant): Ask | undefined {
  const { learned } = progress;
  const underWay = windowsUnderWay(progress);
  const retried = windowToRetry(retriedOf(source, progress, now), { now, length: learned.length, underWay });
  if (retried)
    return {
      window: retried,
      wish: progress.wishes.find((one) => mayAsk(one) && covers(one.wanted, retried)),
    };
  const looks = looksToAsk(source, progress, now);
  const [oldest] = looks;
  const newest = looks.at(-1);
  if (oldest === undefined || newest === undefined) return undefined;
  const range = { from: oldest.from, to: newest.to };
  // Everything else counts as covered, so that the plan asks for this time and nothing besides.
  const coverage = missing(range, looks);
  const [window] = plan({ ...requestOf(source, progress, now), coverage, range, order: 'oldest' });
  return window && { window, wish: undefined };
}

/** The unreadable time that is asked for again: between the start and the edge, and in the ranges of running backfills. */
function retriedOf({ policy }: OpenSource, progress: RunState, now: Instant): Unreadable[] {
  const { unreadable, wishes } = progress;
  const edge = edgeOf(policy, now);
  const asking = wishes.filter((wish) => mayAsk(wish));
  const ranges = [{ from: policy.start, to: edge }, ...asking.flatMap(({ wanted }) => wanted)];
  return wantedOf(
    unreadable,
    coverageOf(ranges.flatMap((range) => intersect([range], { from: range.from, to: edge }))),
  );
}

const windowsUnderWay = ({ underWay }: RunState): Coverage => coverageOf([...underWay].map(({ window }) => window));

function requestOf(source: OpenSource, progress: RunState, now: Instant): PlanRequest {
  return {
    policy: source.policy,
    coverage: progress.covered,
    now,
    lane: 'history',
    learned: progress.learned.length,
    limit: 1,
    underWay: windowsUnderWay(progress),
    unreadable: unreadableTime(progress.unreadable),
  };
}

/** Notes that a window was read, which these wishes have now. */
export function noteDone(progress: RunState, window: Window, served: readonly Wish[]): void {
  progress.covered = union(progress.covered, [window]);
  progress.lookAgain = subtract(progress.lookAgain, [window]);
  progress.wishes = progress.wishes.map((one) =>
    served.some(({ id }) => id === one.id) ? { ...one, done: union(one.done, [window]) } : one,
  );
}

/**
 * Takes in what the database has of the stream now; undefined where the stream is gone. Windows of this run may have come in after the
 * database read its answer: what they did of a wish stays done, and what they settled of the looks in `before`, which the run had when
 * it asked, stays settled.
 */
export function noteFresh(
  progress: RunState,
  before: Coverage,
  fresh: {
    readonly wishes: readonly Wish[];
    readonly stream: Pick<Stream, 'unreadable' | 'lookAgain' | 'looksNoted'> | undefined;
  },
): void {
  const doneHere = new Map(progress.wishes.map(({ id, done }) => [id, done]));
  progress.wishes = fresh.wishes.map((wish) => ({ ...wish, done: union(wish.done, doneHere.get(wish.id) ?? []) }));
  if (fresh.stream === undefined) return;
  const { unreadable, lookAgain, looksNoted } = fresh.stream;
  const settled = subtract(before, progress.lookAgain);
  Object.assign(progress, { unreadable, looksNoted, lookAgain: subtract(lookAgain, settled) });
}

/** Windows of other runs have what is left of today's requests of a wish; they may give a part back within a minute. */
export function noteTaken(progress: RunState, wish: Wish, now: Instant): void {
  progress.wishes = progress.wishes.map((one) =>
    one.id === wish.id && one.budget
      ? { ...one, budget: { ...one.budget, left: 0, renewsAt: Math.min(one.budget.renewsAt, now + MINUTE) } }
      : one,
  );
}

/**
 * When a run that has nothing to ask for is due again: when the end of a wish settles, when a wish gets its requests of the next
 * day, or when unreadable time is tried again. That waits for longer than a stream does (core/retry.ts), so the run looks in between
 * and asks for nothing.
 */
export function restsUntil(source: OpenSource, progress: RunState, now: Instant): Instant | undefined {
  const { policy } = source;
  const open = progress.wishes.filter((wish) => subtract(wish.wanted, doneOf(wish, progress)).length > 0);
  const settling = [
    ...open.map(({ range }) => settledAt(policy, range.to)).filter((settled) => settled > progress.begun),
    ...open.flatMap((wish) => (wish.budget && !mayAsk(wish) ? [wish.budget.renewsAt] : [])),
  ];
  const retryAt = nextRetryAt(retriedOf(source, progress, now));
  const rests = retryAt === undefined ? settling : [...settling, Math.min(retryAt, now + WAITS.stream.most)];
  return rests.length === 0 ? undefined : Math.min(...rests);
}
