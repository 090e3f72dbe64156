import { SECOND, instantOrNull } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { seriesOfSource } from './coverage-rows.ts';
import type { FoundSource } from './find-source.ts';

/** The newest reading of a sensor of a source. */
export interface NewestReading {
  /** As the platform calls it. */
  readonly sensor: string;
  /** As readings call it; null before its first reading, and where a table gives its variables several. */
  readonly sensorId: string | null;
  readonly series: number;
  /** Null where it has never given a reading. */
  readonly newestAt: Instant | null;
}

/** The newest reading of each series: one step in the key (series, at) for each that is not silent. */
const NEWEST = `
  select id, (select instant_of(at) from reading where series = id order by at desc limit 1) as at from unnest($1::int[]) as id`;

/** The sensors that the present streams of a source read, those without a reading first, then the longest silent. */
export async function newestReadings(database: Database, source: Pick<FoundSource, 'id'>): Promise<NewestReading[]> {
  const [listed, series] = await Promise.all([
    database.rows<{ sensor: string }>(
      `select distinct sensor ->> 'id' as sensor from stream cross join jsonb_array_elements(sensors) as sensor
       where source_id = $1 and retired_at is null`,
      [source.id],
    ),
    seriesOfSource(database, source.id),
  ]);
  const newest = await database.rows<{ id: number; at: Instant | null }>(NEWEST, [series.map(({ id }) => id)]);
  const instants = new Map(newest.map(({ id, at }) => [id, at]));
  const bySensor = Map.groupBy(series, ({ sensor }) => sensor);
  const sensors = new Set([...listed.map(({ sensor }) => sensor), ...bySensor.keys()]);
  return [...sensors]
    .map((sensor) => {
      const own = bySensor.get(sensor) ?? [];
      const [first, ...others] = own;
      const named = first !== undefined && others.every(({ sensorId }) => sensorId === first.sensorId);
      const at = own.map(({ id }) => instants.get(id) ?? null).filter((one) => one !== null);
      return {
        sensor,
        sensorId: named ? first.sensorId : null,
        series: own.length,
        newestAt: at.length === 0 ? null : Math.max(...at),
      };
    })
    .toSorted((one, other) => (one.newestAt ?? 0) - (other.newestAt ?? 0) || (one.sensor < other.sensor ? -1 : 1));
}

/** Whether a sensor has given no reading for so long. */
export const isSilent = ({ newestAt }: NewestReading, now: Instant, length: Microseconds): boolean =>
  newestAt === null || newestAt < now - length;

/** The newest reading of a sensor as a JSON document, with its age at `now`. */
export const newestDocument = ({ newestAt, ...sensor }: NewestReading, now: Instant) => ({
  ...sensor,
  newestAt: instantOrNull(newestAt),
  ageSeconds: newestAt === null ? null : (now - newestAt) / SECOND,
});
