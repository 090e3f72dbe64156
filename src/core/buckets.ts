import type { Coverage } from './coverage.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';
import type { Window } from './window.ts';
import type { Zone } from './zone.ts';

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

/** One character for each state, for answers with many of them. */
export const STATE_LETTERS: Readonly<Record<BucketState, string>> = {
  failed: 'f',
  missing: 'm',
  asking: 'a',
  refused: 'r',
  data: 'd',
  empty: 'e',
  'before-start': 'b',
  'not-due': 'n',
};

/** A range of time in buckets: bucket n is from edge n to edge n + 1. */
export interface Grid {
  readonly edges: readonly Instant[];
  /** The usual length of a bucket; days of a zone are an hour shorter or longer where its clocks change. */
  readonly length: Microseconds;
}

/** How a range is cut: in at most so many buckets of a usual length, in exactly so many, or in the days of a zone. */
export type Cut = { readonly most: number } | { readonly exactly: number } | { readonly daysOf: Zone };

const LENGTHS: readonly Microseconds[] = [
  ...[1, 5, 10, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];

/** Cuts a range, which holds at least a microsecond. Usual buckets and days may begin before it and end after it. */
export function gridOf(range: Window, cut: Cut): Grid {
  if ('most' in cut) return usualGrid(range, cut.most);
  return 'exactly' in cut ? equalGrid(range, cut.exactly) : dayGrid(range, cut.daysOf);
}

/** The shortest usual length at which a range takes at most `most` buckets; they lie on whole multiples of it, in UTC. */
function usualGrid({ from, to }: Window, most: number): Grid {
  const days = DAY * Math.ceil((to - from) / DAY / Math.max(1, most - 1));
  const length = LENGTHS.find((each) => countFrom(from, to, each) <= most) ?? days;
  const begin = Math.floor(from / length) * length;
  return { length, edges: Array.from({ length: countFrom(from, to, length) + 1 }, (_, at) => begin + at * length) };
}

const countFrom = (from: Instant, to: Instant, length: Microseconds): number =>
  Math.ceil((to - Math.floor(from / length) * length) / length);

/** A range that is too short for so many buckets has one for each microsecond. */
function equalGrid({ from, to }: Window, wanted: number): Grid {
  const count = Math.min(wanted, to - from);
  const edges = Array.from({ length: count + 1 }, (_, at) => from + Math.round((at * (to - from)) / count));
  return { edges, length: (to - from) / count };
}

function dayGrid({ from, to }: Window, zone: Zone): Grid {
  const edges: Instant[] = [];
  const first = Math.floor((from + zone.offsetAt(from)) / DAY);
  for (let day = first; edges.length === 0 || (edges.at(-1) as Instant) < to; day += 1) {
    const { offsets, before } = zone.localStretchAt(day * DAY);
    const edge = day * DAY - (offsets[0] ?? before);
    // An island once left out a day.
    if (edge > (edges.at(-1) ?? -Infinity)) edges.push(edge);
  }
  return { edges, length: DAY };
}

/** The number of buckets. */
export const countOf = ({ edges }: Grid): number => edges.length - 1;

export const bucketOf = ({ edges }: Grid, index: number): Window => ({
  from: edges[index] as Instant,
  to: edges[index + 1] as Instant,
});

/** All time of a grid. */
export const rangeOf = ({ edges }: Grid): Window => ({ from: edges[0] as Instant, to: edges.at(-1) as Instant });

/** The length of the time of a coverage in each bucket, in one walk over both. */
export function lengthsIn({ edges }: Grid, coverage: Coverage): Float64Array {
  const lengths = new Float64Array(edges.length - 1);
  let bucket = 0;
  for (const { from, to } of coverage) {
    while (bucket < lengths.length && (edges[bucket + 1] as Instant) <= from) bucket += 1;
    for (let at = bucket; at < lengths.length && (edges[at] as Instant) < to; at += 1) {
      const shared = Math.min(to, edges[at + 1] as Instant) - Math.max(from, edges[at] as Instant);
      lengths[at] = (lengths[at] as number) + shared;
    }
  }
  return lengths;
}

/** What is true of the time of one stream. No two of them share time. */
export interface KnownTime {
  /** Fetched, also where it is asked again. */
  readonly covered: Coverage;
  /** It cannot be read. */
  readonly failed: Coverage;
  /** Wanted, and nothing asks for it now. */
  readonly missing: Coverage;
  /** Running history and backfills ask for it. */
  readonly asking: Coverage;
}

/** The length of each kind of time in a bucket, µs. */
export type BucketTime = Readonly<Record<keyof KnownTime, Microseconds>>;

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

/** States as text: a letter for each run of one state, and its length where that is more than one: `b12d300m`. */
export const lettersOf = (states: readonly BucketState[]): string =>
  runsOf(states)
    .map(({ state, first, end }) => `${STATE_LETTERS[state]}${end - first > 1 ? end - first : ''}`)
    .join('');
