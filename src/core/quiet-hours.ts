import { configInvalid } from './errors.ts';
import { DAY, HOUR, MINUTE } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';
import { changeBetween, zoneOf } from './zone.ts';
import type { Zone } from './zone.ts';

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

/**
 * A time of day in which a source is left alone: `[from, to)`, each as `HH:MM` on the wall clock of `zone` (an IANA
 * name). `to` at or before `from` is a time of the next day, so equal times are a whole day. `days` name the day it
 * begins on; without them, every day.
 *
 * Only the wall clock decides. An hour that a time change skips is not quiet, because no clock shows it; quiet hours
 * that would have begun or ended in it begin or end at the change. An hour that is repeated is quiet both times.
 */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly days?: readonly Weekday[];
}

/** 1970-01-01 was a Thursday. */
const WEEKDAYS: readonly Weekday[] = ['thu', 'fri', 'sat', 'sun', 'mon', 'tue', 'wed'];

/** More than a year, because two ranges of different zones may leave a gap in one half of the year only. */
const SEARCHED: Microseconds = 400 * DAY;

interface Quiet {
  readonly from: Microseconds;
  readonly to: Microseconds;
  readonly zone: Zone;
  readonly days: readonly Weekday[];
}

/**
 * The first instant from `at` on that lies in no quiet hours; undefined where all time is quiet.
 * Throws `config-invalid` for a time of day or a zone that does not exist.
 */
export function nextAllowed(quiet: readonly QuietHours[], at: Instant): Instant | undefined {
  const ranges = quiet.map(read);
  for (let instant = at; instant - at <= SEARCHED;) {
    const later = ranges.reduce((reached, range) => quietUntil(range, reached), instant);
    if (later === instant) return instant;
    instant = later;
  }
  return undefined;
}

function read({ from, to, zone: name, days }: QuietHours): Quiet {
  return { from: timeOfDay(from), to: timeOfDay(to), zone: zoneOf(name), days: days ?? WEEKDAYS };
}

function timeOfDay(text: string): Microseconds {
  const match = /^(\d{2}):(\d{2})$/.exec(text);
  const time = match === null ? NaN : Number(match[1]) * HOUR + Number(match[2]) * MINUTE;
  if (match !== null && Number(match[2]) < 60 && time <= DAY) return time;
  throw configInvalid(`quiet hours: "${text}" is not a time of day`, 'write hours and minutes, like 06:30');
}

/** The instant itself where it is not quiet; else the end of its quiet hours, or a time change before that end. */
function quietUntil(range: Quiet, instant: Instant): Instant {
  const offsetAt = (at: Instant): Microseconds => range.zone.offsetAt(at);
  const offset = offsetAt(instant);
  const left = quietLeft(range, instant + offset);
  const end = instant + left;
  return left === 0 || offsetAt(end) === offset ? end : changeBetween(offsetAt, instant, end);
}

/** How long the quiet hours still last at `wall`, on a wall clock without time changes; 0 where it is not quiet. */
function quietLeft({ from, to, days }: Quiet, wall: Microseconds): Microseconds {
  const day = Math.floor(wall / DAY);
  const time = wall - day * DAY;
  const begins = (number: number): boolean => days.includes(WEEKDAYS[((number % 7) + 7) % 7] ?? 'thu');
  if (from < to) return time >= from && time < to && begins(day) ? to - time : 0;
  if (time >= from && begins(day)) return to + DAY - time;
  return time < to && begins(day - 1) ? to - time : 0;
}
