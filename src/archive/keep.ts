import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { BridgeError } from '../core/errors.ts';
import { workDirectory } from './duck.ts';
import { checkFile } from './files.ts';
import { archiveFilesAt } from './files-at.ts';
import { DAY_COLUMNS, archiveOf } from './manifest.ts';
import type { ArchivedDay } from './manifest.ts';
import { tidyAlone } from './move.ts';
import { holdArchive } from './place.ts';

/**
 * Days that a replaced file stays: a read that began before uses it for minutes, and a backup from before the merge names it. Backups are
 * rarely restored that are older.
 */
const REPLACED_DAYS = 30;

/** An unfinished file of this age is of a process that ended: a move takes minutes. */
const UNFINISHED_MS = 86_400_000;

/** Our unfinished files, and those of DuckDB, which removes them when a statement ends. */
const UNFINISHED = /^(?:[\da-f-]{36}\.(?:csv|series\.csv|rows|used|\d+\.piece|part)|duckdb-[\da-f-]{36}\/.+)$/;

/**
 * Removes unfinished files of processes that ended, and replaced ones that nobody needs any more. A replaced file of a process that was
 * killed behind its commit gets its ending, so that other programs leave it out.
 */
export async function sweep(database: Database): Promise<void> {
  const place = archiveOf(database, 1);
  const { directory } = place;
  const files = await archiveFilesAt(place);
  await holdArchive(database);
  const work = workDirectory(directory);
  for (const name of await readdir(work, { recursive: true }).catch(() => [])) {
    const path = join(work, name);
    const found = UNFINISHED.test(name) ? await stat(path).catch(() => undefined) : undefined;
    if (found !== undefined && Date.now() - found.mtimeMs > UNFINISHED_MS) await rm(path, { force: true });
  }
  const replaced = await database.rows<Pick<ArchivedDay, 'projectId' | 'day' | 'path'> & Record<string, unknown>>(
    `select distinct on (path) ${DAY_COLUMNS} from archived_day
     where replaced_at is not null and path not in (select path from archived_day where replaced_at is null)`,
  );
  for (const { projectId, day, path } of replaced)
    // An object of a bucket has no ending; it is not found by name alone.
    if (place.bucket === undefined && existsSync(join(directory, path)))
      await tidyAlone(database, place, projectId, day);
  const old = await database.rows<{ id: number; path: string; used: boolean }>(
    `select archived_day.id, path, exists (select from archived_day as other where other.path = archived_day.path and other.id <> archived_day.id) as used
     from archived_day join ml_project on ml_project.id = project_id
     where replaced_at < now() - ${REPLACED_DAYS} * interval '1 day' and hold_reason is null`,
  );
  for (const { id, path, used } of old) {
    await database.transaction(async (client) => {
      // The order of a hold waits for this transaction.
      const free = await client.query(
        `select from ml_project where id = (select project_id from archived_day where id = $1) and hold_reason is null for key share`,
        [id],
      );
      if (free.rowCount === 0) return;
      // The file first: a row without a file that nobody reads harms nobody, and a file without a row stays for ever.
      if (!used) await files.remove(path);
      await client.query('delete from archived_day where id = $1', [id]);
    });
  }
}

/** An archived day with the code of its project. */
export type ListedDay = ArchivedDay & { readonly organisation: string; readonly project: string };

/** The archived days of a project, or of all: the oldest of each project first. */
export const listDays = (database: Database, projectId?: number): Promise<ListedDay[]> =>
  database.rows<ListedDay & Record<string, unknown>>(
    `select ${DAY_COLUMNS}, organisation_id as organisation, code as project
     from archived_day join ml_project on ml_project.id = project_id
     where replaced_at is null and ($1::int is null or project_id = $1) order by organisation_id, code, day`,
    [projectId ?? null],
  );

/** A day whose file is not as it was written, in words. */
export interface DamagedDay {
  readonly organisation: string;
  readonly project: string;
  readonly day: Instant;
  readonly fault: string;
}

/**
 * The days whose file is missing, cut or changed. `whole`: compare each checksum, also of files whose time is that of their making. Throws
 * `unavailable` where the place does not answer.
 */
export async function* damagedDays(
  database: Database,
  days: readonly ListedDay[],
  { whole }: { readonly whole: boolean },
): AsyncGenerator<DamagedDay> {
  const files = await archiveFilesAt(archiveOf(database, days.length));
  for (let first = 0; first < days.length; first += CHECKED_AT_ONCE) {
    const checked = days.slice(first, first + CHECKED_AT_ONCE).map(async (one) => {
      try {
        await checkFile(files, one, { whole });
      } catch (error) {
        // What does not answer says nothing of a file.
        if (!(error instanceof BridgeError) || error.code === 'unavailable') throw error;
        return { organisation: one.organisation, project: one.project, day: one.day, fault: error.message };
      }
    });
    for (const one of await Promise.all(checked)) if (one !== undefined) yield one;
  }
}

/** Looks at files that are under way at a time, because a look at a bucket is a request. */
const CHECKED_AT_ONCE = 8;

/**
 * The files of days in a bucket that no row of the manifest names: of moves that did not end, or are under way now, or of a database that
 * was replaced by a backup. They are no data, and nothing removes them.
 */
export async function unknownFiles(database: Database): Promise<string[]> {
  if (database.archive === undefined) return [];
  const files = await archiveFilesAt(database.archive);
  const listed: string[] = [];
  for await (const path of files.listed()) listed.push(path);
  const unknown = await database.rows<{ path: string }>(
    'select path from unnest($1::text[]) as path where path not in (select path from archived_day) order by path',
    [listed],
  );
  return unknown.map(({ path }) => files.nameOf(path));
}
