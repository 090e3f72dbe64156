import { KEPT_FROM } from '../archive/kept.ts';
import { believedFrom, longestGap } from '../core/freshness.ts';
import { SECOND, formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { Doubt } from '../core/freshness.ts';
import type { Database } from '../database/database.ts';
import { judgedSources } from './condition.ts';
import { seriesOfSource } from './coverage-rows.ts';
import type { FoundSource } from './find-source.ts';
import { doubtOf, rhythmOf } from './freshness.ts';
import type { KnownSensor } from './freshness.ts';

/** Why and until when nobody is told of the silence of a sensor, and who wants that. */
export interface MutedSensor {
  readonly until: Instant;
  readonly reason: string;
  readonly by: string;
}

/** The newest reading of a sensor of a source. */
export interface NewestReading {
  /** As the platform calls it. */
  readonly sensor: string;
  /** As readings call it; null before its first reading, and where a table gives its variables several. */
  readonly sensorId: string | null;
  readonly series: number;
  /** Null where it has never given a reading. */
  readonly newestAt: Instant | null;
  /** The longest time without a reading that it is known for; null where no two readings showed it yet. */
  readonly longestGap: Microseconds | null;
  /** Whether it is silent by its own rhythm, as core/freshness.ts has it. */
  readonly silent: boolean;
  /** The time of its present silence that was asked for once more, and whether the platform has answered; null where it was not. */
  readonly doubt: Doubt | null;
  /** An operator has nobody told of its silence until then. */
  readonly muted: MutedSensor | null;
  /** Since which instant its time is covered; null where it was not asked yet. */
  readonly askedFrom: Instant | null;
  /** Why its newest point of a day was refused, where it is silent and had one. */
  readonly refused: RefusalReason | null;
}

/** The newest reading of each series: one step in the key (series, at) for each that is not silent. */
const NEWEST = `
  select id, (select instant_of(at) from reading where series = one.id and at >= kept order by at desc limit 1) as at
  from (select series.id, ${KEPT_FROM} as kept from series join ml_project on ml_project.id = project_id where series.id = any($1::int[])) as one`;

interface ListedSensor {
  readonly sensor: string;
  readonly askedFrom: Instant | null;
  readonly known: KnownSensor | null;
  readonly muted: MutedSensor | null;
  readonly refused: RefusalReason | null;
}

/** The listed sensors with what the last look remembers, and the reason of the newest point of each that was refused in a day. */
const LISTED = `
  with refused as (
    select distinct on (sensor) sensor, reason from refused_hour join stream on stream.id = stream_id
    where source_id = $1 and retired_at is null and cardinality(points) > 0 and refused_hour.hour > now() - interval '24 hours'
    order by sensor, refused_hour.hour desc, noted_at desc)
  select listed.sensor, instant_of(asked_from) as "askedFrom", known.value as known, refused.reason as refused,
    case when muted_until > now() then jsonb_build_object('until', instant_of(muted_until), 'reason', muted_sensor.reason, 'by', muted_by) end as muted
  from (
    select source_id, sensor ->> 'id' as sensor, min(lower(covered)) as asked_from
    from stream cross join jsonb_array_elements(sensors) as sensor where source_id = $1 and retired_at is null group by 1, 2) as listed
  left join (select key, value from freshness cross join lateral jsonb_each(known) where source_id = $1) as known on known.key = listed.sensor
  left join refused using (sensor)
  left join muted_sensor on muted_sensor.source_id = $1 and muted_sensor.sensor = listed.sensor`;

/** The sensors that the present streams of a source read, those without a reading first, then the longest silent. */
export async function newestReadings(database: Database, source: Pick<FoundSource, 'id'>): Promise<NewestReading[]> {
  const [listed, series, reach] = await Promise.all([
    database.rows<ListedSensor & Record<string, unknown>>(LISTED, [source.id]),
    seriesOfSource(database, source.id),
    database.row<{ every: Microseconds; reached: Instant | null }>(
      `select (select every_us from source where source.id = $1) as every, instant_of(reached) as reached
       from (${judgedSources({ id: (column) => `${column} = $1` })}) as judged`,
      [source.id],
    ),
  ]);
  const newest = await database.rows<{ id: number; at: Instant | null }>(NEWEST, [series.map(({ id }) => id)]);
  const instants = new Map(newest.map(({ id, at }) => [id, at]));
  const bySensor = Map.groupBy(series, ({ sensor }) => sensor);
  const byName = new Map(listed.map((one) => [one.sensor, one]));
  const { every = 0, reached = null } = reach ?? {};
  return [...new Set([...byName.keys(), ...bySensor.keys()])]
    .map((sensor) => {
      const own = bySensor.get(sensor) ?? [];
      const [first, ...others] = own;
      const named = first !== undefined && others.every(({ sensorId }) => sensorId === first.sensorId);
      const at = own.map(({ id }) => instants.get(id) ?? null).filter((one) => one !== null);
      const newestAt = at.length === 0 ? null : Math.max(...at);
      const { askedFrom = null, known = null, refused = null, muted = null } = byName.get(sensor) ?? {};
      const rhythm = { ...rhythmOf(known ?? [null, null, null]), newestAt };
      // A reading since the look ended the silence that it doubted.
      const doubt = known !== null && known[0] === newestAt ? doubtOf(known) : undefined;
      const from = known?.[3] === false ? null : believedFrom(rhythm, { every, askedFrom, doubt });
      const silent = from !== null && reached !== null && reached > from;
      return {
        sensor,
        sensorId: named ? first.sensorId : null,
        series: own.length,
        newestAt,
        longestGap: longestGap(rhythm),
        silent,
        doubt: doubt ?? null,
        muted,
        askedFrom,
        refused: silent ? refused : null,
      };
    })
    .toSorted((one, other) => (one.newestAt ?? 0) - (other.newestAt ?? 0) || (one.sensor < other.sensor ? -1 : 1));
}

/** A sensor that gave no reading for a while, as the last look at its source saw it. */
export interface SilentSensor {
  readonly name: string;
  readonly organisation: string;
  readonly sensor: string;
  readonly newestAt: Instant | null;
}

/**
 * The sensors of all active sources that were asked and gave no reading for so long, those that never gave one first: at most `limit`, and
 * how many there are. It reads what the last look remembers, which is at most some minutes old.
 */
export async function silentSensors(
  database: Database,
  { length, limit }: { readonly length: Microseconds; readonly limit: number },
): Promise<{ readonly sensors: readonly SilentSensor[]; readonly count: number; readonly sources: number }> {
  const row = await database.row<{ sensors: SilentSensor[]; count: number; sources: number }>(
    `with silent as (
       select name, organisation_id as organisation, sensor, (each.known ->> 0)::bigint as "newestAt"
       from freshness join source on source.id = source_id and state = 'active' cross join lateral jsonb_each(freshness.known) as each (sensor, known)
       where coalesce((each.known ->> 0)::bigint, 0) < instant_of(now()) - $1 and coalesce((each.known ->> 3)::boolean, true))
     select (select coalesce(jsonb_agg(first), '[]') from (
         select * from silent order by "newestAt" nulls first, organisation, name, sensor limit $2) as first) as sensors,
       (select count(*) from silent) as count, (select count(distinct (organisation, name)) from silent) as sources`,
    [length, limit],
  );
  return row ?? { sensors: [], count: 0, sources: 0 };
}

/** Whether a sensor has given no reading for so long. */
export const isSilent = ({ newestAt }: NewestReading, now: Instant, length: Microseconds): boolean =>
  newestAt === null || newestAt < now - length;

/** The newest reading of a sensor as a JSON document, with its age at `now`. */
export const newestDocument = (
  { newestAt, longestGap: gap, askedFrom, doubt, muted, ...sensor }: NewestReading,
  now: Instant,
) => ({
  ...sensor,
  muted: muted && { ...muted, until: formatInstant(muted.until) },
  askedAgain: doubt && { from: formatInstant(doubt.from), to: formatInstant(doubt.to), answered: doubt.isAnswered },
  askedFrom: instantOrNull(askedFrom),
  longestGapSeconds: gap === null ? null : gap / SECOND,
  newestAt: instantOrNull(newestAt),
  ageSeconds: newestAt === null ? null : (now - newestAt) / SECOND,
});
