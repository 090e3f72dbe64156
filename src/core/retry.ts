import type { Microseconds } from './instant.ts';

export interface Delays {
  /** About how long to wait after the first failure, and at most, however many follow. */
  readonly first: Microseconds;
  readonly most: Microseconds;
  /** A random number from 0 up to, not including, 1. */
  readonly random: number;
}

/** How long to wait after `failures` (1, 2, …) in a row: doubling up to `most`, anywhere in the upper half of that. */
export function retryDelay(failures: number, { first, most, random }: Delays): Microseconds {
  const longest = Math.min(most, first * 2 ** Math.max(0, failures - 1));
  return Math.floor(longest / 2 + (random * longest) / 2);
}
