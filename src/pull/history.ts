import { coverageOf, covers, union } from '../core/coverage.ts';
import type { Coverage } from '../core/coverage.ts';
import { asBridgeError } from '../core/errors.ts';
import { SECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Learned } from '../core/learn.ts';
import { edgeOf, plan, settledAt } from '../core/plan.ts';
import type { Window } from '../core/window.ts';
import { isDatabaseAway } from '../database/away.ts';
import { isFull } from '../delivery/waiting.ts';
import { finishWhenCovered, wishesOf } from './wishes.ts';
import type { Wish } from './wishes.ts';
import type { Bridge } from './bridge.ts';
import type { ClaimedStream } from './claim.ts';
import { actOn } from './consequence.ts';
import { eachWithin } from './each-within.ts';
import { fetchWindow, learnedOf } from './fetch-window.ts';
import type { OpenSource } from './open-source.ts';

/** A run ends after this and its stream is due again, so that streams take turns and a drain is quick. */
const RUN = 30 * SECOND;

/** A run ends after this many windows that cannot be read, because the trouble is not one page then. */
const MOST_UNREADABLE = 3;

/** A run looks this often for new and cancelled backfills, and for room in the outbox. */
const WISHES_EVERY = SECOND;

/**
 * One run of a stream's history: backfills first, then catch-up and gap repair. Each window takes the same path as that of
 * a live poll. Several windows are under way at a time, so the platform answers one while the bridge stores another.
 */
export async function history(bridge: Bridge, streamId: number, signal: AbortSignal): Promise<void> {
  const claimed = await bridge.claims.takeStream(streamId);
  if (!claimed) return;
  let dueAt: Instant | undefined;
  let healthy = false;
  let caughtUpTo: Instant | undefined;
  try {
    ({ dueAt, healthy, caughtUpTo } = await bridge.sources.use(claimed.source, (source) =>
      fillHistory(bridge, source, claimed, signal),
    ));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const circumstances = { failures: claimed.source.failures, lane: 'history' as const };
    await actOn(bridge, claimed.source, asBridgeError(error), circumstances);
    dueAt = bridge.clock.now();
  }
  await bridge.database.run(
    `update stream set history_claimed_by = null,
       history_due_at = case when history_due_at::text = $3 then at_instant($4) else history_due_at end,
       history_failures = case when $5 then 0 else history_failures end,
       last_fault = case when $5 and last_fault ->> 'lane' = 'history' then null else last_fault end,
       caught_up_to = at_instant($6)
     where id = $1 and history_claimed_by = $2`,
    [streamId, bridge.workerId, claimed.due, dueAt ?? null, healthy, caughtUpTo ?? null],
  );
}

/** What a run knows. It changes as windows come back. */
interface Progress {
  readonly begun: Instant;
  covered: Coverage;
  learned: Learned;
  wishes: readonly Wish[];
  wishesAt: Instant;
  /** The outbox of the project is full, so the run asks for nothing more. */
  full: boolean;
  /** Windows of this run, and the overlap that the run before it asked again: a run looks back for late data only once. */
  asked: Coverage;
  /** Windows being asked for. The plan leaves them out, so that no window is asked for twice at a time. */
  readonly underWay: Set<Window>;
}

interface Ask {
  readonly window: Window;
  readonly wish: Wish | undefined;
}

/** How a run ended. */
interface Outcome {
  /** When the next run is due; undefined where the history is complete. */
  readonly dueAt: Instant | undefined;
  /** Whether every window could be read. */
  readonly healthy: boolean;
  /** The next run may begin here without looking back for late data before it. */
  readonly caughtUpTo: Instant | undefined;
}

async function fillHistory(
  bridge: Bridge,
  source: OpenSource,
  claimed: ClaimedStream,
  signal: AbortSignal,
): Promise<Outcome> {
  const { stream } = claimed;
  const { clock } = bridge;
  const begun = clock.now();
  const end = begun + RUN;
  const progress: Progress = {
    begun,
    covered: stream.covered,
    learned: learnedOf(source, stream),
    wishes: await wishesOf(bridge.database, stream.id),
    wishesAt: begun,
    full: false,
    asked: askedByRunBefore(source, stream),
    underWay: new Set(),
  };
  let failed: Instant | undefined;
  let unreadable = 0;
  const next = async (): Promise<Ask | undefined> => {
    if (signal.aborted || clock.now() > end) return undefined;
    if (clock.now() > progress.wishesAt + WISHES_EVERY) {
      progress.wishes = await wishesOf(bridge.database, stream.id);
      progress.full = await isFull(bridge.database, source.projectId);
      progress.wishesAt = clock.now();
    }
    if (progress.full) return undefined;
    const ask = nextAsk(source, progress, clock.now());
    // Marked before anything is awaited, so that no parallel worker is given the same window.
    if (ask) progress.underWay.add(ask.window);
    return ask;
  };
  await eachWithin(source.config.pace.concurrency, next, async (ask) => {
    try {
      await fetchAsk(bridge, source, claimed, progress, ask, signal);
      progress.underWay.delete(ask.window);
      return 'go-on';
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      const { failures } = claimed.source;
      const circumstances = { failures, stream, window: ask.window, lane: 'history' as const };
      const retryAt = await actOn(bridge, source, asBridgeError(error), circumstances);
      failed = retryAt ?? clock.now();
      // A window without an answer is no unreadable page: the platform is left alone, and a shorter window is planned then.
      if (asBridgeError(error).code === 'unavailable') {
        progress.underWay.delete(ask.window);
        return 'stop';
      }
      // The run leaves an unreadable window out from here on and counts it as asked again, so that neither the overlap nor
      // newer time waits for it. A window that got no answer because the source waits is planned again.
      if (retryAt === undefined) progress.underWay.delete(ask.window);
      else progress.asked = union(progress.asked, [ask.window]);
      unreadable += 1;
      return retryAt !== undefined && unreadable < MOST_UNREADABLE ? 'go-on' : 'stop';
    }
  });
  for (const wish of progress.wishes) await finishWhenCovered(bridge.database, wish.id);
  const ask = nextAsk(source, progress, clock.now());
  const caughtUpTo = endOfAsked(source, progress, ask, clock.now());
  if (failed !== undefined) return { dueAt: failed, healthy: false, caughtUpTo };
  const dueAt = ask ? clock.now() : unsettledUntil(source, progress);
  return { dueAt, healthy: !signal.aborted, caughtUpTo };
}

/** The overlap that the run before this one asked again already. */
const askedByRunBefore = ({ policy }: OpenSource, { caughtUpTo }: ClaimedStream['stream']): Coverage =>
  caughtUpTo === undefined ? [] : coverageOf([{ from: caughtUpTo - policy.overlap, to: caughtUpTo }]);

/**
 * The instant up to which this run looked back for late data, where the next run goes on from there. It counts only where
 * it is older than the overlap, because no point before it can come late any more, whenever the next run begins. A killed
 * process does not write it, and then the next run looks back once more.
 */
function endOfAsked(
  { policy }: OpenSource,
  { asked }: Progress,
  next: Ask | undefined,
  now: Instant,
): Instant | undefined {
  if (next === undefined || next.wish?.again === true) return undefined;
  const { from } = next.window;
  return from <= edgeOf(policy, now) - policy.overlap - RUN ? asked.find(({ to }) => to === from)?.to : undefined;
}

/** When the end of an unfinished wish settles. A backfill may reach up to a start that has not settled yet. */
function unsettledUntil({ policy }: OpenSource, { wishes, covered }: Progress): Instant | undefined {
  const waiting = wishes.filter(({ again, done, range }) => !covers(again ? done : covered, range));
  return waiting.length === 0 ? undefined : Math.min(...waiting.map(({ range }) => settledAt(policy, range.to)));
}

/** The next window of the first wish that has a missing one, otherwise of catch-up. */
function nextAsk(source: OpenSource, progress: Progress, now: Instant): Ask | undefined {
  const { policy, config } = source;
  const { covered, asked: askedAgain } = progress;
  const underWay = coverageOf([...progress.underWay]);
  const request = { policy, now, lane: 'history' as const, learned: progress.learned.length, limit: 1, underWay };
  for (const wish of progress.wishes) {
    const coverage = wish.again ? wish.done : covered;
    const lookBack = wish.again ? {} : { askedAgain };
    // Planned with the edge of the run's begin: a wish that ends at unsettled time would otherwise ask for it second by second.
    const [window] = plan({
      ...request,
      now: progress.begun,
      coverage,
      range: wish.range,
      order: 'oldest',
      ...lookBack,
    });
    if (window) return { window, wish };
  }
  const [window] = plan({ ...request, coverage: covered, order: config.schedule.catchUp, askedAgain });
  return window && { window, wish: undefined };
}

async function fetchAsk(
  bridge: Bridge,
  source: OpenSource,
  { stream }: ClaimedStream,
  progress: Progress,
  { window, wish }: Ask,
  signal: AbortSignal,
): Promise<void> {
  const { covered, learned } = progress;
  const backfill = wish?.again ? { backfillId: wish.id } : {};
  const result = await fetchWindow(
    bridge,
    { source, stream, lane: 'history', window, covered, learned, ...backfill },
    signal,
  );
  progress.learned = result.learned;
  if (result.kind === 'done') {
    progress.covered = union(progress.covered, [window]);
    progress.asked = union(progress.asked, [window]);
    progress.wishes = progress.wishes.map((one) =>
      one.id === wish?.id ? { ...one, done: union(one.done, [window]) } : one,
    );
  }
}
