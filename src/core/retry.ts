import type { Instant, Microseconds } from './instant.ts';

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

/** When a source that fails again and again is left alone. Lengths in µs. */
export interface Breaker {
  /** This many failures in a row open it. */
  readonly opensAfter: number;
  readonly first: Microseconds;
  readonly most: Microseconds;
  /** How long a probe may take before another one is sent in its place. */
  readonly probeLength: Microseconds;
}

/** What is remembered about a source's failures, as plain JSON. */
export interface BreakerState {
  readonly failures: number;
  /** While open: no probe before this instant. */
  readonly retryAt: Instant;
  /** While a probe is out: until when it is waited for. */
  readonly probeUntil: Instant | null;
}

/** A breaker without failures; also what a success makes of every other one. */
export const CLOSED: BreakerState = { failures: 0, retryAt: 0, probeUntil: null };

const isOpen = (breaker: Breaker, state: BreakerState): boolean => state.failures >= breaker.opensAfter;

/**
 * One more failure. An open breaker counts its probes only: requests that were under way when it opened say nothing
 * new when they fail one by one.
 */
export function afterFailure(
  breaker: Breaker,
  state: BreakerState,
  { now, random }: { now: Instant; random: number },
): BreakerState {
  if (isOpen(breaker, state) && state.probeUntil === null) return state;
  const failures = state.failures + 1;
  // The first delay of an opened breaker is `first`, however many failures it took to open it.
  const delay = retryDelay(failures - breaker.opensAfter + 1, { ...breaker, random });
  return { failures, retryAt: now + delay, probeUntil: null };
}

export type Permission =
  | { readonly kind: 'go'; readonly state: BreakerState }
  | { readonly kind: 'wait'; readonly askAgainAt: Instant };

/** Whether the source may be asked now. A `go` of an open breaker is its one probe: keep `state` before sending it. */
export function mayTry(breaker: Breaker, state: BreakerState, now: Instant): Permission {
  if (!isOpen(breaker, state)) return { kind: 'go', state };
  const askAgainAt = state.probeUntil ?? state.retryAt;
  if (now < askAgainAt) return { kind: 'wait', askAgainAt };
  return { kind: 'go', state: { ...state, probeUntil: now + breaker.probeLength } };
}
