import type { Batch } from '../core/batch.ts';
import type { Coverage } from '../core/coverage.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Learned } from '../core/learn.ts';
import type { Window } from '../core/window.ts';
import { printableJson } from '../database/printable.ts';
import type { Meter } from '../platform/connection/index.ts';

/** Everything one window leaves behind, committed together or not at all (law 1). */
export interface Handover {
  readonly streamId: number;
  /** The configuration of the source that the window was read with. */
  readonly revision: number;
  readonly sourceId: number;
  readonly projectId: number;
  readonly lane: 'live' | 'history';
  readonly window: Window;
  /** The stream's coverage when the window was planned. */
  readonly covered: Coverage;
  readonly learned: Learned;
  readonly backfillId: number | undefined;
  readonly askedAt: Instant;
  readonly meter: Meter;
  readonly normaliseMs: number;
  readonly batch: Batch;
}

/** A stream keeps at most this many rows of refusals for each reason and hour. */
const REFUSALS_KEPT_PER_HOUR = 1_000;

/** Names of refused points are cut, because they may have any length and an index row of PostgreSQL may not. */
const LONGEST_NAME = 256;

/** A live window ends the failures of live. Those of history end with a run that could read all its windows. */
const MENDED = `$lane::text = 'live'`;

const WINDOW = `tstzmultirange(tstzrange(at_instant($from::bigint), at_instant($to::bigint)))`;

/** SQL: `moved` covers the window and locks the row of the stream. It is empty where the stream was removed meanwhile. */
export const MOVED = `
  moved as (
    update stream set covered = covered + ${WINDOW}, learned = $learned::jsonb,
      last_fault = case when ${MENDED} and last_fault ->> 'lane' is distinct from 'history' then null else last_fault end, failures = case when ${MENDED} then 0 else failures end,
      retry_at = case when ${MENDED} then null else retry_at end,
      turn_at = case when $lane::text = 'live' then now() else turn_at end
    where id = $streamId::int and source_revision = $revision::int returning id)`;

const LOGGED = `
  backfilled as (
    update backfill_stream set done = done + ${WINDOW}
    where backfill_id = $backfillId::int and stream_id = $streamId::int returning 1),
  logged as (
    insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates,
      revised, refused, late, lateness_us, waited_ms, http_ms, normalise_ms, store_ms)
    select $streamId::int, $sourceId::int, $lane::text, at_instant($from::bigint), at_instant($to::bigint), at_instant($askedAt::bigint),
      $requests::int, $bytes::bigint, $readings::int, $readings::int - fresh - revised, revised, $refused::int, late, lateness_us,
      $waitedMs::real, $httpMs::real, $normaliseMs::real,
      $storeMs::real + extract(epoch from clock_timestamp() - statement_timestamp()) * 1000
    from taken, moved),
  summed as (
    insert into window_sum as total (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused, late)
    select $sourceId::int, date_trunc('hour', at_instant($askedAt::bigint), 'UTC'), $lane::text, 1, 0, $requests::int, $bytes::bigint,
      $readings::int, $readings::int - fresh - revised, revised, $refused::int, late
    from taken, moved
    on conflict (source_id, hour, lane) do update set windows = total.windows + 1, requests = total.requests + excluded.requests,
      bytes = total.bytes + excluded.bytes, readings = total.readings + excluded.readings,
      duplicates = total.duplicates + excluded.duplicates, revised = total.revised + excluded.revised,
      refused = total.refused + excluded.refused, late = total.late + excluded.late)`;

/**
 * Refusals are counted always, and kept as rows within the limit. A refusal that is read again has its row already, so it
 * is neither counted nor kept a second time.
 */
const REFUSED = `
  shown as (
    insert into refusal (stream_id, reason, sensor, variable, at, raw)
    select $streamId::int, example.reason, example.sensor, example.variable, example.at, example.raw
    from jsonb_to_recordset($examples::jsonb) as example (reason text, sensor text, variable text, at timestamptz, raw text, place int), moved
    where example.place + coalesce((select kept from refusal_count where stream_id = $streamId::int and reason = example.reason
      and hour = date_trunc('hour', now(), 'UTC')), 0) <= ${REFUSALS_KEPT_PER_HOUR}
    on conflict do nothing returning reason),
  counted as (
    select reason, refused, (select count(*) from shown where shown.reason = given.reason) as kept
    from unnest($reasons::text[], $refusedFirst::int[]) as given (reason, refused)),
  counts as (
    insert into refusal_count as known (stream_id, reason, hour, refused, kept)
    select $streamId::int, reason, date_trunc('hour', now(), 'UTC'), refused, kept from counted, moved
    where refused > 0 or kept > 0
    on conflict (stream_id, reason, hour) do update set refused = known.refused + excluded.refused,
      kept = known.kept + excluded.kept)`;

/** SQL: logs a window and its refusals, and ends the statement. It reads `moved` and `taken`. */
export const settled = (withRefusals: boolean): string =>
  `${LOGGED}${withRefusals ? `, ${REFUSED}` : ''} select taken.*, (select count(*) from moved) as moved from taken`;

/** The values of the parameters of `MOVED` and `settled`. `storeMs`: how long the readings took to store before them. */
export function settlementOf(handover: Handover, storeMs: number) {
  const { batch, meter, window } = handover;
  const reasons = [...batch.refused.keys()];
  return {
    streamId: handover.streamId,
    revision: handover.revision,
    from: window.from,
    to: window.to,
    learned: JSON.stringify(handover.learned),
    backfillId: handover.backfillId ?? null,
    sourceId: handover.sourceId,
    lane: handover.lane,
    askedAt: handover.askedAt,
    requests: meter.requests,
    bytes: meter.bytesIn,
    readings: batch.readings,
    refused: refusedIn(batch),
    waitedMs: meter.waitedMs,
    httpMs: meter.httpMs,
    normaliseMs: handover.normaliseMs,
    storeMs,
    reasons,
    refusedFirst: reasons.map((reason) => batch.refusedFirst.get(reason) ?? 0),
    examples: printableJson(examplesOf(batch)),
  };
}

export type Settlement = ReturnType<typeof settlementOf>;

export const refusedIn = ({ refused }: Batch): number => [...refused.values()].reduce((sum, count) => sum + count, 0);

/** The examples with their places among those of the same reason; the first is 1. */
function examplesOf(batch: Batch): unknown[] {
  const places = new Map<string, number>();
  return batch.examples.map((refusal) => {
    const place = (places.get(refusal.reason) ?? 0) + 1;
    places.set(refusal.reason, place);
    return {
      ...refusal,
      sensor: refusal.sensor.slice(0, LONGEST_NAME),
      variable: refusal.variable.slice(0, LONGEST_NAME),
      at: refusal.at === undefined ? null : formatInstant(refusal.at),
      place,
    };
  });
}
