import type { Instant } from './instant.ts';
import type { RefusalReason } from './reading.ts';
import { State } from './samples.ts';

/** A run of readings of one series under one set of labels, column by column, strictly ascending in time. */
export interface Segment {
  readonly at: readonly Instant[];
  readonly value: readonly number[];
  /** 0..100 for each reading, or undefined where the platform says nothing about quality. */
  readonly precision: readonly number[] | undefined;
  readonly labels: readonly string[];
}

/** All readings of one series in a window. Segments follow each other in time and never repeat an instant. */
export interface Column {
  readonly sensorId: string;
  readonly valueName: string;
  readonly segments: readonly Segment[];
}

/** A point that may not become a reading, kept so that an operator can find it. `raw` is a `rawText`. */
export interface Refusal {
  readonly sensor: string;
  readonly variable: string;
  readonly at: Instant | undefined;
  readonly raw: string;
  readonly reason: RefusalReason;
}

/** A refused point with its value. */
export interface RefusedPoint {
  /** The instant of the point. A point without a readable one stands at the start of its window. */
  readonly place: Instant;
  readonly at: Instant | undefined;
  readonly raw: string;
}

/** The points of one variable that were refused for one reason in a window. */
export interface RefusedSeries extends Pick<Refusal, 'sensor' | 'variable' | 'reason'> {
  /** Where each of the points stands, in the order of the answer; a place comes twice where two points of it were refused. */
  readonly places: readonly Instant[];
  /** Some of them, spread over the answer: the first, the last and a few between. */
  readonly examples: readonly RefusedPoint[];
}

/** The examples of refused points as single refusals: the first one of every variable and reason, then the second ones. */
export function examplesOf(refusals: readonly RefusedSeries[]): Refusal[] {
  const most = Math.max(0, ...refusals.map(({ examples }) => examples.length));
  return Array.from({ length: most }, (_, round) => round).flatMap((round) =>
    refusals.flatMap(({ sensor, variable, reason, examples }) => {
      const example = examples[round];
      return example === undefined ? [] : [{ sensor, variable, reason, at: example.at, raw: example.raw }];
    }),
  );
}

/** Characters of a raw text, at most. */
export const RAW_LENGTH = 200;

/** A refused value as text of at most `RAW_LENGTH` characters: JSON, where the value has any. */
export const rawText = (value: unknown): string => wholeText(value).slice(0, RAW_LENGTH);

function wholeText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, RAW_LENGTH));
  if (typeof value === 'bigint') return `${value}`;
  if (value instanceof State) return value.code === undefined ? value.name : `${value.name} (${value.code})`;
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value);
}

/** The content of one window: readings by series, and refused points. */
export interface Batch {
  readonly columns: readonly Column[];
  readonly readings: number;
  /** Samples equal to a later one of the same window: same series, instant, value, precision and labels. */
  readonly repeats: number;
  /** Samples outside the time that was asked for, which were dropped: a platform may answer more than it was asked. */
  readonly outside: number;
  /** Samples of sensors that the source does not choose, which were dropped. */
  readonly unchosen: number;
  /** Number of refused points by reason. A series of spectra or arrays counts once, because each of its points has the same reason. */
  readonly refused: ReadonlyMap<RefusalReason, number>;
  /** Every refused point, those of spectra and arrays included. */
  readonly refusals: readonly RefusedSeries[];
}

/** The newest instant of a batch; undefined where it holds no reading. */
export function newestIn({ columns }: Pick<Batch, 'columns'>): Instant | undefined {
  const ends = columns.flatMap(({ segments }) => segments.at(-1)?.at.at(-1) ?? []);
  return ends.length === 0 ? undefined : ends.reduce((one, other) => Math.max(one, other));
}

/** A reading by its place in a segment. */
export interface Place<S extends Segment> {
  readonly segment: S;
  readonly index: number;
}

/** Segments of one series in order of time, in which no instant comes twice. */
export interface Ordered<S extends Segment> {
  readonly segments: readonly Segment[];
  /** Readings that were left out because a later one is equal: same instant, value, precision and labels. */
  readonly repeats: number;
  /** Readings that were left out because the last one of their instant is another one. */
  readonly displaced: readonly Place<S>[];
}

/** Puts segments of one series into order of time. Of several readings at one instant the last one stays. */
export function inOrder<S extends Segment>(segments: readonly S[]): Ordered<S> {
  const filled = segments.filter((segment) => segment.at.length > 0);
  const sorted = filled.every((segment, index) => {
    const before = filled[index - 1];
    return isAscending(segment.at) && (before === undefined || last(before.at) < (segment.at[0] as number));
  });
  return sorted ? { segments: filled, repeats: 0, displaced: [] } : merged(filled);
}

const last = (at: readonly Instant[]): Instant => at[at.length - 1] as number;

function isAscending(at: readonly Instant[]): boolean {
  for (let index = 1; index < at.length; index += 1) {
    if ((at[index] as number) <= (at[index - 1] as number)) return false;
  }
  return true;
}

const instantAt = ({ segment, index }: Place<Segment>): Instant => segment.at[index] as number;

function merged<S extends Segment>(segments: readonly S[]): Ordered<S> {
  const places = segments.flatMap((segment) => segment.at.map((_, index): Place<S> => ({ segment, index })));
  places.sort((one, other) => instantAt(one) - instantAt(other)); // stable: equal instants keep their order
  const kept = places.filter((place, index) => {
    const next = places[index + 1];
    return next === undefined || instantAt(place) !== instantAt(next);
  });
  let repeats = 0;
  const displaced: Place<S>[] = [];
  let next = 0;
  for (const place of places) {
    const stays = kept[next] as Place<S>;
    if (place === stays) next += 1;
    else if (isEqual(place, stays)) repeats += 1;
    else displaced.push(place);
  }
  return { segments: joined(kept), repeats, displaced };
}

/** Whether two readings of one instant are the same reading. */
function isEqual(one: Place<Segment>, other: Place<Segment>): boolean {
  const [labels, others] = [one.segment.labels, other.segment.labels];
  return (
    one.segment.value[one.index] === other.segment.value[other.index] &&
    one.segment.precision?.[one.index] === other.segment.precision?.[other.index] &&
    (labels === others || (labels.length === others.length && labels.every((label, index) => label === others[index])))
  );
}

/** Readings in order as segments. Neighbours with the same array of labels share one, if both or neither have a precision. */
function joined(places: readonly Place<Segment>[]): Segment[] {
  const result: { at: Instant[]; value: number[]; precision: number[] | undefined; labels: readonly string[] }[] = [];
  for (const { segment, index } of places) {
    const precision = segment.precision?.[index];
    let run = result.at(-1);
    if (!run || run.labels !== segment.labels || (run.precision === undefined) !== (precision === undefined)) {
      run = { at: [], value: [], precision: precision === undefined ? undefined : [], labels: segment.labels };
      result.push(run);
    }
    run.at.push(segment.at[index] as number);
    run.value.push(segment.value[index] as number);
    if (precision !== undefined) run.precision?.push(precision);
  }
  return result;
}
