/**
 * An instant: whole microseconds since 1970-01-01T00:00:00Z, as a plain number (exact until the year 2255).
 * Milliseconds would merge distinct events of a historian; strings would have to be compared by meaning.
 */
export type Instant = number;

/**
 * A local time: what a wall clock shows, as the microseconds that it would be if the clock stood in UTC. It becomes an
 * instant only with a time zone (core/local-time.ts).
 */
export type LocalTime = number;

/** A length of time in microseconds. */
export type Microseconds = number;

export const MICROSECOND: Microseconds = 1;
export const MILLISECOND: Microseconds = 1_000;
export const SECOND: Microseconds = 1_000_000;
export const MINUTE: Microseconds = 60 * SECOND;
export const HOUR: Microseconds = 60 * MINUTE;
export const DAY: Microseconds = 24 * HOUR;

/** The last instant a double holds exactly: 2^53 − 1 µs, in June 2255. */
export const LAST_INSTANT: Instant = Number.MAX_SAFE_INTEGER;

/**
 * Milliseconds since 1970, as most platforms write them → instant. A fraction of a millisecond is kept to the µs
 * (exactly until 2248). It is rounded, apart from the whole milliseconds, because the double nearest to a decimal
 * fraction often lies below it and cutting would lose a µs.
 */
export function fromMillis(milliseconds: number): Instant {
  const whole = Math.floor(milliseconds);
  return whole * MILLISECOND + Math.round((milliseconds - whole) * MILLISECOND);
}

/** Instant → milliseconds since 1970, cut (not rounded) to the millisecond the instant lies in. */
export const toMillis = (instant: Instant): number => Math.floor(instant / MILLISECOND);

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(Z|z|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/;
/** The basic form, without separators: `20261121T081531Z`. */
const BASIC = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d+))?)?\s*(Z|z|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/;

const partsOfDate = (text: string): RegExpExecArray | null => ISO.exec(text) ?? BASIC.exec(text);

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/**
 * ISO 8601 date and time, extended or basic form → instant, or undefined where the text is not one.
 * `Z` or an offset counts, no offset means UTC, digits beyond the microsecond are cut. A date without
 * a time, a day that no calendar has, hour 24 and a leap second are not accepted.
 */
export function parseInstant(text: string): Instant | undefined {
  const match = partsOfDate(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute] = match.slice(1, 6).map(Number) as [number, number, number, number, number];
  const second = Number(match[6] ?? 0);
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59 || day < 1) return undefined;
  if (day > (DAYS_IN_MONTH[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0)) return undefined;
  const offset = offsetMinutes(match[8]);
  if (offset === undefined) return undefined;
  const fraction = Number((match[7] ?? '').slice(0, 6).padEnd(6, '0'));
  const minutes = daysSinceEpoch(year, month, day) * 1440 + hour * 60 + minute - offset;
  const instant = minutes * MINUTE + second * SECOND + fraction;
  return Math.abs(instant) <= LAST_INSTANT ? instant : undefined;
}

/** ISO 8601 date and time without `Z` and offset → local time, or undefined where the text is not one. */
export const parseLocal = (text: string): LocalTime | undefined =>
  partsOfDate(text)?.[8] === undefined ? parseInstant(text) : undefined;

/** Local time → `2026-11-21T08:15:30.123456`, as `formatInstant` without a zone. */
export const formatLocal = (local: LocalTime): string => formatInstant(local).slice(0, -1);

function offsetMinutes(text: string | undefined): number | undefined {
  if (text === undefined || text === 'Z' || text === 'z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || 0);
  if (hours > 18 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Instant → `2026-11-21T08:15:30.123456Z`; the fraction has six digits, or three, or is left out where it is zero. */
export function formatInstant(instant: Instant): string {
  const dayNumber = Math.floor(instant / DAY);
  const rest = instant - dayNumber * DAY;
  const [year, month, day] = dateOf(dayNumber);
  const pad = (value: number, width: number): string => String(value).padStart(width, '0');
  const seconds = Math.floor(rest / SECOND);
  const micros = rest - seconds * SECOND;
  const clock = `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
  const fraction = micros === 0 ? '' : `.${micros % MILLISECOND === 0 ? pad(micros / MILLISECOND, 3) : pad(micros, 6)}`;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${clock}${fraction}Z`;
}

/** The reverse of `daysSinceEpoch`. */
function dateOf(dayNumber: number): [year: number, month: number, day: number] {
  const shifted = dayNumber + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9);
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}

/** An instant as text; null stays null. */
export const instantOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant);
