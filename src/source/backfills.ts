import { audit } from '../access/audit.ts';
import { parseDuration } from '../core/duration.ts';
import { configInvalid } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { SECOND, formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { edgeOf } from '../core/plan.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import type { Platform } from '../platform/contract.ts';
import { lockNewStreams } from '../pull/change-streams.ts';
import { RETRY_UNREADABLE } from '../pull/unreadable-rows.ts';
import { askHistories } from '../pull/work.ts';
import { DEMAND, measuredOverload } from './demand.ts';
import type { MeasuredDemand } from './demand.ts';
import { DONE_IN_STREAM } from '../pull/wishes.ts';
import { findSource } from './find-source.ts';
import type { FaultRecord } from './report.ts';
import type { WantedSource } from './find-source.ts';
import { inactiveSource, unknownSource } from './unusable-source.ts';

export interface BackfillRequest {
  readonly source: WantedSource;
  readonly from: Instant;
  /** Undefined: up to the newest settled instant, or up to the start of the source where that is later. */
  readonly to: Instant | undefined;
  readonly again: boolean;
  readonly requestedBy: string;
}

/** The fields of a source that tell how far its time has settled. */
interface SettledRow {
  readonly state: string;
  readonly now: Instant;
  readonly start: Instant;
  readonly settle: Microseconds;
  readonly every: Microseconds;
  /** As the operator wrote it, like `1m`. */
  readonly align: string | null;
}

/**
 * Stores a backfill for every stream of the source and makes their history due at once. Returns its id. Throws
 * `config-invalid` with a remedy for an unknown or inactive source and for a range that is empty or has not settled.
 */
export async function startBackfill(database: Database, request: BackfillRequest): Promise<number> {
  const found = await findSource(database, request.source);
  const source = await database.row<SettledRow & Record<string, unknown>>(
    `select state, instant_of(now()) as now, instant_of(start_at) as start, settle_us as settle, every_us as every, config #>> '{schedule,align}' as align
     from source where id = $1`,
    [found.id],
  );
  if (!source) throw unknownSource(found);
  // The end is a point of the grid, because windows end there: a backfill that reached further would never be covered.
  const align = parseDuration(source.align ?? '') ?? Math.min(SECOND, source.every);
  const edge = edgeOf({ settle: source.settle, align }, source.now);
  if (source.state !== 'active') throw inactiveSource(found, source.state);
  // The start of a new source has not settled yet, and live polls never ask before it. A backfill that ended at the edge
  // would leave the time between edge and start unread.
  const latest = Math.max(edge, source.start);
  const to = request.to ?? latest;
  if (request.from >= to) {
    throw configInvalid('--from is not before --to', 'give a range that begins before it ends', 'to');
  }
  if (to > latest) {
    const remedy = `leave --to out to go up to ${formatInstant(latest)}; live polls fetch the rest`;
    throw configInvalid(`--to ${formatInstant(to)} has not settled yet`, remedy, 'to');
  }
  return await database.transaction(async (client) => {
    // A look that adds streams meanwhile would not see the backfill, nor would the backfill see them.
    await lockNewStreams(client, found.id);
    const { rows } = await client.query<{ id: number }>(
      `insert into backfill (source_id, from_at, to_at, again, requested_by)
       values ($1, at_instant($2), at_instant($3), $4, $5) returning id`,
      [found.id, request.from, to, request.again, request.requestedBy],
    );
    const id = rows[0]?.id as number;
    await client.query(
      'insert into backfill_stream (backfill_id, stream_id) select $1, id from stream where source_id = $2 and retired_at is null',
      [id, found.id],
    );
    await client.query('update stream set retry_at = null where source_id = $1 and retired_at is null', [found.id]);
    await client.query(askHistories('from stream where source_id = $1 and retired_at is null'), [found.id]);
    await client.query(RETRY_UNREADABLE, [found.id]);
    await audit(client, request.requestedBy, 'backfill.started', found.name, {
      organisation: found.organisation,
      backfill: id,
      from: formatInstant(request.from),
      to: formatInstant(to),
      again: request.again,
    });
    return id;
  });
}

/** A backfill as an operator sees it. `share` is the part of its range that is covered, 0..1. */
export interface BackfillState {
  readonly id: number;
  readonly source: string;
  readonly organisation: string;
  readonly from: Instant;
  readonly to: Instant;
  readonly again: boolean;
  readonly state: 'running' | 'done' | 'cancelled';
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
  readonly streams: number;
  readonly share: number;
  /** Readings of the source's history windows that touch the range, since the backfill began. */
  readonly readings: number;
  readonly sourceState: string;
  /** When its end settles and is asked for; null once that has passed. */
  readonly settlesAt: Instant | null;
  readonly heldUntil: Instant | null;
  /** Since when the source is not asked because the outbox of its project is full; null otherwise. */
  readonly outboxFullSince: Instant | null;
  readonly fault: FaultRecord | null;
  readonly demand: MeasuredDemand;
  /** Stretches of its range that cannot be read now; they are tried again slowly, and the backfill goes on until then. */
  readonly unreadable: number;
}

const STATES = `
  select backfill.id, source.name as source, source.organisation_id as organisation, instant_of(from_at) as from, instant_of(to_at) as to, again, backfill.state,
    instant_of(backfill.created_at) as "createdAt", instant_of(finished_at) as "finishedAt", source.state as "sourceState",
    case when its_end.settles > now() then instant_of(its_end.settles) end as "settlesAt",
    instant_of(held_until) as "heldUntil", source.last_fault - 'page' as fault, ${DEMAND} as demand,
    (select instant_of(full_since) from remote where remote.project_id = source.project_id) as "outboxFullSince",
    (select count(*) from unreadable join backfill_stream using (stream_id) join stream on stream.id = stream_id
      where backfill_id = backfill.id and retired_at is null and unreadable.from_at < backfill.to_at and unreadable.to_at > backfill.from_at
        and not ${DONE_IN_STREAM} @> tstzrange(unreadable.from_at, unreadable.to_at)) as unreadable,
    (select count(*) from backfill_stream where backfill_id = backfill.id) as streams,
    coalesce((select avg(share_of(tstzrange(from_at, to_at), ${DONE_IN_STREAM}))
      from backfill_stream join stream on stream.id = stream_id
      where backfill_id = backfill.id and retired_at is null), 0)::float8 as share,
    coalesce((select sum(readings) from window_log where window_log.source_id = source.id and lane = 'history'
      and asked_at >= backfill.created_at and asked_at <= coalesce(finished_at, now())
      and window_log.to_at > backfill.from_at and window_log.from_at < backfill.to_at), 0) as readings
  from backfill join source on source.id = backfill.source_id
  cross join lateral (select to_at + settle_us * interval '1 microsecond' as settles) as its_end`;

/** The backfills that are wanted; a field that is undefined chooses nothing. */
export interface BackfillChoice {
  /** The id of the last backfill of the page before. */
  readonly before?: number | undefined;
  readonly organisations?: readonly string[] | undefined;
  /** The name of their source. */
  readonly source?: string | undefined;
  readonly state?: BackfillState['state'] | undefined;
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

/** Returns false for a backfill that is not running. */
export const cancelBackfill = (database: Database, id: number, actor: string): Promise<boolean> =>
  database.transaction(async (client) => {
    const [source] = await rowsOf<{ name: string; organisation: string }>(
      client,
      `update backfill set state = 'cancelled', finished_at = now() from source
       where backfill.id = $1 and backfill.state = 'running' and source.id = source_id
       returning name, organisation_id as organisation`,
      [id],
    );
    if (source === undefined) return false;
    await audit(client, actor, 'backfill.cancelled', source.name, { organisation: source.organisation, backfill: id });
    return true;
  });

/** A backfill as a JSON document, with each instant as text. `platforms`: those of `platformsBehind`. */
export const backfillDocument = ({ demand, ...state }: BackfillState, platforms: readonly Platform[]) => ({
  ...state,
  overload: measuredOverload(demand, platforms) ?? null,
  from: formatInstant(state.from),
  to: formatInstant(state.to),
  createdAt: formatInstant(state.createdAt),
  finishedAt: instantOrNull(state.finishedAt),
  settlesAt: instantOrNull(state.settlesAt),
  heldUntil: instantOrNull(state.heldUntil),
  outboxFullSince: instantOrNull(state.outboxFullSince),
});

/** `config-invalid`: there is no backfill of this number. */
export const unknownBackfill = (id: number): BridgeError =>
  configInvalid(`there is no backfill ${id}`, 'databridge backfill list shows all backfills');
