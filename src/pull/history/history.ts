import { union } from '../../core/coverage.ts';
import { asBridgeError, isUnanswered } from '../../core/errors.ts';
import type { BridgeError } from '../../core/errors.ts';
import { SECOND } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import { isKnownInstant } from '../../core/unreadable.ts';
import { isDatabaseAway } from '../../database/away.ts';
import type { Meter } from '../../platform/connection/index.ts';
import { isFull } from '../../delivery/waiting.ts';
import { allowanceOf, finishCovered, giveBack, noteFailed, reserveRequests, wishesOf } from './wishes.ts';
import type { Bridge } from '../bridge.ts';
import { actOn } from '../consequence.ts';
import { eachWithin } from '../each-within.ts';
import { fetchWindow, learnedOf } from '../fetch-window.ts';
import type { WindowTask } from '../fetch-window.ts';
import { firstTurnAt, nextAsk, noteDone, noteFresh, noteTaken, restsUntil, servedBy } from './history-progress.ts';
import type { Ask, RunState } from './history-progress.ts';
import type { OpenSource, Stream } from '../open/open-source.ts';
import type { Allowance, Wish } from './wishes.ts';
import { isWindowAtFault, setAside } from '../set-aside.ts';
import { streamNow } from '../claim.ts';

/** A run ends after this and its stream is due again, so that streams take turns and a drain is quick. */
const RUN = 30 * SECOND;

/**
 * A run ends after this many windows in a row that cannot be read: one bad instant fails twice at most. Where live
 * cannot be read either, the trouble is probably not one instant, and the first window decides, also where it is half of an earlier one.
 */
const MOST_UNREADABLE = { well: 3, failing: 1 };

/** A run learns this often of the work of operators, of live and of deliveries. */
const REFRESH_EVERY = SECOND;

/**
 * One run of a stream's history. Catch-up and gap repair take turns with backfills, and both with time to ask for once
 * more. Each window takes the same path as that of a live poll. Several windows are under way at a time, so the platform answers one while the bridge stores another.
 */
export async function history(bridge: Bridge, streamId: number, signal: AbortSignal): Promise<void> {
  const claimed = await bridge.claims.take('history', streamId);
  if (!claimed) return;
  const [stream] = claimed.streams as readonly [Stream];
  let dueAt: Instant | undefined;
  let healthy = false;
  try {
    ({ dueAt, healthy } = await bridge.sources.use(claimed, (source) =>
      fillHistory(bridge, source, { stream, failures: claimed.failures }, signal),
    ));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await actOn(bridge, claimed, asBridgeError(error), { failures: claimed.failures, lane: 'history' });
    dueAt = bridge.clock.now();
  }
  if (healthy) {
    await bridge.database.run(
      `update stream set last_fault = null where id = $1 and last_fault ->> 'lane' = 'history'
         and exists (select from work where kind = 'history' and work.id = $1 and claimed_by = $2)`,
      [streamId, bridge.workerId],
    );
  }
  await bridge.claims.report(claimed, { healthy, dueAt: dueAt ?? null, ...(healthy && { failures: 0 }) });
}

/** The part of a claim that a run of history works with. */
interface ClaimedHistory {
  readonly stream: Stream;
  /** Failures in a row of the source. */
  readonly failures: number;
}

/** How a run ended. */
interface Outcome {
  /** When the next run is due; undefined where the history is complete. */
  readonly dueAt: Instant | undefined;
  /** Whether every window could be read. */
  readonly healthy: boolean;
}

async function fillHistory(
  bridge: Bridge,
  source: OpenSource,
  claimed: ClaimedHistory,
  signal: AbortSignal,
): Promise<Outcome> {
  const { stream } = claimed;
  const { clock } = bridge;
  const begun = clock.now();
  await giveBack(bridge.database);
  const run: Run = {
    begun,
    covered: stream.covered,
    learned: learnedOf(source.policy, stream),
    wishes: await wishesOf(bridge.database, stream.id),
    unreadable: stream.unreadable,
    lookAgain: stream.lookAgain,
    looksNoted: stream.looksNoted,
    underWay: new Set(),
    turn: firstTurnAt(begun),
    refreshedAt: begun,
    full: false,
    crowded: false,
    failures: stream.historyFailures,
    unreadableInARow: 0,
    failedUntil: undefined,
  };
  const next = async (): Promise<UnderWay | undefined> => {
    if (signal.aborted || clock.now() > begun + RUN) return undefined;
    if (clock.now() > run.refreshedAt + REFRESH_EVERY) await refresh(bridge, source, stream, run);
    if (run.full || run.crowded) return undefined;
    const planned = nextAsk(source, run, clock.now());
    if (planned === undefined) return undefined;
    const ask: UnderWay = { ...planned, meter: undefined, allowance: undefined };
    // Marked before anything is awaited, so that no parallel worker is given the same window.
    run.underWay.add(ask);
    run.turn += 1;
    const { wish } = ask;
    if (wish?.budget === undefined) return ask;
    const reserved = await reserveRequests(bridge.database, wish.id, wish.budget.perWindow);
    if (reserved === undefined) {
      run.underWay.delete(ask);
      noteTaken(run, wish, clock.now());
      return await next();
    }
    ask.allowance = allowanceOf(bridge.database, reserved, clock.now);
    return ask;
  };
  const work = async (ask: UnderWay): Promise<boolean> => {
    try {
      await fetchAsk(bridge, source, claimed, run, ask, signal);
      run.crowded = false;
      return true;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      await noteSpent(bridge, ask);
      return await afterFailure(bridge, source, { claimed, run, ask }, asBridgeError(error));
    } finally {
      run.underWay.delete(ask);
      if (ask.allowance !== undefined) {
        await giveBack(bridge.database, ...ask.allowance.reserved);
        // What a window of the backfill needs is known better now, and so is what is left.
        run.refreshedAt = -Infinity;
      }
    }
  };
  try {
    await eachWithin(source.config.pace.concurrency, next, work);
  } finally {
    // Those of windows that were dropped because the run had stopped, and of windows that ended while the database was away.
    await giveBack(bridge.database, ...[...run.underWay].flatMap(({ allowance }) => allowance?.reserved ?? []));
  }
  await finishCovered(bridge.database, source.id);
  const now = clock.now();
  if (run.failedUntil !== undefined) return { dueAt: run.failedUntil, healthy: false };
  return { dueAt: nextAsk(source, run, now) ? now : restsUntil(source, run, now), healthy: !signal.aborted };
}

/** A window that is asked for. */
interface UnderWay extends Ask {
  /** From its first request on. */
  meter: Meter | undefined;
  /** What it may send of the requests of a backfill. */
  allowance: Allowance | undefined;
}

/** A run under way. */
interface Run extends RunState {
  readonly underWay: Set<UnderWay>;
  refreshedAt: Instant;
  /** The outbox of the project is full, so the run asks for nothing more. */
  full: boolean;
  /** No slot comes free beside the windows that have begun, so no further one is begun until one of them has ended. */
  crowded: boolean;
  /** Failures of this stream's history in a row. */
  failures: number;
  unreadableInARow: number;
  /** The run failed, and the next one waits until then. */
  failedUntil: Instant | undefined;
}

/** Learns of new and cancelled backfills, of time to ask for once more, and of room in the outbox. */
async function refresh({ database, clock }: Bridge, source: OpenSource, { id }: Stream, run: Run): Promise<void> {
  const wishes = await wishesOf(database, id);
  const { lookAgain: before } = run;
  noteFresh(run, before, { wishes, stream: await streamNow(database, id) });
  run.full = await isFull(database, source.projectId);
  run.refreshedAt = clock.now();
}

/**
 * Acts on a failure. A window at fault is set aside, and the run goes on with other time. It ends after a few of them in a
 * row, because the trouble is not one page then.
 */
async function afterFailure(
  bridge: Bridge,
  source: OpenSource,
  given: { readonly claimed: ClaimedHistory; readonly run: Run; readonly ask: UnderWay },
  fault: BridgeError,
): Promise<boolean> {
  const { claimed, run, ask } = given;
  const { window } = ask;
  const { stream, failures } = claimed;
  const hasBegun = [...run.underWay].some((other) => other !== ask && (other.meter?.requests ?? 0) > 0);
  run.crowded = isOwnPace(fault) && hasBegun;
  if (run.crowded) return true;
  if (isWindowAtFault(fault, window, { source, failures })) {
    const { minWindow } = source.platform.facts;
    const isKnown = isKnownInstant(run.unreadable, window, minWindow);
    run.unreadable = await setAside(bridge, source, { stream, window, lane: 'history', isKnown }, fault);
    // It has its own wait, which other time need not share.
    if (isKnown) return true;
    run.unreadableInARow += 1;
    // A window that was under way when the run ended is no failure of its own, and the operator was told of the first one.
    if (run.failedUntil !== undefined) return false;
    if (!isUnanswered(fault) && run.unreadableInARow < MOST_UNREADABLE[stream.failures > 0 ? 'failing' : 'well'])
      return true;
  }
  const where = { stream: { ...stream, historyFailures: run.failures }, window, lane: 'history' as const };
  run.failedUntil = bridge.clock.now();
  const retryAt = await actOn(bridge, source, fault, { failures, ...where });
  if (retryAt !== undefined) run.failedUntil = retryAt;
  return false;
}

const isOwnPace = ({ fault }: BridgeError): boolean => fault.code === 'throttled' && fault.own === true;

async function fetchAsk(
  bridge: Bridge,
  source: OpenSource,
  { stream }: ClaimedHistory,
  run: Run,
  ask: UnderWay,
  signal: AbortSignal,
): Promise<void> {
  const { window, wish } = ask;
  const { covered, learned, unreadable, looksNoted } = run;
  const metered = (meter: Meter): void => void (ask.meter = meter);
  const served = servedBy(ask, run);
  const result = await fetchWindow(
    bridge,
    {
      source,
      stream: { ...stream, covered, unreadable, looksNoted },
      lane: 'history',
      window,
      learned,
      metered,
      allow: ask.allowance?.allow,
      backfills: backfillsOf(wish, served),
    },
    signal,
  );
  run.learned = result.learned;
  run.failures = 0;
  run.unreadableInARow = 0;
  if (result.kind === 'halved') {
    await noteSpent(bridge, ask);
    return;
  }
  run.unreadable = result.unreadable;
  run.lookAgain = union(run.lookAgain, result.owed);
  noteDone(run, window, served);
}

const backfillsOf = (asking: Wish | undefined, served: readonly Wish[]): WindowTask['backfills'] => ({
  asking: asking?.id,
  served: served.filter(({ again }) => again).map(({ id }) => id),
});

/** Counts what a window of a backfill cost that was not stored. */
async function noteSpent({ database }: Bridge, { wish, meter }: UnderWay): Promise<void> {
  if (wish === undefined || !meter?.requests) return;
  await noteFailed(database, wish.id, meter);
}
