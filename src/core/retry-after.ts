import { parseHttpDate } from './http-date.ts';
import { DAY, MILLISECOND, SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

/** The bridge never waits longer than this, even where an answer asks for more. */
export const LONGEST_SILENCE: Microseconds = DAY;

/** A shorter wait, or one that has passed, would have the bridge ask in a circle, so it counts as no wait at all. */
const SHORTEST_WAIT: Microseconds = SECOND;

/**
 * How long an answer asks to wait (RFC 9110, 10.2.3), from one second to one day. Undefined where `Retry-After` names less
 * than that, or holds neither seconds nor an HTTP date; the caller then chooses a wait. A date is measured against the
 * `Date` of the same answer where there is one, because the clock of the platform may be wrong; otherwise against `now`.
 */
export function parseRetryAfter(
  retryAfter: string | undefined,
  date: string | undefined,
  now: Instant,
): Microseconds | undefined {
  const text = retryAfter?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND : waitUntil(text, date, now);
  return wait === undefined || wait < SHORTEST_WAIT ? undefined : Math.round(Math.min(wait, LONGEST_SILENCE));
}

function waitUntil(text: string, date: string | undefined, now: Instant): Microseconds | undefined {
  const until = parseHttpDate(text, now);
  return until === undefined ? undefined : until - (parseHttpDate(date?.trim() ?? '', now) ?? now);
}

/** `parseRetryAfter` for a clock that counts milliseconds; the wait is in milliseconds, too. */
export function parseRetryAfterMs(
  retryAfter: string | undefined,
  date: string | undefined,
  nowMs: number,
): number | undefined {
  const wait = parseRetryAfter(retryAfter, date, nowMs * MILLISECOND);
  return wait === undefined ? undefined : wait / MILLISECOND;
}
