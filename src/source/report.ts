import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';

/** A fault as `pull/consequence.ts` stores it for the operator. */
export interface FaultRecord {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  /** ISO 8601. */
  readonly at: string;
  readonly where?: string;
  /** The redacted answer of the platform, where it broke its contract. */
  readonly page?: string;
}

/** A source as one line of a list. */
export interface SourceLine {
  readonly name: string;
  readonly project: string;
  readonly platform: string;
  readonly state: 'active' | 'paused' | 'stopped';
  readonly every: Microseconds;
  readonly streams: number;
  /** From the newest covered instant to now, for the stream that is furthest behind; null without streams. */
  readonly lag: Microseconds | null;
  /** Whether a stream lacks time between its start and its newest covered instant. */
  readonly gaps: boolean;
  /** New and revised readings of the last 24 hours, to about an hour, because sums are kept by the hour. */
  readonly readings24h: number;
  /** Requests for readings in about the last hour: of the clock hour before this one, the share within 60 min. */
  readonly requestsLastHour: number;
  readonly failures: number;
  readonly heldUntil: Instant | null;
  /** Since when the source is not asked because the outbox of its project is full; null otherwise. */
  readonly outboxFullSince: Instant | null;
  readonly fault: FaultRecord | null;
}

const LINES = `
  select source.name, ml_project.code as project, platform, state, every_us as every, failures,
    instant_of(held_until) as "heldUntil", last_fault as fault, reach.*,
    (select instant_of(full_since) from remote where remote.project_id = source.project_id) as "outboxFullSince",
    coalesce(sums.readings, 0) as "readings24h", coalesce(sums.requests, 0) as "requestsLastHour"
  from source join ml_project on ml_project.id = project_id
  cross join lateral (
    select count(*) as streams, max(instant_of(now()) - instant_of(coalesce(upper(covered), start_at))) as lag,
      coalesce(bool_or(not covered @> tstzrange(least(start_at, upper(covered)), upper(covered))), false) as gaps
    from stream where source_id = source.id and retired_at is null) as reach
  left join lateral (
    select sum(readings - duplicates) as readings,
      round(sum(requests * case date_trunc('hour', now(), 'UTC') - hour when interval '0' then 1
        when interval '1 hour' then 1 - extract(epoch from now() - date_trunc('hour', now(), 'UTC')) / 3600 else 0 end)) as requests
    from window_sum where source_id = source.id and hour > now() - interval '24 hours') as sums on true`;

/** All sources in the order of their names. */
export const listSources = (database: Database): Promise<SourceLine[]> =>
  database.rows<SourceLine & Record<string, unknown>>(`${LINES} order by source.name`);

export interface StreamReport {
  readonly key: string;
  readonly sensors: number;
  /** At most the five newest ranges, the newest last. */
  readonly covered: readonly (readonly [from: Instant, to: Instant])[];
  readonly ranges: number;
  /** Learned length of a window; null before the first window. */
  readonly window: Microseconds | null;
  readonly historyDueAt: Instant | null;
  readonly failures: number;
  readonly retryAt: Instant | null;
  readonly fault: FaultRecord | null;
}

export interface WindowReport {
  readonly stream: string | null;
  readonly lane: 'live' | 'history';
  readonly from: Instant;
  readonly to: Instant;
  readonly askedAt: Instant;
  readonly requests: number;
  readonly bytes: number;
  readonly readings: number;
  readonly duplicates: number;
  readonly revised: number;
  readonly refused: number;
  readonly late: number;
  readonly waitedMs: number;
  readonly httpMs: number;
  readonly normaliseMs: number;
  readonly storeMs: number;
  readonly fault: FaultRecord | null;
}

/** The answer to `databridge source show`. */
export interface SourceReport extends SourceLine {
  readonly kind: string;
  /** As stored: secrets sealed. */
  readonly config: unknown;
  readonly startAt: Instant;
  readonly nextDueAt: Instant | null;
  readonly lastPollAt: Instant | null;
  readonly lastSuccessAt: Instant | null;
  readonly pace: { readonly holdUntil: Instant; readonly leases: readonly unknown[] } | null;
  readonly streamReports: readonly StreamReport[];
  readonly windows: readonly WindowReport[];
}

const RANGES_SHOWN = 5;
const WINDOWS_SHOWN = 10;

/** Returns undefined for an unknown source. */
export async function reportSource(database: Database, name: string): Promise<SourceReport | undefined> {
  const line = await database.row<SourceLine & Record<string, unknown>>(`${LINES} where source.name = $1`, [name]);
  const more = await database.row<{ id: number } & Omit<SourceReport, keyof SourceLine | 'streamReports' | 'windows'>>(
    `select source.id, kind, config, instant_of(start_at) as "startAt", instant_of(next_due_at) as "nextDueAt",
       instant_of(last_poll_at) as "lastPollAt", instant_of(last_success_at) as "lastSuccessAt", pace.state as pace
     from source left join pace on source_id = source.id where name = $1`,
    [name],
  );
  if (line === undefined || more === undefined) return undefined;
  const { id, ...rest } = more;
  const [streamReports, windows] = await Promise.all([streamsOf(database, id), lastWindows(database, id)]);
  return { ...line, ...rest, streamReports, windows };
}

const streamsOf = (database: Database, sourceId: number): Promise<StreamReport[]> =>
  database.rows<StreamReport & Record<string, unknown>>(
    `select key, jsonb_array_length(sensors) as sensors, ranges.count as ranges, coalesce(ranges.newest, '[]') as covered,
       (learned ->> 'length')::float8 as window, instant_of(history_due_at) as "historyDueAt", failures,
       instant_of(retry_at) as "retryAt", last_fault as fault
     from stream cross join lateral (
       select max(total) as count, jsonb_agg(jsonb_build_array(instant_of(lower(range)), instant_of(upper(range))) order by range) as newest
       from (select range, count(*) over () as total from unnest(covered) as range order by range desc limit ${RANGES_SHOWN}) as last
     ) as ranges
     where source_id = $1 and retired_at is null order by key`,
    [sourceId],
  );

const lastWindows = (database: Database, sourceId: number): Promise<WindowReport[]> =>
  database.rows<WindowReport & Record<string, unknown>>(
    `select stream.key as stream, lane, instant_of(from_at) as from, instant_of(to_at) as to, instant_of(asked_at) as "askedAt",
       requests, bytes, readings, duplicates, revised, refused, late, waited_ms as "waitedMs", http_ms as "httpMs",
       normalise_ms as "normaliseMs", store_ms as "storeMs", fault
     from window_log left join stream on stream.id = stream_id
     where window_log.source_id = $1 order by asked_at desc limit ${WINDOWS_SHOWN}`,
    [sourceId],
  );
