import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeIdentifier } from 'pg';
import type { Client, ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BridgeError, configInvalid } from '../../core/errors.ts';
import { rowsOf } from '../database.ts';
import { sinceFoundation } from '../ledger.ts';
import { migrateInside, migrationNames, withMigrationLock } from '../migrate.ts';
import { isPartitioned, makePartitions } from '../partitions.ts';
import type { CopyState } from './back-up.ts';
import type { BackupFile } from './backup-file.ts';
import { damaged } from './format.ts';
import type { BackupHeader, BackupTable, Frame } from './format.ts';
import { AS_TEXT, RELEASE_CLAIMS } from './tables.ts';

export interface RestoreRequest {
  /** The version of this databridge. */
  readonly version: string;
  readonly signal: AbortSignal;
  readonly onProgress: (state: CopyState) => void;
  /** The last work inside the transaction. */
  readonly finish: (client: ClientBase) => Promise<void>;
}

/**
 * The number of migrations that make the schema of the backup. Throws `config-invalid` where the backup has a migration that
 * this databridge does not know, or lacks one in between.
 */
export function assertKnown({ migrations, version: maker }: BackupHeader, path: string, version: string): number {
  const known = migrationNames();
  const names = sinceFoundation(migrations, path);
  if (names.every((name, place) => known[place] === name)) return names.length;
  throw configInvalid(
    `${path} was made by databridge ${maker} with a newer database than that of this databridge (${version})`,
    `restore it with databridge ${maker} or newer; nothing was written`,
  );
}

/**
 * Writes a backup into an empty database, in one transaction: the schema as it was for the backup, its rows, and then the
 * migrations since then, as they would have changed the database itself. The claims of processes are not restored.
 *
 * @returns the migrations that brought the backup forward
 */
export async function restore(
  client: Client,
  file: BackupFile,
  request: RestoreRequest,
): Promise<Omit<CopyState, 'share'> & { readonly migrated: readonly string[] }> {
  const count = assertKnown(file.header, file.path, request.version);
  return await withMigrationLock(client, async () => {
    await client.query('begin');
    try {
      await client.query(AS_TEXT);
      await assertEmpty(client);
      await migrateInside(client, { count });
      const copied = await copyAll(client, file, request);
      const migrated = await migrateInside(client);
      await client.query(NOTE_VERSIONS, [file.header.version, migrated, request.version]);
      await client.query(RELEASE_CLAIMS);
      await request.finish(client);
      await client.query('commit');
      return { ...copied, migrated };
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw withRemedy(error, request.signal);
    }
  });
}

/** Migrations of the backup count as run by the databridge that made it. */
const NOTE_VERSIONS = `update migration set version = case when name = any($2) then $3 else $1 end`;

/** Tables, views and sequences of the schema, besides those of extensions, and those of the queue. */
const FOUND = `
  select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and (nspname = current_schema() or nspname = 'bullmq')
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  order by relname limit 1`;

async function assertEmpty(client: ClientBase): Promise<void> {
  const [found] = await rowsOf<{ name: string }>(client, FOUND);
  if (found === undefined) return;
  throw configInvalid(
    `the database is not empty: it holds ${found.name}`,
    'set DATABRIDGE_HOME to a new directory, or DATABASE_URL to a new database (CREATE DATABASE …)',
  );
}

async function copyAll(
  client: ClientBase,
  file: BackupFile,
  { signal, onProgress }: RestoreRequest,
): Promise<Omit<CopyState, 'share'>> {
  const tables = new Map(file.header.tables.map((table) => [table.name, table]));
  for (const table of tables.values()) await prepare(client, table, file.path);
  // The first migrations insert rows that the backup holds, too.
  await client.query(`truncate ${[...tables.keys()].map(escapeIdentifier).join(', ')}`);
  const state = { share: 0, tables: 0, rows: 0, bytes: file.bytes };
  const sums: Record<string, number> = {};
  const frames = file.frames(signal, (read) => {
    state.share = read / file.bytes;
    onProgress(state);
  });
  let frame = await next(frames);
  for (; frame?.kind === 'table'; frame = await next(frames)) {
    const table = tables.get(frame.content.toString());
    if (table === undefined) throw damaged(file.path);
    const rows = await copyPart(client, table, frames, signal, file.path);
    if (sums[table.name] === undefined) state.tables += 1;
    sums[table.name] = (sums[table.name] ?? 0) + rows;
    state.rows += rows;
  }
  if (frame?.kind !== 'sums' || frame.content.toString() !== JSON.stringify(sums)) throw damaged(file.path);
  for (const table of tables.values()) await continueNumbers(client, table);
  await client.query(`analyze ${[...tables.keys()].map(escapeIdentifier).join(', ')}`);
  return { tables: tables.size, rows: state.rows, bytes: state.bytes };
}

const next = async (frames: AsyncIterator<Frame>): Promise<Frame | undefined> => {
  const { done, value } = await frames.next();
  return done ? undefined : (value as Frame);
};

/** Makes the partitions of a table. A table or column that this schema does not have means another program made the file. */
async function prepare(client: ClientBase, { name, columns, partitions }: BackupTable, path: string): Promise<void> {
  const found = await rowsOf<{ column: string }>(
    client,
    'select attname as column from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped',
    [escapeIdentifier(name)],
  );
  const present = new Set(found.map(({ column }) => column));
  if (columns.length !== present.size || !columns.every((column) => present.has(column))) throw damaged(path);
  if (partitions === undefined) return;
  if (!isPartitioned(name)) throw damaged(path);
  for (const { from, to } of partitions) await makePartitions(client, name, from ?? undefined, to);
}

/** Copies the rows up to the frame with their number, and compares it. */
async function copyPart(
  client: ClientBase,
  { name, columns }: BackupTable,
  frames: AsyncIterator<Frame>,
  signal: AbortSignal,
  path: string,
): Promise<number> {
  let expected: number | undefined;
  async function* rows(): AsyncGenerator<Buffer> {
    for (let frame = await next(frames); frame !== undefined; frame = await next(frames)) {
      if (frame.kind !== 'rows') {
        expected = frame.kind === 'count' ? Number(frame.content.toString()) : undefined;
        return;
      }
      yield frame.content;
    }
  }
  const into = client.query(
    copyFrom(`copy ${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join(', ')}) from stdin`),
  );
  await pipeline(Readable.from(rows()), into, { signal });
  if (into.rowCount !== expected) throw damaged(path);
  return into.rowCount;
}

async function continueNumbers(client: ClientBase, { name, identity }: BackupTable): Promise<void> {
  if (identity === undefined) return;
  const { column, last, used } = identity;
  await client.query('select setval(pg_get_serial_sequence($1, $2), $3, $4)', [
    escapeIdentifier(name),
    column,
    last,
    used,
  ]);
}

const FULL_DISK = '53100';

function withRemedy(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof BridgeError || !(error instanceof Error)) return error;
  if (signal.aborted) return new BridgeError({ code: 'cancelled' }, 'stopped: nothing was restored');
  if (!('code' in error) || error.code !== FULL_DISK) return error;
  return configInvalid(`database: ${error.message}`, 'free disk space there and restore again; nothing was restored');
}
