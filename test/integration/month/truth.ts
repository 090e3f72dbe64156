import { HOUR, MINUTE, SECOND, formatLocal } from '../../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { oracleInstants, oracleOffset } from '../../kit/time-changes.ts';
import { chance } from '../model/points.ts';

/** A point of a sensor with its whole life. */
export interface TruePoint {
  /** The instant of the reading that it has to become. */
  readonly at: Instant;
  /** What the platform calls its time: `at`, or the local time of a platform that knows no other. */
  readonly told: number;
  readonly first: number;
  /** The value after a revision; that of `first` for most points. */
  readonly last: number;
  /** When the platform shows it, and when it shows the last value. */
  readonly shownAt: Instant;
  readonly revisedAt: Instant;
}

/** All points of a sensor by `told`. */
export interface TrueSensor {
  readonly id: string;
  /** Its values are true and false at the platform. */
  readonly isSwitch: boolean;
  readonly points: readonly TruePoint[];
}

/**
 * The known delay curve: up to which share of the points come at most how late. The last ones come far beyond the overlap, and are left
 * to looks further back.
 */
export const DELAYS: readonly (readonly [share: number, atMost: Microseconds])[] = [
  [0.9, MINUTE],
  [0.99, 30 * MINUTE],
  [0.998, 6 * HOUR],
  [1, 20 * HOUR],
];

/** This share of the points changes its value, at most so long after it was shown. */
const REVISED = 0.02;
const REVISED_AFTER: Microseconds = 6 * HOUR;

/** How late a point comes. The draw decides about the step of the curve, and the place inside it. */
export function delayOf(drawn: number): Microseconds {
  let [share, least] = [0, 0];
  for (const [upTo, most] of DELAYS) {
    if (drawn < upTo) return Math.floor(least + ((drawn - share) / (upTo - share)) * (most - least));
    [share, least] = [upTo, most];
  }
  return least;
}

interface Wanted {
  readonly seed: number;
  readonly id: string;
  readonly isSwitch: boolean;
  readonly month: Window;
  readonly rhythm: Microseconds;
  /** The year before and its rhythm, for a sensor with an archive. Its points come in time and stay as they are. */
  readonly archive?: { readonly window: Window; readonly rhythm: Microseconds };
  readonly zone?: string;
  /** Stretches whose points are shown at their end only, because the gateway was cut off. */
  readonly cuts?: readonly Window[];
}

/** The truth of a sensor. The same wish gives the same points on every machine. */
export function trueSensor({ seed, id, isSwitch, month, rhythm, archive, zone, cuts = [] }: Wanted): TrueSensor {
  const draw = (what: string, at: Instant): number => chance(seed, what, id, at);
  const valueAt = (what: string, at: Instant): number => Math.floor(draw(what, at) * (isSwitch ? 2 : 1_000));
  // Off the full minutes by what is the sensor's own.
  const phase = Math.floor(chance(seed, 'phase', id) * 50) * SECOND + 1;
  const points: TruePoint[] = [];
  if (archive !== undefined) {
    for (let at = archive.window.from + phase; at < archive.window.to; at += archive.rhythm) {
      const value = valueAt('value', at);
      points.push({ at, told: at, first: value, last: value, shownAt: at, revisedAt: at });
    }
  }
  for (let born = month.from + phase; born < month.to; born += rhythm) {
    const cut = cuts.find(({ from, to }) => from <= born && born < to);
    const shownAt = cut?.to ?? born + delayOf(draw('delay', born));
    const first = valueAt('value', born);
    const isRevised = draw('revised', born) < REVISED;
    const last = isRevised ? (isSwitch ? 1 - first : first + 0.5) : first;
    const revisedAt = shownAt + (isRevised ? Math.floor(draw('after', born) * REVISED_AFTER) : 0);
    const told = zone === undefined ? born : born + oracleOffset(zone, born);
    points.push({ at: zone === undefined ? born : meantBy(zone, told), told, first, last, shownAt, revisedAt });
  }
  return { id, isSwitch, points: points.toSorted((one, other) => one.told - other.told) };
}

/** The first instant with this local time: what a reader can know of it at most. */
function meantBy(zone: string, local: number): Instant {
  const [first] = oracleInstants(zone, local);
  if (first === undefined) throw new Error(`${formatLocal(local)} never was in ${zone}`);
  return first;
}

/** The points with `told` in a stretch, as the platform shows them at `now`. */
export function* shownOf({ points }: TrueSensor, { from, to }: Window, now: Instant): Generator<[number, number]> {
  for (let place = firstFrom(points, from); place < points.length; place += 1) {
    const point = points[place] as TruePoint;
    if (point.told >= to) return;
    if (point.shownAt <= now) yield [point.told, point.revisedAt <= now ? point.last : point.first];
  }
}

function firstFrom(points: readonly TruePoint[], from: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((points[middle] as TruePoint).told < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
