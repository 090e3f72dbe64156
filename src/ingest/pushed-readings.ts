import { inOrder, rawText } from '../core/batch.ts';
import type { Column, Refusal, Segment } from '../core/batch.ts';
import type { Instant } from '../core/instant.ts';
import type { FullName } from '../core/near-names.ts';
import { NO_VALUE_NAME } from '../core/naming.ts';
import {
  judgeInstant,
  judgeLabels,
  judgePrecision,
  judgeSensorId,
  judgeValue,
  judgeValueName,
} from '../core/reading.ts';
import type { RefusalReason, SeriesRefusal, TimeBounds } from '../core/reading.ts';
import { FIELDS, otherFields } from './pushed-fields.ts';
import type { Field } from './pushed-fields.ts';
import { nameOfSeries } from './new-names.ts';

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
  /** Readings equal to a later one of the same body. */
  readonly repeats: number;
  readonly refusedCount: number;
  /** The first `REFUSALS_LISTED` refusals, in the order of the body. */
  readonly refusals: readonly PushedRefusal[];
  /** Number of refused readings by reason. */
  readonly refused: ReadonlyMap<RefusalReason, number>;
  /** The first `EXAMPLES_PER_REASON` refusals of each reason, for operators. */
  readonly examples: readonly Refusal[];
  /** Number of fields that no reading has; they are ignored. */
  readonly unknownFields: number;
  /** The names of those fields, shortened: the first `UNKNOWN_LISTED` different ones. */
  readonly unknownFieldNames: readonly string[];
}

/** At most this many refusals are listed; all of them are counted. */
export const REFUSALS_LISTED = 1_000;

/** At most this many refused readings of a body are shown to operators for each reason. */
const EXAMPLES_PER_REASON = 20;

interface OpenSegment extends Segment {
  readonly at: Instant[];
  readonly value: number[];
  readonly precision: number[] | undefined;
  /** The place of each reading in the body. */
  readonly indexes: number[];
}

interface OpenColumn {
  readonly sensorId: string;
  readonly valueName: string;
  readonly segments: OpenSegment[];
}

type Element = { readonly [field in Field]?: unknown };

const NO_LABELS: readonly string[] = [];

const NONE: ReadonlyMap<string, SeriesRefusal> = new Map();

/**
 * The elements of a pushed body as columns and refusals, by the rules of core/reading.ts. One pass, nothing coerced.
 * `untaken`: names (`nameOfSeries`) of which no reading is taken, each with the reason.
 * `renamed`: names that are pushed for series of other names.
 */
export function judgePushed(
  elements: readonly unknown[],
  clock: TimeBounds,
  untaken: ReadonlyMap<string, SeriesRefusal> = NONE,
  renamed: ReadonlyMap<string, FullName> = new Map(),
): Pushed {
  const sensors = new Map<string, Map<string, OpenColumn>>();
  const instants = rememberingLast((date) => dateOf(date, clock));
  const labelsOf = sharingLabels();
  const others = otherFields();
  const refusals: PushedRefusal[] = [];
  const refused = new Map<RefusalReason, number>();
  const examples: Refusal[] = [];
  let refusedCount = 0;

  /** Counts a refusal and keeps its example. */
  function note(index: number, field: string | undefined, reason: RefusalReason): void {
    refusedCount += 1;
    const count = (refused.get(reason) ?? 0) + 1;
    refused.set(reason, count);
    if (count <= EXAMPLES_PER_REASON) examples.push({ ...shownOf(elements[index], field, instants), reason });
  }

  function refuse(index: number, field: string | undefined, reason: RefusalReason): void {
    note(index, field, reason);
    if (refusals.length < REFUSALS_LISTED) refusals.push(refusalOf(index, field, reason));
  }

  function columnOf(sensorId: unknown, valueName: unknown): OpenColumn | RefusalReason {
    // A pair of names that has a column was judged when it got the column.
    const known = sensors.get(sensorId as string)?.get((valueName ?? NO_VALUE_NAME) as string);
    if (known !== undefined) return known;
    const sensor = judgeSensorId(sensorId);
    if (typeof sensor !== 'string') return sensor.refused;
    const name = judgeValueName(valueName);
    if (typeof name !== 'string') return name.refused;
    const given = { sensorId: sensor, valueName: name };
    const series = renamed.get(nameOfSeries(given)) ?? given;
    const reason = untaken.get(nameOfSeries(series));
    if (reason !== undefined) return reason;
    const column = sensors.get(series.sensorId)?.get(series.valueName) ?? { ...series, segments: [] };
    // A renamed pair leads to the column of its series, which is sealed once.
    for (const { sensorId: key, valueName: under } of [given, series]) {
      const columns = sensors.get(key);
      if (columns === undefined) sensors.set(key, new Map([[under, column]]));
      else columns.set(under, column);
    }
    return column;
  }

  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index];
    if (typeof element !== 'object' || element === null || Array.isArray(element)) {
      refuse(index, undefined, 'not-an-object');
      continue;
    }
    const { sensorId, valueName, date, value, precision, labels } = element as Element;
    const misspelt = others.misspeltIn(element);
    if (misspelt !== undefined) {
      refuse(index, misspelt, 'misspelt-field');
      continue;
    }
    const column = columnOf(sensorId, valueName);
    if (typeof column === 'string') {
      refuse(index, column === 'bad-value-name' ? 'valueName' : 'sensorId', column);
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
    const set = labels === undefined || labels === null ? NO_LABELS : labelsOf(labels);
    if (typeof set === 'string') {
      refuse(index, 'labels', set);
      continue;
    }
    append(column.segments, index, at, number, grade, set);
  }
  const { displaced, ...readings } = sealed(sensors);
  for (const index of displaced) note(index, undefined, 'same-instant');
  return {
    ...readings,
    refusedCount,
    refusals: withDisplaced(refusals, displaced),
    refused,
    examples,
    ...others.unknown(),
  };
}

/** A refused element as an operator finds it: its names, its date where that can be read, and what is wrong in it. */
function shownOf(
  element: unknown,
  field: string | undefined,
  instants: (date: unknown) => Instant | RefusalReason,
): Omit<Refusal, 'reason'> {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    return { sensor: '', variable: '', at: undefined, raw: rawText(element) };
  }
  const { sensorId = '', date } = element as Element;
  const valueName = (element as Element).valueName ?? NO_VALUE_NAME;
  const at = instants(date);
  const wrong = (element as Readonly<Record<string, unknown>>)[field ?? 'value'];
  return {
    sensor: typeof sensorId === 'string' ? sensorId : rawText(sensorId),
    variable: typeof valueName === 'string' ? valueName : rawText(valueName),
    at: typeof at === 'number' ? at : undefined,
    raw: field === undefined || FIELDS.has(field) ? rawText(wrong) : `${field}: ${rawText(wrong)}`,
  };
}

const refusalOf = (index: number, field: string | undefined, reason: RefusalReason): PushedRefusal => ({
  index,
  pointer: field === undefined ? `/${index}` : `/${index}/${field}`,
  reason,
});

/** The first refusals of a body, and among them the readings that a later one of their instant displaced. */
function withDisplaced(refusals: readonly PushedRefusal[], displaced: readonly number[]): readonly PushedRefusal[] {
  if (displaced.length === 0) return refusals;
  return [...refusals, ...displaced.map((index) => refusalOf(index, undefined, 'same-instant'))]
    .sort((one, other) => one.index - other.index)
    .slice(0, REFUSALS_LISTED);
}

function dateOf(date: unknown, clock: TimeBounds): Instant | RefusalReason {
  if (date === undefined || date === null) return 'no-date';
  return typeof date === 'string' ? judgeInstant(date, clock) : 'bad-instant';
}

const REFUSE_BOOLEANS = { booleans: 'refuse' } as const;

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
  index: number,
  at: Instant,
  value: number,
  precision: number | undefined,
  labels: readonly string[],
): void {
  let segment = segments.at(-1);
  if (!segment || segment.labels !== labels || (segment.precision === undefined) !== (precision === undefined)) {
    segment = { at: [], value: [], precision: precision === undefined ? undefined : [], labels, indexes: [] };
    segments.push(segment);
  }
  segment.indexes.push(index);
  segment.at.push(at);
  segment.value.push(value);
  if (precision !== undefined) segment.precision?.push(precision);
}

function sealed(sensors: ReadonlyMap<string, ReadonlyMap<string, OpenColumn>>): {
  columns: Column[];
  readings: number;
  repeats: number;
  /** Places in the body of readings that a later one of the same instant displaced. */
  displaced: number[];
} {
  const columns: Column[] = [];
  const displaced: number[] = [];
  let readings = 0;
  let repeats = 0;
  for (const [sensor, byName] of sensors) {
    for (const [name, { sensorId, valueName, segments }] of byName) {
      if (sensor !== sensorId || name !== valueName) continue;
      const ordered = inOrder(segments);
      // A column is empty where each reading of it was refused for its date, value, precision or labels.
      if (ordered.segments.length === 0) continue;
      for (const { at } of ordered.segments) readings += at.length;
      repeats += ordered.repeats;
      for (const { segment, index } of ordered.displaced) displaced.push(segment.indexes[index] as number);
      columns.push({ sensorId, valueName, segments: ordered.segments });
    }
  }
  return { columns, readings, repeats, displaced };
}
