import { intersect, union } from '../core/coverage.ts';
import type { Coverage } from '../core/coverage.ts';
import { asBridgeError } from '../core/errors.ts';
import type { Microseconds } from '../core/instant.ts';
import { plan } from '../core/plan.ts';
import type { Window } from '../core/window.ts';
import { isDatabaseAway } from '../database/away.ts';
import type { Bridge } from './bridge.ts';
import type { ClaimedSource } from './claim.ts';
import { actOn } from './consequence.ts';
import { discoverWhenDue } from './discovery.ts';
import { eachWithin } from './each-within.ts';
import { fetchWindow, learnedOf } from './fetch-window.ts';
import type { OpenSource, Stream } from './open-source.ts';

/**
 * One poll of one source, the main path: claim → plan → pace → read → normalise → check → commit → report.
 * `pollStream` plans; `fetchWindow` takes each window through the five steps from pace to commit. A poll remembers
 * nothing of the one before it, because coverage is the only progress.
 */
export async function poll(bridge: Bridge, sourceId: number, signal: AbortSignal): Promise<void> {
  const claimed = await bridge.claims.take(sourceId);
  if (!claimed) return;
  const healthy = await pollClaimed(bridge, claimed, signal);
  await bridge.claims.report(sourceId, healthy);
}

/** @returns whether the platform answered everything that was asked */
async function pollClaimed(bridge: Bridge, claimed: ClaimedSource, signal: AbortSignal): Promise<boolean> {
  try {
    return await bridge.sources.use(claimed, async (source) => {
      const streams = await discoverWhenDue(bridge, source, claimed, signal);
      return await pollStreams(bridge, source, { streams, failures: claimed.failures }, signal);
    });
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await actOn(bridge, claimed, asBridgeError(error), { failures: claimed.failures, lane: 'live' });
    return false;
  }
}

async function pollStreams(
  bridge: Bridge,
  source: OpenSource,
  { streams, failures }: Pick<ClaimedSource, 'streams' | 'failures'>,
  signal: AbortSignal,
): Promise<boolean> {
  const now = bridge.clock.now();
  const due = streams.filter((stream) => stream.retryAt === undefined || stream.retryAt <= now);
  let healthy = true;
  const next = (): Stream | undefined => (signal.aborted ? undefined : due.shift());
  await eachWithin(source.config.pace.concurrency, next, async (stream) => {
    const answer = await pollStream(bridge, source, stream, failures, signal);
    healthy &&= answer === 'answered';
    return answer === 'source-waits' ? 'stop' : 'go-on';
  });
  return healthy && !signal.aborted;
}

async function pollStream(
  bridge: Bridge,
  source: OpenSource,
  stream: Stream,
  failures: number,
  signal: AbortSignal,
): Promise<'answered' | 'stream-waits' | 'source-waits'> {
  const { policy } = source;
  let { covered } = stream;
  let learned = learnedOf(source, stream);
  const windows = plan({ policy, coverage: covered, now: bridge.clock.now(), lane: 'live', learned: learned.length });
  let current: Window | undefined;
  try {
    while ((current = windows.shift()) !== undefined) {
      if (signal.aborted) return 'source-waits';
      const task = { source, stream, lane: 'live' as const, window: current, covered, learned };
      const result = await fetchWindow(bridge, task, signal);
      learned = result.learned;
      if (result.kind === 'done') covered = union(covered, [current]);
      else windows.unshift(...liveHalvesOf(current, learned.length, covered));
    }
    await wakeHistory(bridge, source, stream, covered, learned.length);
    return 'answered';
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const circumstances = { failures, stream, lane: 'live' as const, ...(current && { window: current }) };
    const retryAt = await actOn(bridge, source, asBridgeError(error), circumstances);
    return retryAt === undefined ? 'source-waits' : 'stream-waits';
  }
}

/**
 * The parts of a window that was too much which the live lane asks for. The older part is left to history, except where
 * it holds covered time: history never asks for that, so live would lose its look back for late data.
 */
function liveHalvesOf({ from, to }: Window, length: Microseconds, covered: Coverage): Window[] {
  const newest = { from: Math.max(from, to - length), to };
  const older = { from, to: newest.from };
  return from < newest.from && intersect(covered, older).length > 0 ? [older, newest] : [newest];
}

/** Makes the stream's history due where live leaves time uncovered; catch-up after a downtime begins here. */
async function wakeHistory(
  bridge: Bridge,
  source: OpenSource,
  stream: Stream,
  coverage: Coverage,
  learned: Microseconds,
): Promise<void> {
  if (stream.historyDue) return;
  const now = bridge.clock.now();
  const [missing] = plan({ policy: source.policy, coverage, now, lane: 'history', learned, limit: 1 });
  if (missing === undefined) return;
  await bridge.database.run('update stream set history_due_at = now() where id = $1 and history_due_at is null', [
    stream.id,
  ]);
}
