import type { KnownTime } from '../core/buckets.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import { coverageFrom } from '../database/multirange.ts';
import type { Ranges } from '../database/multirange.ts';
import { LIVES } from '../database/presence.ts';
import { IS_OPEN } from '../pull/history/wishes.ts';

/** SQL: time that history of the stream, a backfill or a poll works on now, as far as it is due. */
const ASKING = `(
  select coalesce(range_agg(range * tstzrange(null, source.due)), '{}')
  from (
    select tstzrange(from_at, to_at) as range from backfill where backfill.source_id = source.id and ${IS_OPEN}
    union all
    select tstzrange(start_at, greatest(start_at, upper(covered)))
    where exists (select from work where kind = 'history' and work.id = stream.id and due_at < now() + interval '1 minute' and work.failures = 0)
    union all
    select tstzrange(least(now(), greatest(start_at, upper(covered))), now())
    where exists (select from work join worker on worker.id = claimed_by where kind = 'poll' and work.id = source.id and ${LIVES})) as asked
  where source.state = 'active' and source.failures = 0 and not awaits_look and not isempty(range))`;

/**
 * SQL: the present streams of the sources `$1` with their time inside `[$2, $3)`, in kinds that share no time. Newer time than schedule
 * and settle allow at `now` is not due, so it is neither missing nor asked for.
 */
const timesAt = (now: string): string => `
  select id, source_id, key, weight, covered, failed, open - asking as missing, open * asking as asking
  from (
    select stream.id, source_id, key, pg_column_size(stream.covered) as weight, here.covered, here.failed, here.asking,
      here.wanted + here.asking - here.covered - here.failed as open
    from (select *, ${now} - (settle_us + every_us) * interval '1 microsecond' as due from source where id = any($1::int[])) as source
    join stream on source_id = source.id and retired_at is null
    cross join lateral (
      select tstzmultirange(tstzrange(at_instant($2), at_instant($3))) as whole offset 0) as asked
    cross join lateral (
      select covered * whole as covered, ${ASKING} * whole as asking,
        tstzmultirange(tstzrange(start_at, greatest(start_at, due))) * whole as wanted,
        (select coalesce(range_agg(tstzrange(from_at, to_at)), '{}') from unreadable where stream_id = stream.id) * whole - covered as failed
      offset 0) as here) as stream`;

const TIMES = timesAt('now()');

/** SQL: the length of a multirange, µs. */
const lengthOf = (ranges: string): string =>
  `(select coalesce(sum(instant_of(upper(each)) - instant_of(lower(each))), 0) from unnest(${ranges}) as each)`;

const TIME_COLUMNS = `instants_of(covered) as covered, instants_of(failed) as failed, instants_of(missing) as missing, instants_of(asking) as asking`;

/** The streams of a source whose sensors have one of these names, or all; those that lack most come first. */
export interface WantedStreams {
  readonly sourceId: number;
  readonly range: Window;
  /** Undefined: all. */
  readonly ids: readonly number[] | undefined;
  readonly limit: number;
  /** The stream behind which the page begins; undefined: the first page. */
  readonly behind?: PlaceOfStream | undefined;
}

/** A stream in the order of the time that each lacks. */
export interface PlaceOfStream {
  /** What it lacked, µs. */
  readonly lack: number;
  readonly key: string;
  /**
   * The time of the first page. All pages count what was due then, so that no stream lacks more on a later page than on an earlier one,
   * and a stream that was not shown yet is not passed over.
   */
  readonly at: Instant;
}

/** A stream of a page. */
export interface ListedStream extends PlaceOfStream {
  readonly id: number;
  /** From the first one, as all streams stand now. */
  readonly place: number;
  /** About the bytes of its coverage. */
  readonly weight: number;
}

/** A page of streams in the order of the time that they lack, and the number of all. */
export async function streamsThatLack(
  database: Database,
  { sourceId, range, ids, limit, behind }: WantedStreams,
): Promise<{ readonly streams: readonly ListedStream[]; readonly count: number }> {
  const rows = await database.rows<ListedStream & { count: number }>(
    `with lacking as (
       select id, key, weight, ${lengthOf('failed + missing + asking')}::bigint as lack
       from (${timesAt('coalesce(at_instant($8), now())')}) as stream where $4::int[] is null or id = any($4)),
     ordered as (
       select *, row_number() over (order by lack desc, key) as place, count(*) over () as count, coalesce($8::bigint, instant_of(now())) as at
       from lacking)
     select * from ordered where $6::text is null or lack < $7::bigint or lack = $7 and key > $6 order by place limit $5`,
    [
      [sourceId],
      range.from,
      range.to,
      ids ?? null,
      limit,
      behind?.key ?? null,
      behind?.lack ?? null,
      behind?.at ?? null,
    ],
  );
  return { streams: rows, count: rows[0]?.count ?? 0 };
}

/** The time of one stream, or of all streams of a source together. */
export interface TimeOfStream extends KnownTime {
  readonly id: number;
}

type TimeRow = Pick<TimeOfStream, 'id'> & Record<keyof KnownTime, Ranges>;

const timeOf = ({ covered, failed, missing, asking, ...row }: TimeRow): TimeOfStream => ({
  ...row,
  covered: coverageFrom(covered),
  failed: coverageFrom(failed),
  missing: coverageFrom(missing),
  asking: coverageFrom(asking),
});

/** The time of some streams of a source inside a range. */
export async function timesOfStreams(
  database: Database,
  sourceId: number,
  { ids, range }: { readonly ids: readonly number[]; readonly range: Window },
): Promise<readonly TimeOfStream[]> {
  const rows = await database.rows<TimeRow & Record<string, unknown>>(
    `select id, ${TIME_COLUMNS} from (${TIMES} where stream.id = any($4::int[])) as stream`,
    [[sourceId], range.from, range.to, ids],
  );
  return rows.map(timeOf);
}

/** The time of all streams of each source together: it lacks what any of them lacks. Sources without streams are left out. */
export async function timesOfSources(
  database: Database,
  ids: readonly number[],
  range: Window,
): Promise<readonly TimeOfStream[]> {
  const rows = await database.rows<TimeRow & Record<string, unknown>>(
    `select id, ${TIME_COLUMNS}
     from (select source_id as id, range_agg(covered) as covered, range_agg(failed) as failed, range_agg(missing) as missing,
       range_agg(asking) as asking from (${TIMES}) as stream group by source_id) as source`,
    [ids, range.from, range.to],
  );
  return rows.map(timeOf);
}

/**
 * SQL: the series of the sources `$1` with the streams that read them. A series belongs to the streams that list its sensor, else to
 * those that read a whole group, which have also what no look has listed. A name that was not given again since a change counts only
 * while a present stream reads its sensor: others may be of another place, where the source was before.
 */
const REACH = `
  present as (
    select id, source_id, sensors, jsonb_typeof(selection -> 'sensors') is distinct from 'array' as whole, nullif(selection -> 'variables', 'null') as variables
    from stream where source_id = any($1::int[]) and retired_at is null),
  listed as (
    select distinct id, source_id, variables, sensor ->> 'id' as sensor from present cross join jsonb_array_elements(sensors) as sensor),
  held as (
    select series.id, series_name.source_id, stale, sensor_id, holder::jsonb ->> 0 as sensor, holder::jsonb ->> 1 as variable
    from series_name join source on source.id = series_name.source_id join series using (project_id, sensor_id, value_name)
    where series_name.source_id = any($1) and (owner is null or owner = source.name)),
  reach as (
    select held.id as series, held.source_id, listed.id as stream, held.sensor, held.sensor_id from held join listed using (source_id, sensor)
    where variables is null or variables ? variable
    union all
    select held.id, held.source_id, present.id, held.sensor, held.sensor_id from held join present on present.source_id = held.source_id and whole
    where not stale and not exists (select from listed where listed.source_id = held.source_id and listed.sensor = held.sensor)
      and (variables is null or variables ? variable))`;

/** A sensor of a source, under the name of the platform or of readings. */
export interface SensorReach {
  /** As the platform calls it, and as it was asked for. */
  readonly names: readonly string[];
  readonly streams: readonly number[];
  readonly series: readonly number[];
}

/** The streams that read a sensor, with its series; no streams where the source reads no such sensor. */
export async function reachOfSensor(database: Database, sourceId: number, name: string): Promise<SensorReach> {
  const row = await database.row<SensorReach & Record<string, unknown>>(
    `with ${REACH},
       its as (select * from reach where sensor = $2 or sensor_id = $2),
       named as (select $2::text as name union select sensor from its)
     select array(select name from named) as names, array(select distinct series from its) as series,
       array(select id from listed where sensor in (select name from named) union select stream from its) as streams`,
    [[sourceId], name],
  );
  return row ?? { names: [name], streams: [], series: [] };
}

/** Some names of sensors that a source has, in answer to one that it has not. */
export const sensorsOf = async (database: Database, sourceId: number, limit: number): Promise<readonly string[]> =>
  (
    await database.rows<{ sensor: string }>(
      `with ${REACH} select distinct sensor from (select sensor from listed union all select sensor from held) as one order by sensor limit $2`,
      [[sourceId], limit],
    )
  ).map(({ sensor }) => sensor);

/** The series of each stream, or of each source, as the text of a JSON array, because there may be many and only the database reads them. */
export async function seriesHeld(
  database: Database,
  sourceIds: readonly number[],
  of: 'stream' | 'source_id',
): Promise<ReadonlyMap<number, string>> {
  const rows = await database.rows<{ id: number; series: string }>(
    `with ${REACH} select ${of} as id, jsonb_agg(distinct series)::text as series from reach group by ${of}`,
    [sourceIds],
  );
  return new Map(rows.map(({ id, series }) => [id, series]));
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
