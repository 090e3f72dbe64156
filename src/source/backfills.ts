import { parseDuration } from '../core/duration.ts';
import { configInvalid } from '../core/errors.ts';
import { SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { edgeOf } from '../core/plan.ts';
import type { Database } from '../database/database.ts';
import { DONE_IN_STREAM } from '../pull/wishes.ts';
import { inactiveSource, unknownSource } from './unusable-source.ts';

export interface BackfillRequest {
  readonly source: string;
  readonly from: Instant;
  /** Undefined: what has settled by now, and in any case up to where the live polls began. */
  readonly to: Instant | undefined;
  readonly again: boolean;
  readonly requestedBy: string;
}

/** What of a source says how far it has settled. */
interface SettledRow {
  readonly id: number;
  readonly state: string;
  readonly now: Instant;
  readonly start: Instant;
  readonly settle: Microseconds;
  readonly every: Microseconds;
  /** As the operator wrote it. */
  readonly align: string | null;
}

/** Writes an operator's wish down and wakes the history lane. Throws `config-invalid` with what to do instead. */
export async function startBackfill(database: Database, request: BackfillRequest): Promise<number> {
  const source = await database.row<SettledRow & Record<string, unknown>>(
    `select id, state, instant_of(now()) as now, instant_of(start_at) as start, settle_us as settle, every_us as every, config #>> '{schedule,align}' as align
     from source where name = $1`,
    [request.source],
  );
  if (!source) throw unknownSource(request.source);
  // Windows end on the grid: a wish that went on to an instant between two points of it would never be covered.
  const align = parseDuration(source.align ?? '') ?? Math.min(SECOND, source.every);
  const edge = edgeOf({ settle: source.settle, align }, source.now);
  if (source.state !== 'active') throw inactiveSource(request.source, source.state);
  // A source registered just now starts at an instant that has not settled. Live polls never look before it: a wish that
  // ended at the edge would leave the time between them to nobody.
  const latest = Math.max(edge, source.start);
  const to = request.to ?? latest;
  if (request.from >= to) {
    throw configInvalid('--from is not before --to', 'give a range that begins before it ends', '--to');
  }
  if (to > latest) {
    const remedy = `leave --to out to go up to ${formatInstant(latest)}; live polls fetch the rest`;
    throw configInvalid(`--to ${formatInstant(to)} has not settled yet`, remedy, '--to');
  }
  return await database.transaction(async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `insert into backfill (source_id, from_at, to_at, again, requested_by)
       values ($1, at_instant($2), at_instant($3), $4, $5) returning id`,
      [source.id, request.from, to, request.again, request.requestedBy],
    );
    const id = rows[0]?.id as number;
    await client.query(
      'insert into backfill_stream (backfill_id, stream_id) select $1, id from stream where source_id = $2 and retired_at is null',
      [id, source.id],
    );
    await client.query(
      'update stream set history_due_at = now(), retry_at = null where source_id = $1 and retired_at is null',
      [source.id],
    );
    return id;
  });
}

/** What an operator sees of a backfill. `share` is covered time over wished time, 0..1. */
export interface BackfillState {
  readonly id: number;
  readonly source: string;
  readonly from: Instant;
  readonly to: Instant;
  readonly again: boolean;
  readonly state: 'running' | 'done' | 'cancelled';
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
  readonly streams: number;
  readonly share: number;
  /** Readings of history windows since it began, of this source. */
  readonly readings: number;
  readonly sourceState: string;
  /** Its end has not settled yet; it is asked for from then on. */
  readonly settlesAt: Instant | null;
  readonly heldUntil: Instant | null;
  /** Since when nothing is asked because the outbox of the project is full. */
  readonly outboxFullSince: Instant | null;
  readonly fault: { message: string; remedy?: string } | null;
}

const STATES = `
  select backfill.id, source.name as source, instant_of(from_at) as from, instant_of(to_at) as to, again, backfill.state,
    instant_of(backfill.created_at) as "createdAt", instant_of(finished_at) as "finishedAt", source.state as "sourceState",
    case when its_end.settles > now() then instant_of(its_end.settles) end as "settlesAt",
    instant_of(held_until) as "heldUntil", source.last_fault as fault,
    (select instant_of(full_since) from remote where remote.project_id = source.project_id) as "outboxFullSince",
    (select count(*) from backfill_stream where backfill_id = backfill.id) as streams,
    coalesce((select avg(share_of(tstzrange(from_at, to_at), ${DONE_IN_STREAM}))
      from backfill_stream join stream on stream.id = stream_id
      where backfill_id = backfill.id and retired_at is null), 0)::float8 as share,
    coalesce((select sum(readings) from window_log where window_log.source_id = source.id and lane = 'history'
      and asked_at >= backfill.created_at and asked_at <= coalesce(finished_at, now())
      and window_log.to_at > backfill.from_at and window_log.from_at < backfill.to_at), 0) as readings
  from backfill join source on source.id = backfill.source_id
  cross join lateral (select to_at + settle_us * interval '1 microsecond' as settles) as its_end`;

export const listBackfills = (database: Database): Promise<BackfillState[]> =>
  database.rows<BackfillState & Record<string, unknown>>(`${STATES} order by backfill.id desc limit 200`);

export const backfillState = (database: Database, id: number): Promise<BackfillState | undefined> =>
  database.row<BackfillState & Record<string, unknown>>(`${STATES} where backfill.id = $1`, [id]);

/** @returns false where it was not running any more */
export const cancelBackfill = async (database: Database, id: number): Promise<boolean> =>
  (await database.run(
    `update backfill set state = 'cancelled', finished_at = now() where id = $1 and state = 'running'`,
    [id],
  )) > 0;
