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
 * The middle five are `fetchWindow`. Nothing in here remembers anything: coverage is the only progress.
 */
export async function poll(bridge: Bridge, sourceId: number, signal: AbortSignal): Promise<void> {
  const claimed = await bridge.claims.take(sourceId);
  if (!claimed) return;
  const healthy = await ask(bridge, claimed, signal);
  await bridge.claims.report(sourceId, healthy);
}

/** @returns whether everything asked for was answered */
async function ask(bridge: Bridge, claimed: ClaimedSource, signal: AbortSignal): Promise<boolean> {
  try {
    return await bridge.sources.use(claimed, (source) => askAll(bridge, source, claimed, signal));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await actOn(bridge, claimed, asBridgeError(error), { failures: claimed.failures, lane: 'live' });
    return false;
  }
}

async function askAll(
  bridge: Bridge,
  source: OpenSource,
  claimed: ClaimedSource,
  signal: AbortSignal,
): Promise<boolean> {
  const streams = await discoverWhenDue(bridge, source, claimed, signal);
  const now = bridge.clock.now();
  const due = streams.filter((stream) => stream.retryAt === undefined || stream.retryAt <= now);
  let healthy = true;
  const next = (): Stream | undefined => (signal.aborted ? undefined : due.shift());
  await eachWithin(source.config.pace.concurrency, next, async (stream) => {
    const answered = await askStream(bridge, source, stream, claimed.failures, signal);
    healthy &&= answered === 'answered';
    return answered === 'source-waits' ? 'stop' : 'go-on';
  });
  return healthy && !signal.aborted;
}

async function askStream(
  bridge: Bridge,
  source: OpenSource,
  stream: Stream,
  failures: number,
  signal: AbortSignal,
): Promise<'answered' | 'stream-waits' | 'source-waits'> {
  const { policy } = source;
  const now = bridge.clock.now();
  let { covered } = stream;
  let learned = learnedOf(source, stream);
  const windows = plan({ policy, coverage: covered, now, lane: 'live', learned: learned.length });
  let current: Window | undefined;
  try {
    while ((current = windows.shift()) !== undefined) {
      if (signal.aborted) return 'source-waits';
      const result = await fetchWindow(
        bridge,
        { source, stream, lane: 'live', window: current, covered, learned },
        signal,
      );
      learned = result.learned;
      if (result.kind === 'done') covered = union(covered, [current]);
      else windows.unshift(...halvesOf(current, learned.length, covered));
    }
    await wakeHistory(bridge, source, stream, covered, learned.length);
    return 'answered';
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const place = { failures, stream, lane: 'live' as const, ...(current && { window: current }) };
    const retryAt = await actOn(bridge, source, asBridgeError(error), place);
    return retryAt === undefined ? 'source-waits' : 'stream-waits';
  }
}

/** The newest part is still live; the older one is history's, unless it is asked again: then nobody else would. */
function halvesOf({ from, to }: Window, length: Microseconds, covered: Coverage): Window[] {
  const newest = { from: Math.max(from, to - length), to };
  const older = { from, to: newest.from };
  return from < newest.from && intersect(covered, older).length > 0 ? [older, newest] : [newest];
}

/** What live leaves missing is history's: catch-up after downtime begins here. */
async function wakeHistory(
  bridge: Bridge,
  source: OpenSource,
  stream: Stream,
  coverage: Stream['covered'],
  learned: number,
): Promise<void> {
  if (stream.historyDue) return;
  const now = bridge.clock.now();
  const [missing] = plan({ policy: source.policy, coverage, now, lane: 'history', learned, limit: 1 });
  if (missing === undefined) return;
  await bridge.database.run('update stream set history_due_at = now() where id = $1 and history_due_at is null', [
    stream.id,
  ]);
}
