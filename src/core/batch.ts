import type { Instant } from './instant.ts';
import type { RefusalReason } from './reading.ts';

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

/** A point that may not become a reading, kept so that an operator can find it. `raw` is shortened. */
export interface Refusal {
  readonly sensor: string;
  readonly variable: string;
  readonly at: Instant | undefined;
  readonly raw: string;
  readonly reason: RefusalReason;
}

/** The content of one window: readings by series, the number of refusals, and examples of them. */
export interface Batch {
  readonly columns: readonly Column[];
  readonly readings: number;
  /** Samples with the same series and instant as a later one of the same window; the last one was kept. */
  readonly repeats: number;
  /** Samples outside the window, which were dropped: a platform may answer more than it was asked. */
  readonly outside: number;
  /** Number of refused points by reason. */
  readonly refused: ReadonlyMap<RefusalReason, number>;
  /** Those in time not covered before, so that time read again does not count them twice. */
  readonly refusedFirst: ReadonlyMap<RefusalReason, number>;
  readonly examples: readonly Refusal[];
}

/** Puts segments of one series into order of time. Where two of them hold the same instant, the later segment wins. */
export function inOrder(segments: readonly Segment[]): { segments: readonly Segment[]; repeats: number } {
  const kept = segments.filter((segment) => segment.at.length > 0);
  const sorted = kept.every((segment, index) => {
    const before = kept[index - 1];
    return isAscending(segment.at) && (before === undefined || last(before.at) < (segment.at[0] as number));
  });
  return sorted ? { segments: kept, repeats: 0 } : merged(kept);
}

const last = (at: readonly Instant[]): Instant => at[at.length - 1] as number;

function isAscending(at: readonly Instant[]): boolean {
  for (let index = 1; index < at.length; index += 1) {
    if ((at[index] as number) <= (at[index - 1] as number)) return false;
  }
  return true;
}

function merged(segments: readonly Segment[]): { segments: readonly Segment[]; repeats: number } {
  const points: { at: Instant; value: number; precision: number | undefined; labels: readonly string[] }[] = [];
  for (const { at, value, precision, labels } of segments) {
    for (let index = 0; index < at.length; index += 1) {
      points.push({ at: at[index] as number, value: value[index] as number, precision: precision?.[index], labels });
    }
  }
  const all = points.length;
  points.sort((one, other) => one.at - other.at); // stable: equal instants keep their order
  const unique = points.filter((point, index) => point.at !== points[index + 1]?.at);
  const result: { at: Instant[]; value: number[]; precision: number[] | undefined; labels: readonly string[] }[] = [];
  for (const point of unique) {
    let run = result.at(-1);
    if (!run || run.labels !== point.labels || (run.precision === undefined) !== (point.precision === undefined)) {
      run = { at: [], value: [], precision: point.precision === undefined ? undefined : [], labels: point.labels };
      result.push(run);
    }
    run.at.push(point.at);
    run.value.push(point.value);
    if (point.precision !== undefined) run.precision?.push(point.precision);
  }
  return { segments: result, repeats: all - unique.length };
}
