import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { throttled } from '../core/errors.ts';
import { MILLISECOND, MINUTE, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { IDLE, abandon, hold, release, reserve } from '../core/pace.ts';
import type { Pace } from '../core/pace.ts';
import type { Pacer } from '../platform/connection/index.ts';
import { stoppedWaiting } from '../pace/pause.ts';

/** An operator waits for the command, so a longer silence than this is an error. The pace itself is always waited for. */
const LONGEST_SILENCE: Microseconds = 5 * SECOND;

const HORIZON = { live: LONGEST_SILENCE, history: LONGEST_SILENCE };

/** Every slot is released in this process, so a lease only has to be longer than any request. */
const LEASE: Microseconds = 10 * MINUTE;

/**
 * Request slots of one source in this process alone: a check or preview of a source that is not registered, or without a database,
 * keeps the pace of its configuration and its quiet hours. Throws `throttled` where the platform
 * or the quiet hours ask for a silence of more than five seconds, `cancelled` when aborted.
 */
export function localPacer({ pace, now }: { readonly pace: Pace; readonly now: () => Instant }): Pacer {
  let state = IDLE;
  let freed = Promise.withResolvers<void>();

  function giveBack(leaseId: string): void {
    state = release(state, leaseId);
    freed.resolve();
    freed = Promise.withResolvers();
  }

  return {
    async slot(lane, signal) {
      const leaseId = randomUUID();
      for (;;) {
        const at = now();
        const answer = reserve(pace, state, { now: at, lane, leaseId, leaseLength: LEASE, horizon: HORIZON });
        if (answer.kind === 'go') {
          state = answer.state;
          try {
            await pause(answer.at - at, signal);
          } catch (error) {
            giveBack(leaseId);
            throw error;
          }
          if (state.holdUntil <= now()) {
            const sentAt = now();
            return {
              inDoubt: true,
              release(ending) {
                if (ending === 'abandoned') state = abandon(state, leaseId, { sentAt, givenUpAt: now() });
                else giveBack(leaseId);
              },
            };
          }
          giveBack(leaseId);
        } else if (answer.why === 'concurrency') {
          await pause(answer.askAgainAt - at, signal, freed.promise);
        } else if (answer.why === 'pace' || answer.why === 'abandoned') {
          await pause(answer.askAgainAt - at, signal);
        } else {
          const why = answer.why === 'quiet' ? 'quiet hours of the source' : 'the platform asked for silence';
          throw throttled(answer.askAgainAt, `nothing is asked before ${formatInstant(answer.askAgainAt)}: ${why}`);
        }
      }
    },
    hold(until) {
      state = hold(state, until);
      return Promise.resolve();
    },
  };
}

/** Sleeps `length` µs, or until `early` resolves. Throws `cancelled` when aborted. */
async function pause(length: Microseconds, signal: AbortSignal, early?: Promise<void>): Promise<void> {
  const woken = new AbortController();
  const nap = sleep(Math.max(0, Math.ceil(length / MILLISECOND)), undefined, {
    signal: AbortSignal.any([signal, woken.signal]),
  }).catch(() => undefined);
  await (early === undefined ? nap : Promise.race([nap, early]));
  woken.abort();
  if (signal.aborted) throw stoppedWaiting();
}
