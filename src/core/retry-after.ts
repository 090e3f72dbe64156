import { DAY, MILLISECOND, SECOND, parseInstant } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

/** The bridge never waits longer than this, even where an answer asks for more. */
const LONGEST_WAIT: Microseconds = DAY;

/**
 * How long an answer asks to wait (RFC 9110, 10.2.3), from 0 to one day, or undefined where `Retry-After` holds neither
 * seconds nor an HTTP date. A date is measured against the `Date` of the same answer where there is one, because the
 * clock of the platform may be wrong; otherwise against `now`.
 */
export function parseRetryAfter(
  retryAfter: string | undefined,
  date: string | undefined,
  now: Instant,
): Microseconds | undefined {
  const text = retryAfter?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND : waitUntil(text, date, now);
  return wait === undefined ? undefined : Math.round(Math.min(Math.max(wait, 0), LONGEST_WAIT));
}

function waitUntil(text: string, date: string | undefined, now: Instant): Microseconds | undefined {
  const until = parseHttpDate(text, now);
  return until === undefined ? undefined : until - (parseHttpDate(date?.trim() ?? '', now) ?? now);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three forms of RFC 9110, 5.6.7. The day of the week is not checked. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

function parseHttpDate(text: string, now: Instant): Instant | undefined {
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const { day = '', month = '', year = '', time = '' } = parts;
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  return parseInstant(`${fullYear(year, now)}-${monthNumber}-${day.trim().padStart(2, '0')}T${time}Z`);
}

const YEAR: Microseconds = 365.2425 * DAY;

/** A year of two digits means the one at most 50 years ahead of now (RFC 9110, 5.6.7). */
function fullYear(year: string, now: Instant): number {
  if (year.length === 4) return Number(year);
  const thisYear = 1970 + Math.floor(now / YEAR);
  const inThisCentury = thisYear - (thisYear % 100) + Number(year);
  return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury;
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
