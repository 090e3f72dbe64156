import { SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

/** What a process sent to one host of late. */
export interface Ramp {
  /** The second under way, counted since 1970. */
  readonly second: number;
  readonly sent: number;
  /** Sent in the second before, of those that the ramp let go. */
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

/** What a request has to do: leave, or ask again later, where the second may bring `most`. */
type RampAnswer =
  | { readonly kind: 'go'; readonly ramp: Ramp }
  | { readonly kind: 'wait'; readonly askAgainAt: Instant; readonly most: number };

/** How many requests may leave in a second. */
interface Climb {
  /** More than in the second before. */
  readonly step: number;
  /**
   * In any second, at any instant of it: those of the pace of the source that asks, so that a host with one source is held back by
   * nothing else, and a multiple of what the sources of the host are polled in the long run, so that polls as usual are not either.
   */
  readonly own: number;
}

/**
 * Whether one more request may leave at `now`: the requests to a host grow from second to second by `step` at most, and those beyond
 * `own` leave evenly in their second. A further request of a look or window that has `begun` leaves at once; the ramp counts it, so
 * that first requests of others wait longer.
 */
export function climb(
  ramp: Ramp,
  now: Instant,
  { begun = false, ...given }: Climb & { readonly begun?: boolean },
): RampAnswer {
  const second = Math.floor(now / SECOND);
  const current = at(ramp, second, given);
  const { sent } = current;
  const go = { kind: 'go', ramp: { ...current, sent: sent + 1 } } as const;
  if (begun || sent < given.own) return go;
  const most = mostAfter(current.before, given);
  const askAgainAt = second * SECOND + (sent < most ? Math.ceil((SECOND * sent) / most) : SECOND);
  return now < askAgainAt ? { kind: 'wait', askAgainAt, most } : go;
}

/** A request that left in the second of `sentAt` was not sent after all. */
export function descend(ramp: Ramp, sentAt: Instant): Ramp {
  const passed = ramp.second - Math.floor(sentAt / SECOND);
  if (passed === 0) return { ...ramp, sent: Math.max(0, ramp.sent - 1) };
  return passed === 1 ? { ...ramp, before: Math.max(0, ramp.before - 1) } : ramp;
}

const mostAfter = (before: number, { step, own }: Pick<Climb, 'step' | 'own'>): number => Math.max(own, before + step);

/** A clock that was set back begins anew. */
function at(ramp: Ramp, second: number, given: Pick<Climb, 'step' | 'own'>): Ramp {
  const passed = second - ramp.second;
  if (passed === 0) return ramp;
  return { second, sent: 0, before: passed === 1 ? Math.min(ramp.sent, mostAfter(ramp.before, given)) : 0 };
}

/**
 * How long after the instant at which it may leave a request asks again, where it is the `waiting`th that waits in this second: by chance,
 * so that not all leave together, and soon where few wait.
 */
export const rampSpread = (waiting: number, most: number, random: number): Microseconds =>
  Math.ceil(SECOND * Math.min(1, waiting / most) * random);
