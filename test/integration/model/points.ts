import { HOUR, MILLISECOND, SECOND } from '../../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';

/**
 * No point of a gateway that is not cut off shows up later than this after its own instant, and no value changes later: shorter
 * than every overlap.
 */
export const LATEST: Microseconds = 25 * SECOND;

/** A point as the plant holds it. */
export interface Point {
  readonly at: Instant;
  readonly value: number;
}

/** A pseudo-random number in [0, 1) that belongs to a text. */
export function chance(...parts: (string | number)[]): number {
  let bits = 0x811c9dc5;
  for (const character of parts.join(' ')) bits = Math.imul(bits ^ (character.codePointAt(0) ?? 0), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/** When a point shows up, and when its value changes for the last time: at most `LATEST` after its instant. */
export const showsAt = (seed: number, sensor: string, at: Instant): Instant =>
  chance(seed, 'late', sensor, at) < 0.1 ? at + Math.floor(chance(seed, 'by', sensor, at) * LATEST) : at;
export const revisedAt = (seed: number, sensor: string, at: Instant): Instant | undefined =>
  chance(seed, 'revised', sensor, at) < 0.05 ? at + Math.floor(chance(seed, 'after', sensor, at) * LATEST) : undefined;

/**
 * Every sensor has a point each fifteen to forty-five seconds, and once an hour 260 points within thirteen seconds. `dense`:
 * 2,600 of them, more than a commit writes in one statement.
 */
export function* instants(seed: number, sensor: string, { from, to }: Window, dense: boolean): Generator<Instant> {
  const cadence = (15 + Math.floor(chance(seed, 'cadence', sensor) * 30)) * SECOND + 7;
  for (let at = Math.ceil(from / cadence) * cadence; at < to; at += cadence) yield at;
  const offset = Math.floor(chance(seed, 'burst', sensor) * HOUR);
  for (let burst = Math.floor((from - offset) / HOUR) * HOUR + offset; burst < to; burst += HOUR) {
    const apart = dense ? 5 * MILLISECOND : 50 * MILLISECOND;
    for (let at = burst; at < burst + 13 * SECOND; at += apart) if (at >= from && at < to) yield at;
  }
}
