import { DAY, SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';
import type { Lane } from './plan.ts';
import { nextAllowed } from './quiet-hours.ts';
import type { QuietHours } from './quiet-hours.ts';

/** What a source may be asked. `burst` is how many requests may go at once after idleness, `concurrency` how many at a time. */
export interface Pace {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly concurrency: number;
  readonly quietHours: readonly QuietHours[];
}

/** A request under way, or about to be; it counts until it is released or `until` has passed. */
export interface Lease {
  readonly id: string;
  readonly lane: Lane;
  readonly until: Instant;
}

/** What all hosts share about one source, as plain JSON. */
export interface PaceState {
  /** When the source would be fully idle again: the "theoretical arrival time" of the generic cell rate algorithm. */
  readonly next: Instant;
  readonly holdUntil: Instant;
  readonly leases: readonly Lease[];
  /** Live found every place taken. Until then history takes none, so that the next one is live's. */
  readonly liveWaitsUntil?: Instant;
}

export const IDLE: PaceState = { next: 0, holdUntil: 0, leases: [] };

/** A request wants to go. `horizon` is how far ahead each lane may reserve; history's is short, so live never queues behind it. */
export interface SlotRequest {
  readonly now: Instant;
  readonly lane: Lane;
  readonly leaseId: string;
  readonly leaseLength: Microseconds;
  readonly horizon: Readonly<Record<Lane, Microseconds>>;
}

/**
 * `go`: keep `state` and send the request at `at`, which is never before `now`; a hold that comes meanwhile is the
 * caller's to see (`state.holdUntil > at`). `wait`: nothing was reserved and asking before `askAgainAt` is in vain,
 * except for `concurrency`: that is when the next lease expires, and a release may free one before. Where there is a
 * `state`, keep it: it tells history that live waits.
 */
export type Reservation =
  | { readonly kind: 'go'; readonly at: Instant; readonly state: PaceState }
  | {
      readonly kind: 'wait';
      readonly askAgainAt: Instant;
      readonly why: 'pace' | 'hold' | 'quiet' | 'concurrency';
      readonly state?: PaceState;
    };

/** Requests leave 2 % further apart than agreed, so that jitter on the network never makes them arrive too fast. */
const GUARD = 1.02;

/** How long to wait where all time is quiet: somebody may change that. */
const NEVER: Microseconds = DAY;

/** How long live counts as waiting after it asked for a place in vain; it asks several times in this. */
const LIVE_WAITS: Microseconds = SECOND / 2;

/** The distance between two requests, whole µs. */
const intervalOf = (pace: Pace): Microseconds => Math.ceil((SECOND * GUARD) / pace.requestsPerSecond);

/**
 * Reserves the next slot, or says when to ask for one. In no second does the source get more than
 * `burst + requestsPerSecond` requests, whatever the clocks of the hosts do; no slot lies in quiet hours or before
 * `holdUntil`; no more than `concurrency` leases are alive at a time, and of
 * these one place is live's where there is more than one. An id that holds a lease already gets a new one
 * in its place.
 */
export function reserve(pace: Pace, state: PaceState, ask: SlotRequest): Reservation {
  const interval = intervalOf(pace);
  const slot = Math.max(ask.now, state.next - (pace.burst - 1) * interval);
  const wanted = Math.max(slot, state.holdUntil);
  const at = nextAllowed(pace.quietHours, wanted);
  if (at === undefined) return { kind: 'wait', askAgainAt: ask.now + NEVER, why: 'quiet' };

  const horizon = ask.horizon[ask.lane];
  if (at - ask.now > horizon) {
    const why = at > wanted ? 'quiet' : wanted > slot ? 'hold' : 'pace';
    return { kind: 'wait', askAgainAt: at - horizon, why };
  }

  const leases = state.leases.filter((lease) => lease.until > ask.now && lease.id !== ask.leaseId);
  const { liveWaitsUntil = 0, ...rest } = state;
  const busy =
    busyUntil(leases, pace.concurrency) ??
    (ask.lane === 'history' ? historyBusyUntil(leases, pace, ask.now, liveWaitsUntil) : undefined);
  if (busy !== undefined) {
    const wait = { kind: 'wait', askAgainAt: busy, why: 'concurrency' } as const;
    if (ask.lane === 'history' || liveWaitsUntil > ask.now + LIVE_WAITS / 2) return wait;
    return { ...wait, state: { ...state, liveWaitsUntil: ask.now + LIVE_WAITS } };
  }

  const next = Math.max(at, state.next) + interval;
  const lease = { id: ask.leaseId, lane: ask.lane, until: at + ask.leaseLength };
  return { kind: 'go', at, state: { ...(ask.lane === 'live' ? rest : state), next, leases: [...leases, lease] } };
}

/** When one of `places` is free again at the latest; undefined where one is free now. */
function busyUntil(leases: readonly Lease[], places: number): Instant | undefined {
  if (leases.length < places) return undefined;
  const ends = leases.map((lease) => lease.until).toSorted((one, other) => one - other);
  return ends[leases.length - places];
}

/**
 * History leaves one place to live, so that a long history request never keeps the edge waiting, and where there is
 * only one, it takes turns: while live waits, it takes none.
 */
function historyBusyUntil(
  leases: readonly Lease[],
  { concurrency }: Pace,
  now: Instant,
  liveWaitsUntil: Instant,
): Instant | undefined {
  const own = leases.filter((lease) => lease.lane === 'history');
  return busyUntil(own, Math.max(1, concurrency - 1)) ?? (liveWaitsUntil > now ? liveWaitsUntil : undefined);
}

/** The source asked for silence (429, 503, Retry-After): no slot before `until`. A hold only ever gets longer. */
export const hold = (state: PaceState, until: Instant): PaceState =>
  until > state.holdUntil ? { ...state, holdUntil: until } : state;

/** The request is over. An id without a lease is nothing to worry about: it expired before. */
export const release = (state: PaceState, leaseId: string): PaceState => ({
  ...state,
  leases: state.leases.filter((lease) => lease.id !== leaseId),
});
