import { HOUR, MINUTE, SECOND } from './instant.ts';
import type { Microseconds } from './instant.ts';

/** The longest wait after the first failure, and after any number of failures in a row. */
export interface Wait {
  readonly first: Microseconds;
  readonly most: Microseconds;
}

/** All that is asked again after a failure, and how long each waits. What else waits waits for its pace or its due time. */
export const WAITS = {
  /** The platform gave no answer: the next live poll finds out whether it answers again. */
  source: { first: SECOND, most: 5 * MINUTE },
  /** The platform asked for silence and named none, or its last one did not help. */
  throttled: { first: 5 * SECOND, most: 5 * MINUTE },
  /** The answer for one stream was wrong, or the platform refuses this stream for good; the others go on. */
  stream: { first: 30 * SECOND, most: 30 * MINUTE },
  /** One stream alone got no answer, or history was asked to be silent. */
  silentStream: { first: 5 * SECOND, most: 30 * MINUTE },
  /** Time that was set aside is not asked for again, so the stream need not wait yet. */
  setAside: { first: 0, most: 0 },
  /** A look for sensors failed; a good one is repeated as often as a failed one at last. */
  look: { first: 30 * SECOND, most: HOUR },
  /** A stretch of time cannot be read. One that stays so costs some ten requests more in its life. */
  unreadable: { first: 30 * SECOND, most: 6 * HOUR },
  /** The service that readings are pushed on to is away. */
  delivery: { first: SECOND, most: MINUTE },
  /** That service refuses for a reason that somebody has to end. */
  refusedDelivery: { first: 30 * SECOND, most: 10 * MINUTE },
  /** A target of alerts took no message. */
  alert: { first: 30 * SECOND, most: HOUR },
  /** `databridge push` meets a service that is away. */
  upload: { first: SECOND / 2, most: 30 * SECOND },
} as const satisfies Readonly<Record<string, Wait>>;

/**
 * How long to wait after `failures` in a row (1, 2, …): the longest wait doubles with each failure up to the most, and
 * `random` (0..1) picks a wait between half of it and all of it.
 */
export function retryDelay({ first, most }: Wait, failures: number, random: number): Microseconds {
  const longest = Math.min(most, first * 2 ** Math.max(0, failures - 1));
  return Math.floor(longest / 2 + (random * longest) / 2);
}

/**
 * How long to wait after an answer that asks to wait for `stated` µs, where `failures` in a row came before it. A wait that
 * was kept and refused again did not help, so from then on the wait grows as if none had been named.
 */
export function refusedDelay(wait: Wait, failures: number, random: number, stated?: Microseconds): Microseconds {
  if (stated !== undefined && failures === 0) return stated;
  return Math.max(stated ?? 0, retryDelay(wait, failures + 1, random));
}
