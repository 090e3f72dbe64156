import { configInvalid } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import type { KnownVariable } from '../../../src/platform/contract.ts';
import type { InfluxOptions } from './options.ts';
import { escape, parseSeriesName, seriesName, unescape } from './series-name.ts';
import type { Series } from './series-name.ts';

/** The names and labels of the readings of one series. */
export interface Naming {
  readonly sensor: string;
  /** The tags that are not part of `sensor`, as `key=value`; a tag that is not a valid label is left out. */
  readonly labels: readonly string[];
  readonly variable: (field: string) => string;
}

/**
 * The series of a sensor: those of `measurement` (undefined: of any) with all these tags. The value "" means: without
 * the tag.
 */
export interface SensorTags {
  readonly measurement: string | undefined;
  readonly tags: readonly (readonly [key: string, value: string])[];
}

const LABEL_LENGTH = 128;
const LABELS = 32;

/**
 * Names a series by the options. Sensor and variable together always show the measurement, the tags in the name and the
 * field, so two series share a name only where the operator's options leave out the tag between them.
 */
export function seriesNaming(series: Series, { sensorTag, ignoreTags = [] }: InfluxOptions): Naming {
  const { measurement, tags } = series;
  if (sensorTag === undefined) {
    const [ignored, naming] = partition(tags, ([key]) => ignoreTags.includes(key));
    return { sensor: seriesName({ measurement, tags: naming }), labels: labelsOf(ignored), variable: asIs };
  }
  const [chosen, others] = partition(tags, ([key]) => key === sensorTag);
  const value = chosen[0]?.[1] ?? '';
  // A series without the tag keeps its long name, in which "tag=" distinguishes it from every value of the tag.
  if (value === '') {
    return { sensor: seriesName({ measurement, tags: [...others, [sensorTag, '']] }), labels: [], variable: asIs };
  }
  // The dot is escaped, because `a.b` with the field `c` and `a` with the field `b.c` would be one variable.
  const prefix = measurement.replaceAll(/[\\.]/g, String.raw`\$&`);
  return { sensor: escape(value), labels: labelsOf(others), variable: (field) => `${prefix}.${field}` };
}

/**
 * The reverse of `seriesNaming`; `config-invalid` where no series can have that name, because it would stay empty for
 * ever.
 */
export function tagsOf(sensor: string, options: InfluxOptions): SensorTags {
  const { sensorTag } = options;
  const series = parseSeriesName(sensor);
  const isLong = series !== undefined && (sensorTag === undefined || series.tags.some(([key]) => key === sensorTag));
  if (!isLong && sensorTag === undefined) throw notAName(sensor, 'measurement,tag=value,…');
  const found: SensorTags = isLong
    ? series
    : { measurement: undefined, tags: [[sensorTag as string, unescape(sensor)]] };
  const present = found.tags.filter(([, value]) => value !== '');
  const written = seriesNaming({ measurement: found.measurement ?? '', tags: present }, options).sensor;
  if (written !== sensor) throw notAName(sensor, written);
  return found;
}

/** See `renamed` of the contract. A tag that the options before left out of the name is not known. */
export function renamed(
  { sensor: { id }, variable }: KnownVariable,
  before: InfluxOptions,
  after: InfluxOptions,
): { sensor: string; variable: string } | undefined {
  if (before.sensorTag === after.sensorTag && isSameSet(before.ignoreTags, after.ignoreTags))
    return { sensor: id, variable };
  const series = parseSeriesName(id);
  const { sensorTag, ignoreTags: hidden = [] } = before;
  // A short name is the value of a tag; the other tags of its series are not known.
  if (series === undefined || (sensorTag !== undefined && series.tags.every(([key]) => key !== sensorTag)))
    return undefined;
  const tags = series.tags.filter(([, value]) => value !== '');
  const isNamedByTag = after.sensorTag !== undefined && tags.some(([key]) => key === after.sensorTag);
  if (!isNamedByTag && hidden.some((key) => !(after.ignoreTags ?? []).includes(key))) return undefined;
  const naming = seriesNaming({ measurement: series.measurement, tags }, after);
  return { sensor: naming.sensor, variable: naming.variable(variable) };
}

const isSameSet = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  one.toSorted().join('\n') === other.toSorted().join('\n');

const notAName = (sensor: string, right: string): BridgeError =>
  configInvalid(
    `${JSON.stringify(sensor)} does not name a series`,
    `Write it as ${right}, which is how the discovery of sensors shows it; see the README of the platform.`,
    'sensors',
  );

const asIs = (field: string): string => field;

const labelsOf = (tags: Series['tags']): string[] =>
  tags
    .map(([key, value]) => `${key}=${value}`)
    .filter((label) => label.length <= LABEL_LENGTH && !/\p{Cc}/u.test(label))
    .slice(0, LABELS);

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [yes: T[], no: T[]] {
  return [items.filter((item) => belongs(item)), items.filter((item) => !belongs(item))];
}
