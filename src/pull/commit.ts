import type { PoolClient } from 'pg';
import type { Batch } from '../core/batch.ts';
import { intersect } from '../core/coverage.ts';
import type { Coverage } from '../core/coverage.ts';
import { BridgeError } from '../core/errors.ts';
import { HOUR, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Learned } from '../core/learn.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import type { Partitions } from '../database/partitions.ts';
import { printableJson } from '../database/printable.ts';
import type { Ingestion, Taken } from '../ingest/ingestion.ts';
import { encodeArrays } from '../ingest/rows.ts';
import type { NumberedColumn } from '../ingest/rows.ts';
import type { Meter } from '../platform/connection/index.ts';

/** Everything one window leaves behind, committed together or not at all (law 1). */
export interface Handover {
  readonly streamId: number;
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

export interface Committed extends Taken {
  readonly readings: number;
  readonly refused: number;
}

/** Windows above this go by COPY in a transaction of several statements; smaller ones are one statement. */
const SMALL = 2_000;

const REFUSALS_KEPT_PER_HOUR = 1_000;

/** A refused name may be of any length, and an index row of PostgreSQL may not. */
const LONGEST_NAME = 256;

/** A window of live says that live can be read again; of history, its own runs do, with all their windows. */
const MENDED = `($7::text = 'live' and last_fault ->> 'lane' is distinct from 'history')`;

/** First of all and with a lock on its row: a stream that was removed meanwhile matches nothing, and nothing is written. */
const MOVED = `moved as (
    update stream set covered = covered + tstzmultirange(tstzrange(at_instant($2::bigint), at_instant($3::bigint))), learned = $4::jsonb,
      last_fault = case when ${MENDED} then null else last_fault end, failures = case when ${MENDED} then 0 else failures end,
      retry_at = case when ${MENDED} then null else retry_at end
    where id = $1::int returning id)`;

const INCOMING = `incoming as (
  select row.* from unnest($20::int4[], $21::timestamptz[], $22::float8[], $23::int2[], $24::int4[])
    as row (series, at, value, precision, labels)
  where exists (select from moved))`;

const ORIGIN = 'origin as (select id as stream_id from moved)';

const TAKEN_BEFORE = `taken as (
  select $20::bigint as fresh, $21::bigint as revised, $22::bigint as late, $23::bigint as lateness_us
  where $24::int is null)`;

/** What moves with the readings. */
const SETTLE = `
  backfilled as (
    update backfill_stream set done = done + tstzmultirange(tstzrange(at_instant($2::bigint), at_instant($3::bigint)))
    where backfill_id = $5::int and stream_id = $1::int returning 1),
  logged as (
    insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates,
      revised, refused, late, lateness_us, waited_ms, http_ms, normalise_ms, store_ms)
    select $1::int, $6::int, $7::text, at_instant($2::bigint), at_instant($3::bigint), at_instant($8::bigint), $9::int, $10::bigint, $11::int, $11::int - fresh - revised, revised, $12::int, late,
      lateness_us, $13::real, $14::real, $15::real, $16::real + extract(epoch from clock_timestamp() - statement_timestamp()) * 1000
    from taken, moved),
  summed as (
    insert into window_sum as total (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused, late)
    select $6::int, date_trunc('hour', at_instant($8::bigint), 'UTC'), $7::text, 1, 0, $9::int, $10::bigint, $11::int, $11::int - fresh - revised, revised, $12::int, late from taken, moved
    on conflict (source_id, hour, lane) do update set windows = total.windows + 1, requests = total.requests + excluded.requests,
      bytes = total.bytes + excluded.bytes, readings = total.readings + excluded.readings,
      duplicates = total.duplicates + excluded.duplicates, revised = total.revised + excluded.revised,
      refused = total.refused + excluded.refused, late = total.late + excluded.late)`;

/**
 * Counted always; kept as rows until an hour's share of the stream and reason is used up. What is read again is there
 * already: it is neither counted nor kept a second time.
 */
const REFUSALS = `,
  shown as (
    insert into refusal (stream_id, reason, sensor, variable, at, raw)
    select $1::int, example.reason, example.sensor, example.variable, example.at, example.raw
    from jsonb_to_recordset($19::jsonb) as example (reason text, sensor text, variable text, at timestamptz, raw text, place int), moved
    where example.place + coalesce((select kept from refusal_count where stream_id = $1::int and reason = example.reason
      and hour = date_trunc('hour', now(), 'UTC')), 0) <= ${REFUSALS_KEPT_PER_HOUR}
    on conflict do nothing returning reason),
  counted as (
    select reason, refused, (select count(*) from shown where shown.reason = given.reason) as kept
    from unnest($17::text[], $18::int[]) as given (reason, refused)),
  counts as (
    insert into refusal_count as known (stream_id, reason, hour, refused, kept)
    select $1::int, reason, date_trunc('hour', now(), 'UTC'), refused, kept from counted, moved
    where refused > 0 or kept > 0
    on conflict (stream_id, reason, hour) do update set refused = known.refused + excluded.refused,
      kept = known.kept + excluded.kept)`;

/** The same parameters in a window without refusals; PostgreSQL wants each of them used. */
const NO_REFUSALS = `,
  unused as (select $17::text[], $18::int[], $19::jsonb)`;

const RESULT = ` select taken.*, (select count(*) from moved) as moved from taken`;

const BEFORE = `with covered_before as (select coalesce((select covered from stream where id = $1::int), '{}') as ranges), `;

/** Hands a window over and covers it. Throws `cancelled` where the stream was removed in the meantime. */
export async function commitWindow(
  database: Database,
  partitions: Partitions,
  ingestion: Ingestion,
  handover: Handover,
): Promise<Committed> {
  const { batch, window } = handover;
  const columns = await ingestion.number(handover.projectId, batch);
  const table = await ingestion.prepare(columns);
  await partitions.ensure('window_log', handover.askedAt, handover.askedAt + HOUR);
  const refused = sum(batch.refused.values());
  const taken =
    batch.readings <= SMALL
      ? await commitSmall(database, ingestion, handover, columns)
      : await database.transaction((client) => commitMany(client, ingestion, handover, columns, table));
  if (taken === undefined) {
    throw new BridgeError({ code: 'cancelled' }, `the stream was removed while ${formatInstant(window.from)} was read`);
  }
  return { ...taken, readings: batch.readings, refused };
}

interface Row {
  readonly fresh: number;
  readonly revised: number;
  readonly late: number;
  readonly lateness_us: number;
  readonly moved: number;
}

async function commitSmall(
  database: Database,
  ingestion: Ingestion,
  handover: Handover,
  columns: readonly NumberedColumn[],
): Promise<Taken | undefined> {
  const refusing = handover.batch.examples.length > 0;
  const { rows } = await database.pool.query<Row>({
    name: refusing ? 'commit-small-refusing' : 'commit-small',
    text: `${BEFORE}${MOVED}, ${INCOMING}, ${ORIGIN}, ${ingestion.statement}, ${SETTLE}${refusing ? REFUSALS : NO_REFUSALS}${RESULT}`,
    values: [...settlement(handover, 0), ...encodeArrays(columns)],
  });
  const [row] = rows;
  return row?.moved ? takenFrom(row, handover.batch.readings) : undefined;
}

async function commitMany(
  client: PoolClient,
  ingestion: Ingestion,
  handover: Handover,
  columns: readonly NumberedColumn[],
  table: string,
): Promise<Taken | undefined> {
  const begun = performance.now();
  // The row of the stream is locked before its readings in both ways, so that two windows of it never wait in a ring.
  const { rowCount } = await client.query('select from stream where id = $1 for no key update', [handover.streamId]);
  if (!rowCount) return undefined;
  const covered = intersect(handover.covered, handover.window);
  const taken = await ingestion.takeMany(client, table, columns, { streamId: handover.streamId, covered });
  const refusing = handover.batch.examples.length > 0;
  await client.query(`with ${TAKEN_BEFORE}, ${MOVED}, ${SETTLE}${refusing ? REFUSALS : NO_REFUSALS}${RESULT}`, [
    ...settlement(handover, performance.now() - begun),
    taken.fresh,
    taken.revised,
    taken.late,
    taken.latenessUs,
    null,
  ]);
  return taken;
}

const takenFrom = (row: Row, readings: number): Taken => ({
  fresh: row.fresh,
  duplicates: readings - row.fresh - row.revised,
  revised: row.revised,
  late: row.late,
  latenessUs: row.lateness_us,
});

/** Parameters $1 to $19 of SETTLE and REFUSALS. */
function settlement(handover: Handover, storeMs: number): unknown[] {
  const { batch, meter, window } = handover;
  const reasons = [...batch.refused.keys()];
  const places = new Map<string, number>();
  const examples = batch.examples.map((refusal) => {
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
  return [
    handover.streamId,
    window.from,
    window.to,
    JSON.stringify(handover.learned),
    handover.backfillId ?? null,
    handover.sourceId,
    handover.lane,
    handover.askedAt,
    meter.requests,
    meter.bytesIn,
    batch.readings,
    sum(batch.refused.values()),
    meter.waitedMs,
    meter.httpMs,
    handover.normaliseMs,
    storeMs,
    reasons,
    reasons.map((reason) => batch.refusedFirst.get(reason) ?? 0),
    printableJson(examples),
  ];
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
