import { archivedSums } from '../archive/cold-sums.ts';
import { KEPT_FROM } from '../archive/kept.ts';
import { inSnapshot } from '../archive/manifest.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
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
    (select instant_of(at) from reading where series = page.id and at >= kept order by at desc limit 1) as newest,
    (select count(*) from reading where series = page.id and at >= greatest(kept, at_instant($5)) and at < at_instant($6)) as count
  from (select series.id, sensor_id, value_name, ${KEPT_FROM} as kept from series join ml_project on ml_project.id = project_id
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
  return await inSnapshot(database, async (asks) => {
    await asks.rows(`set local statement_timeout = ${Math.round(waitMs)}`);
    const rows = await asks.rows<PushedSeries & { readonly id: number }>(PAGE, [
      projectId,
      sensor === undefined ? null : toLike(sensor),
      after?.sensorId ?? null,
      after?.valueName ?? null,
      range.from,
      range.to,
      limit,
    ]);
    const ids = rows.map(({ id }) => id);
    const sums = await archivedSums(asks, ids, [range.from, range.to]);
    return rows.map(({ id, count, ...series }) => ({ ...series, count: count + (sums.get(id)?.get(0)?.count ?? 0) }));
  });
}
