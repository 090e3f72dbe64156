import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Client, ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { BridgeError, configInvalid } from '../core/errors.ts';
import { DAY, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { isDatabaseAway, isRolledBack } from '../database/away.ts';
import { rowsOf } from '../database/database.ts';
import type { ArchivePlace } from '../database/archive-place.ts';
import type { Database } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';
import { fileOfRows, mergedFile } from './day-file.ts';
import type { DayContent } from './day-file.ts';
import { connectDuck, workDirectory } from './duck.ts';
import { archiveFilesAt } from './files-at.ts';
import type { ArchiveFiles } from './files.ts';
import { durable, sha256Of } from './local-file.ts';
import { DAY_COLUMNS, dayAt, archiveOf } from './manifest.ts';
import type { ArchivedDay } from './manifest.ts';
import { holdArchive } from './place.ts';

/** A step of a move, for tests that end a move behind it. */
export type MoveStep = 'copied' | 'written' | 'renamed' | 'deleted' | 'noted' | 'committed';

/**
 * How a move of a day ended. `busy`: another process moves it; `changed`: a row was written meanwhile, so nothing moved; `undelivered`:
 * the outbox still holds readings of it.
 */
export type Moved =
  | { readonly outcome: 'moved' | 'merged'; readonly readings: number; readonly bytes: number; readonly rows: number }
  | { readonly outcome: 'nothing' | 'busy' | 'changed' | 'undelivered' };

/** A wait for the lock of a row: less than PostgreSQL takes to see a ring, so that it is always the move that gives way. */
const LOCK_WAIT = '500ms';

const FOR_A_MOVE = `
  set local lock_timeout = '${LOCK_WAIT}';
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local transaction_timeout = 0;
  set local synchronous_commit = on;
  set local datestyle = 'ISO, YMD';
  set local extra_float_digits = 1`;

/**
 * Files are noted one after the other: who has the lock has only to commit. So the greatest number in the manifest grows with every
 * move, see `inSnapshot`.
 */
const TO_NOTE = `set local lock_timeout = '1min'; select pg_advisory_xact_lock(${LOCKS.archiveNote})`;

/**
 * Moves the readings of a day of a project into a file, or merges those that came since into a new file in its place. It is one
 * transaction on one snapshot: it copies the rows, makes the file durable under its name, deletes exactly the rows that it copied and
 * notes the file. Rows that come meanwhile stay; where one of them was changed meanwhile, nothing is moved, and a later run does it.
 * The newest reading of each series stays a row, so no look for it needs the archive.
 */
export async function moveDay(
  database: Database,
  { projectId, day }: { readonly projectId: number; readonly day: Instant },
  {
    signal,
    reached = () => undefined,
  }: { readonly signal?: AbortSignal | undefined; readonly reached?: (step: MoveStep) => void | Promise<void> } = {},
): Promise<Moved> {
  const place = archiveOf(database, 1);
  const client = await database.dedicated();
  // A connection that dies fails the statement under way.
  client.on('error', () => undefined);
  const stop = (): void => {
    duck?.interrupt();
    void client.end();
  };
  signal?.addEventListener('abort', stop, { once: true });
  const work = join(workDirectory(place.directory), randomUUID());
  let duck: DuckDBConnection | undefined;
  let committing = false;
  try {
    // Before the snapshot, so that the snapshot has what the process before did.
    if (!(await lockDay(client, projectId, day))) return { outcome: 'busy' };
    await holdArchive(database);
    duck = await connectDuck(place.directory);
    await client.query('begin isolation level repeatable read');
    await client.query(FOR_A_MOVE);
    const files = await archiveFilesAt(place);
    const moved = await moveInside({ client, duck, files, work, signal }, { projectId, day }, reached);
    committing = true;
    await client.query('commit');
    await reached('committed');
    await tidyDay(database, place, projectId, day);
    return moved;
  } catch (error) {
    // Not by a rollback, which would wait for a copy that nobody reads any more.
    await client.end().catch(() => undefined);
    // Where the answer to the commit was lost, the file may be the only one that has the readings, and a server that follows may not know
    // it yet. The next move of the day, or the sweep, tells.
    const isLost = committing && isDatabaseAway(error) && !isRolledBack(error);
    if (!isLost) await tidyAlone(database, place, projectId, day).catch(() => undefined);
    if (isChanged(error)) return { outcome: 'changed' };
    throw signal?.aborted === true
      ? new BridgeError({ code: 'cancelled' }, 'stopped: the day was not moved')
      : withRemedy(error, place);
  } finally {
    signal?.removeEventListener('abort', stop);
    duck?.closeSync();
    await client.end().catch(() => undefined);
    await removeAll(work);
  }
}

/** False: another process moves the day. The lock ends with the connection. */
async function lockDay(client: ClientBase, projectId: number, day: Instant): Promise<boolean> {
  const [row] = await rowsOf<{ free: boolean }>(client, 'select pg_try_advisory_lock($1, hashtext($2)) as free', [
    LOCKS.archive,
    `${projectId} ${day}`,
  ]);
  return row?.free === true;
}

interface Ground {
  readonly client: Client;
  readonly duck: DuckDBConnection;
  readonly files: ArchiveFiles;
  /** Where unfinished files begin. */
  readonly work: string;
  readonly signal: AbortSignal | undefined;
}

async function moveInside(
  { client, duck, files, work, signal }: Ground,
  { projectId, day }: { readonly projectId: number; readonly day: Instant },
  reached: (step: MoveStep) => void | Promise<void>,
): Promise<Moved> {
  const waiting = await rowsOf(
    client,
    `select from outbox cross join unnest(at) as one where project_id = $1 and one >= at_instant($2) and one < at_instant($3) limit 1`,
    [projectId, day, day + DAY],
  );
  if (waiting.length > 0) return { outcome: 'undelivered' };
  await client.query(`create temporary table moving on commit drop as ${movingOf(projectId, day)}`);
  const readings = `
    from moving cross join lateral (
      select at, value, precision, labels from reading
      where series = moving.id and at >= ${sqlInstant(day)} and at < least(${sqlInstant(day + DAY)}, moving.newest) order by at) as one`;
  // A row has its labels in full, because most readings have none, and DuckDB would join others by memory.
  const labels =
    'case when labels is not null then (select to_json(label_set.labels) from label_set where id = one.labels) end';
  await copyOut(client, `select place, at at time zone 'UTC', value, precision, ${labels} ${readings}`, `${work}.csv`);
  await copyOut(client, 'select place, sensor_id, value_name from moving', `${work}.series.csv`);
  await reached('copied');
  const part = `${work}.part`;
  const copied = await fileOfRows(duck, work, part);
  if (copied === undefined) return { outcome: 'nothing' };
  const rows = copied.readings;
  const [before] = await rowsOf<ArchivedDay & Record<string, unknown>>(
    client,
    `select ${DAY_COLUMNS} from archived_day where project_id = $1 and day = ${dayAt('$2::bigint')} and replaced_at is null`,
    [projectId, day],
  );
  let content: DayContent | undefined = copied;
  if (before !== undefined) {
    await rename(part, `${work}.rows`);
    const former = await files.open(before, { whole: true });
    try {
      content = await mergedFile(duck, { rows: `${work}.rows`, former: former.path, work, to: part });
    } finally {
      await former.release();
    }
  }
  if (content === undefined || content.readings < Math.max(rows, before?.readings ?? 0))
    throw new Error(`the file of ${rows} rows has ${content?.readings ?? 0} readings`);
  await durable(part);
  await reached('written');
  const { size: bytes } = await stat(part);
  const sha256 = await sha256Of(part);
  const path = join(folderOf(projectId, day), `${sha256.slice(0, 32)}.parquet`);
  await files.put(part, { path, sha256, bytes }, signal);
  await reached('renamed');
  const { rowCount } = await client.query(
    `delete from reading using moving where series = moving.id and at >= at_instant($1) and at < least(at_instant($2), moving.newest)`,
    [day, day + DAY],
  );
  if (rowCount !== rows) throw new Error(`${rows} rows were copied and ${rowCount} deleted`);
  await reached('deleted');
  if (before?.sha256 !== sha256) {
    await client.query(TO_NOTE);
    await client.query('update archived_day set replaced_at = now() where id = $1', [before?.id ?? null]);
    await client.query(
      `insert into archived_day (project_id, day, path, sha256, bytes, readings, series, first_at, last_at)
       values ($1, ${dayAt('$2::bigint')}, $3, $4, $5, $6, $7, at_instant($8), at_instant($9))`,
      [projectId, day, path, sha256, bytes, content.readings, content.series, content.firstAt, content.lastAt],
    );
  }
  await reached('noted');
  return { outcome: before === undefined ? 'moved' : 'merged', readings: content.readings, bytes, rows };
}

/** SQL: the series of a project that have a reading on the day besides their newest, in the order of their names. */
const movingOf = (projectId: number, day: Instant): string => `
  select row_number() over (order by sensor_id collate "C", value_name collate "C")::int as place, id, sensor_id, value_name, newest
  from (
    select id, sensor_id, value_name, (select at from reading where series = series.id order by at desc limit 1) as newest
    from series where project_id = ${projectId} offset 0) as each
  where newest > ${sqlInstant(day)} and exists (
    select from reading where series = each.id and at >= ${sqlInstant(day)} and at < least(${sqlInstant(day + DAY)}, newest))`;

/** SQL: an instant, in statements that take no parameters. */
const sqlInstant = (instant: Instant): string => `at_instant(${instant}::bigint)`;

/** Removes the files whose path begins so. */
async function removeAll(begin: string): Promise<void> {
  const folder = dirname(begin);
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(`${basename(begin)}.`)) await rm(join(folder, name), { force: true });
}

async function copyOut(client: ClientBase, query: string, path: string): Promise<void> {
  await pipeline(client.query(copyTo(`copy (${query}) to stdout (format csv)`)), createWriteStream(path));
}

/** Below the place of the archive. A project keeps its number when its code changes. */
export const folderOf = (projectId: number, day: Instant): string =>
  join(`project=${projectId}`, `day=${formatInstant(day).slice(0, 10)}`);

/**
 * Leaves only the present file of a day in reach of other programs. A file of ours that no row knows is of a move that did not end.
 * To be called after a move, and by the process that has the lock of the day.
 */
async function tidyDay(
  database: Pick<Database, 'rows'>,
  place: ArchivePlace,
  projectId: number,
  day: Instant,
): Promise<void> {
  const rows = await database.rows<{ path: string; replaced: boolean }>(
    `select path, bool_and(replaced_at is not null) as replaced from archived_day where project_id = $1 and day = ${dayAt('$2::bigint')} group by path`,
    [projectId, day],
  );
  const files = await archiveFilesAt(place);
  await files.tidy(folderOf(projectId, day), new Map(rows.map(({ path, replaced }) => [path, replaced])));
}

/** Tidies a day whose move failed, or ended with its process. Another process may move it by now; that one tidies it. */
export async function tidyAlone(
  database: Database,
  place: ArchivePlace,
  projectId: number,
  day: Instant,
): Promise<void> {
  const client = await database.dedicated();
  client.on('error', () => undefined);
  try {
    if (await lockDay(client, projectId, day)) await tidyDay(database, place, projectId, day);
  } finally {
    await client.end();
  }
}

/** A row was changed since the snapshot, or its lock was not to be had, or waiting for it closed a ring. */
const isChanged = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:40001|40P01|55P03)$/.test(String(error.code));

/** Full disks: of the archive, and of the database. */
const FULL = /ENOSPC|No space left|53100/;

function withRemedy(error: unknown, { directory }: ArchivePlace): unknown {
  if (error instanceof BridgeError || !(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (FULL.test(`${code} ${error.message}`))
    return configInvalid(`the archive: ${error.message}`, `free disk space at ${directory}; no reading was moved`);
  if (/^(?:EACCES|EROFS|EPERM|ENOTDIR)$/.test(code))
    return configInvalid(`the archive: ${error.message}`, `let the bridge write to ${directory}; no reading was moved`);
  return error;
}
