import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { statementOf } from '../database/statement.ts';
import { cut } from './cut.ts';
import { encodeArrays, encodeCopy } from './rows.ts';
import type { EncodedReadings, NumberedColumn } from './rows.ts';

/**
 * SQL: `incoming` holds the readings that the parameters of `encodeArrays` bring. The place of the first one is 1. `parted`: they
 * belong to several rows of `origin`, and `$part` (`encodeParts`) tells the `part` of each.
 */
const incoming = (parted: boolean): string => `
  incoming as (
    select row.* from origin
    join unnest($series::int4[], $at::timestamptz[], $value::float8[], $precision::int2[], $labels::int4[]${parted ? ', $part::int4[]' : ''})
      with ordinality as row (series, at, value, precision, labels${parted ? ', part' : ''}, place) on ${parted ? 'row.part = origin.part' : 'true'})`;

/** SQL: `incoming` where all readings belong to the one row of `origin`. */
export const INCOMING = incoming(false);

/**
 * SQL: `outboxed` notes `rows`, those of `written`, in the outbox of each project that hands its readings over to a remote
 * service. Where two transactions write the same reading, their notes are numbered in the order of their commits, because
 * the second transaction waits for the row of the first before it takes a number.
 */
const outboxed = (rows: 'written' | 'changed'): string => `
  outboxed as (
    insert into outbox (project_id, stream_id, readings, series, at, value, precision, labels)
    select remote.project_id, origin.stream_id, count(*), array_agg(row.series order by row.series, row.at),
      array_agg(row.at order by row.series, row.at), array_agg(row.value order by row.series, row.at),
      array_agg(row.precision order by row.series, row.at), array_agg(row.labels order by row.series, row.at)
    from remote join series using (project_id) join ${rows} as row on row.series = series.id
    ${rows === 'changed' ? 'join origin using (part)' : 'cross join origin'}
    group by 1, 2)`;

const WRITTEN = `
  written as (
    insert into reading as known (series, at, value, precision, labels)
    select series, at, value, precision, labels from incoming
    on conflict (series, at) do update set value = excluded.value, precision = excluded.precision, labels = excluded.labels
      where (known.value, known.precision, known.labels) is distinct from (excluded.value, excluded.precision, excluded.labels)
    returning new.*, old.series is null as fresh)`;

/** SQL: the rows of `written` with the part of each. It groups instead of joining, so that no plan is quadratic. */
const CHANGED = `
  changed as (
    select series, at, max(part) as part, bool_or(fresh) as fresh, max(value) as value, max(precision) as precision, max(labels) as labels
    from (select series, at, part, null::boolean as fresh, null::float8 as value, null::int2 as precision, null::int4 as labels from incoming
          union all select series, at, null, fresh, value, precision, labels from written) as row
    group by series, at having bool_or(fresh) is not null)`;

/**
 * SQL: the common table expressions by which every upsert turns encoded readings (`EncodedReadings`) into rows.
 *
 * They read `origin`, one row with the `stream_id` of the readings (null for pushed ones); where `origin` is empty,
 * nothing is written. `written` holds each row that was changed, and `fresh`: true for a new row, false for a revised
 * one. A duplicate has the same value, precision and labels as its row; it is neither touched nor in `written`.
 */
export const WRITING = `${INCOMING}, ${WRITTEN}, ${outboxed('written')}`;

/**
 * SQL: as `WRITING`, for readings of several streams: each row of `origin` has the `part` of its readings. `changed` has the rows of
 * `written`, each with its part.
 */
export const WRITING_PARTS = `${incoming(true)}, ${WRITTEN}, ${CHANGED}, ${outboxed('changed')}`;

const NOTE_COPIED = statementOf<EncodedReadings & { readonly streamId: number }>(`
  with origin as (select $streamId::int as stream_id), ${INCOMING}, written as (select * from incoming), ${outboxed('written')}
  select`);

/** At most this many readings share a row of the outbox: enough for a body, little enough to be held twice. */
const NOTED_READINGS = 10_000;

const UNIQUE_VIOLATION = '23505';

/**
 * Writes readings by COPY: the fastest way for readings of which none is stored. `table`: a partition that holds them
 * all, or `reading`. @returns false where one of them is stored already; then COPY wrote none, and a transaction has failed
 */
export async function copyNew(client: ClientBase, table: string, columns: readonly NumberedColumn[]): Promise<boolean> {
  const stream = client.query(
    copyFrom(`copy ${table} (series, at, value, precision, labels) from stdin (format binary)`),
  );
  try {
    await pipeline(encodeCopy(columns), stream);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return false;
    throw error;
  }
}

/** Notes copied readings of one stream in the outbox, in the transaction of `client`, where their project has one. */
export async function noteCopied(
  client: ClientBase,
  columns: readonly NumberedColumn[],
  streamId: number,
): Promise<void> {
  const [first] = columns;
  if (first === undefined || !(await isHandedOver(client, [first.series]))) return;
  for (const part of cut(columns, NOTED_READINGS)) {
    await client.query(NOTE_COPIED({ ...encodeArrays(part), streamId }));
  }
}

const HANDED_OVER = statementOf<{ readonly series: readonly number[] }>(
  'select from remote join series using (project_id) where series.id = any($series::int[]) limit 1',
  'handed-over',
);

/** Whether the project of one of these series hands its readings over to a remote service. */
export async function isHandedOver(client: ClientBase, series: readonly number[]): Promise<boolean> {
  const { rowCount } = await client.query(HANDED_OVER({ series }));
  return Boolean(rowCount);
}
