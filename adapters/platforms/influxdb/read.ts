import { configInvalid } from '../../../src/core/errors.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Http, Samples, Selection } from '../../../src/platform/contract.ts';
import type { Block } from './answer.ts';
import { ask } from './ask.ts';
import { blockColumns, without } from './columns.ts';
import { measurementsOf } from './discovery.ts';
import { addFields, isText, mayBeInteger, passedOver } from './fields.ts';
import type { FieldTypes } from './fields.ts';
import { seriesNaming, tagsOf } from './naming.ts';
import type { SensorTags } from './naming.ts';
import type { InfluxOptions } from './options.ts';
import { select, showFieldKeys } from './query.ts';
import type { TypedField } from './query.ts';
import { Density, FIELDS_PER_REQUEST, isAskedInParts, knownWidth, rememberWidth, rowsPerPiece } from './width.ts';
import type { Width } from './width.ts';

/** Ours: of 100,000 series InfluxDB 1.6.7 finds this many in about a second; longer conditions cost in proportion [ran]. */
const SENSORS_PER_REQUEST = 5_000;

/**
 * The samples of one window: one request for each measurement, or for each 5,000 chosen sensors of it. The answer holds
 * the types of the fields and their points. A measurement whose points have few of many fields takes one request for
 * each 100 fields, and one more follows where shards have different types for a field.
 */
export async function* read(
  http: Http,
  options: InfluxOptions,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples> {
  const measurements = selection.group === undefined ? await measurementsOf(http, options) : [selection.group];
  for (const measurement of measurements) {
    for (const sensors of batches(selection, options, measurement)) {
      yield* readBatch(http, options, { measurement, window, sensors });
    }
  }
}

/** The chosen sensors of a measurement with their tags, at most 5,000 at a time; `[undefined]` where none are chosen. */
function batches(
  { group, sensors }: Selection,
  options: InfluxOptions,
  measurement: string,
): (ReadonlyMap<string, SensorTags> | undefined)[] {
  if (sensors === undefined) return [undefined];
  const chosen = sensors.map((sensor) => [sensor, tagsOf(sensor, options)] as const);
  const stray = chosen.find(([, { measurement: own }]) => own !== undefined && group !== undefined && own !== group);
  if (stray) {
    const message = `sensor ${JSON.stringify(stray[0])} is not of the measurement ${JSON.stringify(group)}`;
    throw configInvalid(message, 'correct its id or its group in the file of the source', 'sensors');
  }
  const here = chosen.filter(([, { measurement: own }]) => own === undefined || own === measurement);
  const count = Math.ceil(here.length / SENSORS_PER_REQUEST);
  return Array.from(
    { length: count },
    (_, index) => new Map(here.slice(index * SENSORS_PER_REQUEST, (index + 1) * SENSORS_PER_REQUEST)),
  );
}

interface Question {
  readonly measurement: string;
  readonly window: Window;
  /** Undefined: all. */
  readonly sensors: ReadonlyMap<string, SensorTags> | undefined;
}

async function* readBatch(
  http: Http,
  options: InfluxOptions,
  { measurement, window, sensors }: Question,
): AsyncGenerator<Samples> {
  const before = knownWidth(options, measurement) ?? (await askWidth(http, options, measurement));
  const chosen = sensors && [...sensors.values()];
  const density = new Density();
  /** The fields as the last answer listed them. */
  let { fields } = before;
  for (const { columns, isRest } of requests(options, before, () => fields)) {
    const points = select(options, measurement, window, { sensors: chosen, columns });
    // Every request lists the fields first, so a field that appeared meanwhile is noticed.
    const statements = isRest ? [points] : [showFieldKeys(options, [measurement]), points];
    const listed: FieldTypes = isRest ? fields : new Map();
    if (!isRest) density.nextAnswer();
    let askedSeparately: readonly TypedField[] | undefined = isRest ? [] : undefined;
    const pieces = rowsPerPiece(options, columns?.length ?? fields.size);
    for await (const block of await ask(http, options, statements, pieces)) {
      if (block.statement < statements.length - 1) {
        addFields(listed, block);
        continue;
      }
      askedSeparately ??= passedOver(listed);
      let values = 0;
      for (const samples of samplesOf(named(block, columns), options, listed, askedSeparately)) {
        values += samples.at.length;
        if (sensors?.has(samples.sensor) ?? true) yield samples;
      }
      if (!isRest) density.add(block.rowCount, values);
    }
    fields = listed;
  }
  rememberWidth(options, measurement, { fields, isSparse: density.isSparse(fields.size, before.isSparse) });
}

/** A measurement that this process has not read yet counts as sparse, because a sparse wide one could exhaust the server. */
async function askWidth(http: Http, options: InfluxOptions, measurement: string): Promise<Width> {
  const fields: FieldTypes = new Map();
  for await (const block of await ask(http, options, [showFieldKeys(options, [measurement])])) addFields(fields, block);
  return { fields, isSparse: true };
}

/** A request for columns, by default all. `isRest`: for the fields and types that the other requests leave out. */
interface Request {
  readonly columns: readonly TypedField[] | undefined;
  readonly isRest: boolean;
}

/** The requests of one question, each after the answer to the one before. `fields`: those that the last answer listed. */
function* requests(options: InfluxOptions, before: Width, fields: () => FieldTypes): Generator<Request> {
  if (isAskedInParts(before)) {
    const asked = new Set<string>();
    for (;;) {
      const left = [...fields().keys()].filter((field) => !asked.has(field));
      const part = left
        .filter((field) => !(options.skipStringFields && isText(fields(), field)))
        .slice(0, FIELDS_PER_REQUEST);
      if (part.length === 0) break;
      for (const field of part) asked.add(field);
      yield { columns: part.map((field) => ({ field, type: 'field' })), isRest: false };
    }
  } else yield { columns: undefined, isRest: false };
  const rest = passedOver(fields()).filter(({ type }) => !(options.skipStringFields && type === 'string'));
  for (let begin = 0; begin < rest.length; begin += FIELDS_PER_REQUEST) {
    yield { columns: rest.slice(begin, begin + FIELDS_PER_REQUEST), isRest: true };
  }
}

/** InfluxDB renames the second of two columns for one field; their order is that of the question. */
const named = (block: Block, columns: readonly TypedField[] | undefined): Block =>
  columns === undefined ? block : { ...block, columns: ['time', ...columns.map(({ field }) => field)] };

/** The samples of a block without the fields and types of `askedSeparately`, which a request of their own brings. */
function* samplesOf(
  block: Block,
  options: InfluxOptions,
  fields: FieldTypes,
  askedSeparately: readonly TypedField[],
): Generator<Samples> {
  const tags = Object.entries(block.tags).filter(([, value]) => value !== '');
  const naming = seriesNaming({ measurement: block.name, tags }, options);
  const labels = naming.labels.length > 0 ? { labels: naming.labels } : {};
  for (const column of blockColumns(block, (index) => mayBeInteger(fields, block.columns[index] as string))) {
    const field = block.columns[column.index] as string;
    const types = askedSeparately.filter((other) => other.field === field).map(({ type }) => type as string);
    if (options.skipStringFields) types.push('string');
    const { at, values } = types.length > 0 ? without(column, (value) => types.includes(typeof value)) : column;
    if (at.length > 0) yield { sensor: naming.sensor, variable: naming.variable(field), at, values, ...labels };
  }
}
