import { counted } from '../core/counted.ts';
import { RHYTHM_PERIOD, silentFrom, stepRhythm } from '../core/freshness.ts';
import type { SensorRhythm } from '../core/freshness.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { printableJson } from '../database/printable.ts';

/** What the last look at its sensors said of a source. */
export interface Silence {
  readonly sensors: number;
  /** Those that are silent by their own rhythm, and how many of these have never given a reading. */
  readonly silent: number;
  readonly never: number;
}

/** SQL: the `Silence` of a row of `source`; null before the first look. */
export const SILENCE = `(
  select jsonb_build_object('sensors', sensors, 'silent', silent, 'never', never) from freshness where freshness.source_id = source.id)`;

/** `2 of 3 sensors silent, 1 of them has never given a reading`. */
export function silenceInWords({ sensors, silent, never }: Silence): string {
  // A sensor may have become silent since the look that counted.
  const counts = `${Math.max(1, silent)} of ${counted(sensors, 'sensor')} silent`;
  if (never === 0) return sensors === 1 ? 'its sensor has no new reading' : counts;
  if (never === sensors)
    return sensors === 1 ? 'its sensor has never given a reading' : 'no sensor has ever given a reading';
  return `${counts}, ${never} of them ${never === 1 ? 'has' : 'have'} never given a reading`;
}

/** A sensor as `freshness.known` keeps it. */
export type KnownSensor = readonly [
  newestAt: Instant | null,
  longest: Microseconds | null,
  before: Microseconds | null,
  /** All time after its newest reading was asked for at the look. */
  isWhole?: boolean,
];

export const rhythmOf = ([newestAt, longest, before]: KnownSensor): SensorRhythm => ({ newestAt, longest, before });

/** A source that a look is to judge, and what the look before said. */
interface Judged {
  readonly id: number;
  readonly every: Microseconds;
  readonly reached: Instant | null;
  readonly known: Readonly<Record<string, KnownSensor>> | null;
  readonly reachedBefore: Instant | null;
  readonly periodAt: Instant | null;
  readonly now: Instant;
  /** The sensors that its streams list. */
  readonly listed: number;
}

interface SeenSensor {
  readonly source: number;
  readonly sensor: string;
  readonly askedFrom: Instant | null;
  readonly nextAt: Instant | null;
  readonly newestAt: Instant | null;
  readonly gap: Microseconds | null;
  /** All time after its newest reading, or since it was asked first, was asked for. Else its silence says nothing yet. */
  readonly isWhole: boolean;
}

/** A row is refreshed this often. A look in the future stems from a clock that was ahead. */
const FRESH = "interval '50 s'";

/** The sources of which nothing was looked at for a while, the longest first. */
const DUE = `
  select source.id, every_us as every, instant_of(least(reach.least, case when reach.has_empty then start_at end)) as reached,
    known, reach.listed, instant_of(reached_at) as "reachedBefore", instant_of(period_at) as "periodAt", instant_of(now()) as now
  from source left join freshness on freshness.source_id = source.id
  join lateral (
    select min(upper(covered)) as least, bool_or(isempty(covered)) as has_empty, sum(jsonb_array_length(sensors)) as listed
    from stream where stream.source_id = source.id and retired_at is null having count(*) > 0) as reach on true
  where state = 'active' and coalesce(looked_at not between now() - ${FRESH} and now(), true)
  order by looked_at nulls first, source.id limit $1`;

/** The sensors of one look at the database. */
const MOST_SENSORS = 20_000;

/** Of so many readings of a sensor that no look has seen, the longest gap is its rhythm. */
const READINGS_SEEN = 200;

/**
 * The sensors that the present streams of the sources `$1` list, each with what came after the newest reading `$4` that is known of the
 * sensor `$3` of the source `$2`. Each look is one step in the key (series, at). Readings in the future say nothing of now.
 */
const SENSORS = `
  with listed as (
    select source_id, sensor ->> 'id' as sensor, array_agg(stream.id) as streams, min(lower(covered)) as asked_from
    from stream cross join jsonb_array_elements(sensors) as sensor where source_id = any($1::int[]) and retired_at is null group by 1, 2),
  held as (
    select series_name.source_id, holder::jsonb ->> 0 as sensor, array_agg(series.id) as series
    from series_name join source on source.id = series_name.source_id join series using (project_id, sensor_id, value_name)
    where series_name.source_id = any($1) and (owner is null or owner = source.name) group by 1, 2),
  known as (
    select source_id, sensor, at_instant(newest) as at from unnest($2::int[], $3::text[], $4::bigint[]) as known (source_id, sensor, newest))
  select source_id as source, sensor, instant_of(asked_from) as "askedFrom", instant_of(newest) as "newestAt",
    case when next is not null and not exists (
      select from stream where stream.id = any(listed.streams) and not covered @> tstzrange(known.at, next)) then instant_of(next) end as "nextAt",
    case when known.at is null and newest is not null then (
      select (extract(epoch from min(gap)) * 1000000)::bigint from unnest(held.series) as one (series) cross join lateral (
        select max(gap) as gap from (
          select at - lag(at) over (order by at) as gap
          from (select at from reading where reading.series = one.series and at <= now() order by at desc limit ${READINGS_SEEN}) as last) as gaps) as each) end as gap,
    not exists (
      select from stream where stream.id = any(listed.streams)
        and not coalesce(covered @> tstzrange(least(greatest(newest, known.at, asked_from), upper(covered)), upper(covered)), false)) as "isWhole"
  from listed left join held using (source_id, sensor) left join known using (source_id, sensor)
  left join lateral (
    select max(last.at) as newest, min(next.at) as next
    from unnest(held.series) as one (series)
    cross join lateral (
      select at from reading where reading.series = one.series and at > coalesce(known.at, '-infinity') and at <= now() order by at desc limit 1) as last
    left join lateral (
      select at from reading where known.at is not null and reading.series = one.series and at > known.at and at <= now() order by at limit 1) as next on true) as found on true`;

const NOTE = `
  insert into freshness (source_id, looked_at, reached_at, silent_from, sensors, silent, never, period_at, known)
  select id, at_instant(now), at_instant(reached), at_instant("silentFrom"), sensors, silent, never, at_instant("periodAt"), known
  from jsonb_to_recordset($1::jsonb) as one (id int, now bigint, reached bigint, "silentFrom" bigint, sensors int, silent int, never int, "periodAt" bigint, known jsonb)
  where exists (select from source where source.id = one.id)
  on conflict (source_id) do update set looked_at = excluded.looked_at, reached_at = excluded.reached_at, silent_from = excluded.silent_from,
    sensors = excluded.sensors, silent = excluded.silent, never = excluded.never, period_at = excluded.period_at, known = excluded.known`;

/**
 * Looks at the sensors of at most `limit` active sources at which no look was for a minute, and learns their rhythms. For one process at
 * a time. @returns how many sources it looked at
 */
export async function refreshFreshness(database: Database, limit: number): Promise<number> {
  const due = withinReach(await database.rows<Judged & Record<string, unknown>>(DUE, [limit]));
  if (due.length === 0) return 0;
  const known = due.flatMap((source) =>
    [...knownOf(source)].map(([sensor, [newestAt]]) => [source.id, sensor, newestAt] as const),
  );
  const seen = await database.rows<SeenSensor & Record<string, unknown>>(SENSORS, [
    due.map(({ id }) => id),
    known.map(([id]) => id),
    known.map(([, sensor]) => sensor),
    known.map(([, , newestAt]) => newestAt),
  ]);
  const bySource = Map.groupBy(seen, ({ source }) => source);
  await database.run(NOTE, [printableJson(due.map((source) => judged(source, bySource.get(source.id) ?? [])))]);
  return due.length;
}

/** The first of them with at most so many sensors together, and one at least: each costs some steps in an index. */
function withinReach(due: readonly Judged[]): readonly Judged[] {
  let sensors = 0;
  const end = due.findIndex(({ listed }, place) => (sensors += listed) > MOST_SENSORS && place > 0);
  return end === -1 ? due : due.slice(0, end);
}

/** What is known of its sensors. A newest reading in the future stems from a clock that was ahead, and says nothing. */
const knownOf = ({ known, now }: Pick<Judged, 'known' | 'now'>): ReadonlyMap<string, KnownSensor> =>
  new Map(Object.entries(known ?? {}).filter(([, [newestAt]]) => newestAt === null || newestAt <= now));

/** The row of a source after a look. */
function judged(
  { id, every, reached, reachedBefore, periodAt, now, ...of }: Judged,
  seen: readonly SeenSensor[],
): Record<string, unknown> {
  // A period that began in the future stems from a clock that was ahead.
  const isNewPeriod = periodAt !== null && (periodAt > now || now - periodAt >= RHYTHM_PERIOD);
  const known = knownOf({ ...of, now });
  const rhythms: [sensor: string, known: KnownSensor][] = [];
  let [silent, never, first] = [0, 0, Infinity];
  for (const { sensor, askedFrom, isWhole, ...readings } of seen) {
    const before = known.get(sensor);
    const rhythm = stepRhythm(before && rhythmOf(before), readings, {
      reachedBefore: before?.[3] === false ? null : reachedBefore,
      isNewPeriod,
    });
    rhythms.push([sensor, [rhythm.newestAt, rhythm.longest, rhythm.before, isWhole]]);
    const at = isWhole ? silentFrom(rhythm, { every, askedFrom }) : null;
    if (at === null) continue;
    first = Math.min(first, at);
    if (reached === null || reached <= at) continue;
    silent += 1;
    if (rhythm.newestAt === null) never += 1;
  }
  return {
    id,
    now,
    reached,
    silentFrom: Number.isFinite(first) ? first : null,
    sensors: rhythms.length,
    silent,
    never,
    periodAt: periodAt === null || isNewPeriod ? now : periodAt,
    known: Object.fromEntries(rhythms),
  };
}
