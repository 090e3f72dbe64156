import { intersect, subtract, totalLength, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';
import type { Window } from './window.ts';

/** What is true of a stretch of time of a stream, the worst first: a bucket that holds several has the first of them. */
export const BUCKET_STATES = {
  failed: 'cannot be read',
  missing: 'missing',
  asking: 'being asked',
  refused: 'with refused points',
  data: 'data',
  empty: 'asked, no reading',
  'before-start': 'before its start',
  'not-due': 'not due yet',
} as const;

export type BucketState = keyof typeof BUCKET_STATES;

/** A range of time in equal buckets. The last one ends at or after the end of the range. */
export interface Grid {
  readonly from: Instant;
  readonly length: Microseconds;
  readonly count: number;
}

const LENGTHS: readonly Microseconds[] = [
  ...[1, 5, 10, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];

/** The shortest usual length at which a range takes at most `most` buckets; they lie on whole multiples of it, in UTC. */
export function gridOf({ from, to }: Window, most: number): Grid {
  const days = DAY * Math.ceil((to - from) / DAY / Math.max(1, most - 1));
  const length = LENGTHS.find((each) => countFrom(from, to, each) <= most) ?? days;
  const begin = Math.floor(from / length) * length;
  return { from: begin, length, count: countFrom(from, to, length) };
}

const countFrom = (from: Instant, to: Instant, length: Microseconds): number =>
  Math.ceil((to - Math.floor(from / length) * length) / length);

export const bucketOf = ({ from, length }: Grid, index: number): Window => ({
  from: from + index * length,
  to: from + (index + 1) * length,
});

/** What is known of the time of one stream. */
export interface KnownTime {
  /** Time that the stream is to have: from its start, or the beginning of a backfill, to the newest instant that is due. */
  readonly wanted: Coverage;
  readonly covered: Coverage;
  readonly unreadable: Coverage;
  /** Time of running history and backfills, which may be covered already. */
  readonly asking: Coverage;
}

/** The length of each kind of time in a bucket, µs. */
export interface BucketTime {
  readonly covered: Microseconds;
  readonly failed: Microseconds;
  readonly missing: Microseconds;
  readonly asking: Microseconds;
}

/** Splits the time of a bucket. Covered time that is asked again counts as covered; time that is not wanted counts nowhere. */
export function timeIn(bucket: Window, { wanted, covered, unreadable, asking }: KnownTime): BucketTime {
  const here = intersect(covered, bucket);
  const failed = subtract(intersect(unreadable, bucket), here);
  const open = subtract(intersect(union(wanted, asking), bucket), union(here, failed));
  const missing = subtract(open, asking);
  return {
    covered: totalLength(here),
    failed: totalLength(failed),
    missing: totalLength(missing),
    asking: totalLength(open) - totalLength(missing),
  };
}

/**
 * The state of a bucket. Without readings it is `empty` only where all of it that is due was asked. `early`: it ends before the
 * source begins, so that no time of it is wanted unless a backfill asks for it.
 */
export function stateOf(
  time: BucketTime,
  found: { readonly data: boolean; readonly refused: boolean; readonly early: boolean },
): BucketState {
  if (time.failed > 0) return 'failed';
  if (time.missing > 0) return 'missing';
  if (time.asking > 0) return 'asking';
  if (found.refused) return 'refused';
  if (time.covered === 0) return found.early ? 'before-start' : 'not-due';
  return found.data ? 'data' : 'empty';
}

/** Neighbours of one state, joined: from the first bucket to before the last. */
export function runsOf<State extends string>(
  states: readonly State[],
): readonly { readonly state: State; readonly first: number; readonly end: number }[] {
  const runs: { state: State; first: number; end: number }[] = [];
  for (const [index, state] of states.entries()) {
    const last = runs.at(-1);
    if (last?.state === state) last.end = index + 1;
    else runs.push({ state, first: index, end: index + 1 });
  }
  return runs;
}

/** All time of a grid. */
export const rangeOf = (grid: Grid): Window => ({ from: grid.from, to: grid.from + grid.count * grid.length });
