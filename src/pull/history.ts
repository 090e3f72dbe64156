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

/** A run ends after this and queues up again, so that streams take turns and a drain is quick. */
const RUN = 30 * SECOND;

/** After so many windows that cannot be read a run ends: it is not a matter of one page. */
const MOST_UNREADABLE = 3;

/** How often a run looks whether wishes came or were withdrawn, and whether there is room for what it reads. */
const WISHES_EVERY = SECOND;

/**
 * A stretch of a stream's history: operators' backfills first, then catch-up and gap repair, on the same path as live
 * polls. Several windows are under way at a time, so the platform answers one while another is being stored.
 */
export async function history(bridge: Bridge, streamId: number, signal: AbortSignal): Promise<void> {
  const claimed = await bridge.claims.takeStream(streamId);
  if (!claimed) return;
  let dueAt: Instant | undefined;
  let healthy = false;
  let caughtUpTo: Instant | undefined;
  try {
    ({ dueAt, healthy, caughtUpTo } = await bridge.sources.use(claimed.source, (source) =>
      fill(bridge, source, claimed, signal),
    ));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const place = { failures: claimed.source.failures, lane: 'history' as const };
    await actOn(bridge, claimed.source, asBridgeError(error), place);
    dueAt = bridge.clock.now();
  }
  await bridge.database.run(
    `update stream set history_claimed_by = null,
       history_due_at = case when history_due_at::text = $3 then at_instant($4) else history_due_at end,
       failures = case when $5 and last_fault ->> 'lane' = 'history' then 0 else failures end,
       last_fault = case when $5 and last_fault ->> 'lane' = 'history' then null else last_fault end,
       caught_up_to = at_instant($6)
     where id = $1 and history_claimed_by = $2`,
    [streamId, bridge.workerId, claimed.due, dueAt ?? null, healthy, caughtUpTo ?? null],
  );
}

/** What a run knows; it changes as windows come back. */
interface Progress {
  readonly begun: Instant;
  covered: Coverage;
  learned: Learned;
  wishes: readonly Wish[];
  wishesAt: Instant;
  /** What was read cannot be handed over any more: nothing further is asked. */
  full: boolean;
  /** What this run read, and what the one before asked again: looked back for late data is once. */
  asked: Coverage;
  /** Planned around, so that no window is asked for twice at a time. */
  readonly underWay: Set<Window>;
}

interface Ask {
  readonly window: Window;
  readonly wish: Wish | undefined;
}

/** How a run ended. */
interface Outcome {
  /** When there is more to do; undefined where the history is complete. */
  readonly dueAt: Instant | undefined;
  /** Whether all of it could be read. */
  readonly healthy: boolean;
  /** A run that goes on from here need not look back for what lies before it. */
  readonly caughtUpTo: Instant | undefined;
}

async function fill(bridge: Bridge, source: OpenSource, claimed: ClaimedStream, signal: AbortSignal): Promise<Outcome> {
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
    asked: lookedBackBefore(source, stream),
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
    // Marked before anything is awaited: the next place that looks for work must not find the same window.
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
      const place = { failures: claimed.source.failures, stream, window: ask.window, lane: 'history' as const };
      const retryAt = await actOn(bridge, source, asBridgeError(error), place);
      failed = retryAt ?? clock.now();
      // A window that cannot be read is planned around from here on, and counts as asked again: neither what lies behind it
      // nor the time after it need wait for it. One that was not answered because the source waits is as before.
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

/** What the run before this one asked again, or need not: it went on from there. */
const lookedBackBefore = ({ policy }: OpenSource, { caughtUpTo }: ClaimedStream['stream']): Coverage =>
  caughtUpTo === undefined ? [] : coverageOf([{ from: caughtUpTo - policy.overlap, to: caughtUpTo }]);

/**
 * Where this run ended having looked back, wholly or in part; a kill forgets it, and then it is done again. Only where all
 * that may come late before it had come by then: however long the next run is in coming, it need not look there again.
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

/** A wish may reach up to a start that has not settled yet: its end is asked for when it has. */
function unsettledUntil({ policy }: OpenSource, { wishes, covered }: Progress): Instant | undefined {
  const waiting = wishes.filter(({ again, done, range }) => !covers(again ? done : covered, range));
  return waiting.length === 0 ? undefined : Math.min(...waiting.map(({ range }) => settledAt(policy, range.to)));
}

/** The next window of the first wish that misses one, otherwise of catch-up. */
function nextAsk(source: OpenSource, progress: Progress, now: Instant): Ask | undefined {
  const { policy, config } = source;
  const { covered, asked: askedAgain } = progress;
  const underWay = coverageOf([...progress.underWay]);
  const request = { policy, now, lane: 'history' as const, learned: progress.learned.length, limit: 1, underWay };
  for (const wish of progress.wishes) {
    const coverage = wish.again ? wish.done : covered;
    const lookBack = wish.again ? {} : { askedAgain };
    // A wish that reaches up to time which has not settled waits for it, instead of following it second by second.
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
