import type { Instant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { SensorTags } from './naming.ts';
import type { InfluxOptions } from './options.ts';

/** The names a statement needs: those of the options. */
type Names = Pick<InfluxOptions, 'database' | 'retentionPolicy'>;

/** A column of a SELECT: a field with one of its types, or with the type `field` as `*` would show it. */
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
  more: {
    readonly sensors?: readonly SensorTags[] | undefined;
    readonly columns?: readonly TypedField[] | undefined;
  } = {},
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
  if (sensors.length > EXACT_CONDITIONS) return anyOf(all);
  // `::tag`, because InfluxDB would otherwise compare a field of the same name [ran].
  const condition = (tags: SensorTags['tags']): string =>
    tags.map(([key, value]) => `${quoteName(key)}::tag = ${quoteText(value)}`).join(' AND ');
  return [`(${all.map((tags) => `(${condition(tags)})`).join(' OR ')})`];
}

/** Ours: the time that InfluxDB takes for conditions joined by OR grows with the square of their number [ran]. */
const EXACT_CONDITIONS = 100;

/**
 * For each tag the values that any of the sensors has. This finds series that combine tags of several sensors, too, and
 * takes InfluxDB a fortieth of the time of exact conditions for a thousand sensors [ran].
 */
function anyOf(all: readonly SensorTags['tags'][]): string[] {
  const values = new Map<string, Set<string>>();
  for (const [key, value] of all.flat()) values.set(key, (values.get(key) ?? new Set()).add(value));
  // A sensor that says nothing of a tag may have any value of it.
  const decisive = [...values].filter(([key]) => all.every((tags) => tags.some(([own]) => own === key)));
  return decisive.map(
    ([key, some]) => `${quoteName(key)}::tag =~ /^(?:${[...some].map((value) => inPattern(value)).join('|')})$/`,
  );
}

/** A text as a regular expression that only this text matches. A series without a tag has the text "" [ran]. */
const inPattern = (text: string): string =>
  text.replaceAll(/[^\w]/gu, (character) => `\\x{${(character.codePointAt(0) as number).toString(16)}}`);

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
