import { SECOND } from './instant.ts';
import type { Instant } from './instant.ts';

/** What a process sent to one host of late. */
export interface Ramp {
  /** The second under way, counted since 1970. */
  readonly second: number;
  readonly sent: number;
  /** Sent in the second before. */
  readonly before: number;
}

export const NO_RAMP: Ramp = { second: 0, sent: 0, before: 0 };

/**
 * A second may bring so many requests more than the one before it. With 40, a host that a start or the end of an outage makes due for
 * 10,000 sources is asked 40 times in the first second by one process, and for all of them
 * within 23 s. A login costs a
 * platform more, because it hashes a password.
 */
export const RAMP_STEP = { request: 40, login: 10 } as const;

/** What a request has to do: leave, or ask again later. */
type RampAnswer =
  | { readonly kind: 'go'; readonly ramp: Ramp }
  | { readonly kind: 'wait'; readonly askAgainAt: Instant };

/**
 * Whether one more request may leave at `now`: the requests to a host grow from second to second by `step` at most. `own`: the requests that
 * may leave in any second: those of the pace of the source that asks, so that a host with one source is held back by nothing else, and
 * a multiple of what the sources of the host are polled in the long run.
 */
export function climb(
  ramp: Ramp,
  now: Instant,
  { step, own }: { readonly step: number; readonly own: number },
): RampAnswer {
  const second = Math.floor(now / SECOND);
  const current = at(ramp, second);
  if (current.sent >= Math.max(own, current.before + step)) return { kind: 'wait', askAgainAt: (second + 1) * SECOND };
  return { kind: 'go', ramp: { ...current, sent: current.sent + 1 } };
}

/** A clock that was set back begins anew. */
function at(ramp: Ramp, second: number): Ramp {
  const passed = second - ramp.second;
  if (passed === 0) return ramp;
  return { second, sent: 0, before: passed === 1 ? ramp.sent : 0 };
}

/** A request that waits comes so long after the begin of the second in which it may ask again, so that not all leave together. */
export const RAMP_SPREAD = { first: SECOND / 2, most: SECOND / 2 } as const;
