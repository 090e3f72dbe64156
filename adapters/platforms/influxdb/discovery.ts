import { contractBroken } from '../../../src/core/errors.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import type { Block } from './answer.ts';
import { ask } from './ask.ts';
import { unknownPolicy } from './failure.ts';
import { addFields, isText } from './fields.ts';
import type { FieldTypes } from './fields.ts';
import { seriesNaming } from './naming.ts';
import type { InfluxOptions } from './options.ts';
import { showFieldKeys, showMeasurements, showRetentionPolicies, showSeries } from './query.ts';
import { parseSeriesKey } from './series-name.ts';
import { knownWidth, rememberWidth } from './width.ts';

/**
 * One sensor for each series; its group, and so its stream, is the measurement. One request, which InfluxDB answers
 * from its index. The variables are all fields of the measurement, because InfluxDB does not list them by series.
 */
export async function* sensors(http: Http, options: InfluxOptions): AsyncGenerator<Sensor> {
  const { measurements, skipStringFields } = options;
  const fieldsOf = new Map<string, FieldTypes>();
  const policies: string[][] = [];
  // Where the options leave tags out of the name, several series become one sensor.
  const merges = options.sensorTag !== undefined || options.ignoreTags !== undefined;
  const seen = new Set<string>();
  // The policies come first, because only they distinguish a database that is gone from an empty one.
  const statements = [
    showRetentionPolicies(options),
    showFieldKeys(options, measurements),
    showSeries(options, measurements),
  ];
  let checked = false;
  for await (const block of await ask(http, options, statements)) {
    if (block.statement === 0) {
      policies.push(...textRows(block));
      continue;
    }
    if (!checked) checkPolicy(options, policies);
    checked = true;
    if (block.statement === 1) {
      const fields = fieldsOf.get(block.name) ?? new Map();
      addFields(fields, block);
      fieldsOf.set(block.name, fields);
      rememberWidth(options, block.name, { fields, isSparse: knownWidth(options, block.name)?.isSparse ?? true });
      continue;
    }
    for (const [key = ''] of textRows(block)) {
      const series = parseSeriesKey(key);
      const { sensor: id, variable } = seriesNaming(series, options);
      const group = series.measurement;
      if (merges && seen.size === seen.add(`${group}\n${id}`).size) continue;
      const fields: FieldTypes = fieldsOf.get(group) ?? new Map();
      const asked = [...fields.keys()].filter((field) => !(skipStringFields && isText(fields, field)));
      yield { id, group, variables: asked.map(variable) };
    }
  }
  checkPolicy(options, policies);
}

/** The measurements of the options, or all of the database. */
export async function measurementsOf(http: Http, options: InfluxOptions): Promise<readonly string[]> {
  if (options.measurements !== undefined) return options.measurements;
  const found: string[] = [];
  for await (const block of await ask(http, options, [showRetentionPolicies(options), showMeasurements(options)])) {
    if (block.statement === 1) found.push(...textRows(block).map(([name = '']) => name));
  }
  return found;
}

/**
 * Throws `config-invalid` where the database has neither the policy of the options nor, without one, a default policy.
 */
export function checkPolicy({ retentionPolicy }: InfluxOptions, rows: readonly (readonly unknown[])[]): void {
  const names = rows.map((row) => String(row[0]));
  const found =
    retentionPolicy === undefined ? rows.some((row) => row.includes('true')) : names.includes(retentionPolicy);
  if (!found) throw unknownPolicy(retentionPolicy, names);
}

/** Rows of an answer about names. */
export function textRows(block: Block): string[][] {
  const rows = block.rows();
  if (rows.some((row) => typeof row[0] !== 'string')) {
    throw contractBroken('InfluxDB: a list of names that holds something else', JSON.stringify(rows).slice(0, 4_000));
  }
  return rows.map((row) => row.map(String));
}
