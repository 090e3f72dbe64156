import { setTimeout as sleep } from 'node:timers/promises';
import { PushError } from '../client/index.ts';
import { formatDuration } from '../core/duration.ts';
import { MILLISECOND } from '../core/instant.ts';
import { WAITS, retryDelay } from '../core/retry.ts';
import { roughly } from '../terminal/words.ts';

export interface Patience {
  /** Failures in a row may last at most this long, ms; 0 gives up at the first one. */
  readonly giveUpAfterMs: number;
  /** Ends a wait, not a request under way. */
  readonly stop: AbortSignal;
  /** Called once when a wait begins, and with undefined when the service takes requests again. */
  readonly onTrouble: (trouble: string | undefined) => void;
}

/**
 * Sends a request until the service answers it. A fault that may pass (unreachable, overloaded, failed) is followed by
 * another try, with growing, jittered delays and never earlier than the service asks. Throws every other fault, a fault
 * that lasted too long, and AbortError where `stop` ended a wait.
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
      const delayMs = retryDelay(WAITS.upload, failures, Math.random()) / MILLISECOND;
      // The last try comes at the end of the time that is left, unless the service asks for a longer wait.
      if (leftMs <= 0 || askedMs > leftMs) throw error;
      if (failures === 1) {
        const lasting = formatDuration(Math.round(giveUpAfterMs) * MILLISECOND);
        const asked = askedMs > 0 ? ` in ${roughly(askedMs * MILLISECOND)}, as it asks` : '';
        onTrouble(`${(error as Error).message}; trying again${asked}, for at most ${lasting}`);
      }
      await sleep(Math.max(askedMs, Math.min(delayMs, leftMs)), undefined, { signal: stop });
    }
  }
}

/** The wait that a passing fault asks for, ms; undefined for an error that does not pass. */
function passingWaitMs(error: unknown): number | undefined {
  if (!(error instanceof PushError)) return undefined;
  const { fault } = error;
  if (fault.code === 'overloaded') return fault.retryAfterMs ?? 0;
  return fault.code === 'unreachable' || fault.code === 'failed' ? 0 : undefined;
}
