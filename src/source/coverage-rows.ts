import type { Coverage } from '../core/coverage.ts';
import type { Grid } from '../core/buckets.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import { coverageFrom } from '../database/multirange.ts';
import type { Ranges } from '../database/multirange.ts';
import { LIVES } from '../database/presence.ts';

/** A stream with its time inside a range, as the database knows it. */
export interface StreamTime {
  readonly id: number;
  readonly key: string;
  readonly sensors: readonly string[];
  /** It reads whatever its group holds, also sensors that no look has listed. */
  readonly whole: boolean;
  readonly variables: readonly string[] | null;
  readonly covered: Coverage;
  readonly unreadable: Coverage;
  readonly asking: Coverage;
}

/** SQL: history of the stream, a backfill, or a poll works on missing time now. */
const ASKING = `(
  select jsonb_agg(jsonb_build_array(instant_of(lower(range)), instant_of(upper(range))))
  from (
    select tstzrange(from_at, to_at) as range from backfill where backfill.source_id = source.id and backfill.state = 'running'
    union all
    select tstzrange(start_at, greatest(start_at, upper(covered)))
    where exists (select from work where kind = 'history' and work.id = stream.id and due_at < now() + interval '1 minute' and work.failures = 0)
    union all
    select tstzrange(least(now(), greatest(start_at, upper(covered))), now())
    where exists (select from work join worker on worker.id = claimed_by where kind = 'poll' and work.id = source.id and ${LIVES})) as asked
  where source.state = 'active' and source.failures = 0 and not awaits_look and not isempty(range))`;

const STREAMS = `
  select stream.id, key, jsonb_path_query_array(sensors, '$[*].id') as sensors,
    jsonb_typeof(selection -> 'sensors') is distinct from 'array' as whole, selection -> 'variables' as variables,
    instants_of(covered * tstzmultirange($2::tstzrange)) as covered,
    coalesce((select jsonb_agg(jsonb_build_array(instant_of(from_at), instant_of(to_at)) order by from_at) from unreadable
      where stream_id = stream.id and tstzrange(from_at, to_at) && $2::tstzrange), '[]') as unreadable,
    coalesce(${ASKING}, '[]') as asking
  from stream join source on source.id = source_id where source_id = $1 and retired_at is null order by key`;

/** The streams of a source in the order of their keys, with their time inside `range`. */
export async function streamTimes(database: Database, sourceId: number, range: Window): Promise<StreamTime[]> {
  const rows = await database.rows<
    Omit<StreamTime, 'covered' | 'unreadable' | 'asking'> &
      Record<'covered' | 'unreadable' | 'asking', Ranges> &
      Record<string, unknown>
  >(STREAMS, [sourceId, `[${formatInstant(range.from)},${formatInstant(range.to)})`]);
  return rows.map((row) => ({
    ...row,
    covered: coverageFrom(row.covered),
    unreadable: coverageFrom(row.unreadable),
    asking: coverageFrom(row.asking),
  }));
}

/** A series of a source, with the sensor and the variable as the platform calls them. */
export interface HeldSeries {
  readonly id: number;
  readonly sensorId: string;
  readonly sensor: string;
  readonly variable: string;
}

/**
 * The series that a source gave a name to and owns. A name that was not given again since a change counts only while a present
 * stream reads its sensor: others may be of another place, where the source was before.
 */
export async function seriesOfSource(database: Database, sourceId: number): Promise<HeldSeries[]> {
  const rows = await database.rows<{ id: number; sensorId: string; holder: string }>(
    `select series.id, sensor_id as "sensorId", holder
     from series_name join source on source.id = source_id join series using (project_id, sensor_id, value_name)
     where source_id = $1 and (owner is null or owner = source.name)
       and (not stale or holder::jsonb ->> 0 in (
         select sensor ->> 'id' from stream cross join jsonb_array_elements(sensors) as sensor
         where stream.source_id = $1 and retired_at is null))
     order by sensor_id, value_name`,
    [sourceId],
  );
  return rows.map(({ holder, ...row }) => {
    const [sensor = '', variable = ''] = JSON.parse(holder) as readonly string[];
    return { ...row, sensor, variable };
  });
}

/** Looks for one reading a bucket. The inner limit keeps each look a single step in the key (series, at). */
const DATA = `
  select stream.place - 1 as stream, bucket
  from jsonb_array_elements($1::jsonb) with ordinality as stream (series, place) cross join generate_series(0, $4::int - 1) as bucket
  where exists (
    select from jsonb_array_elements_text(stream.series) as one (id) cross join lateral (
      select from reading where reading.series = one.id::int
        and at >= at_instant($2::bigint + bucket * $3::bigint) and at < at_instant($2::bigint + (bucket + 1) * $3::bigint) limit 1) as found)`;

/** The buckets of a grid that hold a reading, for each list of series. */
export async function bucketsWithData(
  database: Database,
  series: readonly (readonly number[])[],
  { from, length, count }: Grid,
): Promise<readonly ReadonlySet<number>[]> {
  const values = [JSON.stringify(series), from, length, count];
  const found = series.map(() => new Set<number>());
  for (const { stream, bucket } of await database.rows<{ stream: number; bucket: number }>(DATA, values)) {
    found[stream]?.add(bucket);
  }
  return found;
}

/** The number of readings of some series in each bucket of a grid; buckets without one are left out. */
export async function readingsByBucket(
  database: Database,
  series: readonly number[],
  { from, length, count }: Grid,
): Promise<ReadonlyMap<number, number>> {
  const rows = await database.rows<{ bucket: number; readings: number }>(
    `select (instant_of(at) - $2::bigint) / $3::bigint as bucket, count(*) as readings from reading
     where series = any($1::int[]) and at >= at_instant($2) and at < at_instant($2::bigint + $4::bigint * $3::bigint) group by 1`,
    [series, from, length, count],
  );
  return new Map(rows.map(({ bucket, readings }) => [bucket, readings]));
}

/** Refused points of one stream, reason and bucket. */
export interface BucketRefusals {
  readonly stream: number;
  readonly bucket: number;
  readonly reason: RefusalReason;
  readonly refused: number;
  readonly first: Instant;
  readonly last: Instant;
  /** The value of the last one whose value is kept, as the platform sent it; null where that of none is. */
  readonly raw: string | null;
}

/** The refused points inside a grid; `sensor`: those of this sensor of the platform only. */
export const refusalsByBucket = (
  database: Database,
  wanted: { readonly streams: readonly number[]; readonly sensors: readonly string[] | undefined },
  { from, length, count }: Grid,
): Promise<BucketRefusals[]> =>
  database.rows<BucketRefusals & Record<string, unknown>>(
    `select stream_id as stream, (at - $3::bigint) / $4::bigint as bucket, reason, count(*) as refused, min(at) as first, max(at) as last,
       (array_agg(raw order by at desc) filter (where raw is not null))[1] as raw
     from refused_hour cross join lateral (
       select instant_of(hour) + 1800000000 + point as at, (
         select example ->> 1 from jsonb_array_elements(examples) as example where (example ->> 0)::int = point limit 1) as raw
       from unnest(points) as point) as one
     where stream_id = any($1::int[]) and ($2::text[] is null or sensor = any($2))
       and hour > at_instant($3) - interval '1 hour' and hour < at_instant($3::bigint + $5::bigint * $4::bigint)
       and at >= $3::bigint and at < $3::bigint + $5::bigint * $4::bigint
     group by 1, 2, 3 order by 1, 2, 3`,
    [wanted.streams, wanted.sensors ?? null, from, length, count],
  );

/** How many refusals of some streams were counted and not kept, so that their instants are not known. */
export async function unkeptRefusals(database: Database, streams: readonly number[]): Promise<number> {
  const row = await database.row<{ unkept: number }>(
    'select coalesce(sum(refused), 0) as unkept from refusal_count where stream_id = any($1::int[])',
    [streams],
  );
  return row?.unkept ?? 0;
}
