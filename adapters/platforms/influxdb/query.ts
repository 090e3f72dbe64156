import type { Instant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { SensorTags } from './naming.ts';
import type { InfluxOptions } from './options.ts';

/** The names a statement needs: those of the options. */
type Names = Pick<InfluxOptions, 'database' | 'retentionPolicy'>;

/** A column of a SELECT: a field with one of its types. */
export interface TypedField {
  readonly field: string;
  readonly type: string;
}

/** An identifier: database, retention policy, measurement, tag, field or user. */
export const quoteName = (name: string): string => `"${escape(name).replaceAll('"', String.raw`\"`)}"`;

/** A string. */
export const quoteText = (text: string): string => `'${escape(text).replaceAll("'", String.raw`\'`)}'`;

// The scanner of InfluxQL knows no other escapes, and no quote may span lines (influxql/scanner.go, ScanString).
const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

/** An instant as whole nanoseconds, the unit of a bare number in a time condition. */
const nanoseconds = (instant: Instant): string => `${BigInt(instant) * 1_000n}`;

/**
 * Every point of `measurement` in the window, with both ends exact. `sensors` restricts it to their series and possibly
 * a few more; undefined takes all. Without `columns` every field is a column, also one that is new.
 */
export function select(
  names: Names,
  measurement: string,
  window: Window,
  more: { readonly sensors?: readonly SensorTags[] | undefined; readonly columns?: readonly TypedField[] } = {},
): string {
  const columns = more.columns?.map(({ field, type }) => `${quoteName(field)}::${type}`).join(', ') ?? '*';
  const policy = names.retentionPolicy === undefined ? '' : quoteName(names.retentionPolicy);
  const time = `time >= ${nanoseconds(window.from)} AND time < ${nanoseconds(window.to)}`;
  const where = [time, ...ofSensors(more.sensors)].join(' AND ');
  const from = `${quoteName(names.database)}.${policy}.${quoteName(measurement)}`;
  return `SELECT ${columns} FROM ${from} WHERE ${where} GROUP BY * ORDER BY time ASC`;
}

/**
 * A name with a measurement lists all tags of its series, so the series has none of the other tags. There is no
 * condition where a sensor has no tag to ask for: then all series are read, and chosen by name.
 */
function ofSensors(sensors: readonly SensorTags[] | undefined): string[] {
  if (sensors === undefined) return [];
  const keys = new Set(sensors.flatMap(({ tags }) => tags.map(([key]) => key)));
  const all = sensors.map(({ measurement, tags }) => {
    if (measurement === undefined) return tags;
    const own = new Map(tags);
    return [...keys].map((key) => [key, own.get(key) ?? ''] as const);
  });
  if (all.some((tags) => tags.length === 0)) return [];
  // `::tag`, because InfluxDB would otherwise compare a field of the same name [ran].
  const condition = (tags: SensorTags['tags']): string =>
    tags.map(([key, value]) => `${quoteName(key)}::tag = ${quoteText(value)}`).join(' AND ');
  return [`(${all.map((tags) => `(${condition(tags)})`).join(' OR ')})`];
}

const from = (measurements: readonly string[] | undefined): string =>
  measurements === undefined ? '' : ` FROM ${measurements.map((name) => quoteName(name)).join(', ')}`;

/** Rows `[fieldKey, fieldType]`, a series per measurement. */
export const showFieldKeys = ({ database }: Names, measurements?: readonly string[]): string =>
  `SHOW FIELD KEYS ON ${quoteName(database)}${from(measurements)}`;

/** Rows `[key]`. Series of all retention policies, because the index does not distinguish them. */
export const showSeries = ({ database }: Names, measurements?: readonly string[]): string =>
  `SHOW SERIES ON ${quoteName(database)}${from(measurements)}`;

/** Rows `[name]`. Empty, not an error, where there is no such database [ran]. */
export const showMeasurements = ({ database }: Names): string => `SHOW MEASUREMENTS ON ${quoteName(database)}`;

/** Rows `[name, duration, …, default]`. An error where there is no such database [ran]. */
export const showRetentionPolicies = ({ database }: Names): string =>
  `SHOW RETENTION POLICIES ON ${quoteName(database)}`;
