import { setTimeout as sleep } from 'node:timers/promises';
import { PushError } from '../client/index.ts';
import { formatDuration } from '../core/duration.ts';
import { MILLISECOND, SECOND } from '../core/instant.ts';
import { retryDelay } from '../core/retry.ts';
import { roughly } from '../terminal/words.ts';

export interface Patience {
  /** How long failures in a row may last, ms; 0 gives up at once. */
  readonly giveUpAfterMs: number;
  /** Ends a wait, not a request under way. */
  readonly stop: AbortSignal;
  /** Told once when waiting begins, and with undefined when it is over. */
  readonly onTrouble: (what: string | undefined) => void;
}

/** Delays between tries, µs. */
const FIRST = SECOND / 2;
const MOST = 30 * SECOND;

/**
 * Does something until it is answered. What may pass (nobody there, overloaded, failed) is tried again with growing,
 * jittered delays, never before the service asked for. Throws what does not pass, what lasted too long, and AbortError.
 */
export async function patiently<T>(
  { giveUpAfterMs, stop, onTrouble }: Patience,
  attempt: () => Promise<T>,
): Promise<T> {
  let failedSince: number | undefined;
  for (let failures = 1; ; failures += 1) {
    try {
      const result = await attempt();
      if (failedSince !== undefined) onTrouble(undefined);
      return result;
    } catch (error) {
      const askedMs = passingWaitMs(error);
      if (askedMs === undefined) throw error;
      failedSince ??= performance.now();
      const leftMs = failedSince + giveUpAfterMs - performance.now();
      const delayMs = retryDelay(failures, { first: FIRST, most: MOST, random: Math.random() }) / MILLISECOND;
      // The last try is at the end of the time there is, unless the service wants none before.
      if (leftMs <= 0 || askedMs > leftMs) throw error;
      if (failures === 1) {
        const lasting = formatDuration(Math.round(giveUpAfterMs) * MILLISECOND);
        const asked = askedMs > 0 ? ` in ${roughly(askedMs * MILLISECOND)}, as it asks` : '';
        onTrouble(`${(error as Error).message}; trying again${asked}, for ${lasting} at most`);
      }
      await sleep(Math.max(askedMs, Math.min(delayMs, leftMs)), undefined, { signal: stop });
    }
  }
}

/** How long an error that may pass asks to wait, ms; undefined for one that does not pass. */
function passingWaitMs(error: unknown): number | undefined {
  if (!(error instanceof PushError)) return undefined;
  const { fault } = error;
  if (fault.code === 'overloaded') return fault.retryAfterMs ?? 0;
  return fault.code === 'unreachable' || fault.code === 'failed' ? 0 : undefined;
}
