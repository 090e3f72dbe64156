import type { Instant } from '../core/instant.ts';
import type { Learned } from '../core/learn.ts';
import type { Selection } from './adapter.ts';
import type { Bridge } from './bridge.ts';
import { hasRoom } from '../ingest/outbox/waiting.ts';
import { NEXT_DUE } from './due.ts';
import { claimable } from '../database/presence.ts';
import type { SourceRow, Stream } from './sources.ts';

/** A source this process alone may poll until it reports. */
export interface ClaimedSource extends SourceRow {
  readonly discovered_at: Instant | null;
  readonly failures: number;
  readonly streams: readonly Stream[];
}

/** A stream whose history this process alone reads until it reports. */
export interface ClaimedStream {
  readonly source: SourceRow & { readonly failures: number };
  readonly stream: Stream;
  /** When it was due as the claim saw it: if that is changed meanwhile, somebody wants more. */
  readonly due: string;
}

interface StreamRow {
  readonly id: number;
  readonly key: string;
  readonly selection: { group?: string; sensors?: string[]; variables?: string[] };
  readonly covered: [from: Instant, to: Instant][];
  readonly learned: Learned | null;
  readonly failures: number;
  readonly retry_at: Instant | null;
  readonly history_due: boolean;
}

const STREAM = `jsonb_build_object('id', stream.id, 'key', stream.key, 'selection', stream.selection,
  'covered', instants_of(stream.covered), 'learned', stream.learned, 'failures', stream.failures,
  'retry_at', instant_of(stream.retry_at), 'history_due', stream.history_due_at is not null)`;

const SOURCE = (
  revision: string,
): string => `source.id, source.name, source.revision, source.project_id, source.failures,
  instant_of(source.start_at) as start_at, instant_of(source.discovered_at) as discovered_at,
  case when source.revision = ${revision} then null else source.config end as config`;

/** Undefined where the source is gone, not active, held, or in somebody else's hands. */
export async function claimSource(bridge: Bridge, sourceId: number): Promise<ClaimedSource | undefined> {
  const { rows } = await bridge.database.pool.query<Omit<ClaimedSource, 'streams'> & { streams: StreamRow[] | null }>({
    name: 'claim-source',
    text: `update source set claimed_by = $2, next_due_at = ${NEXT_DUE}
      where id = $1 and state = 'active' and (held_until is null or held_until <= now()) and ${claimable('claimed_by', '$2')}
        and ${hasRoom('project_id')}
      returning ${SOURCE('$3')},
        (select jsonb_agg(${STREAM} order by stream.id) from stream where source_id = source.id and retired_at is null) as streams`,
    values: [sourceId, bridge.workerId, bridge.sources.revisionOf(sourceId)],
  });
  const [row] = rows;
  return row && { ...row, streams: (row.streams ?? []).map(streamOf) };
}

/** Undefined where there is nothing to do, or somebody else does it. */
export async function claimStream(bridge: Bridge, streamId: number): Promise<ClaimedStream | undefined> {
  const row = await bridge.database.row<SourceRow & { failures: number; stream: StreamRow; due: string }>(
    `update stream set history_claimed_by = $2 from source
     where stream.id = $1 and source.id = stream.source_id and stream.retired_at is null and source.state = 'active'
       and (source.held_until is null or source.held_until <= now()) and ${claimable('stream.history_claimed_by', '$2')}
       and ${hasRoom('source.project_id')}
     returning ${SOURCE('0')}, ${STREAM} as stream, stream.history_due_at::text as due`,
    [streamId, bridge.workerId],
  );
  return row && { source: row, stream: streamOf(row.stream), due: row.due };
}

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
    retryAt: row.retry_at ?? undefined,
    historyDue: row.history_due,
  };
}
