import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAnswer, isSlow, slowed, withinQuota } from '../core/ease.ts';
import type { Ease, Latency } from '../core/ease.ts';
import { SECOND } from '../core/instant.ts';
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

/** The timer that measures how busy this process is fires so often, ms. */
const TICK_MS = 20;

/** Where the timer fires later than after this, ns, this process or its host is busy, and an answer that took long says nothing of the platform. */
const BUSY_NS = (TICK_MS + 10) * 1e6;

/** The process is judged by the ticks of this time, because it may be busy for a moment only. */
const TICKS_OF: Microseconds = 5 * SECOND;

const delays = monitorEventLoopDelay({ resolution: TICK_MS });
let delaysSince: Instant | undefined;

function isBusyHere(now: Instant): boolean {
  if (delaysSince === undefined) delays.enable();
  if (delaysSince === undefined || Math.abs(now - delaysSince) > TICKS_OF) {
    delays.reset();
    delaysSince = now;
  }
  return delays.percentile(90) > BUSY_NS;
}

/**
 * The easing of one source. Only live polls ask for the same amount each time, so only their latency tells of the platform; what history
 * and looks do to it shows there, too. It is kept by this process alone, because only what follows from it has to be shared.
 */
export function easingOf({ requestsPerSecond }: Pace, now: () => Instant): Easing {
  let latency: Latency | undefined;
  return {
    heed(state, sign) {
      const at = now();
      if (sign.why !== 'quota') return withEase(state, slowed(state.ease, { now: at, sentAt: at, why: sign.why }));
      // A request waits for the end of a quota that is used up, and then has a new one.
      if (sign.quota.remaining < 1) return state;
      return withEase(state, withinQuota(state.ease, { now: at, quota: sign.quota, requestsPerSecond }));
    },
    answered(kind, took) {
      if (kind === 'live' && !isBusyHere(now())) latency = afterAnswer(latency, took);
    },
    ended(state, { at, kind }) {
      if (kind !== 'live' || latency === undefined || !isSlow(latency)) return state;
      return withEase(state, slowed(state.ease, { now: now(), sentAt: at, why: 'latency' }));
    },
  };
}
