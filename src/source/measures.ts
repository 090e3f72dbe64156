import { KINDS_OF_ALERTS, SEVERITIES } from '../core/alert.ts';
import type { AlertKind, Severity } from '../core/alert.ts';
import type { Condition } from '../core/condition.ts';
import { SECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { requestsOfHour } from '../core/request-counts.ts';
import type { RequestCounts } from '../core/request-counts.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { POLLS } from '../database/presence.ts';
import { IS_FREE, IS_SENT, NOT_HELD } from '../pull/work.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Registry } from '../platform/registry.ts';
import { judgedSources } from './condition.ts';
import { inPieces } from './in-pieces.ts';
import { allowedPerHour } from './demand.ts';

/** A source as monitoring sees it. Times in seconds; null where they are not known yet. */
export interface SourceMeasure {
  readonly organisation: string;
  readonly name: string;
  readonly platform: string;
  readonly condition: Condition;
  /** From the newest covered instant to now, of the stream that is furthest behind. */
  readonly lag: number | null;
  /** The part of the lag that the schedule does not explain. */
  readonly overdue: number | null;
  readonly newestReadingAge: number | null;
  /** Of the last hour; `allowed` is null where the pace is that of an adapter which is not loaded. */
  readonly requests: { readonly used: number; readonly allowed: number | null };
}

/** The work that waits. Times in seconds. */
export interface WorkMeasures {
  /** Jobs that are due and that no planner has taken. */
  readonly due: Readonly<Record<'poll' | 'look' | 'history', number>>;
  /** Readings that wait, the age of the oldest, and the projects whose outbox is full or whose delivery waits for an operator. */
  readonly outbox: {
    readonly waiting: number;
    readonly oldestAge: number;
    readonly full: number;
    readonly stopped: number;
  };
}

/** What monitoring wants to know of the whole bridge, of all its hosts. Times in seconds. */
export interface BridgeMeasures extends WorkMeasures {
  readonly sources: readonly SourceMeasure[];
  /** Since a planner planned; null before its first step. */
  readonly plannerSilence: number | null;
  /** Processes that poll, and those of them whose clock disagrees with the database's. */
  readonly workers: number;
  readonly workersAtOdds: number;
  /** Open alerts by kind and severity, those without any included. */
  readonly alerts: readonly { readonly kind: AlertKind; readonly severity: Severity; readonly open: number }[];
  readonly database: { readonly bytes: number; readonly partitions: Readonly<Record<string, number>> };
}

interface StoredSource extends Pick<
  SourceMeasure,
  'organisation' | 'name' | 'platform' | 'condition' | 'lag' | 'overdue'
> {
  readonly newestAt: Instant | null;
  readonly requestsPerSecond: number | null;
  readonly counts: RequestCounts | null;
}

type StoredMeasures = Omit<BridgeMeasures, 'sources'> & {
  readonly now: Instant;
  readonly sources: readonly StoredSource[];
};

const seconds = (from: string): string => `greatest(0, extract(epoch from now() - ${from}))::float8`;

/** `organisations`: an SQL array of those whose work counts; null: all. */
const workMeasures = (organisations: string): string => `
    (select jsonb_build_object('poll', count(*) filter (where work.kind = 'poll'), 'look', count(*) filter (where work.kind = 'look'),
       'history', count(*) filter (where work.kind = 'history'))
     from work join source on source.id = source_id
     where due_at <= now() and ${IS_SENT} is not true and ${IS_FREE} and state = 'active' and ${NOT_HELD}
       and (work.kind = 'look' or not awaits_look) and (${organisations} is null or organisation_id = any(${organisations}))) as due,
    (select jsonb_build_object('waiting', coalesce(sum(waiting), 0), 'oldestAge', ${seconds('min(head.noted_at)')},
       'full', count(full_since), 'stopped', count(*) filter (where state = 'stopped'))
     from remote join ml_project on ml_project.id = remote.project_id left join lateral (
       select noted_at from outbox where outbox.project_id = remote.project_id order by id limit 1) as head on true
     where ${organisations} is null or organisation_id = any(${organisations})) as outbox`;

/** The work of these organisations that waits; of all where none is named. */
export const measuresOfWork = async (
  database: Database,
  organisations: readonly string[] | undefined,
): Promise<WorkMeasures> =>
  (await database.row<WorkMeasures & Record<string, unknown>>(`select ${workMeasures('$1::text[]')}`, [
    organisations ?? null,
  ])) as WorkMeasures;

/** One statement, so that all measures are of one instant. The outbox is not counted here, because that is slow: see `countWaiting`. */
const MEASURES = `
  select instant_of(now()) as now,
    (select coalesce(jsonb_agg(jsonb_build_object('organisation', organisation, 'name', judged.name, 'platform', judged.platform, 'condition', condition,
       'lag', extract(epoch from now() - reached)::float8, 'overdue', greatest(0, extract(epoch from overdue)::float8), 'newestAt', reach.newest,
       'requestsPerSecond', config #> '{pace,requestsPerSecond}',
       'counts', (select pace.requests from pace where source_id = source.id)) order by organisation, judged.name), '[]')
     from (${judgedSources()}) as judged join source on source.id = judged.id left join (
       select source_id, instant_of(max(newest_at)) as newest from stream where retired_at is null group by source_id) as reach on reach.source_id = source.id) as sources,
    ${workMeasures('null::text[]')},
    (select ${seconds('beat_at')} from heartbeat where name = 'planner') as "plannerSilence",
    (select count(*) from worker where ${POLLS}) as workers,
    (select count(*) from worker where ${POLLS} and clock_ahead_us is not null) as "workersAtOdds",
    (select jsonb_agg(jsonb_build_object('kind', kind, 'severity', severity, 'open',
       (select count(*) from alert where ended_at is null and opened_at is not null and alert.kind = kinds.kind and alert.severity = severities.severity)))
     from unnest(array['${KINDS_OF_ALERTS.join("','")}']) as kinds (kind) cross join unnest(array['${SEVERITIES.join("','")}']) as severities (severity)) as alerts,
    jsonb_build_object('bytes', pg_database_size(current_database()), 'partitions',
      (select jsonb_object_agg(parent.relname, (select count(*) from pg_inherits where inhparent = parent.oid))
       from pg_class as parent where parent.oid in ('reading'::regclass, 'window_log'::regclass))) as database`;

/** The measures of the bridge. The database gives the statement up after `withinMs`, and this then rejects. */
export async function measuresOf(
  database: Database,
  { platforms }: Pick<Registry, 'platforms'>,
  withinMs: number,
): Promise<BridgeMeasures> {
  const [row] = await database.transaction(async (client) => {
    await client.query(`set local statement_timeout = ${Math.round(withinMs)}`);
    return await rowsOf<StoredMeasures & Record<string, unknown>>(client, MEASURES);
  });
  const { sources, now, ...rest } = row as StoredMeasures;
  const used = await loadedOf(platforms, [...new Set(sources.map(({ platform }) => platform))]);
  return {
    ...rest,
    sources: await inPieces(sources, ({ newestAt, counts, requestsPerSecond, ...source }) => ({
      ...source,
      newestReadingAge: newestAt === null ? null : Math.max(0, now - newestAt) / SECOND,
      requests: {
        used: requestsOfHour(counts ?? undefined, now),
        allowed: allowedPerHour({ ...source, requestsPerSecond }, used),
      },
    })),
  };
}
