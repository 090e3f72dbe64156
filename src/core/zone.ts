import { IANAZone } from 'luxon';
import { coverageOf } from './coverage.ts';
import { configInvalid } from './errors.ts';
import { DAY, HOUR, MILLISECOND, MINUTE, toMillis } from './instant.ts';
import type { Instant, LocalTime, Microseconds } from './instant.ts';
import type { Window } from './window.ts';

/** Time in which a zone keeps one offset: local time = instant + `offset`. */
export interface Stretch extends Window {
  readonly offset: Microseconds;
}

/** Local times `[from, to)` that all stand for instants in the same way. */
export interface LocalStretch {
  readonly from: LocalTime;
  readonly to: LocalTime;
  /** The offset of each instant with such a local time, the earliest instant first; none where the clocks were put forward over it. */
  readonly offsets: readonly Microseconds[];
  /** The offset in force before it. A missing time is taken for the instant that it would be if the clocks had not been changed. */
  readonly before: Microseconds;
}

/** A zone of the IANA database, with its answers remembered, because the calendar is too slow to be asked for every point. */
export interface Zone {
  readonly name: string;
  readonly offsetAt: (instant: Instant) => Microseconds;
  /** The stretches of a range of time, in order; together they are the whole range. */
  readonly stretches: (range: Window) => readonly Stretch[];
  readonly localStretchAt: (local: LocalTime) => LocalStretch;
}

/** No zone was ever further than this from UTC. */
const FURTHEST = 16 * HOUR;

/** Days that a zone remembers; more than fifty years. */
const MOST_DAYS = 20_000;

const zones = new Map<string, Zone>();

/** Throws `config-invalid` for a name that the IANA database does not have. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name) ?? openZone(name);
  zones.set(name, known);
  return known;
}

function openZone(name: string): Zone {
  const calendar = IANAZone.create(name);
  if (!calendar.isValid) throw configInvalid(`there is no time zone "${name}"`, 'use a name like Europe/Berlin');
  const midnights = new Map<number, Microseconds>();
  const days = new Map<number, readonly Stretch[]>();
  const localDays = new Map<number, readonly LocalStretch[]>();

  const offsetAt = (instant: Instant): Microseconds => Math.round(calendar.offset(toMillis(instant)) * MINUTE);

  const offsetOfDay = (day: number): Microseconds => remembered(midnights, day, (each) => offsetAt(each * DAY));

  /** No zone ever changed its offset and changed it back within a day. */
  function stretchesOfDay(day: number): readonly Stretch[] {
    const [from, to] = [day * DAY, (day + 1) * DAY];
    const [offset, after] = [offsetOfDay(day), offsetOfDay(day + 1)];
    if (offset === after) return [{ from, to, offset }];
    const change = changeBetween(offsetAt, from, to);
    return [
      { from, to: change, offset },
      { from: change, to, offset: after },
    ];
  }

  function stretches({ from, to }: Window): readonly Stretch[] {
    const found: Stretch[] = [];
    for (let day = Math.floor(from / DAY); day * DAY < to; day += 1) {
      for (const stretch of remembered(days, day, stretchesOfDay)) {
        const cut = { ...stretch, from: Math.max(from, stretch.from), to: Math.min(to, stretch.to) };
        if (cut.from >= cut.to) continue;
        const last = found.at(-1);
        if (last?.offset === cut.offset) found[found.length - 1] = { ...last, to: cut.to };
        else found.push(cut);
      }
    }
    return found;
  }

  function localStretchesOfDay(day: number): readonly LocalStretch[] {
    const around = stretches({ from: day * DAY - FURTHEST, to: (day + 1) * DAY + FURTHEST });
    const shown = around.map(({ from, to, offset }) => ({ from: from + offset, to: to + offset, offset }));
    const bounds = [day * DAY, ...shown.flatMap(({ from, to }) => [from, to]), (day + 1) * DAY]
      .filter((bound) => bound >= day * DAY && bound <= (day + 1) * DAY)
      .toSorted((one, other) => one - other);
    return bounds.slice(1).flatMap((to, index) => {
      const from = bounds[index] as LocalTime;
      if (from === to) return [];
      const offsets = shown.filter((one) => one.from <= from && to <= one.to).map(({ offset }) => offset);
      const before = shown.findLast((one) => one.to <= from)?.offset ?? offsets[0] ?? 0;
      return [{ from, to, offsets, before }];
    });
  }

  return {
    name,
    offsetAt,
    stretches,
    localStretchAt(local) {
      const ofDay = remembered(localDays, Math.floor(local / DAY), localStretchesOfDay);
      return ofDay.find(({ to }) => local < to) as LocalStretch;
    },
  };
}

function remembered<T>(known: Map<number, T>, day: number, find: (day: number) => T): T {
  const before = known.get(day);
  if (before !== undefined) return before;
  if (known.size >= MOST_DAYS) known.clear();
  const found = find(day);
  known.set(day, found);
  return found;
}

/** The first instant after `from` at which the offset differs from that at `from`. At `to` it must differ. */
export function changeBetween(offsetAt: (instant: Instant) => Microseconds, from: Instant, to: Instant): Instant {
  const offset = offsetAt(from);
  let [before, after] = [toMillis(from), toMillis(to)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle * MILLISECOND) === offset) before = middle;
    else after = middle;
  }
  return after * MILLISECOND;
}

/**
 * The local times that stand for the instants of a window, in order: the question to a platform that knows local times only.
 * Local times that never existed are in it, too, so that a platform that has points there is found out.
 */
export function localWindows(zone: Zone, window: Window): readonly Window[] {
  const around = zone.stretches({ from: window.from - DAY, to: window.to });
  const shifted = (range: Window, offset: Microseconds): Window => ({
    from: Math.max(range.from, window.from) + offset,
    to: Math.min(range.to, window.to) + offset,
  });
  return coverageOf(
    around.flatMap((stretch, index) => {
      const before = around[index - 1]?.offset ?? stretch.offset;
      const missing = { from: stretch.from, to: stretch.from + stretch.offset - before };
      return [shifted(stretch, stretch.offset), shifted(missing, before)];
    }),
  );
}

/**
 * The time around an instant whose local times are shown twice, from the first of them to the last of them the second time.
 * Undefined where the local time of the instant is shown once.
 */
export function repeatedAround(zone: Zone, instant: Instant): Window | undefined {
  const around = zone.stretches({ from: instant - DAY, to: instant + DAY });
  for (const [index, { from, offset }] of around.entries()) {
    const length = (around[index - 1]?.offset ?? offset) - offset;
    if (from - length <= instant && instant < from + length) return { from: from - length, to: from + length };
  }
  return undefined;
}
