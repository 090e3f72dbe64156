import { newestIn } from '../core/batch.ts';
import type { Batch } from '../core/batch.ts';
import type { Coverage } from '../core/coverage.ts';
import type { Instant } from '../core/instant.ts';
import type { Learned } from '../core/learn.ts';
import type { Window } from '../core/window.ts';
import { multirangeOf } from '../database/multirange.ts';
import { REMEMBERS } from '../database/memory.ts';
import type { Stamp } from '../database/memory.ts';
import { printableJson } from '../database/printable.ts';
import { REFUSED, RESOLVED, refusedHours } from '../ingest/refused-hours.ts';
import type { Meter } from '../platform/connection/index.ts';

/** Everything one window leaves behind, committed together or not at all (law 1). */
export interface Handover {
  readonly streamId: number;
  /** The key of the stream: a restored database may have another stream with this number. */
  readonly streamKey: string;
  /** The configuration of the source that the window was read with. */
  readonly revision: number;
  /** That configuration, told from all others; see 0014_memory.sql. */
  readonly edition: string;
  /** Who claimed the source or, in history, the stream. */
  readonly workerId: string;
  /** The memory of this process when the read began (database/memory.ts): it held the names of the series. */
  readonly process: string;
  readonly sourceId: number;
  readonly projectId: number;
  readonly lane: 'live' | 'history';
  readonly window: Window;
  /** The stream's coverage when the window was planned. */
  readonly covered: Coverage;
  readonly learned: Learned;
  /** Covered time to ask for once more (core/look-back.ts). */
  readonly looks: Coverage;
  readonly backfillId: number | undefined;
  readonly askedAt: Instant;
  readonly meter: Meter;
  readonly normaliseMs: number;
  readonly batch: Batch;
}

/** A live window ends the failures of live. Those of history end with a run that could read all its windows. */
const MENDED = `$lane::text = 'live'`;

const WINDOW = `tstzmultirange(tstzrange(at_instant($from::bigint), at_instant($to::bigint)))`;

/** SQL: when the history of a stream with more to ask is due: at once, except where it waits because windows failed. */
export const WOKEN = `case when history_failures > 0 then coalesce(history_due_at, now()) else now() end`;

/**
 * SQL condition on a row of `stream`: it is the one that was read, its configuration stands, and so do the numbers of its series and
 * the claim. A worker that stood still for long may have lost its claim to one that has read newer values since.
 */
const IS_STREAM = `id = $streamId::int and key = $streamKey::text and source_revision = $revision::int
      and ($lane::text = 'live' or history_claimed_by = $workerId::uuid)
      and exists (select from source where source.id = source_id and edition = $edition::uuid
        and ($lane::text <> 'live' or claimed_by = $workerId::uuid)) and ${REMEMBERS}`;

/** SQL: locks the row of the stream where the window may be committed. */
export const LOCK_STREAM = `select from stream where ${IS_STREAM} for no key update`;

/** SQL: `moved` covers the window and locks the row of the stream. It is empty where the window may not be committed. */
export const MOVED = `
  moved as (
    update stream set covered = covered + ${WINDOW}, look_again = look_again + $looks::tstzmultirange - ${WINDOW},
      history_due_at = case when $looks::tstzmultirange = '{}' then history_due_at else ${WOKEN} end, learned = $learned::jsonb,
      last_fault = case when ${MENDED} and last_fault ->> 'lane' is distinct from 'history' then null else last_fault end, failures = case when ${MENDED} then 0 else failures end,
      retry_at = case when ${MENDED} then null else retry_at end,
      turn_at = case when $lane::text = 'live' then now() else turn_at end,
      newest_at = greatest(newest_at, at_instant($newest::bigint))
    where ${IS_STREAM} returning id)`;

const LOGGED = `
  backfilled as (
    update backfill_stream set done = done + ${WINDOW} from moved
    where backfill_id = $backfillId::int and stream_id = moved.id returning 1),
  logged as (
    insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates,
      revised, refused, repeats, outside, late, lateness_us, waited_ms, http_ms, normalise_ms, store_ms)
    select $streamId::int, $sourceId::int, $lane::text, at_instant($from::bigint), at_instant($to::bigint), at_instant($askedAt::bigint),
      $requests::int, $bytes::bigint, $readings::int, $readings::int - fresh - revised, revised, $refused::int, $repeats::int, $outside::int, late, lateness_us,
      $waitedMs::real, $httpMs::real, $normaliseMs::real,
      $storeMs::real + extract(epoch from clock_timestamp() - statement_timestamp()) * 1000
    from taken, moved),
  summed as (
    insert into window_sum as total (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused,
      repeats, outside, late)
    select $sourceId::int, date_trunc('hour', at_instant($askedAt::bigint), 'UTC'), $lane::text, 1, 0, $requests::int, $bytes::bigint,
      $readings::int, $readings::int - fresh - revised, revised, $refused::int, $repeats::int, $outside::int, late
    from taken, moved
    on conflict (source_id, hour, lane) do update set windows = total.windows + 1, requests = total.requests + excluded.requests,
      bytes = total.bytes + excluded.bytes, readings = total.readings + excluded.readings,
      duplicates = total.duplicates + excluded.duplicates, revised = total.revised + excluded.revised,
      refused = total.refused + excluded.refused, repeats = total.repeats + excluded.repeats,
      outside = total.outside + excluded.outside, late = total.late + excluded.late)`;

/**
 * SQL: logs a window, its part of a backfill and its refusals, and ends the statement. It reads `moved` and `taken`. Where
 * `moved` is empty, it writes nothing.
 */
export const settled = (withRefusals: boolean): string =>
  `${LOGGED}, ${withRefusals ? REFUSED : RESOLVED} select taken.*, (select count(*) from moved) as moved from taken`;

/** The values of the parameters of `MOVED` and `settled`. `storeMs`: how long the readings took to store before them. */
export function settlementOf(handover: Handover, { process, mark }: Stamp, storeMs: number) {
  const { batch, meter, window } = handover;
  return {
    streamId: handover.streamId,
    streamKey: handover.streamKey,
    revision: handover.revision,
    edition: handover.edition,
    workerId: handover.workerId,
    process,
    mark,
    from: window.from,
    to: window.to,
    learned: JSON.stringify(handover.learned),
    looks: multirangeOf(handover.looks),
    backfillId: handover.backfillId ?? null,
    sourceId: handover.sourceId,
    lane: handover.lane,
    askedAt: handover.askedAt,
    requests: meter.requests,
    bytes: meter.bytesIn,
    readings: batch.readings,
    newest: newestIn(batch) ?? null,
    refused: refusedIn(batch),
    repeats: batch.repeats,
    outside: batch.outside + batch.unchosen,
    waitedMs: meter.waitedMs,
    httpMs: meter.httpMs,
    normaliseMs: handover.normaliseMs,
    storeMs,
    refusals: printableJson(refusedHours(batch.refusals)),
  };
}

export type Settlement = ReturnType<typeof settlementOf>;

export const refusedIn = ({ refused }: Batch): number => [...refused.values()].reduce((sum, count) => sum + count, 0);
