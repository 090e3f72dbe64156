import { DateTime } from 'luxon';
import { DAY, MILLISECOND, SECOND } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';

/** A platform that asks for more silence than this is asked again after it. */
const LONGEST: Microseconds = DAY;

/**
 * The instant a `Retry-After` header means (RFC 9110, 10.2.3): seconds or an HTTP date, or undefined where it is
 * neither. A date is measured against the `Date` of the same answer where there is one, so the platform's clock may be
 * wrong. Never before `now`, never more than a day after it.
 */
export function retryAfter(header: string | undefined, date: string | undefined, now: Instant): Instant | undefined {
  const text = header?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND : sinceDate(text, date, now);
  if (wait === undefined) return undefined;
  return now + Math.round(Math.min(Math.max(wait, 0), LONGEST));
}

function sinceDate(text: string, date: string | undefined, now: Instant): Microseconds | undefined {
  const until = httpDate(text);
  return until === undefined ? undefined : until - (httpDate(date) ?? now);
}

function httpDate(text: string | undefined): Instant | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = DateTime.fromHTTP(text, { zone: 'utc' });
  return parsed.isValid ? parsed.toMillis() * MILLISECOND : undefined;
}
