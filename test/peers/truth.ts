import type { Instant, Microseconds } from '../../src/core/instant.ts';

/** The points of a source: each sensor has one every `spacing` in `[from, to)`. */
export interface Truth {
  readonly sensors: readonly string[];
  readonly from: Instant;
  readonly to: Instant;
  readonly spacing: Microseconds;
  /** Of the sensor with this place in `sensors`, at this instant. */
  readonly valueAt: (sensor: number, at: Instant) => number;
}

/** What is wrong with what was stored. All zero: the source, point for point. */
export interface Verdict {
  readonly missing: number;
  /** Of `missing`: points of the time in which the program was away. */
  readonly missingAway: number;
  /** Points that are stored more than once, each further time counted. */
  readonly doubled: number;
  /** Points with another value, or of no sensor or instant of the source within the range. */
  readonly wrong: number;
}

/** Compares stored points, in any order, with the truth. Points outside of its range are not looked at. */
export function comparison(truth: Truth): {
  add(sensor: string, at: Instant, value: number): void;
  verdict(away?: { readonly from: Instant; readonly to: Instant }): Verdict;
} {
  const { sensors, from, to, spacing, valueAt } = truth;
  const placeOf = new Map(sensors.map((sensor, place) => [sensor, place]));
  const first = Math.ceil(from / spacing);
  const each = Math.max(0, Math.ceil(to / spacing) - first);
  const seen = new Uint8Array(sensors.length * each);
  let doubled = 0;
  let wrong = 0;
  return {
    add(sensor, at, value) {
      if (at < from || at >= to) return;
      const place = placeOf.get(sensor);
      if (place === undefined || at % spacing !== 0 || value !== valueAt(place, at)) {
        wrong += 1;
        return;
      }
      const cell = place * each + at / spacing - first;
      if (seen[cell] === 1) doubled += 1;
      seen[cell] = 1;
    },
    verdict(away) {
      let missing = 0;
      let missingAway = 0;
      for (let cell = 0; cell < seen.length; cell += 1) {
        if (seen[cell] === 1) continue;
        missing += 1;
        const at = (first + (cell % each)) * spacing;
        if (away !== undefined && at >= away.from && at < away.to) missingAway += 1;
      }
      return { missing, missingAway, doubled, wrong };
    },
  };
}
