import { subtract, union } from '../core/coverage.ts';
import { asBridgeError, isUnreadable } from '../core/errors.ts';
import type { Microseconds } from '../core/instant.ts';
import { plan } from '../core/plan.ts';
import { inTurn, pollOutcome } from '../core/turn.ts';
import type { PollOutcome } from '../core/turn.ts';
import { nextRetryAt, unreadableTime, wantedOf } from '../core/unreadable.ts';
import type { Window } from '../core/window.ts';
import { isDatabaseAway } from '../database/away.ts';
import { setAside } from './set-aside.ts';
import type { Bridge } from './bridge.ts';
import type { Claimed } from './claim.ts';
import { actOn } from './consequence.ts';
import { eachWithin } from './each-within.ts';
import { fetchWindow, learnedOf } from './fetch-window.ts';
import { lookBackOf, looksToAsk } from './look-back.ts';
import type { OpenSource, Stream } from './open/open-source.ts';
import { notePlatformClock } from './platform-clock.ts';
import { wakeHistories } from './work.ts';

/**
 * One poll of one source, the main path: claim → plan → pace → read → normalise → check → commit → report. `pollStream`
 * plans; `fetchWindow` takes each window through the five steps from pace to commit. A poll remembers nothing of the one
 * before it, because coverage is the only progress.
 */
export async function poll(bridge: Bridge, sourceId: number, signal: AbortSignal): Promise<void> {
  const claimed = await bridge.claims.take('poll', sourceId);
  if (!claimed) return;
  const healthy = await pollClaimed(bridge, claimed, signal);
  await bridge.claims.report(claimed, { healthy });
}

/** @returns whether the source is well; see `pollStreams` */
async function pollClaimed(bridge: Bridge, claimed: Claimed, signal: AbortSignal): Promise<boolean> {
  try {
    return await bridge.sources.use(claimed, async (source) => {
      const healthy = await pollStreams(bridge, source, claimed, signal);
      await notePlatformClock(bridge, source, claimed);
      return healthy;
    });
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await actOn(bridge, claimed, asBridgeError(error), { failures: claimed.failures, lane: 'live' });
    return false;
  }
}

/** @returns whether the source is well: its platform answered for a stream, or there was nothing to ask for and a stream is well */
async function pollStreams(
  bridge: Bridge,
  source: OpenSource,
  { streams, failures }: Pick<Claimed, 'streams' | 'failures'>,
  signal: AbortSignal,
): Promise<boolean> {
  const due = inTurn(streams, bridge.clock.now());
  const outcome = pollOutcome(streams, failures);
  let sourceWaits = false;
  const ask = async (stream: Stream): Promise<boolean> => {
    const goesOn = await pollStream(bridge, source, stream, outcome, signal);
    if (!goesOn) sourceWaits = true;
    return goesOn;
  };
  // Where the source is in trouble, one stream finds out alone whether its platform answers again.
  const probe = failures > 0 ? due.shift() : undefined;
  if (probe !== undefined) await ask(probe);
  const next = (): Stream | undefined => (signal.aborted || sourceWaits ? undefined : due.shift());
  await eachWithin(Math.min(source.config.pace.concurrency, due.length), next, ask);
  return !sourceWaits && outcome.isWell(signal.aborted);
}

/** @returns whether the poll goes on; it ends where the whole source waits from now on */
async function pollStream(
  bridge: Bridge,
  source: OpenSource,
  stream: Stream,
  outcome: PollOutcome,
  signal: AbortSignal,
): Promise<boolean> {
  const { policy } = source;
  let known = stream;
  let learned = learnedOf(source.policy, stream);
  const windows = plan({
    policy,
    coverage: known.covered,
    unreadable: unreadableTime(known.unreadable),
    now: bridge.clock.now(),
    lane: 'live',
    learned: learned.length,
    look: lookBackOf(source, stream),
  });
  let current: Window | undefined;
  try {
    while ((current = windows.shift()) !== undefined) {
      if (signal.aborted) return true;
      const task = { source, stream: known, lane: 'live' as const, window: current, learned };
      const result = await fetchWindow(bridge, task, signal);
      outcome.read();
      learned = result.learned;
      if (result.kind === 'done') {
        known = {
          ...known,
          covered: union(known.covered, [current]),
          unreadable: result.unreadable,
          lookAgain: subtract(union(known.lookAgain, result.owed), [current]),
        };
        // History asks for the older part. The commit notes the look that the whole window would have held.
      } else windows.unshift({ from: Math.max(current.from, current.to - learned.length), to: current.to });
    }
    await wakeHistory(bridge, source, known, learned.length);
    return true;
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const fault = asBridgeError(error);
    const { blame, failures, answered } = outcome.fault(fault, stream);
    const where = { stream, window: current, lane: 'live' as const };
    if (current !== undefined && isUnreadable(fault)) {
      known = { ...known, unreadable: await setAside(bridge, source, { ...where, window: current }, fault) };
      await wakeHistory(bridge, source, known, learned.length);
    }
    const setsAside = current !== undefined && isUnreadable(fault);
    const retryAt = await actOn(bridge, source, fault, { ...where, failures, answered, blame, setAside: setsAside });
    return retryAt !== undefined;
  }
}

/**
 * Makes the stream's history due where live leaves time uncovered or unreadable, or owes a look; catch-up after a downtime begins here.
 */
async function wakeHistory(bridge: Bridge, source: OpenSource, stream: Stream, learned: Microseconds): Promise<void> {
  const { id, covered: coverage, historyDue } = stream;
  if (historyDue) return;
  const now = bridge.clock.now();
  const unreadable = unreadableTime(stream.unreadable);
  const [missing] = plan({ policy: source.policy, coverage, unreadable, now, lane: 'history', learned, limit: 1 });
  // Time before the start is asked for by backfills alone, and their runs know when they are due.
  const wanted = [{ from: source.policy.start, to: Infinity }];
  const due = nextRetryAt(wantedOf(stream.unreadable, wanted));
  const isOwed = looksToAsk(source, stream, now).length > 0;
  if (missing === undefined && !isOwed && (due === undefined || due > now)) return;
  await bridge.database.run(wakeHistories('from stream where id = $1'), [id]);
}
