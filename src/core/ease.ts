import { MINUTE, SECOND, formatInstant } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';
import type { Quota } from './rate-limit.ts';

/**
 * Why a source is asked more slowly than agreed. `throttled`: a 429, or a 503 that names a wait. `unavailable`: a 503 that names none.
 * `latency`: the platform answers slower than it does when it has little to do. `quota`: the rest of its quota would not last.
 */
export type EaseReason = 'throttled' | 'unavailable' | 'latency' | 'quota';

/**
 * The part of the agreed pace that a source is asked with. It grows by the clock alone, so only a further slowing is written.
 */
export interface Ease {
  /** The part at `at`, above 0 and below 1. */
  readonly share: number;
  readonly at: Instant;
  readonly why: EaseReason;
}

/** Each reason in an operator's words. */
const REASONS: Readonly<Record<EaseReason, string>> = {
  throttled: 'the platform asked for fewer requests',
  unavailable: 'the platform answered 503',
  latency: 'the platform answers slower than it does when it has little to do',
  quota: 'its quota would not last until it begins anew',
};

/** What is left of the pace after one sign. Latency rises before anything is refused, so it needs less. */
const FACTORS = { throttled: 0.5, unavailable: 0.5, latency: 0.85 } as const;

/** No source is asked with less of its pace, so that it finds out that the platform is well again. */
const LEAST = 1 / 8;
/** A quota says how much less it has to be. */
const LEAST_OF_QUOTA = 1 / 16;

/** The part of the agreed pace that comes back in a minute. */
const GROWTH = 0.25;

/** Signs of requests that left before the slowing, or within this time of it, say nothing about the new pace. */
const DEAF: Microseconds = 5 * SECOND;

/** A quota that lasts nearly as long as it should changes nothing, so that not each answer writes a row. */
const NOTABLE = 0.9;

/** A slowing further ahead stems from a clock that was wrong, and does not count. */
const MOST_AHEAD: Microseconds = 10 * SECOND;

/** The part of the agreed pace at `now`, above 0 up to 1. */
export const shareAt = (ease: Ease | undefined, now: Instant): number =>
  ease === undefined || ease.at > now + MOST_AHEAD
    ? 1
    : Math.min(1, ease.share + (GROWTH * Math.max(0, now - ease.at)) / MINUTE);

/** When the agreed pace is reached again. */
const endOfEase = ({ share, at }: Ease): Instant => Math.ceil(at + ((1 - share) * MINUTE) / GROWTH);

/** Why and how much slower a source is asked at `now`; undefined where it is asked as agreed. */
export function easeInWords(ease: Ease | undefined, now: Instant): string | undefined {
  const share = shareAt(ease, now);
  if (ease === undefined || share === 1) return undefined;
  return `at ${Math.floor(share * 100)} % of the agreed rate since ${formatInstant(ease.at)}, because ${REASONS[ease.why]}; all of it again ${formatInstant(endOfEase(ease))}`;
}

/** Slower by a factor, after a sign of a request that left at `sentAt`. The same `ease` where it says nothing new. */
export function slowed(
  ease: Ease | undefined,
  { now, sentAt, why }: { readonly now: Instant; readonly sentAt: Instant; readonly why: keyof typeof FACTORS },
): Ease | undefined {
  if (ease !== undefined && ease.at <= now + MOST_AHEAD && sentAt < ease.at + DEAF) return ease;
  const present = shareAt(ease, now);
  const share = Math.max(LEAST, present * FACTORS[why]);
  // A quota may ask for less than a sign does.
  return share < present ? { share, at: now, why } : ease;
}

/** As slow as the rest of a quota demands. The same `ease` where the present pace is slow enough for it. */
export function withinQuota(
  ease: Ease | undefined,
  {
    now,
    quota,
    requestsPerSecond,
  }: { readonly now: Instant; readonly quota: Quota; readonly requestsPerSecond: number },
): Ease | undefined {
  const allowed = (quota.remaining * SECOND) / quota.reset / requestsPerSecond;
  const share = Math.max(LEAST_OF_QUOTA, allowed);
  return share < shareAt(ease, now) * NOTABLE ? { share, at: now, why: 'quota' } : ease;
}

/** What the answers so far show of the time that a platform takes, µs. */
export interface Latency {
  /** The time that it takes when it has little to do. */
  readonly baseline: Microseconds;
  /** The shortest of the last answers: streams of one source may take unequal times, and a platform that suffers is slow for all. */
  readonly recent: Microseconds;
  readonly last: readonly Microseconds[];
  readonly answers: number;
}

/** So many answers are needed before a slow one says something. */
const ANSWERS = 20;
/** So many answers are the last ones. */
const LAST = 20;
/** The baseline follows a faster time at once and a slower one over thousands of answers: a platform that grew slower for good is not slowed for ever. */
const SLOWER = 0.0005;

/** Answers may take so many times as long as with little to do. */
const HIGH = 1.3;
/** Less is the network's. */
const NOISE: Microseconds = SECOND / 20;

/** Notes an answer that took so many µs. */
export function afterAnswer(latency: Latency | undefined, took: Microseconds): Latency {
  const last = [...(latency?.last ?? []).slice(1 - LAST), took];
  const recent = Math.min(...last);
  if (latency === undefined) return { baseline: took, recent, last, answers: 1 };
  const { baseline, answers } = latency;
  const isKnown = answers >= ANSWERS && recent > baseline;
  return { baseline: isKnown ? baseline + SLOWER * (recent - baseline) : recent, recent, last, answers: answers + 1 };
}

/** Whether the platform answers slower than with little to do. */
export const isSlow = ({ baseline, recent, answers }: Latency): boolean =>
  answers >= ANSWERS && recent > Math.max(baseline * HIGH, baseline + NOISE);
