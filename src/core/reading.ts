import { DAY, LAST_INSTANT, formatInstant, parseInstant } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';
import { LONGEST_VALUE_NAME, NO_VALUE_NAME } from './naming.ts';
import type { Quality, QualityTable } from './quality.ts';
import { State } from './samples.ts';

/** A reading with the fields of the `/v0` API. `precision` is undefined where the platform gives no quality. */
export interface StoredReading {
  readonly sensorId: string;
  readonly valueName: string;
  readonly at: Instant;
  readonly value: number;
  readonly precision: number | undefined;
  readonly labels: readonly string[];
}

/**
 * The closed list of reasons why a point may not become a reading, each with its meaning (remedies: refusal-remedies.ts). Pushed and
 * pulled points obey the same rules.
 */
export const REFUSALS = {
  'not-an-object': 'The element is not a JSON object with sensorId, date and value.',
  'misspelt-field': 'A field differs from one of a reading only in case, blanks, "_" or "-".',
  'no-value': 'There is no value.',
  null: 'The value is null: there is no number for this instant.',
  boolean: 'The value is true or false.',
  'text-number': 'The value is a number written as text.',
  'not-a-number': 'The value is text, not a number.',
  'not-finite': 'The value is infinite, not a number or too large for a double.',
  'not-a-scalar': 'The value is an array or an object, such as a spectrum, not a single number.',
  'system-state': 'The platform reports a state instead of a value, such as "No Data".',
  'bad-quality': 'The platform calls the value bad.',
  'unknown-quality': 'The platform gives the value a quality that this bridge does not know, so the value may be bad.',
  'no-date': 'There is no date.',
  'bad-instant': 'The date is not an ISO 8601 date and time that exists (in UTC or with an offset, before June 2255).',
  'date-without-time': 'The date has no time of day.',
  'in-the-future': 'The date lies further in the future than clocks may differ.',
  'too-old': 'The date lies further back than this bridge takes pushed readings.',
  'not-kept': 'The date lies before the readings that the project keeps.',
  'same-instant':
    'A later point of the same window or body has the same sensorId, valueName and date, to the microsecond, and other content. The last of them was kept.',
  'local-time-missing': 'The local time never existed, because the clocks were put forward over it.',
  'local-time-repeated':
    'The local time happened twice, because the clocks were put back; the source is set to take neither.',
  'bad-sensor-id': 'The sensorId is not text of 1 to 256 characters without control characters.',
  'bad-value-name': 'The valueName is not text of 1 to 128 letters, digits and underscores.',
  'bad-precision': 'The precision is not a whole number from 0 to 100.',
  'bad-label': 'The labels are not an array of texts of 1 to 128 characters without control characters.',
  'too-many-labels': 'There are more than 32 different labels.',
  'name-collision': 'Another variable of this source already has this sensorId and valueName.',
  'series-of-another': 'The series belongs to another source of the project, or to pushing applications.',
  'name-held-back':
    'The project is locked, and it has no series of this sensorId and valueName. The name is held back until an operator releases it.',
  'too-many-series': 'The series would be a new one, and its project has as many series as its quota allows.',
  'refused-there': 'The service that this project is pushed to refused the point.',
} as const;

export type RefusalReason = keyof typeof REFUSALS;

/** The reasons why none of the points of a name is taken from a source or application. */
export type SeriesRefusal = 'series-of-another' | 'name-held-back' | 'too-many-series';

/** Characters of a sensorId, characters of a label and labels of a reading, at most. */
const LONGEST_SENSOR_ID = 256;
const LONGEST_LABEL = 128;
const MOST_LABELS = 32;

const VALUE_NAME = new RegExp(`^[A-Za-z0-9_]{1,${LONGEST_VALUE_NAME}}$`);
const CONTROL = /\p{Cc}/u;
const NUMBER_AS_TEXT = /^\s*[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?\s*$/;
const DATE_ONLY = /^\s*\d{4}(?:-\d{2}-\d{2}|\d{4})\s*$/;

/** The values that a source takes as numbers although they are none. `states`: the number of each state by its name. */
export interface NumbersOf {
  readonly booleans: 'refuse' | 'number';
  readonly states?: Readonly<Record<string, number>> | undefined;
}

/**
 * The value as a finite number, or why it is refused. Nothing is converted to a number (law 6), except booleans and states
 * where the source says so. -0 becomes 0.
 */
export function judgeValue(value: unknown, { booleans, states = {} }: NumbersOf): number | RefusalReason {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : 'not-finite';
  if (value === null) return 'null';
  if (value === undefined) return 'no-value';
  if (typeof value === 'boolean') return booleans === 'refuse' ? 'boolean' : Number(value);
  if (typeof value === 'string') return NUMBER_AS_TEXT.test(value) ? 'text-number' : 'not-a-number';
  if (value instanceof State) return Object.hasOwn(states, value.name) ? Number(states[value.name]) : 'system-state';
  return typeof value === 'object' ? 'not-a-scalar' : 'not-a-number';
}

/** The precision of a value of this quality, or why the value is refused. */
export function judgeQuality(
  quality: Quality,
  { qualities = {}, bad }: { readonly qualities?: QualityTable | undefined; readonly bad: 'refuse' | 'keep' },
): number | RefusalReason {
  const precision = Object.hasOwn(qualities, quality) ? qualities[quality] : undefined;
  if (precision === undefined) return 'unknown-quality';
  if (precision !== 'refuse') return precision;
  return bad === 'keep' ? 0 : 'bad-quality';
}

/** A refusal of a text. It is an object, because a bare reason would look like an accepted text. */
export interface RefusedText {
  readonly refused: RefusalReason;
}

/** The sensorId unchanged, or its refusal. */
export const judgeSensorId = (value: unknown): string | RefusedText =>
  isText(value, LONGEST_SENSOR_ID) ? value : { refused: 'bad-sensor-id' };

/** The valueName unchanged, `none` where there is none, or its refusal. Here and below, null is as if absent. */
export function judgeValueName(value: unknown): string | RefusedText {
  if (value === undefined || value === null) return NO_VALUE_NAME;
  return typeof value === 'string' && VALUE_NAME.test(value) ? value : { refused: 'bad-value-name' };
}

/** The precision, undefined where there is none. */
export function judgePrecision(value: unknown): number | undefined | RefusalReason {
  if (value === undefined || value === null) return undefined;
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100 ? Number(value) + 0 : 'bad-precision';
}

/** The labels sorted, each once; an empty array where there are none. */
export function judgeLabels(value: unknown): readonly string[] | RefusalReason {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((label) => isText(label, LONGEST_LABEL))) return 'bad-label';
  const labels = new Set<string>(value);
  return labels.size > MOST_LABELS ? 'too-many-labels' : [...labels].toSorted();
}

/**
 * A reading may lie at most `ahead` µs after `now`; one day unless a setting says otherwise. It may lie at most `back` µs before it,
 * because each month of readings is a table; a pulled reading may lie anywhere in its window.
 */
export interface TimeBounds {
  readonly now: Instant;
  readonly ahead?: Microseconds;
  readonly back?: Microseconds;
  /** Readings before are not kept. */
  readonly keptFrom?: Instant | undefined;
}

/**
 * ISO 8601 text or an instant (µs since 1970, NaN where a platform's time could not be read) → instant.
 * The `date` of a pushed reading must be text: a JSON number there is `bad-instant` before it gets here.
 */
export function judgeInstant(
  date: string | number,
  { now, ahead = DAY, back = Infinity, keptFrom = -Infinity }: TimeBounds,
): Instant | RefusalReason {
  const instant = typeof date === 'string' ? parseInstant(date) : date;
  if (instant === undefined || !Number.isInteger(instant) || Math.abs(instant) > LAST_INSTANT) {
    return typeof date === 'string' && DATE_ONLY.test(date) ? 'date-without-time' : 'bad-instant';
  }
  if (now - instant > back) return 'too-old';
  if (instant < keptFrom) return 'not-kept';
  return instant - now > ahead ? 'in-the-future' : instant;
}

/** Text that PostgreSQL stores unchanged: it would change control characters and half a surrogate pair. */
function isText(value: unknown, longest: number): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * longest) return false;
  if (value.length > longest && Array.from(value).length > longest) return false;
  return value.isWellFormed() && !CONTROL.test(value);
}

/** A reading as a JSON object that another bridge takes. Fields without a value are left out. */
export const readingDocument = ({
  sensorId,
  valueName,
  at,
  value,
  precision,
  labels,
}: StoredReading): Record<string, unknown> => ({
  sensorId,
  valueName,
  date: formatInstant(at),
  value,
  ...(precision === undefined ? {} : { precision }),
  ...(labels.length === 0 ? {} : { labels }),
});
