import { inOrder } from '../core/batch.ts';
import type { Column, Segment } from '../core/batch.ts';
import type { Instant } from '../core/instant.ts';
import { NO_VALUE_NAME } from '../core/naming.ts';
import {
  judgeInstant,
  judgeLabels,
  judgePrecision,
  judgeSensorId,
  judgeValue,
  judgeValueName,
} from '../core/reading.ts';
import type { TimeBounds, RefusalReason } from '../core/reading.ts';

/** A pushed reading that was refused: its place in the body, and the wrong field as a JSON pointer. */
export interface PushedRefusal {
  readonly index: number;
  readonly pointer: string;
  readonly reason: RefusalReason;
}

/** A pushed body after it was judged. `readings + repeats + refusedCount` is the number of its elements. */
export interface Pushed {
  readonly columns: readonly Column[];
  readonly readings: number;
  /** Readings with the same sensorId, valueName and date as a later one of the same body; the later one counts. */
  readonly repeats: number;
  readonly refusedCount: number;
  /** The first `REFUSALS_LISTED` refusals, in the order of the body. */
  readonly refusals: readonly PushedRefusal[];
  /** Number of fields that no reading has; they are ignored. */
  readonly unknownFields: number;
}

/** At most this many refusals are listed; all of them are counted. */
export const REFUSALS_LISTED = 1_000;

interface OpenSegment extends Segment {
  readonly at: Instant[];
  readonly value: number[];
  readonly precision: number[] | undefined;
}

interface OpenColumn {
  readonly sensorId: string;
  readonly valueName: string;
  readonly segments: OpenSegment[];
}

type Field = 'sensorId' | 'valueName' | 'date' | 'value' | 'precision' | 'labels';
type Element = { readonly [field in Field]?: unknown };

const NO_LABELS: readonly string[] = [];

/** The elements of a pushed body as columns and refusals, by the rules of core/reading.ts. One pass, nothing coerced. */
export function judgePushed(elements: readonly unknown[], clock: TimeBounds): Pushed {
  const sensors = new Map<string, Map<string, OpenColumn>>();
  const instants = rememberingLast((date) => (typeof date === 'string' ? judgeInstant(date, clock) : 'bad-instant'));
  const labelsOf = sharingLabels();
  const refusals: PushedRefusal[] = [];
  let refusedCount = 0;
  let unknownFields = 0;

  const refuse = (index: number, field: Field | undefined, reason: RefusalReason): void => {
    refusedCount += 1;
    if (refusals.length >= REFUSALS_LISTED) return;
    refusals.push({ index, pointer: field === undefined ? `/${index}` : `/${index}/${field}`, reason });
  };

  function columnOf(sensorId: unknown, valueName: unknown): OpenColumn | Field {
    // A pair of names that has a column was judged when it got the column.
    const known = sensors.get(sensorId as string)?.get((valueName === undefined ? NO_VALUE_NAME : valueName) as string);
    if (known !== undefined) return known;
    const sensor = judgeSensorId(sensorId);
    if (typeof sensor !== 'string') return 'sensorId';
    const name = judgeValueName(valueName);
    if (typeof name !== 'string') return 'valueName';
    let columns = sensors.get(sensor);
    if (columns === undefined) sensors.set(sensor, (columns = new Map()));
    let column = columns.get(name);
    if (column === undefined) columns.set(name, (column = { sensorId: sensor, valueName: name, segments: [] }));
    return column;
  }

  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index];
    if (typeof element !== 'object' || element === null || Array.isArray(element)) {
      refuse(index, undefined, 'not-an-object');
      continue;
    }
    const { sensorId, valueName, date, value, precision, labels } = element as Element;
    unknownFields += unknownIn(element);
    const column = columnOf(sensorId, valueName);
    if (typeof column === 'string') {
      refuse(index, column, column === 'sensorId' ? 'bad-sensor-id' : 'bad-value-name');
      continue;
    }
    const at = instants(date);
    if (typeof at === 'string') {
      refuse(index, 'date', at);
      continue;
    }
    const number = judgeValue(value, REFUSE_BOOLEANS);
    if (typeof number === 'string') {
      refuse(index, 'value', number);
      continue;
    }
    const grade = judgePrecision(precision);
    if (typeof grade === 'string') {
      refuse(index, 'precision', grade);
      continue;
    }
    const set = labels === undefined ? NO_LABELS : labelsOf(labels);
    if (typeof set === 'string') {
      refuse(index, 'labels', set);
      continue;
    }
    append(column.segments, at, number, grade, set);
  }
  return { ...sealed(sensors), refusedCount, refusals, unknownFields };
}

const REFUSE_BOOLEANS = { booleans: 'refuse' } as const;

const FIELDS: ReadonlySet<string> = new Set<Field>(['sensorId', 'valueName', 'date', 'value', 'precision', 'labels']);

function unknownIn(element: object): number {
  let unknown = 0;
  for (const field in element) if (!FIELDS.has(field)) unknown += 1;
  return unknown;
}

/** Remembers the last verdict, because sensors are often sampled together and a date takes longest to judge. */
function rememberingLast<T>(judge: (date: unknown) => T): (date: unknown) => T {
  let last: unknown = NaN;
  let judged: T;
  return (date) => {
    if (date !== last) {
      judged = judge(date);
      last = date;
    }
    return judged;
  };
}

/** Equal labels become one array, so that they share a segment and are numbered once. */
function sharingLabels(): (labels: unknown) => readonly string[] | RefusalReason {
  const sets = new Map<string, readonly string[]>();
  return (labels) => {
    const set = judgeLabels(labels);
    if (typeof set === 'string') return set;
    if (set.length === 0) return NO_LABELS;
    const key = set.join('\n');
    const known = sets.get(key);
    if (known === undefined) sets.set(key, set);
    return known ?? set;
  };
}

function append(
  segments: OpenSegment[],
  at: Instant,
  value: number,
  precision: number | undefined,
  labels: readonly string[],
): void {
  let segment = segments.at(-1);
  if (!segment || segment.labels !== labels || (segment.precision === undefined) !== (precision === undefined)) {
    segment = { at: [], value: [], precision: precision === undefined ? undefined : [], labels };
    segments.push(segment);
  }
  segment.at.push(at);
  segment.value.push(value);
  if (precision !== undefined) segment.precision?.push(precision);
}

function sealed(sensors: ReadonlyMap<string, ReadonlyMap<string, OpenColumn>>): {
  columns: Column[];
  readings: number;
  repeats: number;
} {
  const columns: Column[] = [];
  let readings = 0;
  let repeats = 0;
  for (const byName of sensors.values()) {
    for (const { sensorId, valueName, segments } of byName.values()) {
      const ordered = inOrder(segments);
      // A column is empty where each reading of it was refused for its date, value, precision or labels.
      if (ordered.segments.length === 0) continue;
      for (const { at } of ordered.segments) readings += at.length;
      repeats += ordered.repeats;
      columns.push({ sensorId, valueName, segments: ordered.segments });
    }
  }
  return { columns, readings, repeats };
}
