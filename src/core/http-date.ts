import { DAY, parseInstant } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three forms of RFC 9110, 5.6.7. The day of the week is not checked. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/** An HTTP date → instant, in whole seconds; undefined where the text is none. `now` tells the century of a short year. */
export function parseHttpDate(text: string, now: Instant): Instant | undefined {
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
