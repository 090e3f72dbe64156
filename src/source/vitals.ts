import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { POLLS } from '../database/presence.ts';
import { hasRoom } from '../delivery/waiting.ts';
import type { FaultRecord } from './report.ts';

/** The state of the database, of its workers and of the planner. */
export interface Vitals {
  readonly version: string;
  readonly bytes: number;
  /** The newest migration, and the databridge that ran it; null where that was not noted yet. */
  readonly schema: { readonly name: string; readonly version: string | null; readonly at: Instant };
  /** Time since the planner last planned; null before its first step. */
  readonly plannerAge: Microseconds | null;
  readonly workers: readonly {
    readonly host: string;
    readonly pid: number;
    readonly version: string;
    readonly age: Microseconds;
    /** How far the clock of its host disagrees with the database's; the process polls nothing then. Null where they agree. */
    readonly clockAhead: Microseconds | null;
    /** The same for processes with the same paces of hosts (`hostPacesMark`); null where an older databridge tells none. */
    readonly paces: string | null;
  }[];
  /** The database's clock. */
  readonly now: Instant;
  /** Whether the queue has made its tables in this database. */
  readonly queueInside: boolean;
  readonly activeSources: number;
}

const VITALS = `
  select current_setting('server_version') as version, instant_of(now()) as now, pg_database_size(current_database()) as bytes,
    (select jsonb_build_object('name', name, 'version', version, 'at', instant_of(run_on at time zone 'UTC'))
     from migration order by id desc limit 1) as schema,
    (select instant_of(now()) - instant_of(beat_at) from heartbeat where name = 'planner') as "plannerAge",
    (select coalesce(jsonb_agg(jsonb_build_object('host', host, 'pid', pid, 'version', version,
       'age', instant_of(now()) - instant_of(beat_at), 'clockAhead', clock_ahead_us, 'paces', host_paces) order by host, pid), '[]')
     from worker where ${POLLS}) as workers,
    to_regclass('bullmq.job') is not null or to_regnamespace('bullmq') is not null as "queueInside",
    (select count(*) from source where state = 'active') as "activeSources"`;

export const vitalsOf = async (database: Database): Promise<Vitals> =>
  (await database.row<Vitals & Record<string, unknown>>(VITALS)) as Vitals;

/** A source or stream in trouble. */
export interface Trouble {
  readonly source: string;
  readonly organisation: string;
  /** Null where the whole source is in trouble. */
  readonly stream: string | null;
  readonly kind: 'stopped' | 'stalled' | 'failing' | 'waiting' | 'looking' | 'clock';
  readonly failures: number;
  readonly until: Instant | null;
  readonly fault: FaultRecord | null;
  /** The platform's clock, where that is the trouble: how far it is ahead of ours, negative where it is behind. */
  readonly clock: { readonly ahead: Microseconds; readonly settle: Microseconds } | null;
}

const IS_SEEN = '($1::text[] is null or organisation_id = any($1))';

const TROUBLES = `
  select name as source, organisation_id as organisation, null as stream, source.failures, instant_of(held_until) as until, last_fault as fault, null::jsonb as clock,
    case when state = 'stopped' then 'stopped' when source.failures > 0 then 'failing' else 'stalled' end as kind
  from source left join work as poll on poll.kind = 'poll' and poll.id = source.id left join work as look on look.kind = 'look' and look.id = source.id
  where ${IS_SEEN} and (state = 'stopped' or state = 'active' and (source.failures > 0 or
    (held_until is null or held_until <= now()) and ${hasRoom('project_id')} and not awaits_look
      and (coalesce(poll.due_at, case when look.claimed_by is null then look.due_at end) < now() - greatest(interval '1 minute', 3 * every_us * interval '1 microsecond')
        or poll.id is not null and coalesce(poll.ended_at, updated_at) < now() - greatest(interval '10 minutes', 10 * every_us * interval '1 microsecond'))))
  union all
  select source.name, organisation_id, key, greatest(stream.failures, work.failures), instant_of(coalesce(retry_at, work.due_at)), stream.last_fault, null, 'waiting'
  from stream join source on source.id = source_id left join work on work.kind = 'history' and work.id = stream.id
  where stream.failures + coalesce(work.failures, 0) > 0 and retired_at is null and state = 'active' and ${IS_SEEN}
  union all
  select name, organisation_id, null, coalesce(work.failures, 0), instant_of(work.due_at), look_fault, null, 'looking'
  from source left join work on work.kind = 'look' and work.id = source.id where look_fault is not null and state = 'active' and ${IS_SEEN}
  union all
  select name, organisation_id, null, 0, null, null, jsonb_build_object('ahead', clock_ahead_us, 'settle', settle_us), 'clock'
  from source where clock_ahead_us is not null and state = 'active' and ${IS_SEEN}
  order by kind desc, organisation, source, stream`;

/**
 * All sources and streams in trouble, of all organisations unless they are named. A stopped source waits for an operator. A failing source retries by itself. A
 * stalled source is overdue for no known reason. A waiting stream does not keep the other streams of its source waiting, and a source whose
 * look for sensors meets a fault, or whose platform's clock is off, is polled all the same.
 */
export const troublesOf = (database: Database, organisations?: readonly string[]): Promise<Trouble[]> =>
  database.rows<Trouble & Record<string, unknown>>(TROUBLES, [organisations ?? null]);
