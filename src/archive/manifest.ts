import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { counted } from '../core/counted.ts';
import { BridgeError, bridgeInvalid } from '../core/errors.ts';
import { MINUTE, formatInstant, fromMillis } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import { rowsOf } from '../database/database.ts';
import type { Asks, Database } from '../database/database.ts';
import { keptFrom, keptPart } from './kept.ts';

/** A day of a project whose readings are in a file. */
export interface ArchivedDay {
  readonly id: number;
  readonly projectId: number;
  /** Its begin, UTC. */
  readonly day: Instant;
  /** Below the directory of the archive. */
  readonly path: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  readonly readings: number;
  /** Series that have a reading in it. */
  readonly series: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly madeAt: Instant;
}

/** Archived days at an instant. */
export interface Shelf {
  /** Another one after every move and removal inside the range that was asked for. */
  readonly stamp: string;
  readonly days: readonly ArchivedDay[];
  /** The part of the range whose readings are kept. */
  readonly range: Window;
}

/** SQL: the columns of `ArchivedDay`. */
export const DAY_COLUMNS = `
  archived_day.id, archived_day.project_id as "projectId", instant_of(archived_day.day::timestamp at time zone 'UTC') as day,
  archived_day.path, archived_day.sha256, archived_day.bytes, archived_day.readings, archived_day.series,
  instant_of(archived_day.first_at) as "firstAt", instant_of(archived_day.last_at) as "lastAt", instant_of(archived_day.made_at) as "madeAt"`;

/** SQL: the day (UTC) of an instant. */
export const dayAt = (instant: string): string => `(at_instant(${instant}) at time zone 'UTC')::date`;

const PRESENT = `from archived_day where project_id = $1 and replaced_at is null and day >= ${dayAt('$2::bigint')} and day <= ${dayAt('$3::bigint')}`;

/**
 * The archived days of a project that share time with a range, the oldest first. Throws `config-invalid` where there are some and this
 * process does not know where the archive is, because their readings would look like none.
 */
export async function shelfOf(database: Asks, projectId: number, { from, to }: Window): Promise<Shelf> {
  const kept = await keptFrom(database, projectId);
  const days = await database.rows<ArchivedDay & Record<string, unknown>>(
    `select ${DAY_COLUMNS} ${PRESENT} order by day`,
    [projectId, from, to - 1],
  );
  if (days.length > 0) archiveOf(database, days.length);
  const range = keptPart({ from, to }, kept);
  return {
    stamp: stampOf(
      days.reduce((sum, { id }) => sum + id, 0),
      kept,
    ),
    days,
    range,
  };
}

/** The stamp alone. Throws as `shelfOf`, also where the first days of all are moved while a process without the setting reads. */
export async function shelfStamp(database: Asks, projectId: number, { from, to }: Window): Promise<string> {
  const [{ sum, days, kept } = { sum: 0, days: 0, kept: null }] = await database.rows<{
    sum: number;
    days: number;
    kept: Instant | null;
  }>(
    `select coalesce(sum(id), 0) as sum, count(*)::int as days,
       (select instant_of(kept_from) from ml_project where id = $1) as kept ${PRESENT}`,
    [projectId, from, to - 1],
  );
  if (days > 0) archiveOf(database, days);
  return stampOf(sum, kept ?? undefined);
}

const stampOf = (sum: number, kept: Instant | undefined): string => `${sum} ${kept ?? ''}`;

/** Throws `config-invalid` where days are archived and this process does not know where: it would take them for days without readings. */
export async function assertArchiveKnown(database: Asks): Promise<void> {
  if (database.archive !== undefined) return;
  const [row] = await database.rows<{ days: number }>(
    'select count(*)::int as days from archived_day where replaced_at is null',
  );
  if (row !== undefined && row.days > 0) archiveOf(database, row.days);
}

/**
 * Reads rows, the manifest and what is kept in one snapshot, so that no write, move or removal comes between them. `read` asks by the
 * connection of that snapshot alone. Throws `config-invalid` where days are archived and this process does not know where.
 */
export async function inSnapshot<T>(database: Database, read: (asks: Asks) => Promise<T>): Promise<T> {
  const { archive } = database;
  const stamp = async (): Promise<string> => (archive === undefined ? '' : await newest(database));
  for (let before = await stamp(); ;) {
    const [found] = await Promise.allSettled([
      database.transaction(async (client) => {
        await client.query('set transaction isolation level repeatable read, read only');
        const asks: Asks = { archive, rows: (text, values) => rowsOf(client, text, values) };
        if (archive === undefined) await assertArchiveKnown(asks);
        return await read(asks);
      }),
    ]);
    if (found.status === 'fulfilled') return found.value;
    // A file gets another name when its day is merged or removed, which ends a read that has not opened it yet.
    const after = await stamp();
    if (after === before) throw found.reason;
    before = after;
  }
}

/** Another one wherever a file took the place of another or was given up; each is one step in an index, however many days there are. */
const newest = async (database: Database): Promise<string> =>
  (
    await database.row<{ stamp: string }>(
      `select concat((select max(id) from archived_day), ' ', (select max(replaced_at) from archived_day)) as stamp`,
    )
  )?.stamp ?? '';

/** The archive of this process. Throws `config-invalid` where it has none. */
export function archiveOf({ archive }: Pick<Database, 'archive'>, days: number): NonNullable<Database['archive']> {
  if (archive !== undefined) return archive;
  throw bridgeInvalid(
    `${counted(days, 'day')} of these readings ${days === 1 ? 'lies' : 'lie'} in the archive, and DATABRIDGE_ARCHIVE is not set here`,
    'set DATABRIDGE_ARCHIVE to the directory of the archive, as on the host that moved them',
    'DATABRIDGE_ARCHIVE',
  );
}

/** A replaced file takes this ending, so that other programs leave it out. */
export const REPLACED_ENDING = '.replaced';

/** A file that no row knows takes this ending. A database that was restored from another backup may know it. */
export const UNKNOWN_ENDING = '.unknown';

/** A file of a later time than this after its row was changed, or copied, and is compared by its checksum. */
const SAME_TIME = MINUTE;

/** Files that were compared, by path, size and time. */
const compared = new Set<string>();
const MOST_COMPARED = 100_000;

/**
 * The file of an archived day. Throws `config-invalid` where it is missing, cut or changed: a day without its file is no day without
 * readings. `whole`: compare its checksum always.
 */
export async function fileOf(
  { directory }: NonNullable<Database['archive']>,
  day: Pick<ArchivedDay, 'projectId' | 'day' | 'path' | 'sha256' | 'bytes' | 'madeAt'>,
  { whole = false }: { readonly whole?: boolean } = {},
): Promise<string> {
  const text = `the archived day ${formatInstant(day.day).slice(0, 10)}`;
  for (const name of [day.path, day.path + REPLACED_ENDING, day.path + UNKNOWN_ENDING]) {
    const path = join(directory, name);
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    if (found === undefined) continue;
    if (found.size !== day.bytes)
      throw damaged(`${text} has a file of ${found.size} bytes instead of ${day.bytes}: ${path}`);
    const key = `${path} ${found.mtimeMs} ${found.size} ${day.sha256}`;
    if (whole || (fromMillis(Math.floor(found.mtimeMs)) > day.madeAt + SAME_TIME && !compared.has(key))) {
      if ((await sha256Of(path)) !== day.sha256) throw damaged(`${text} has a file that was changed: ${path}`);
      if (compared.size >= MOST_COMPARED) compared.clear();
      compared.add(key);
    }
    return path;
  }
  throw damaged(`${text} has no file: ${join(directory, day.path)} is missing`);
}

/** An error of reading the archive as a fault of the bridge. */
export const archiveFault = (error: unknown): BridgeError =>
  error instanceof BridgeError
    ? error
    : bridgeInvalid(
        `the archive: ${error instanceof Error ? error.message : String(error)}`,
        'databridge archive check lists damaged days; databridge doctor looks at the directory',
        'DATABRIDGE_ARCHIVE',
        error,
      );

const damaged = (message: string) =>
  bridgeInvalid(
    message,
    'bring the file back from a copy of the archive; databridge archive check lists all such days',
    'DATABRIDGE_ARCHIVE',
  );

/** The SHA-256 of a file, hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}
