import type { PoolClient } from 'pg';
import type { Segment } from '../core/batch.ts';
import { covers } from '../core/coverage.ts';
import type { Coverage } from '../core/coverage.ts';
import { MICROSECOND, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { partitionsOf } from '../database/partitions.ts';
import type { Partitions } from '../database/partitions.ts';
import type { Ingestion, Taken } from './ingestion.ts';
import { cut } from './cut.ts';
import { OUTBOXED, noteCopied } from './outbox.ts';
import { countRows, encodeArrays } from './rows.ts';
import type { NumberedColumn } from './rows.ts';
import { numbering } from './series.ts';
import { WRITTEN, copyRows, isKeyTaken } from './writing.ts';

/** Takes `incoming` by one upsert; a reading that is there already with the same content is not touched. */
const UPSERT = `${WRITTEN}, ${OUTBOXED},
  taken as (
    select count(*) filter (where fresh) as fresh,
           count(*) filter (where not fresh) as revised,
           count(*) filter (where fresh and covered_before.ranges @> at) as late,
           coalesce(max(instant_of(now()) - instant_of(at)) filter (where fresh and covered_before.ranges @> at), 0) as lateness_us
    from covered_before left join written on true
  )`;

const INCOMING = `
  incoming as (
    select * from unnest($1::int4[], $2::timestamptz[], $3::float8[], $4::int2[], $5::int4[])
      as row (series, at, value, precision, labels)
  )`;

/** Readings an upsert carries at a time: enough to amortise the round trip, small enough to keep memory flat. */
const UPSERT_ROWS = 20_000;

/** The bridge's own database as ingestion. */
export function storeOf(database: Database): Ingestion {
  const partitions = partitionsOf(database);
  return {
    statement: UPSERT,
    number: numbering(database),
    prepare: (columns) => prepareFor(partitions, columns),
    async takeMany(client, table, columns, { streamId, covered }) {
      const known =
        covered.length === 0 ? [] : pick(columns, (at) => covers(covered, { from: at, to: at + MICROSECOND }));
      const fresh =
        covered.length === 0 ? columns : pick(columns, (at) => !covers(covered, { from: at, to: at + MICROSECOND }));
      const copied = await copy(client, table, fresh);
      if (copied) await noteCopied(client, fresh, streamId);
      // Somebody else's push or backfill was here first: what COPY may not overwrite, the upsert sorts out.
      const rest = await upsert(client, copied ? known : columns, { streamId, covered });
      const copiedRows = copied ? countRows(fresh) : 0;
      return { ...rest, fresh: rest.fresh + copiedRows };
    },
  };
}

/** Only for months that hold a reading: two of them may lie centuries apart. */
async function prepareFor(partitions: Partitions, columns: readonly NumberedColumn[]): Promise<string> {
  const ends = new Map<Instant, Instant>();
  let from = Infinity;
  let to = -Infinity;
  for (const { column } of columns) {
    for (const { at } of column.segments) {
      for (const instant of at) {
        if (instant >= from && instant < to) continue;
        from = instant;
        to = partitions.endOf('reading', instant);
        if (!ends.has(to)) ends.set(to, instant);
      }
    }
  }
  let table = 'reading';
  for (const [, instant] of [...ends].sort(([one], [other]) => one - other)) {
    table = await partitions.ensure('reading', instant, instant + MICROSECOND);
  }
  return ends.size === 1 ? table : 'reading';
}

/** @returns false where a reading was there already; then nothing of it was written. */
async function copy(client: PoolClient, table: string, columns: readonly NumberedColumn[]): Promise<boolean> {
  if (countRows(columns) === 0) return true;
  await client.query('savepoint copying');
  try {
    await copyRows(client, table, columns);
    await client.query('release savepoint copying');
    return true;
  } catch (error) {
    if (!isKeyTaken(error)) throw error;
    await client.query('rollback to savepoint copying');
    return false;
  }
}

async function upsert(
  client: PoolClient,
  columns: readonly NumberedColumn[],
  { streamId, covered }: { streamId: number; covered: Coverage },
): Promise<Taken> {
  let total: Taken = { fresh: 0, duplicates: 0, revised: 0, late: 0, latenessUs: 0 };
  const ranges = `{${covered.map((window) => `[${formatInstant(window.from)},${formatInstant(window.to)})`).join(',')}}`;
  for (const part of cut(columns, UPSERT_ROWS)) {
    const rows = countRows(part);
    const { rows: answer } = await client.query<{ fresh: number; revised: number; late: number; lateness_us: number }>(
      `with covered_before as (select $6::tstzmultirange as ranges), origin as (select $7::int as stream_id), ${INCOMING}, ${UPSERT} select * from taken`,
      [...encodeArrays(part), ranges, streamId],
    );
    const [taken] = answer;
    if (!taken) continue;
    total = {
      fresh: total.fresh + taken.fresh,
      duplicates: total.duplicates + rows - taken.fresh - taken.revised,
      revised: total.revised + taken.revised,
      late: total.late + taken.late,
      latenessUs: Math.max(total.latenessUs, taken.lateness_us),
    };
  }
  return total;
}

function pick(columns: readonly NumberedColumn[], wanted: (at: Instant) => boolean): NumberedColumn[] {
  return columns.map((numbered) => ({
    ...numbered,
    column: { ...numbered.column, segments: numbered.column.segments.map((segment) => pickSegment(segment, wanted)) },
  }));
}

function pickSegment(segment: Segment, wanted: (at: Instant) => boolean): Segment {
  if (segment.at.every(wanted)) return segment;
  const kept = segment.at.map((instant) => wanted(instant));
  const keep = <T>(values: readonly T[]): T[] => values.filter((_, index) => kept[index]);
  const precision = segment.precision && keep(segment.precision);
  return { at: keep(segment.at), value: keep(segment.value), precision, labels: segment.labels };
}
