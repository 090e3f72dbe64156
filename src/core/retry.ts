import type { Microseconds } from './instant.ts';

export interface Delays {
  /** The longest wait after the first failure. */
  readonly first: Microseconds;
  /** The longest wait after any number of failures. */
  readonly most: Microseconds;
  /** A random number, at least 0 and less than 1. */
  readonly random: number;
}

/**
 * How long to wait after `failures` in a row (1, 2, …): the longest wait doubles with each failure up to `most`, and
 * `random` picks a wait between half of it and all of it.
 */
export function retryDelay(failures: number, { first, most, random }: Delays): Microseconds {
  const longest = Math.min(most, first * 2 ** Math.max(0, failures - 1));
  return Math.floor(longest / 2 + (random * longest) / 2);
}

/**
 * How long to wait after an answer that asks to wait for `stated` µs, where `failures` in a row came before it. A wait that
 * was kept and refused again did not help, so from then on the wait grows as if none had been named.
 */
export function refusedDelay(stated: Microseconds | undefined, failures: number, delays: Delays): Microseconds {
  if (stated !== undefined && failures === 0) return stated;
  return Math.max(stated ?? 0, retryDelay(failures + 1, delays));
}
