import { DAY } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Asks } from '../database/database.ts';
import { coldReadingsAt, wantedSeries } from './cold-readings.ts';
import type { NamedSeries } from './cold-readings.ts';
import { duckRows } from './duck.ts';
import { DAY_COLUMNS } from './manifest.ts';
import type { ArchivedDay } from './manifest.ts';
import { openDays } from './open-days.ts';

/** Days that are searched at a time, beginning with the nearest. */
const DAYS_AT_ONCE = 32;

/** The archived readings around an instant. */
export interface Around {
  /** Those of the instant itself, by the number of the series. */
  readonly at: readonly (NamedSeries & { readonly series: number; readonly value: number })[];
  readonly before: Instant | null;
  readonly after: Instant | null;
}

/**
 * The archived readings of series of one project at an instant, and the nearest before and after it. Days that lie wholly beyond the
 * nearest rows, `before` and `after`, are not searched. Where there is no archive it asks the database nothing.
 */
export async function archivedAround(
  database: Asks,
  ids: readonly number[],
  { at, before, after }: { readonly at: Instant; readonly before: Instant | null; readonly after: Instant | null },
): Promise<Around> {
  if (database.archive === undefined) return { at: [], before: null, after: null };
  const series = await database.rows<NamedSeries & { id: number }>(
    'select id, sensor_id as "sensorId", value_name as "valueName" from series where id = any($1::int[]) order by id',
    [ids],
  );
  const days = await database.rows<ArchivedDay & Record<string, unknown>>(
    `select ${DAY_COLUMNS} from archived_day where replaced_at is null
       and project_id in (select project_id from series where id = any($1::int[]))
       and last_at > coalesce(at_instant($2), '-infinity') and first_at < coalesce(at_instant($3), 'infinity') order by day`,
    [ids, before, after],
  );
  const here = days.filter(({ day }) => day <= at && at < day + DAY);
  const keys = series.map((one) => ({ ...one, at: [at] }));
  const found = await coldReadingsAt(database, here, keys);
  return {
    at: found.map(({ place, value }) => {
      const { id, ...names } = series[place] as NamedSeries & { id: number };
      return { ...names, series: id, value };
    }),
    before: await nearest(
      database,
      days.filter(({ firstAt }) => firstAt < at).toReversed(),
      series,
      `max(f.time) filter (f.time < make_timestamptz(${at}))`,
    ),
    after: await nearest(
      database,
      days.filter(({ lastAt }) => lastAt > at),
      series,
      `min(f.time) filter (f.time > make_timestamptz(${at}))`,
    ),
  };
}

/** What `wanted`, SQL of DuckDB, finds in the first of the days that have it. */
async function nearest(
  database: Asks,
  days: readonly ArchivedDay[],
  series: readonly NamedSeries[],
  wanted: string,
): Promise<Instant | null> {
  for (let first = 0; first < days.length; first += DAYS_AT_ONCE) {
    const asked = days.slice(first, first + DAYS_AT_ONCE);
    const { duck, table: files, close } = await openDays(database, asked);
    try {
      const sql = `select epoch_us(${wanted})::double from ${files} f join ${wantedSeries(series)} using (sensor_id, value_name)`;
      const [[found] = []] = await duckRows(duck, sql);
      if (typeof found === 'number') return found;
    } finally {
      await close();
    }
  }
  return null;
}
