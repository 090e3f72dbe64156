import type { Instant, Microseconds } from '../core/instant.ts';
import type { Learned } from '../core/learn.ts';
import type { Selection } from '../platform/contract.ts';
import type { ClientBase } from 'pg';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gathering.ts';
import { hasRoom } from '../delivery/waiting.ts';
import { UNREADABLE, unreadableOf } from './unreadable-rows.ts';
import type { UnreadableRow } from './unreadable-rows.ts';
import { DISPATCHED_FOR, NEXT_DUE } from './due.ts';
import { claimable } from '../database/presence.ts';
import type { SourceCache } from './source-cache.ts';
import type { SourceRow, Stream } from './open-source.ts';
import type { KnownStream } from './stream-plan.ts';

/** A source that only this process may poll, until it reports. */
export interface ClaimedSource extends SourceRow {
  readonly failures: number;
  /** How far the platform's clock was last found to be ahead of ours, negative where it is behind; null where it is right. */
  readonly clock_ahead: Microseconds | null;
  readonly streams: readonly Stream[];
}

/** A source whose sensors only this process may look up, until it reports. */
export interface ClaimedLook extends SourceRow {
  /** Failures in a row of the source, and of its looks. */
  readonly failures: number;
  readonly look_failures: number;
  readonly streams: readonly KnownStream[];
}

/** How a look for sensors ended. */
export interface LookReport {
  /** The whole list of sensors was read. */
  readonly complete: boolean;
  /** Failures in a row of looks from now on. */
  readonly failures: number;
  /** What the operator is told, as JSON; null where there is nothing to tell. Undefined keeps the one before. */
  readonly fault: string | null | undefined;
  /** When the next look is due; undefined where the source needs none. */
  readonly dueAt: Instant | undefined;
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
  readonly unreadable: readonly UnreadableRow[];
  readonly look_again: [from: Instant, to: Instant][];
  readonly looks_from: Instant | null;
  readonly caught_up_to: Instant | null;
}

/** SQL: a stream whose history is complete but for unreadable time is due when that is tried again, which may be later. */
const HISTORY_IS_DUE = `stream.history_due_at is not null and (stream.history_failures > 0 or stream.history_due_at < now() + interval '1 minute')`;

/** A row of `stream` as JSON (`StreamRow`). */
const STREAM = `jsonb_build_object('id', stream.id, 'key', stream.key, 'selection', stream.selection,
  'covered', instants_of(stream.covered), 'learned', stream.learned, 'failures', stream.failures, 'history_failures', stream.history_failures, 'asked_at', instant_of(stream.turn_at),
  'retry_at', instant_of(stream.retry_at), 'history_due', ${HISTORY_IS_DUE}, 'unreadable', ${UNREADABLE}, 'look_again', instants_of(stream.look_again), 'looks_from', instant_of(stream.looks_from), 'caught_up_to', instant_of(stream.caught_up_to))`;

const SOURCE = (
  edition: string,
): string => `source.id, source.name, source.organisation_id as organisation, source.revision, source.edition, source.project_id, source.failures,
  instant_of(source.start_at) as start_at,
  case when source.edition = ${edition} then null else source.config end as config`;

/** Takes sources and streams for this process and gives them back. Claims and reports of sources that come together share a statement. */
export interface Claims {
  /** Undefined where the source is gone, not active, held, or claimed by another live worker. */
  take(sourceId: number): Promise<ClaimedSource | undefined>;
  /** Undefined where the stream is retired, its source is not active or held, or another live worker has the stream. */
  takeStream(streamId: number): Promise<ClaimedStream | undefined>;
  /** Takes the look for sensors of a source. Undefined where the source may not be asked, or another live worker looks. */
  takeLook(sourceId: number): Promise<ClaimedLook | undefined>;
  /** Gives the source back. `healthy`: its platform answered for a stream, or there was nothing to ask. */
  report(sourceId: number, healthy: boolean): Promise<void>;
  /**
   * Gives the look back. A look that an operator asked for meanwhile stays due; one under a configuration that was replaced
   * meanwhile tells nothing about the new one.
   */
  reportLook(look: Pick<ClaimedLook, 'id' | 'edition'>, report: LookReport): Promise<void>;
}

/** `dispatched`: work is taken only where it is due, because a job may come late and its source may have been dispatched anew since. */
export function claimsOf(given: {
  readonly database: Database;
  readonly workerId: string;
  readonly sources: Pick<SourceCache, 'editionOf'>;
  readonly dispatched?: boolean;
}): Claims {
  const { database, workerId, sources, dispatched = false } = given;

  const take = gathering<number, ClaimedSource | undefined>(async (ids, rows) => {
    const { rows: found } = await database.pool.query<FoundSource>({
      name: `claim-sources ${rows}`.trim(),
      text: CLAIM_SOURCES(rows),
      values: [ids, ids.map((id) => sources.editionOf(id) ?? null), workerId, dispatched],
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
        dispatched,
      ]);
      return row && { source: row, stream: streamOf(row.stream), due: row.due };
    },
    async takeLook(sourceId) {
      return await database.row<ClaimedLook & Record<string, unknown>>(CLAIM_LOOK, [sourceId, workerId, dispatched]);
    },
    async reportLook({ id, edition }, { complete, failures, fault, dueAt }) {
      const keepsFault = fault === undefined;
      const values = [id, workerId, complete, failures, keepsFault, fault ?? null, dueAt ?? null, edition];
      if ((await database.run(REPORT_LOOK, values)) === 0) await database.run(LEAVE_LOOK, [id, workerId]);
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
    select source.id as locked, wanted.edition as known
    from source join unnest($1::int[], $2::uuid[]) as wanted (id, edition) using (id)
    for no key update of source ${rows}),
  claimed as (
    update source set claimed_by = $3, next_due_at = ${NEXT_DUE}
    from locked where id = locked and state = 'active' and not awaits_look and (held_until is null or held_until <= now())
      and (not $4 or claimed_by is not null or next_due_at is distinct from ${NEXT_DUE})
      and ${claimable('claimed_by', '$3')} and ${hasRoom('project_id')}
    returning ${SOURCE('known')}, source.clock_ahead_us as clock_ahead,
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

/** Whether this worker still has the look as it was claimed. The row stays locked until the transaction ends. */
export async function holdsLook(
  client: ClientBase,
  { sourceId, edition, workerId }: { sourceId: number; edition: string; workerId: string },
): Promise<boolean> {
  const found = await rowsOf(
    client,
    `select from source where id = $1 and edition = $2 and look_claimed_by = $3 and state = 'active' for no key update`,
    [sourceId, edition, workerId],
  );
  return found.length > 0;
}

const CLAIM_LOOK = `update source set look_claimed_by = $2, look_asked = false
  where id = $1 and state = 'active' and (held_until is null or held_until <= now()) and (not $3 or look_due_at <= now() + ${DISPATCHED_FOR})
  and ${claimable('look_claimed_by', '$2')} and ${hasRoom('project_id')}
  returning ${SOURCE('null')}, look_failures,
    (select coalesce(jsonb_agg(jsonb_build_object('id', stream.id, 'key', key, 'selection', selection) order by stream.id), '[]')
     from stream where source_id = source.id and retired_at is null) as streams`;

/**
 * No look is due before the end of a hold. The first complete look ends the failures of a source without streams, because no
 * poll of it could.
 */
const REPORT_LOOK = `update source set look_claimed_by = null,
    look_due_at = case when look_asked then now() when $7::bigint is null then null else greatest(at_instant($7), held_until) end,
    look_failures = case when look_asked then 0 else $4 end,
    look_fault = case when $5 then look_fault else $6::jsonb end,
    discovered_at = case when $3 then now() else discovered_at end,
    awaits_look = awaits_look and not $3 and $4 = 0,
    failures = case when $3 and last_success_at is null then 0 else failures end,
    last_fault = case when $3 and last_success_at is null and state = 'active' then null else last_fault end
  where id = $1 and look_claimed_by = $2 and edition = $8`;

/** The new configuration needs a look of its own. */
const LEAVE_LOOK =
  'update source set look_claimed_by = null, look_due_at = now() where id = $1 and look_claimed_by = $2';

const CLAIM_STREAM = `update stream set history_claimed_by = $2, history_asked = false from source
  where stream.id = $1 and source.id = stream.source_id and stream.retired_at is null and source.state = 'active' and not source.awaits_look
  and (source.held_until is null or source.held_until <= now()) and ${claimable('stream.history_claimed_by', '$2')}
  and ${hasRoom('source.project_id')} and (not $3 or stream.history_due_at <= now() + ${DISPATCHED_FOR})
  returning ${SOURCE('null')}, ${STREAM} as stream, stream.history_due_at::text as due`;

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
    unreadable: unreadableOf(row.unreadable),
    lookAgain: row.look_again.map(([from, to]) => ({ from, to })),
    looksFrom: row.looks_from ?? undefined,
    caughtUpTo: row.caught_up_to ?? undefined,
  };
}
