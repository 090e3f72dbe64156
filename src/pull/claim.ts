import type { Instant } from '../core/instant.ts';
import type { Learned } from '../core/learn.ts';
import type { Selection } from '../platform/contract.ts';
import type { ClientBase } from 'pg';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gathering.ts';
import { hasRoom } from '../delivery/waiting.ts';
import { NEXT_DUE } from './due.ts';
import { claimable } from '../database/presence.ts';
import type { SourceCache } from './source-cache.ts';
import type { SourceRow, Stream } from './open-source.ts';

/** A source that only this process may poll, until it reports. */
export interface ClaimedSource extends SourceRow {
  readonly discovered_at: Instant | null;
  readonly failures: number;
  readonly streams: readonly Stream[];
}

/** A stream whose history only this process may read, until it reports. */
export interface ClaimedStream {
  readonly source: SourceRow & { readonly failures: number };
  readonly stream: Stream;
  /** When its history was due at the claim, as text. A different value at the report means that more was asked for meanwhile. */
  readonly due: string;
}

interface StreamRow {
  readonly id: number;
  readonly key: string;
  readonly selection: { group?: string; sensors?: string[]; variables?: string[] };
  readonly covered: [from: Instant, to: Instant][];
  readonly learned: Learned | null;
  readonly failures: number;
  readonly history_failures: number;
  readonly asked_at: Instant | null;
  readonly retry_at: Instant | null;
  readonly history_due: boolean;
  readonly caught_up_to: Instant | null;
}

/** A row of `stream` as JSON (`StreamRow`). */
const STREAM = `jsonb_build_object('id', stream.id, 'key', stream.key, 'selection', stream.selection,
  'covered', instants_of(stream.covered), 'learned', stream.learned, 'failures', stream.failures, 'history_failures', stream.history_failures, 'asked_at', instant_of(stream.turn_at),
  'retry_at', instant_of(stream.retry_at), 'history_due', stream.history_due_at is not null, 'caught_up_to', instant_of(stream.caught_up_to))`;

const SOURCE = (
  revision: string,
): string => `source.id, source.name, source.revision, source.project_id, source.failures,
  instant_of(source.start_at) as start_at, instant_of(source.discovered_at) as discovered_at,
  case when source.revision = ${revision} then null else source.config end as config`;

/** Takes sources and streams for this process and gives them back. Claims and reports of sources that come together share a statement. */
export interface Claims {
  /** Undefined where the source is gone, not active, held, or claimed by another live worker. */
  take(sourceId: number): Promise<ClaimedSource | undefined>;
  /** Undefined where the stream is retired, its source is not active or held, or another live worker has the stream. */
  takeStream(streamId: number): Promise<ClaimedStream | undefined>;
  /** Gives the source back. `healthy`: its platform answered for a stream, or there was nothing to ask. */
  report(sourceId: number, healthy: boolean): Promise<void>;
}

export function claimsOf(given: {
  readonly database: Database;
  readonly workerId: string;
  readonly sources: Pick<SourceCache, 'revisionOf'>;
}): Claims {
  const { database, workerId, sources } = given;

  const take = gathering<number, ClaimedSource | undefined>(async (ids, rows) => {
    const { rows: found } = await database.pool.query<FoundSource>({
      name: `claim-sources ${rows}`.trim(),
      text: CLAIM_SOURCES(rows),
      values: [ids, ids.map((id) => sources.revisionOf(id)), workerId],
    });
    return new Map(
      found.map(({ locked, ...row }) => [
        locked,
        row.id === null ? undefined : { ...row, streams: (row.streams ?? []).map(streamOf) },
      ]),
    );
  });

  const report = gathering<Report, true>(async (reports, rows) => {
    const { rows: found } = await database.pool.query<{ place: number }>({
      name: `report-polls ${rows}`.trim(),
      text: REPORT_POLLS(rows),
      values: [reports.map(({ sourceId }) => sourceId), reports.map(({ healthy }) => healthy), workerId],
    });
    return new Map(found.map(({ place }) => [reports[place - 1] as Report, true]));
  });

  return {
    take,
    async takeStream(streamId) {
      const row = await database.row<SourceRow & { failures: number; stream: StreamRow; due: string }>(CLAIM_STREAM, [
        streamId,
        workerId,
      ]);
      return row && { source: row, stream: streamOf(row.stream), due: row.due };
    },
    async report(sourceId, healthy) {
      await report({ sourceId, healthy });
    },
  };
}

interface Report {
  readonly sourceId: number;
  readonly healthy: boolean;
}

/** The row of a source that was asked for; without an id where it could not be claimed. */
type FoundSource = { readonly locked: number } & (
  | (Omit<ClaimedSource, 'streams'> & { readonly streams: StreamRow[] | null })
  | { readonly id: null }
);

const CLAIM_SOURCES = (rows: string): string => `
  with locked as (
    select source.id as locked, wanted.revision as known
    from source join unnest($1::int[], $2::int[]) as wanted (id, revision) using (id)
    for no key update of source ${rows}),
  claimed as (
    update source set claimed_by = $3, next_due_at = ${NEXT_DUE}
    from locked where id = locked and state = 'active' and (held_until is null or held_until <= now())
      and ${claimable('claimed_by', '$3')} and ${hasRoom('project_id')}
    returning ${SOURCE('known')},
      (select jsonb_agg(${STREAM} order by stream.id) from stream where source_id = source.id and retired_at is null) as streams)
  select locked, claimed.* from locked left join claimed on id = locked`;

/** The last fault stays visible while the source is stopped or one of its streams waits. */
const REPORT_POLLS = (rows: string): string => `
  with locked as (
    select source.id as locked, polled.healthy, polled.place
    from source join unnest($1::int[], $2::bool[]) with ordinality as polled (id, healthy, place) using (id)
    for no key update of source ${rows}),
  reported as (
    update source set claimed_by = null, last_poll_at = now(),
      last_success_at = case when healthy then now() else last_success_at end,
      failures = case when healthy then 0 else failures end,
      last_fault = case when last_fault is null or healthy and state <> 'stopped' and not exists (
        select from stream where source_id = source.id and retired_at is null and failures + history_failures > 0) then null else last_fault end
    from locked where id = locked and claimed_by = $3)
  select place from locked`;

/** Whether this worker still has the source as it was claimed. The row stays locked until the transaction ends. */
export async function holdsClaim(
  client: ClientBase,
  { sourceId, revision, workerId }: { sourceId: number; revision: number; workerId: string },
): Promise<boolean> {
  const found = await rowsOf(
    client,
    `select from source where id = $1 and revision = $2 and claimed_by = $3 and state = 'active' for no key update`,
    [sourceId, revision, workerId],
  );
  return found.length > 0;
}

/** The streams of a source as they stand now, in the order in which a claim lists them. */
export async function streamsOf(client: ClientBase, sourceId: number): Promise<readonly Stream[]> {
  const rows = await rowsOf<{ stream: StreamRow }>(
    client,
    `select ${STREAM} as stream from stream where source_id = $1 and retired_at is null order by stream.id`,
    [sourceId],
  );
  return rows.map(({ stream }) => streamOf(stream));
}

const CLAIM_STREAM = `update stream set history_claimed_by = $2 from source
  where stream.id = $1 and source.id = stream.source_id and stream.retired_at is null and source.state = 'active'
  and (source.held_until is null or source.held_until <= now()) and ${claimable('stream.history_claimed_by', '$2')}
  and ${hasRoom('source.project_id')}
  returning ${SOURCE('0')}, ${STREAM} as stream, stream.history_due_at::text as due`;

function streamOf(row: StreamRow): Stream {
  const { group, sensors, variables } = row.selection;
  const selection: Selection = { group, sensors, variables };
  return {
    id: row.id,
    key: row.key,
    selection,
    covered: row.covered.map(([from, to]) => ({ from, to })),
    learned: row.learned ?? undefined,
    failures: row.failures,
    historyFailures: row.history_failures,
    askedAt: row.asked_at ?? undefined,
    retryAt: row.retry_at ?? undefined,
    historyDue: row.history_due,
    caughtUpTo: row.caught_up_to ?? undefined,
  };
}
