import { archivedSums } from '../archive/cold-sums.ts';
import { shelfOf, steady } from '../archive/manifest.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { toLike } from './stored-readings.ts';

/** A series that belongs to pushing applications, with the readings that are stored of it. */
export interface PushedSeries {
  readonly sensorId: string;
  readonly valueName: string;
  /** The instant of its newest reading of all time; null where none is stored. */
  readonly newest: Instant | null;
  /** Readings in the range that was asked for. */
  readonly count: number;
}

/** A place in the order of series. */
export interface SeriesPlace {
  readonly sensorId: string;
  readonly valueName: string;
}

export interface WantedSeries {
  readonly projectId: number;
  /** Readings are counted in this range. */
  readonly range: Window;
  /** A pattern with `*` (any text) and `?` (any character); undefined: all. */
  readonly sensor: string | undefined;
  /** Only series behind this place. */
  readonly after: SeriesPlace | undefined;
  readonly limit: number;
}

/** The newest instant is that of one row of the index, and the count reads the index of at most two months. */
const PAGE = `
  select id, sensor_id as "sensorId", value_name as "valueName",
    (select instant_of(at) from reading where series = page.id order by at desc limit 1) as newest,
    (select count(*) from reading where series = page.id and at >= at_instant($5) and at < at_instant($6)) as count
  from (select id, sensor_id, value_name from series
        where project_id = $1 and owner = '' and ($2::text is null or sensor_id like $2)
          and ($3::text is null or (sensor_id collate "C", value_name collate "C") > ($3, $4))
        order by sensor_id collate "C", value_name collate "C" limit $7) as page
  order by sensor_id collate "C", value_name collate "C"`;

/**
 * A page of the series of a project that belong to pushing, by sensorId and valueName (both by code point). Counts are
 * exact at one instant. The database gives up after `waitMs` and throws its error 57014.
 */
export async function pushedSeriesOf(
  database: Database,
  { projectId, range, sensor, after, limit }: WantedSeries,
  waitMs: number,
): Promise<readonly PushedSeries[]> {
  const page = async (): Promise<(PushedSeries & { readonly id: number })[]> =>
    await database.transaction(async (client) => {
      await client.query('set transaction read only');
      await client.query(`set local statement_timeout = ${Math.round(waitMs)}`);
      return await rowsOf<PushedSeries & { id: number }>(client, PAGE, [
        projectId,
        sensor === undefined ? null : toLike(sensor),
        after?.sensorId ?? null,
        after?.valueName ?? null,
        range.from,
        range.to,
        limit,
      ]);
    });
  return await steady(database, async () => {
    const rows = await page();
    const { days } = await shelfOf(database, projectId, range);
    const edges = [range.from, range.to];
    const ids = rows.map(({ id }) => id);
    const sums = days.length === 0 ? undefined : await archivedSums(database, ids, edges);
    return rows.map(({ id, count, ...series }) => ({ ...series, count: count + (sums?.get(id)?.get(0)?.count ?? 0) }));
  });
}
