import { afterAnswer, isSlow, slowed, withinQuota } from '../core/ease.ts';
import type { Ease, Latency } from '../core/ease.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Pace, PaceState } from '../core/pace.ts';
import type { RequestKind } from '../core/request-counts.ts';
import type { PlatformSign } from '../platform/connection/index.ts';

/** Makes the state of a pace slower where the platform shows that it is asked too fast; else each function returns the given state. */
export interface Easing {
  /** What an answer says. */
  heed(state: PaceState, sign: PlatformSign): PaceState;
  /** An answer took so many µs. */
  answered(kind: RequestKind, took: Microseconds): void;
  /** What the answers so far say at the end of a request that left at `at`. */
  ended(state: PaceState, request: { readonly at: Instant; readonly kind: RequestKind }): PaceState;
}

const withEase = (state: PaceState, ease: Ease | undefined): PaceState =>
  ease === state.ease ? state : { ...state, ease };

/**
 * The easing of one source. Requests of different kinds ask for different amounts, so each has a latency of its own; those are kept by
 * this process alone, because only what follows from them has to be shared.
 */
export function easingOf({ requestsPerSecond }: Pace, now: () => Instant): Easing {
  const latencies = new Map<RequestKind, Latency>();
  return {
    heed(state, sign) {
      const at = now();
      if (sign.why !== 'quota') return withEase(state, slowed(state.ease, { now: at, sentAt: at, why: sign.why }));
      // One that is used up is waited for, and begins anew afterwards.
      if (sign.quota.remaining < 1) return state;
      return withEase(state, withinQuota(state.ease, { now: at, quota: sign.quota, requestsPerSecond }));
    },
    answered: (kind, took) => void latencies.set(kind, afterAnswer(latencies.get(kind), took)),
    ended(state, { at, kind }) {
      const latency = latencies.get(kind);
      if (latency === undefined || !isSlow(latency)) return state;
      return withEase(state, slowed(state.ease, { now: now(), sentAt: at, why: 'latency' }));
    },
  };
}
