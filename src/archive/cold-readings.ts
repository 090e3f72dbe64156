import { LAST_INSTANT } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import { duckColumns, numberList, duckText, duckTexts } from './duck.ts';
import type { ArchivedDay } from './manifest.ts';
import { openDays } from './open-days.ts';

type HasArchive = Pick<Database, 'archive'>;

/** A series by its names. */
export interface NamedSeries {
  readonly sensorId: string;
  readonly valueName: string;
}

/** A reading of a file. */
export interface ColdReading {
  /** The place of its series among those that were asked for. */
  readonly place: number;
  readonly at: Instant;
  readonly value: number;
  readonly precision: number | null;
  /** A JSON array; null: none. */
  readonly labels: string | null;
}

/** DuckDB: what is read of a file `f`. Whole numbers come as doubles, which is exact and fast. */
const FIELDS = `epoch_us(f.time)::double, f.value, f.precision, to_json(f.labels)::varchar`;

/** DuckDB: a range of instants. */
const inRange = ({ from, to }: Window): string =>
  `f.time >= make_timestamptz(${bounded(from)}) and f.time < make_timestamptz(${bounded(to)})`;

const bounded = (instant: Instant): number => Math.max(-LAST_INSTANT, Math.min(LAST_INSTANT, instant));

/** DuckDB: `k`, the wanted series with their places. */
export const wantedSeries = (series: readonly NamedSeries[]): string => `
  (select unnest(range(${series.length})) as place, unnest(${duckTexts(series.map(({ sensorId }) => sensorId))}) as sensor_id,
    unnest(${duckTexts(series.map(({ valueName }) => valueName))}) as value_name) as k`;

/** So many readings are sorted at a time, as far as the days tell. */
const SORTED = 100_000;

/**
 * The readings of series in archived days, in the order of the series and the instant, some thousand at a time. The first series
 * begins at `begin`. A series alone needs no sorting, because files have its readings in their order; sparse ones are asked together.
 */
export async function* coldReadings(
  database: HasArchive,
  days: readonly ArchivedDay[],
  {
    series,
    range,
    begin,
  }: { readonly series: readonly NamedSeries[]; readonly range: Window; readonly begin: Instant },
): AsyncGenerator<readonly ColdReading[]> {
  if (days.length === 0 || series.length === 0) return;
  const readings = days.reduce((sum, day) => sum + day.readings, 0);
  const perSeries = readings / Math.max(1, ...days.map((day) => day.series));
  const atOnce = Math.max(1, Math.min(series.length, Math.floor(SORTED / perSeries)));
  const { duck, table: files, close } = await openDays(database, days);
  try {
    for (let first = 0; first < series.length;) {
      // The first one has another begin, so it is asked alone.
      const asked = series.slice(first, first + (first === 0 && begin > range.from ? 1 : atOnce));
      const within = inRange({ from: first === 0 ? begin : range.from, to: range.to });
      const [alone] = asked;
      const sql =
        asked.length === 1 && alone !== undefined
          ? `select 0 as place, ${FIELDS} from ${files} f where ${ofSeries(alone)} and ${within}`
          : `select k.place::double as place, ${FIELDS} from ${files} f join ${wantedSeries(asked)} using (sensor_id, value_name) where ${within} order by 1, f.time`;
      for await (const columns of duckColumns(duck, sql)) yield readingsIn(columns, first);
      first += asked.length;
    }
  } finally {
    await close();
  }
}

const ofSeries = ({ sensorId, valueName }: NamedSeries): string =>
  `f.sensor_id = ${duckText(sensorId)} and f.value_name = ${duckText(valueName)}`;

/** Keys of a statement of DuckDB, whose text holds them. */
const KEYS_AT_ONCE = 50_000;

/** The readings of archived days that have one of these keys, in no order. `keys`: for each series the instants. */
export async function coldReadingsAt(
  database: HasArchive,
  days: readonly ArchivedDay[],
  keys: readonly (NamedSeries & { readonly at: readonly Instant[] })[],
): Promise<readonly ColdReading[]> {
  if (days.length === 0) return [];
  const all = keys.flatMap(({ at }, place) => at.map((instant) => ({ place, instant })));
  const { duck, table: files, close } = await openDays(database, days);
  const found: ColdReading[] = [];
  try {
    for (let first = 0; first < all.length; first += KEYS_AT_ONCE) {
      const asked = all.slice(first, first + KEYS_AT_ONCE);
      const instants = asked.map(({ instant }) => instant);
      const range = { from: least(instants), to: -least(instants.map((at) => -at)) + 1 };
      const sql = `
        select k.place::double, ${FIELDS} from ${files} f join ${wantedSeries(keys)} using (sensor_id, value_name)
        join (select unnest(${numberList(asked.map(({ place }) => place))}) as place, unnest(${numberList(instants)}) as us) as key
          on key.place = k.place and f.time = make_timestamptz(key.us)
        where ${inRange(range)}`;
      for await (const columns of duckColumns(duck, sql)) found.push(...readingsIn(columns));
    }
    return found;
  } finally {
    await close();
  }
}

/** Columns of place, instant, value, precision and labels as readings. */
const readingsIn = (
  [places = [], at = [], value = [], precision = [], labels = []]: unknown[][],
  first = 0,
): ColdReading[] =>
  places.map((place, row) => ({
    place: first + (place as number),
    at: at[row] as number,
    value: value[row] as number,
    precision: precision[row] as number | null,
    labels: labels[row] as string | null,
  }));

const least = (instants: readonly Instant[]): Instant =>
  instants.reduce((one, other) => Math.min(one, other), Infinity);
