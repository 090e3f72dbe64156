import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { encodeCopy } from './rows.ts';
import type { NumberedColumn } from './rows.ts';

/**
 * The common table expression that takes `incoming` (series, at, value, precision, labels) by one upsert. It returns
 * each row it wrote and whether the row is new; what is there already with the same content is not touched.
 */
export const WRITTEN = `
  written as (
    insert into reading as known (series, at, value, precision, labels)
    select series, at, value, precision, labels from incoming
    on conflict (series, at) do update set value = excluded.value, precision = excluded.precision, labels = excluded.labels
      where (known.value, known.precision, known.labels) is distinct from (excluded.value, excluded.precision, excluded.labels)
    returning new.*, old.series is null as fresh
  )`;

const UNIQUE_VIOLATION = '23505';

export const isKeyTaken = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION;

/** The fastest way in, for readings none of which is there: one that is fails the statement. Mind `isKeyTaken`. */
export async function copyRows(client: ClientBase, table: string, columns: readonly NumberedColumn[]): Promise<void> {
  const stream = client.query(
    copyFrom(`copy ${table} (series, at, value, precision, labels) from stdin (format binary)`),
  );
  await pipeline(encodeCopy(columns), stream);
}
