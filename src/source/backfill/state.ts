import type { KindOfBackfill, STATES_OF_BACKFILL } from '../../core/backfill.ts';
import { DAY, SECOND, formatInstant, instantOrNull } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import type { Expected, Quote } from '../../core/quote.ts';
import type { Database } from '../../database/database.ts';
import type { Platform } from '../../platform/contract.ts';
import { DONE_IN_STREAM, WANTED } from '../../pull/history/wishes.ts';
import { DEMAND, SUMS, hindranceOf, measuredOverload } from '../demand.ts';
import type { MeasuredDemand } from '../demand.ts';

/** What a backfill did, windows that failed included. */
export interface BackfillWork {
  readonly windows: number;
  readonly failures: number;
  readonly requests: number;
  readonly bytes: number;
  readonly readings: number;
  /** Requests of the present day of UTC. */
  readonly requestsToday: number;
}

/** What its windows covered in one part of the last ten minutes: time of streams and readings, both a second. */
type Slice = readonly [time: number, readings: number];

/** A backfill as an operator sees it. `share` is the part of the wanted time that is done, 0..1. */
export interface BackfillState {
  readonly id: number;
  readonly source: string;
  readonly organisation: string;
  readonly from: Instant;
  readonly to: Instant;
  readonly what: KindOfBackfill;
  readonly order: 'oldest' | 'newest';
  readonly requestsPerDay: number | null;
  readonly sensors: readonly string[] | null;
  readonly requestedBy: string;
  readonly state: (typeof STATES_OF_BACKFILL)[number];
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
  readonly streams: number;
  readonly share: number;
  /** Time that is still wanted, over all streams, s. */
  readonly leftSeconds: number;
  readonly work: BackfillWork;
  /** What was expected when it started; null where nobody asked. */
  readonly quoted: Quote | null;
  readonly now: Instant;
  readonly sourceState: string;
  /** When its end settles and is asked for; null once that has passed. */
  readonly settlesAt: Instant | null;
  readonly heldUntil: Instant | null;
  /** Since when the source is not asked because the outbox of its project is full; null otherwise. */
  readonly outboxFullSince: Instant | null;
  readonly fault: { message: string; remedy?: string; own?: true } | null;
  readonly demand: MeasuredDemand;
  /** Stretches of its range that cannot be read now; they are tried again slowly, and the backfill goes on until then. */
  readonly unreadable: number;
  /** The newest different faults of its streams, at most three. */
  readonly errors: readonly string[];
  readonly slices: readonly Slice[];
}

export type BackfillStateName = BackfillState['state'];

/** The speed of a backfill is that of the last ten minutes, in parts of two, whose differences say how sure it is. */
const SLICES = 5;
const SLICE_SECONDS = 120;

/** SQL: the length of a multirange, s. Nearly each is one range, which needs no query; a page of backfills asks for tens of thousands. */
const lengthOf = (ranges: string): string =>
  `case when ${ranges} = tstzmultirange(range_merge(${ranges})) then coalesce(extract(epoch from upper(${ranges}) - lower(${ranges})), 0) else length_of(${ranges}) end`;

const STATES = `
  select backfill.id, source.name as source, source.organisation_id as organisation, instant_of(from_at) as from, instant_of(to_at) as to,
    what, case when newest_first then 'newest' else 'oldest' end as order, requests_per_day as "requestsPerDay", backfill.sensors,
    requested_by as "requestedBy", backfill.state, instant_of(now()) as now, quoted,
    instant_of(backfill.created_at) as "createdAt", instant_of(finished_at) as "finishedAt", source.state as "sourceState",
    case when its_end.settles > now() then instant_of(its_end.settles) end as "settlesAt",
    instant_of(held_until) as "heldUntil", source.last_fault as fault, (select ${DEMAND} from (${SUMS}) as sums) as demand,
    (select instant_of(full_since) from remote where remote.project_id = source.project_id) as "outboxFullSince",
    (select count(*) from unreadable join backfill_stream using (stream_id) join stream on stream.id = stream_id
      where backfill_id = backfill.id and retired_at is null and unreadable.from_at < backfill.to_at and unreadable.to_at > backfill.from_at
        and not ${DONE_IN_STREAM} @> tstzrange(unreadable.from_at, unreadable.to_at)) as unreadable,
    (select count(*) from backfill_stream where backfill_id = backfill.id) as streams,
    parts.share, parts.left as "leftSeconds",
    (select coalesce(jsonb_agg(message), '[]') from (
      select fault ->> 'message' as message from (
        select last_fault as fault from stream join backfill_stream on stream_id = stream.id
          where backfill_id = backfill.id and retired_at is null and last_fault ->> 'lane' = 'history'
        union all
        select unreadable.fault from unreadable join backfill_stream using (stream_id)
          where backfill_id = backfill.id and unreadable.from_at < backfill.to_at and unreadable.to_at > backfill.from_at) as faults
      group by 1 order by max(fault ->> 'at') desc limit 3) as newest) as errors,
    (select jsonb_build_object('windows', coalesce(sum(windows), 0), 'failures', coalesce(sum(failures), 0), 'requests', coalesce(sum(requests), 0),
       'bytes', coalesce(sum(bytes), 0), 'readings', coalesce(sum(readings), 0),
       'requestsToday', coalesce(sum(requests) filter (where day = (now() at time zone 'UTC')::date), 0))
     from backfill_day where backfill_id = backfill.id) as work,
    case when backfill.state = 'running' then (
      select jsonb_agg(jsonb_build_array(coalesce(time, 0) / ${SLICE_SECONDS}, coalesce(readings, 0) / ${SLICE_SECONDS}) order by slice)
      from generate_series(1, ${SLICES}) as slice left join (
        select ceil(extract(epoch from now() - asked_at) / ${SLICE_SECONDS}) as slice,
          sum(extract(epoch from to_at - from_at))::float8 as time, sum(readings)::float8 as readings
        from window_log where window_log.source_id = source.id and lane = 'history'
          and asked_at > greatest(backfill.created_at, now() - ${SLICES * SLICE_SECONDS} * interval '1 second') and asked_at < now()
          and window_log.to_at > backfill.from_at and window_log.from_at < backfill.to_at
          and exists (select from backfill_stream where backfill_id = backfill.id and backfill_stream.stream_id = window_log.stream_id)
        group by 1) as sliced using (slice)
      where now() - slice * ${SLICE_SECONDS} * interval '1 second' >= backfill.created_at or slice = 1)
      else '[]' end as slices
  from backfill join source on source.id = backfill.source_id
  cross join lateral (select to_at + settle_us * interval '1 microsecond' as settles) as its_end
  cross join lateral (
    select case when backfill.state = 'done' then 1 when sum(wanted) > 0 then least(1, sum(has) / sum(wanted)) when count(*) > 0 then 1 else 0 end::float8 as share,
      coalesce(sum(wanted - has), 0)::float8 as left
    from (select ${lengthOf(WANTED)} as wanted, ${lengthOf(`(${WANTED} * (${DONE_IN_STREAM}))`)} as has
      from backfill_stream join stream on stream.id = stream_id
      where backfill_id = backfill.id and retired_at is null and backfill.state <> 'done') as each) as parts`;

/** The backfills that are wanted; a field that is undefined chooses nothing. */
export interface BackfillChoice {
  /** The id of the last backfill of the page before. */
  readonly before?: number | undefined;
  readonly organisations?: readonly string[] | undefined;
  /** The name of their source. */
  readonly source?: string | undefined;
  readonly state?: BackfillStateName | undefined;
}

/** The newest backfills first. */
export const listBackfills = (
  database: Database,
  limit = 200,
  { before, organisations, source, state }: BackfillChoice = {},
): Promise<BackfillState[]> =>
  database.rows<BackfillState & Record<string, unknown>>(
    `${STATES} where ($2::bigint is null or backfill.id < $2) and ($3::text[] is null or source.organisation_id = any($3))
       and ($4::text is null or source.name = $4) and ($5::text is null or backfill.state = $5)
     order by backfill.id desc limit $1`,
    [limit, ...[before, organisations, source, state].map((value) => value ?? null)],
  );

/** How many backfills were started before one. */
export async function olderBackfills(database: Database, id: number): Promise<number> {
  return (
    (await database.row<{ older: number }>('select count(*) as older from backfill where id < $1', [id]))?.older ?? 0
  );
}

export const backfillState = (database: Database, id: number): Promise<BackfillState | undefined> =>
  database.row<BackfillState & Record<string, unknown>>(`${STATES} where backfill.id = $1`, [id]);

/** How fast a running backfill went in the last ten minutes, and how long the rest takes at that speed. */
export interface BackfillSpeed {
  readonly readingsPerSecond: number;
  /** Time of its range that it got in a second, s, over all streams. */
  readonly timePerSecond: number;
  /** s; null where nothing came in. */
  readonly left: Expected | null;
}

/** Undefined where it is not running. */
export function speedOf({ state, slices, leftSeconds, now, createdAt }: BackfillState): BackfillSpeed | undefined {
  if (state !== 'running' || slices.length === 0) return undefined;
  // A young backfill has not had its whole first part yet.
  const age = Math.max(1, Math.min(SLICE_SECONDS, (now - createdAt) / SECOND));
  const scale = slices.length === 1 ? SLICE_SECONDS / age : 1;
  const times = slices.map(([time]) => time * scale);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const timePerSecond = mean(times);
  const readingsPerSecond = mean(slices.map(([, readings]) => readings * scale));
  if (timePerSecond === 0) return { readingsPerSecond, timePerSecond, left: null };
  const spread = Math.sqrt(mean(times.map((time) => (time - timePerSecond) ** 2))) / timePerSecond;
  // One part says nothing about its spread.
  const factor = slices.length < 3 ? 2 : 1 + 2 * spread;
  const expected = leftSeconds / timePerSecond;
  return {
    readingsPerSecond,
    timePerSecond,
    left: { expected: Math.ceil(expected), least: Math.floor(expected / factor), most: Math.ceil(expected * factor) },
  };
}

/** The first instant of the next day of UTC. */
const nextDay = (now: Instant): Instant => (Math.floor(now / DAY) + 1) * DAY;

/** Why a running backfill does not go on as it should, in one line; '' where it does. */
export function waitOf(state: BackfillState, platforms: readonly Platform[]): string {
  const { now, requestsPerDay, work, heldUntil, settlesAt, outboxFullSince, sourceState, fault } = state;
  if (state.state !== 'running') return '';
  if (sourceState !== 'active') return `its source is ${sourceState}${fault === null ? '' : `: ${fault.message}`}`;
  if (outboxFullSince !== null)
    return `its source is not asked since ${formatInstant(outboxFullSince)}: the outbox is full (databridge ingestion list)`;
  if (heldUntil !== null && heldUntil > now)
    return `its source waits until ${formatInstant(heldUntil)}: ${hindranceOf(state, platforms)}`;
  if (requestsPerDay !== null && work.requestsToday >= requestsPerDay)
    return `its ${requestsPerDay} requests of today are used; it goes on at ${formatInstant(nextDay(now))}`;
  if (fault === null && settlesAt !== null) return `its last readings settle at ${formatInstant(settlesAt)}`;
  const hindrance = hindranceOf(state, platforms);
  if (hindrance !== '') return hindrance;
  return state.unreadable > 0
    ? `${state.unreadable} ${state.unreadable === 1 ? 'stretch' : 'stretches'} of it cannot be read (databridge source show)`
    : '';
}

const rounded = (value: number): number => Number(value.toPrecision(3));

/** A backfill as a JSON document, with each instant as text. `platforms`: those of `platformsBehind`. */
export function backfillDocument(state: BackfillState, platforms: readonly Platform[]) {
  const speed = speedOf(state);
  const overload = measuredOverload(state.demand, platforms);
  return {
    id: state.id,
    source: state.source,
    organisation: state.organisation,
    from: formatInstant(state.from),
    to: formatInstant(state.to),
    what: state.what,
    order: state.order,
    requestsPerDay: state.requestsPerDay,
    sensors: state.sensors,
    requestedBy: state.requestedBy,
    state: state.state,
    share: state.share,
    streams: state.streams,
    readings: state.work.readings,
    createdAt: formatInstant(state.createdAt),
    finishedAt: instantOrNull(state.finishedAt),
    tookSeconds: state.finishedAt === null ? null : (state.finishedAt - state.createdAt) / SECOND,
    work: state.work,
    quoted: state.quoted,
    speed:
      speed === undefined
        ? null
        : {
            readingsPerSecond: rounded(speed.readingsPerSecond),
            timePerSecond: rounded(speed.timePerSecond),
            leftSeconds: speed.left,
          },
    waits: waitOf(state, platforms) || null,
    unreadable: state.unreadable,
    errors: [...state.errors],
    overload:
      overload === undefined ? null : { message: overload.message, remedy: overload.remedy, times: overload.times },
    sourceState: state.sourceState,
    settlesAt: instantOrNull(state.settlesAt),
    heldUntil: instantOrNull(state.heldUntil),
    outboxFullSince: instantOrNull(state.outboxFullSince),
  };
}
