import type { Condition } from '../core/condition.ts';
import type { ToldFault } from '../core/fault-words.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { easeInWords } from '../core/ease.ts';
import type { Ease } from '../core/ease.ts';
import type { Lease } from '../core/pace.ts';
import type { RefusalReason } from '../core/reading.ts';
import { hourOf, requestsByMinute } from '../core/request-counts.ts';
import type { HourOfRequests, RequestCounts } from '../core/request-counts.ts';
import type { Database } from '../database/database.ts';
import { POLLS } from '../database/presence.ts';
import { IS_RETRIED } from '../pull/unreadable-rows.ts';
import { ALL_REFUSED_OF_SUMS } from './all-refused.ts';
import { judgedSources } from './condition.ts';
import { DEMAND, SUMS } from './demand.ts';
import type { MeasuredDemand } from './demand.ts';
import { SILENCE } from './silence.ts';
import type { Silence } from './silence.ts';
import { REVISION_TAG } from './revision.ts';
import { loggedWindows, withoutId } from './window-log.ts';
import type { WindowReport } from './window-log.ts';

/** A fault as `pull/consequence.ts` stores it for the operator. */
export interface FaultRecord extends ToldFault {
  readonly remedy?: string;
  /** ISO 8601. */
  readonly at: string;
  readonly where?: string;
  readonly lane?: 'live' | 'history';
  /** The bridge's own pace made the source wait. */
  readonly own?: true;
  /** The redacted answer of the platform, where it broke its contract. */
  readonly page?: string;
}

/** A source as one line of a list. */
export interface SourceLine {
  readonly name: string;
  readonly organisation: string;
  readonly project: string;
  readonly platform: string;
  readonly state: 'active' | 'paused' | 'stopped';
  /** One word for all there is to know. */
  readonly condition: Condition;
  /** Whether it is later than its schedule allows. */
  readonly isOverdue: boolean;
  /** Whether it lacks readings that its schedule promised, for whatever reason. */
  readonly lacksTime: boolean;
  readonly every: Microseconds;
  readonly streams: number;
  /** From the newest covered instant to now, for the stream that is furthest behind; null without streams. */
  readonly lag: Microseconds | null;
  /**
   * The part of the lag beyond `every` and `settle`, which every source has just before its next poll. 0 where the source is in
   * time; null without streams.
   */
  readonly overdue: Microseconds | null;
  /** The instant of the newest reading; null before the first one. Time is covered also where the platform has nothing. */
  readonly newestAt: Instant | null;
  readonly newestAge: Microseconds | null;
  /** Which of its sensors are silent by their own rhythm; null before the first look at them. */
  readonly silence: Silence | null;
  /** Whether a stream lacks time between its start and its newest covered instant; null without streams. */
  readonly gaps: boolean | null;
  /** The end of the last poll without a fault; null before the first one. */
  readonly lastSuccessAt: Instant | null;
  /** New and revised readings of the last 24 hours, to about an hour, because sums are kept by the hour. */
  readonly readings24h: number;
  /** The requests of the last hour as the platform saw them: also failed ones, logins and looks for sensors. */
  readonly requests: HourOfRequests;
  readonly failures: number;
  readonly heldUntil: Instant | null;
  /** Since when the source is not asked because the outbox of its project is full; null otherwise. */
  readonly outboxFullSince: Instant | null;
  /** Whether no source is asked because the clocks of all hosts disagree with the database's. */
  readonly clocksDisagree: boolean;
  /**
   * How far the platform's clock is ahead of ours, negative where it is behind; null where it is right, and where the source is not active.
   */
  readonly clockAhead: Microseconds | null;
  readonly settle: Microseconds;
  readonly fault: FaultRecord | null;
  /** Stretches of time that could not be read and are not covered; they are asked again slowly. */
  readonly unreadable: number;
  /** Why the last look for sensors failed, or what is odd about the sensors it found; the known streams are polled. */
  readonly lookFault: FaultRecord | null;
  /** The reason of its newest refused point, where it got points in the last 24 hours and every one of them was refused; null otherwise. */
  readonly allRefused: RefusalReason | null;
  readonly demand: MeasuredDemand;
  /** Whether the operator accepted that nothing proves its answers complete (`options.unproven`). */
  readonly unproven: boolean;
  /** Where its platform comes from, with the version; null where it is a part of databridge. */
  readonly adapter: string | null;
}

/** SQL: the lines of the sources in a relation as `judgedSources` makes it. `more`: further columns. */
export const sourceLinesOf = (judged: string, more = ''): string => `
  select ${more} source.name, source.organisation_id as organisation, ml_project.code as project, source.platform, source.state, every_us as every, source.failures,
    judged.condition, judged.is_overdue as "isOverdue", judged.lacks_time as "lacksTime", judged.streams, reach.*,
    instant_of(held_until) as "heldUntil", (select instant_of(well_at) from work where work.kind = 'poll' and work.id = source.id) as "lastSuccessAt",
    last_fault - 'page' as fault, look_fault - 'page' as "lookFault",
    coalesce(config #>> '{options,unproven}' = 'accepted', false) as unproven, config ->> 'adapter' as adapter,
    case when source.state = 'active' then clock_ahead_us end as "clockAhead", settle_us as settle, ${DEMAND} as demand,
    instant_of(now()) - instant_of(judged.reached) as lag,
    case when judged.reached is not null then greatest(0, instant_of(now()) - instant_of(judged.reached) - every_us - settle_us) end as overdue,
    (select count(*) from unreadable join stream on stream.id = stream_id
     where source_id = source.id and retired_at is null and not covered @> tstzrange(from_at, to_at) and ${IS_RETRIED}) as unreadable,
    (select instant_of(full_since) from remote where remote.project_id = source.project_id) as "outboxFullSince",
    coalesce((select bool_and(clock_ahead_us is not null) from worker where ${POLLS}), false) as "clocksDisagree",
    ${ALL_REFUSED_OF_SUMS} as "allRefused", ${SILENCE} as silence, sums.readings as "readings24h", (select pace.requests from pace where source_id = source.id) as counts,
    instant_of(now()) as "countedAt"
  from ${judged} as judged join source on source.id = judged.id join ml_project on ml_project.id = source.project_id
  cross join lateral (
    select instant_of(max(newest_at)) as "newestAt",
      bool_or(not covered @> tstzrange(least(start_at, upper(covered)), upper(covered))) as gaps
    from stream where source_id = source.id and retired_at is null) as reach
  cross join lateral (${SUMS}) as sums`;

/** A line with its requests as they are stored. */
export type StoredLine = Omit<SourceLine, 'requests' | 'newestAge'> & {
  readonly counts: RequestCounts | null;
  readonly countedAt: Instant;
};

export const lineOf = ({ counts, countedAt, ...line }: StoredLine): SourceLine => ({
  ...line,
  newestAge: line.newestAt === null ? null : Math.max(0, countedAt - line.newestAt),
  requests: hourOf(requestsByMinute(counts ?? undefined, countedAt)),
});

const LINES = `with judged as materialized (${judgedSources({ source: '($1::text[] is null or source.organisation_id = any($1))' })})
  ${sourceLinesOf('judged')} order by source.organisation_id, source.name`;

/** All sources, or those of some organisations, in the order of their organisations and names. */
export const listSources = async (database: Database, organisations?: readonly string[]): Promise<SourceLine[]> =>
  (await database.rows<StoredLine & Record<string, unknown>>(LINES, [organisations ?? null])).map(lineOf);

export interface StreamReport {
  readonly key: string;
  readonly sensors: number;
  /** At most the five newest ranges, the newest last. */
  readonly covered: readonly (readonly [from: Instant, to: Instant])[];
  readonly ranges: number;
  /** The newest unreadable stretches, the newest last, with their cause and the instant of the next try. */
  readonly unreadable: readonly {
    readonly from: Instant;
    readonly to: Instant;
    /** Null before the start of the source where no running backfill asks for it. */
    readonly retryAt: Instant | null;
    readonly fault: FaultRecord;
  }[];
  readonly unreadableCount: number;
  /** How many of them are not asked for again, because they lie before the start. */
  readonly unreadableLeft: number;
  /** Length of all unreadable time. */
  readonly unreadableLength: Microseconds;
  /** Length of the covered time that is to be asked once more for late data. */
  readonly lookAgain: Microseconds;
  /** The instant of its newest reading; null before the first one. */
  readonly newestAt: Instant | null;
  /** Age of the oldest new or revised reading found in covered time; 0 without one. */
  readonly newsAge: Microseconds;
  /** How many of them were older than `schedule.lookBackAtMost`. */
  readonly newsBeyond: number;
  /** Learned length of a window; null before the first window. */
  readonly window: Microseconds | null;
  readonly historyDueAt: Instant | null;
  readonly failures: number;
  readonly retryAt: Instant | null;
  /** Since when complete looks do not show its sensors; it is still read. */
  readonly absentSince: Instant | null;
  readonly fault: FaultRecord | null;
}

/** The answer to `databridge source show`. */
export interface SourceReport extends SourceLine {
  /** Counts the changes of the configuration, and the resumptions. */
  readonly revision: number;
  /** Names this state of the source, for a change that holds only while the source is in it. */
  readonly revisionTag: string;
  readonly kind: string;
  /** As stored: secrets sealed. */
  readonly config: unknown;
  readonly startAt: Instant;
  /** When it was registered. */
  readonly createdAt: Instant;
  /** Null where it is paused or stopped, or waits for its first look. */
  readonly nextDueAt: Instant | null;
  readonly lastPollAt: Instant | null;
  /** End of the last complete look for sensors. */
  readonly lookedAt: Instant | null;
  /** Null where the source needs no further look. */
  readonly lookDueAt: Instant | null;
  readonly lookFailures: number;
  /** Polls wait for a look, because the streams are those of a configuration that was replaced. */
  readonly awaitsLook: boolean;
  /** Sums over the windows of the last 24 hours, as `WindowReport` describes them. */
  readonly refused24h: number;
  readonly repeats24h: number;
  readonly outside24h: number;
  readonly pace: { readonly holdUntil: Instant; readonly leases: readonly Lease[] } | null;
  /** Why and how much slower than agreed the platform is asked; null where it is asked as agreed. */
  readonly slowed: string | null;
  readonly streamReports: readonly StreamReport[];
  readonly windows: readonly WindowReport[];
}

/** The part of a report that stands in the rows of the source. */
interface StoredReport extends Omit<
  SourceReport,
  Exclude<keyof SourceLine, 'fault'> | 'slowed' | 'streamReports' | 'windows'
> {
  readonly ease: Ease | null;
}

const RANGES_SHOWN = 5;
const WINDOWS_SHOWN = 10;

/** A part of the streams of a source, in the order of their keys. */
export interface PageOfStreams {
  readonly limit: number;
  /** The key of the last stream of the page before. */
  readonly behind?: string | undefined;
}

/** Returns undefined for a source that was removed meanwhile. `streams`: the first of them only; without it all. */
export async function reportSource(
  database: Database,
  id: number,
  streams?: PageOfStreams,
): Promise<SourceReport | undefined> {
  const line = await database.row<StoredLine & Record<string, unknown>>(
    sourceLinesOf(`(${judgedSources({ id: (column) => `${column} = $1` })})`),
    [id],
  );
  const more = await database.row<StoredReport & Record<string, unknown>>(
    `select last_fault as fault, revision, ${REVISION_TAG} as "revisionTag", source.kind, config, instant_of(start_at) as "startAt", instant_of(source.created_at) as "createdAt", case when source.state = 'active' then instant_of(poll.due_at) end as "nextDueAt",
       instant_of(poll.ended_at) as "lastPollAt",
       instant_of(discovered_at) as "lookedAt", instant_of(look.due_at) as "lookDueAt", coalesce(look.failures, 0) as "lookFailures",
       awaits_look as "awaitsLook", pace.state || jsonb_build_object('leases', leases) - 'ease' as pace, pace.state -> 'ease' as ease, sums.*
     from source left join pace on source_id = source.id left join work as poll on poll.kind = 'poll' and poll.id = source.id
       left join work as look on look.kind = 'look' and look.id = source.id cross join lateral (
       select coalesce(sum(refused), 0) as "refused24h", coalesce(sum(repeats), 0) as "repeats24h",
         coalesce(sum(outside), 0) as "outside24h"
       from window_sum where source_id = source.id and hour > now() - interval '24 hours') as sums
     where source.id = $1`,
    [id],
  );
  if (line === undefined || more === undefined) return undefined;
  const [streamReports, windows] = await Promise.all([
    streamReportsOf(database, id, streams),
    loggedWindows(database, id, { limit: WINDOWS_SHOWN }),
  ]);
  const { ease, ...report } = more;
  const slowed = easeInWords(ease ?? undefined, line.countedAt) ?? null;
  return { ...lineOf(line), ...report, slowed, streamReports, windows: windows.map(withoutId) };
}

/** The present streams of a source, or a page of them. */
export const streamReportsOf = (
  database: Database,
  sourceId: number,
  { limit, behind }: Partial<PageOfStreams> = {},
): Promise<StreamReport[]> =>
  database.rows<StreamReport & Record<string, unknown>>(
    `select key, jsonb_array_length(stream.sensors) as sensors, coalesce(ranges.count, 0) as ranges, coalesce(ranges.newest, '[]') as covered,
       (learned ->> 'length')::float8 as window, (select instant_of(due_at) from work where work.kind = 'history' and work.id = stream.id) as "historyDueAt", stream.failures,
       instant_of(retry_at) as "retryAt", instant_of(absent_since) as "absentSince", instant_of(newest_at) as "newestAt", stream.last_fault as fault,
       coalesce(bad.shown, '[]') as unreadable, coalesce(bad.count, 0) as "unreadableCount", coalesce(bad.is_left, 0) as "unreadableLeft", coalesce(bad.length, 0)::float8 as "unreadableLength",
       news_age_us::float8 as "newsAge", news_beyond::float8 as "newsBeyond",
       (select coalesce(sum(instant_of(upper(range)) - instant_of(lower(range))), 0) from unnest(look_again * covered * tstzmultirange(tstzrange(start_at, null))) as range)::float8 as "lookAgain"
     from stream join source on source.id = source_id cross join lateral (
       select max(total) as count, jsonb_agg(jsonb_build_array(instant_of(lower(range)), instant_of(upper(range))) order by range) as newest
       from (select range, count(*) over () as total from unnest(covered) as range order by range desc limit ${RANGES_SHOWN}) as last
     ) as ranges cross join lateral (
       select max(total) as count, max(length) as length, max(is_left) as is_left, jsonb_agg(jsonb_build_object('from', instant_of(from_at), 'to', instant_of(to_at),
         'retryAt', case when is_retried then instant_of(retry_at) end, 'fault', fault) order by from_at) as shown
       from (select *, count(*) over () as total, count(*) filter (where not is_retried) over () as is_left, sum(instant_of(to_at) - instant_of(from_at)) over () as length
             from (select *, ${IS_RETRIED} as is_retried from unreadable where stream_id = stream.id) as each order by from_at desc limit ${RANGES_SHOWN}) as last
     ) as bad
     where source_id = $1 and retired_at is null and ($3::text is null or key > $3) order by key limit $2`,
    [sourceId, limit ?? null, behind ?? null],
  );
