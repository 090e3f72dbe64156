import { configInvalid } from '../../../src/core/errors.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Http, Samples, Selection } from '../../../src/platform/contract.ts';
import type { Block } from './answer.ts';
import { ask } from './ask.ts';
import { blockColumns, without } from './columns.ts';
import { measurementsOf } from './discovery.ts';
import { addFields, mayBeInteger, passedOver } from './fields.ts';
import type { FieldTypes } from './fields.ts';
import { seriesNaming, tagsOf } from './naming.ts';
import type { SensorTags } from './naming.ts';
import type { InfluxOptions } from './options.ts';
import { select, showFieldKeys } from './query.ts';
import type { TypedField } from './query.ts';

/** Ours: longer conditions cost InfluxDB more than two requests. */
const SENSORS_PER_REQUEST = 100;

/**
 * The samples of one window: one request for each measurement, or for each 100 chosen sensors of it. The answer holds
 * the types of the fields and their points. A second request follows only where shards have different types for a
 * field.
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
      const wanted = sensors && new Set(sensors.keys());
      const tags = sensors && [...sensors.values()];
      for await (const samples of readBatch(http, options, { measurement, window, sensors: tags })) {
        if (wanted?.has(samples.sensor) ?? true) yield samples;
      }
    }
  }
}

/** The chosen sensors of a measurement with their tags, at most 100 at a time; `[undefined]` where none are chosen. */
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
    throw configInvalid(message, 'Correct its id or its group.', 'sensors');
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
  readonly sensors: readonly SensorTags[] | undefined;
}

async function* readBatch(http: Http, options: InfluxOptions, question: Question): AsyncGenerator<Samples> {
  const { measurement, window, sensors } = question;
  const fields: FieldTypes = new Map();
  const statements = [showFieldKeys(options, [measurement]), select(options, measurement, window, { sensors })];
  let askedSeparately: readonly TypedField[] | undefined;
  for await (const block of ask(http, options, statements)) {
    if (block.statement === 0) {
      addFields(fields, block);
      continue;
    }
    askedSeparately ??= passedOver(fields);
    yield* samplesOf(block, options, fields, askedSeparately);
  }
  const columns = passedOver(fields).filter(({ type }) => !(options.skipStringFields && type === 'string'));
  if (columns.length === 0) return;
  for await (const block of ask(http, options, [select(options, measurement, window, { sensors, columns })])) {
    // A field asked for as two types has two columns, of which InfluxDB renames the second; their order is that of the
    // question.
    const named = { ...block, columns: ['time', ...columns.map(({ field }) => field)] };
    yield* samplesOf(named, options, fields, []);
  }
}

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
