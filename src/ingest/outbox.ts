import type { PoolClient } from 'pg';
import { cut } from './cut.ts';
import { countRows, encodeArrays } from './rows.ts';
import type { NumberedColumn } from './rows.ts';

/**
 * A common table expression that notes what `written` changed for those of its projects that hand their readings over
 * to a remote service: in the transaction that stores them (law 1), and only what is new or revised. It reads `origin`,
 * one row with stream_id. A key that two transactions write gets its numbers in the order in which they commit: the
 * second one waits for the row of the first before it draws its own.
 */
export const OUTBOXED = `
  outboxed as (
    insert into outbox (project_id, stream_id, readings, series, at, value, precision, labels)
    select remote.project_id, origin.stream_id, count(*), array_agg(written.series order by written.series, written.at),
      array_agg(written.at order by written.series, written.at), array_agg(written.value order by written.series, written.at),
      array_agg(written.precision order by written.series, written.at), array_agg(written.labels order by written.series, written.at)
    from remote join series using (project_id) join written on written.series = series.id cross join origin
    group by 1, 2)`;

/** Readings of a row: enough for a body, little enough to be held twice. */
const ROW_READINGS = 10_000;

const NOTE = `
  insert into outbox (project_id, stream_id, readings, series, at, value, precision, labels)
  select project_id, $6::int, $7::int, $1::int4[], $2::timestamptz[], $3::float8[], $4::int2[], $5::int4[]
  from remote join series using (project_id) where series.id = $8`;

/** The same for many readings of one project that were written by COPY in the transaction of `client`. */
export async function noteCopied(
  client: PoolClient,
  columns: readonly NumberedColumn[],
  streamId: number,
): Promise<void> {
  const [first] = columns;
  if (first === undefined) return;
  const { rowCount } = await client.query('select from remote join series using (project_id) where series.id = $1', [
    first.series,
  ]);
  if (!rowCount) return;
  for (const part of cut(columns, ROW_READINGS)) {
    await client.query(NOTE, [...encodeArrays(part), streamId, countRows(part), first.series]);
  }
}
