import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { escapeIdentifier } from 'pg';
import type { ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Database } from '../database.ts';
import { rowsOf } from '../database.ts';
import { END_MARK, FIRST_LINE, encodeFrame } from './format.ts';
import type { BackupHeader, BackupTable } from './format.ts';
import { LOCKS } from '../locks.ts';
import { AS_TEXT, BACKED_UP } from './tables.ts';
import { writeWholeFile } from './whole-file.ts';

/** How far a backup or a restore is. */
export interface CopyState {
  /** 0..1. */
  readonly share: number;
  readonly tables: number;
  readonly rows: number;
  /** The size of the file. */
  readonly bytes: number;
}

export interface BackUpRequest {
  readonly file: string;
  readonly version: string;
  readonly key: BackupHeader['key'];
  readonly signal: AbortSignal;
  readonly onProgress: (state: CopyState) => void;
}

/** A table, or a partition of it, and what its rows take on disk. */
interface Part {
  readonly table: BackupTable;
  readonly relation: string;
  readonly bytes: number;
}

/**
 * Writes everything that the database holds into a file, as it was at one instant, while other processes go on. The transaction
 * holds no lock that they wait for; only old partitions are dropped later.
 */
export async function backUp(
  database: Pick<Database, 'dedicated'>,
  request: BackUpRequest,
): Promise<Omit<CopyState, 'share'>> {
  const client = await database.dedicated();
  // A connection that dies fails the statement under way.
  client.on('error', () => undefined);
  try {
    await client.query('select pg_advisory_lock_shared($1)', [LOCKS.backup]);
    await client.query('begin isolation level repeatable read read only');
    await client.query(AS_TEXT);
    return await writeWholeFile(request.file, async (file) => await fill(file, client, request));
  } finally {
    await client.end();
  }
}

async function fill(
  file: FileHandle,
  client: ClientBase,
  { version, key, signal, onProgress }: BackUpRequest,
): Promise<Omit<CopyState, 'share'>> {
  const migrations = await rowsOf<{ name: string }>(client, 'select name from migration order by run_on, id');
  const { tables, parts } = await contentsOf(client);
  const createdAt = new Date().toISOString();
  const header: BackupHeader = { version, createdAt, migrations: migrations.map(({ name }) => name), tables, key };
  const state = { share: 0, tables: 0, rows: 0, bytes: 0 };
  const digest = createHash('sha256');
  const write = async (bytes: Buffer): Promise<void> => {
    digest.update(bytes);
    await file.writeFile(bytes);
    state.bytes += bytes.length;
    onProgress(state);
  };
  await write(Buffer.from(`${FIRST_LINE}${JSON.stringify(header)}\n`));
  await pipeline(
    frames(client, parts, state),
    createZstdCompress(),
    async (compressed: AsyncIterable<Buffer>) => {
      for await (const chunk of compressed) await write(chunk);
    },
    { signal },
  );
  await write(END_MARK);
  await file.writeFile(digest.digest());
  return { tables: tables.length, rows: state.rows, bytes: (await file.stat()).size };
}

async function* frames(
  client: ClientBase,
  parts: readonly Part[],
  state: { share: number; tables: number; rows: number },
): AsyncGenerator<Buffer> {
  const sums: Record<string, number> = {};
  const whole = parts.reduce((sum, { bytes }) => sum + bytes, 0) || 1;
  let before = 0;
  for (const { table, relation, bytes } of parts) {
    yield encodeFrame('table', table.name);
    const columns = table.columns.map(escapeIdentifier).join(', ');
    let rows = 0;
    let copied = 0;
    for await (const chunk of client.query(
      copyTo(`copy ${relation} (${columns}) to stdout`),
    ) as AsyncIterable<Buffer>) {
      const found = linesIn(chunk);
      rows += found;
      state.rows += found;
      copied += chunk.length;
      state.share = (before + Math.min(copied, bytes)) / whole;
      yield encodeFrame('rows', chunk);
    }
    yield encodeFrame('count', String(rows));
    if (sums[table.name] === undefined) state.tables += 1;
    sums[table.name] = (sums[table.name] ?? 0) + rows;
    before += bytes;
  }
  yield encodeFrame('sums', JSON.stringify(sums));
}

/** COPY ends each row with a line feed, and writes those inside a value as `\n`. */
function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  return lines;
}

const COLUMNS = `
  select attname as column, attidentity <> '' as identity from pg_attribute
  where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;

const PARTITIONS = `
  select inhrelid::regclass::text as relation, pg_relation_size(inhrelid) as bytes,
    instant_of(substring(bounds from $$FROM \\('([^']+)'\\)$$)::timestamptz) as "from",
    instant_of(substring(bounds from $$TO \\('([^']+)'\\)$$)::timestamptz) as "to"
  from pg_inherits join pg_class on pg_class.oid = inhrelid, pg_get_expr(relpartbound, inhrelid) as bounds
  where inhparent = to_regclass($1) order by "from" nulls first`;

async function contentsOf(client: ClientBase): Promise<{ tables: BackupTable[]; parts: Part[] }> {
  const tables: BackupTable[] = [];
  const parts: Part[] = [];
  for (const name of BACKED_UP) {
    const columns = await rowsOf<{ column: string; identity: boolean }>(client, COLUMNS, [name]);
    // A later migration makes this table.
    if (columns.length === 0) continue;
    const identity = columns.find((column) => column.identity)?.column;
    const [kind] = await rowsOf<{ partitioned: boolean; bytes: number }>(
      client,
      `select relkind = 'p' as partitioned, pg_relation_size(oid) as bytes from pg_class where oid = to_regclass($1)`,
      [name],
    );
    const found = kind?.partitioned
      ? await rowsOf<{ relation: string; bytes: number; from: number | null; to: number }>(client, PARTITIONS, [name])
      : undefined;
    const table: BackupTable = {
      name,
      columns: columns.map(({ column }) => column),
      ...(identity !== undefined && { identity: await newestOf(client, name, identity) }),
      ...(found && { partitions: found.map(({ from, to }) => ({ from, to })) }),
    };
    tables.push(table);
    if (found) parts.push(...found.map(({ relation, bytes }) => ({ table, relation, bytes })));
    else parts.push({ table, relation: name, bytes: kind?.bytes ?? 0 });
  }
  return { tables, parts };
}

/** A sequence does not take part in transactions, so its number is that of the last row or a later one. */
async function newestOf(client: ClientBase, table: string, column: string): Promise<BackupTable['identity']> {
  const [sequence] = await rowsOf<{ name: string }>(client, 'select pg_get_serial_sequence($1, $2) as name', [
    table,
    column,
  ]);
  const [row] = await rowsOf<{ last: number; used: boolean }>(
    client,
    `select last_value as last, is_called as used from ${sequence?.name}`,
  );
  return row && { column, ...row };
}
