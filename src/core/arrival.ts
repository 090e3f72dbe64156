import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import type { Microseconds } from './instant.ts';

/** Late points of one window: found when covered time was asked for once more, at most so long after their instants. */
export interface LatePoints {
  readonly points: number;
  readonly age: Microseconds;
}

/** How a source waits for its data. */
export interface Waits {
  readonly settle: Microseconds;
  readonly overlap: Microseconds;
}

/** What is proposed, and what it follows from. */
export interface Advice extends Waits {
  /** Points of the time that was looked at, and those of them that came late. */
  readonly points: number;
  readonly late: number;
  /** The share of points that the present waits find in time, 0..1, as far as looks further back have shown. */
  readonly found: number;
  /** Whether the proposed waits reach the share, or end at a limit. */
  readonly reaches: boolean;
}

/** A longer settle would make every reading late, and a longer overlap ask for a day with each poll. */
export const MOST_WAITS: Waits = { settle: HOUR, overlap: DAY };

/** Of so many points, one may be left to the overlap; more late ones are reason to settle for longer. */
const LEFT_TO_OVERLAP = 0.01;

/** Fewer points show no share. */
export const FEWEST_POINTS = 1_000;

/**
 * The shortest waits that find `share` of the points. Re-reads show how late points came: the overlap has to reach the age that all
 * but `1 - share` of the points have, and the settle the age after which few points are left to be asked for twice. Undefined where
 * too few points have come to tell. A settle that is longer than needed does not show, because nothing tells how early points came.
 * `longest`: the longest window of the source, which its overlap may not exceed.
 */
export function adviceOf(
  { points, late }: { readonly points: number; readonly late: readonly LatePoints[] },
  present: Waits,
  { share, longest }: { readonly share: number; readonly longest: Microseconds },
): Advice | undefined {
  if (points < FEWEST_POINTS) return undefined;
  const byAge = late.toSorted((one, other) => other.age - one.age);
  const count = byAge.reduce((sum, one) => sum + one.points, 0);
  const reach = ageLeaving(byAge, (1 - share) * points);
  const settled = ageLeaving(byAge, LEFT_TO_OVERLAP * points);
  const settle = Math.min(MOST_WAITS.settle, Math.max(present.settle, rounded(settled)));
  // Never shorter than now: what is looked for no more is not seen to be late, so nothing would show that it was too short.
  const needed = Math.max(present.overlap, rounded(Math.max(0, reach - settle)));
  const overlap = Math.max(present.overlap, Math.min(MOST_WAITS.overlap, longest, needed));
  const beyond = byAge.filter(({ age }) => age > present.settle + present.overlap);
  return {
    settle,
    overlap,
    points,
    late: count,
    found: 1 - beyond.reduce((sum, one) => sum + one.points, 0) / points,
    reaches: settle + overlap >= reach,
  };
}

/** The shortest age that at most `left` points exceed; 0 where fewer came late at all. */
function ageLeaving(byAge: readonly LatePoints[], left: number): Microseconds {
  let passed = 0;
  for (const { points, age } of byAge) {
    passed += points;
    if (passed > left) return age;
  }
  return 0;
}

/** Up to a length that an operator would write. */
function rounded(length: Microseconds): Microseconds {
  const unit = length > 2 * HOUR ? HOUR : length > 2 * MINUTE ? MINUTE : SECOND;
  return Math.ceil(length / unit) * unit;
}
