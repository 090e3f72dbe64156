import { parseDuration } from '../core/duration.ts';
import { RHYTHM_PERIOD, believedFrom, doubtedTime, stepRhythm } from '../core/freshness.ts';
import type { Doubt, SensorRhythm } from '../core/freshness.ts';
import { SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import { printableJson } from '../database/printable.ts';
import { wakeHistories } from '../pull/work.ts';

/** A sensor as `freshness.known` keeps it. */
export type KnownSensor = readonly [
  newestAt: Instant | null,
  longest: Microseconds | null,
  before: Microseconds | null,
  /** All time after its newest reading was asked for at the look. */
  isWhole?: boolean,
  /** The time of its present silence that was asked for once more, and whether the platform has answered. */
  doubt?: readonly [from: Instant, to: Instant, isAnswered: boolean],
];

/** What was asked once more of the silence since its newest reading. */
export const doubtOf = ([, , , , doubt]: KnownSensor): Doubt | undefined =>
  doubt && { from: doubt[0], to: doubt[1], isAnswered: doubt[2] };

/** The grid of the windows of a source, from its interval and the text of `schedule.align`; null: none is given. */
export const windowGridOf = (every: Microseconds, align: string | null): Microseconds =>
  parseDuration(align ?? '') ?? Math.min(SECOND, every);

export const rhythmOf = ([newestAt, longest, before]: KnownSensor): SensorRhythm => ({ newestAt, longest, before });

/** A source that a look is to judge, and what the look before said. */
interface Judged {
  readonly id: number;
  readonly every: Microseconds;
  readonly align: string | null;
  readonly reached: Instant | null;
  readonly known: Readonly<Record<string, KnownSensor>> | null;
  readonly reachedBefore: Instant | null;
  readonly periodAt: Instant | null;
  readonly now: Instant;
  /** The sensors that are muted now. */
  readonly muted: readonly string[];
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
  readonly streams: readonly number[];
  /** Earlier time is asked for no more, because readings got other names then. */
  readonly looksFrom: Instant | null;
  /** A part of the time that was doubted is still to be asked for. */
  readonly isAsking: boolean;
}

/** A row is refreshed this often. A look in the future stems from a clock that was ahead. */
const FRESH = "interval '50 s'";

/** The sources of which nothing was looked at for a while, the longest first. */
const DUE = `
  select source.id, every_us as every, config #>> '{schedule,align}' as align, instant_of(least(reach.least, case when reach.has_empty then start_at end)) as reached,
    known, reach.listed, array(select sensor from muted_sensor where muted_sensor.source_id = source.id and muted_until > now()) as muted, instant_of(reached_at) as "reachedBefore", instant_of(period_at) as "periodAt", instant_of(now()) as now
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
    select source_id, sensor ->> 'id' as sensor, array_agg(stream.id) as streams, min(lower(covered)) as asked_from, max(looks_from) as looks_from
    from stream cross join jsonb_array_elements(sensors) as sensor where source_id = any($1::int[]) and retired_at is null group by 1, 2),
  held as (
    select series_name.source_id, holder::jsonb ->> 0 as sensor, array_agg(series.id) as series
    from series_name join source on source.id = series_name.source_id join series using (project_id, sensor_id, value_name)
    where series_name.source_id = any($1) and (owner is null or owner = source.name) group by 1, 2),
  known as (
    select source_id, sensor, at_instant(newest) as at, case when doubted_to is not null then tstzmultirange(tstzrange(at_instant(doubted_from), at_instant(doubted_to))) end as doubted
    from unnest($2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) as known (source_id, sensor, newest, doubted_from, doubted_to))
  select source_id as source, sensor, streams, instant_of(looks_from) as "looksFrom",
    case when doubted is null then false else exists (
      select from stream where stream.id = any(listed.streams) and doubted && (look_again * covered)) end as "isAsking", instant_of(asked_from) as "askedFrom", instant_of(newest) as "newestAt",
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
  insert into freshness (source_id, looked_at, reached_at, silent_from, sensors, silent, never, muted, period_at, known)
  select id, at_instant(now), at_instant(reached), at_instant("silentFrom"), sensors, silent, never, muted, at_instant("periodAt"), known
  from jsonb_to_recordset($1::jsonb) as one (id int, now bigint, reached bigint, "silentFrom" bigint, sensors int, silent int, never int, muted int, "periodAt" bigint, known jsonb)
  where exists (select from source where source.id = one.id)
  on conflict (source_id) do update set looked_at = excluded.looked_at, reached_at = excluded.reached_at, silent_from = excluded.silent_from,
    sensors = excluded.sensors, silent = excluded.silent, never = excluded.never, muted = excluded.muted, period_at = excluded.period_at, known = excluded.known`;

/**
 * Looks at the sensors of at most `limit` active sources at which no look was for a minute, and learns their rhythms. For one process at
 * a time. @returns how many sources it looked at
 */
export async function refreshFreshness(database: Database, limit: number): Promise<number> {
  const due = withinReach(await database.rows<Judged & Record<string, unknown>>(DUE, [limit]));
  if (due.length === 0) return 0;
  const known = due.flatMap((source) => [...knownOf(source)].map(([sensor, one]) => ({ id: source.id, sensor, one })));
  const seen = await database.rows<SeenSensor & Record<string, unknown>>(SENSORS, [
    due.map(({ id }) => id),
    known.map(({ id }) => id),
    known.map(({ sensor }) => sensor),
    known.map(({ one: [newestAt] }) => newestAt),
    known.map(({ one }) => doubtOf(one)?.from ?? null),
    known.map(({ one }) => doubtOf(one)?.to ?? null),
  ]);
  const bySource = Map.groupBy(seen, ({ source }) => source);
  const looked = due.map((source) => lookedAt(source, bySource.get(source.id) ?? []));
  await askAgain(
    database,
    looked.flatMap(({ sensors }) => sensors),
  );
  await database.run(NOTE, [printableJson(looked.map((source) => judged(source)))]);
  return due.length;
}

/**
 * SQL: the streams `$1` ask for `[$2, $3)` once more, as they do for late data. One that a commit holds is left out, and with it its
 * sensors are until the next look, so that this waits for nobody.
 */
const ASK_AGAIN = `
  with wanted as (
    select stream_id, range_agg(tstzrange(at_instant("from"), at_instant("to"))) as time
    from unnest($1::int[], $2::bigint[], $3::bigint[]) as one (stream_id, "from", "to") group by 1),
  locked as (
    select stream.id, time from stream join wanted on stream_id = stream.id where retired_at is null
    order by stream.id for no key update of stream skip locked),
  asked as (
    update stream set look_again = look_again + time * covered, looks_noted = looks_noted + 1 from locked where stream.id = locked.id returning stream.id),
  woken as (${wakeHistories('from stream where id in (select id from asked)')})
  select id from asked`;

/** Asks for the doubted time once more, and notes that of the sensors. Where nothing is doubted it asks the database nothing. */
async function askAgain(database: Database, sensors: readonly LookedAt[]): Promise<void> {
  const doubted = sensors.flatMap((sensor) => (sensor.wanted === undefined ? [] : [{ ...sensor.wanted, sensor }]));
  if (doubted.length === 0) return;
  const asks = doubted.flatMap(({ from, to, sensor }) => sensor.streams.map((stream) => ({ stream, from, to })));
  const rows = await database.rows<{ id: number }>(ASK_AGAIN, [
    asks.map(({ stream }) => stream),
    asks.map(({ from }) => from),
    asks.map(({ to }) => to),
  ]);
  const asked = new Set(rows.map(({ id }) => id));
  for (const { from, to, sensor } of doubted)
    if (sensor.streams.every((stream) => asked.has(stream))) sensor.doubt = { from, to, isAnswered: false };
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

/** A sensor after a look. */
interface LookedAt {
  readonly sensor: string;
  readonly rhythm: SensorRhythm;
  readonly askedFrom: Instant | null;
  readonly isWhole: boolean;
  readonly streams: readonly number[];
  /** What was asked once more of its present silence. */
  doubt: Doubt | undefined;
  /** What is to be asked once more. */
  readonly wanted: Window | undefined;
}

interface LookedAtSource extends Judged {
  readonly isNewPeriod: boolean;
  readonly sensors: readonly LookedAt[];
}

function lookedAt(source: Judged, seen: readonly SeenSensor[]): LookedAtSource {
  const { every, align, reached, reachedBefore, periodAt, now } = source;
  // A period that began in the future stems from a clock that was ahead.
  const isNewPeriod = periodAt !== null && (periodAt > now || now - periodAt >= RHYTHM_PERIOD);
  const known = knownOf(source);
  const grid = windowGridOf(every, align);
  const sensors = seen.map(({ sensor, askedFrom, isWhole, streams, looksFrom, isAsking, ...readings }): LookedAt => {
    const before = known.get(sensor);
    const rhythm = stepRhythm(before && rhythmOf(before), readings, {
      reachedBefore: before?.[3] === false ? null : reachedBefore,
      isNewPeriod,
    });
    // A reading ended the silence that was doubted.
    const doubted = before !== undefined && before[0] === rhythm.newestAt ? doubtOf(before) : undefined;
    const doubt = doubted && { ...doubted, isAnswered: doubted.isAnswered || !isAsking };
    const time = isWhole ? doubtedTime(rhythm, { every, askedFrom, reached, doubt, align: grid }) : undefined;
    const from = Math.max(time?.from ?? 0, Math.floor((looksFrom ?? 0) / grid) * grid);
    const wanted = time === undefined || from >= time.to ? undefined : { from, to: time.to };
    // Where nothing of it may be asked again, the silence is believed as it is.
    const settled = time !== undefined && wanted === undefined ? { ...time, isAnswered: true } : doubt;
    return { sensor, rhythm, askedFrom, isWhole, streams, doubt: settled, wanted };
  });
  return { ...source, isNewPeriod, sensors };
}

/** The row of a source after a look. */
function judged({
  id,
  every,
  reached,
  periodAt,
  now,
  muted,
  isNewPeriod,
  sensors,
}: LookedAtSource): Record<string, unknown> {
  let [silent, never, hushed, first] = [0, 0, 0, Infinity];
  for (const { sensor, rhythm, askedFrom, isWhole, doubt } of sensors) {
    const at = isWhole ? believedFrom(rhythm, { every, askedFrom, doubt }) : null;
    if (at === null) continue;
    first = Math.min(first, at);
    if (reached === null || reached <= at) continue;
    silent += 1;
    if (muted.includes(sensor)) hushed += 1;
    if (rhythm.newestAt === null) never += 1;
  }
  const known = sensors.map(({ sensor, rhythm, isWhole, doubt }): [string, KnownSensor] => [
    sensor,
    [
      ...([rhythm.newestAt, rhythm.longest, rhythm.before, isWhole] as const),
      ...(doubt === undefined ? ([] as const) : ([[doubt.from, doubt.to, doubt.isAnswered]] as const)),
    ],
  ]);
  return {
    id,
    now,
    reached,
    silentFrom: Number.isFinite(first) ? first : null,
    sensors: sensors.length,
    silent,
    never,
    muted: hushed,
    periodAt: periodAt === null || isNewPeriod ? now : periodAt,
    known: Object.fromEntries(known),
  };
}
