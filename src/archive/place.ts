import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../core/counted.ts';
import { BridgeError, configInvalid } from '../core/errors.ts';
import { rowsOf } from '../database/database.ts';
import type { ArchivePlace, Database } from '../database/database.ts';
import { REPLACED_ENDING, UNKNOWN_ENDING, archiveOf } from './manifest.ts';

/** The file that names the bridge whose archive a directory is: by the id that its database keeps. */
export const MARKER = 'databridge-archive';

/**
 * Throws `config-invalid` where the directory is not the archive of this bridge, such as an empty one in which nothing is mounted: days that
 * are moved there would be lost to the others. An archive that is to begin has no marker yet. Nothing where the setting is not there.
 */
export async function assertArchivePlace(database: Database): Promise<void> {
  if (database.archive !== undefined) await idOf(database, database.archive);
}

/** The same before something is moved or removed: it begins the archive where there is none yet, with its marker. */
export async function holdArchive(database: Database): Promise<void> {
  const place = archiveOf(database, 1);
  const { id, isNoted } = await idOf(database, place);
  if (isNoted) return;
  try {
    await database.transaction(async (client) => {
      const noted = await rowsOf(
        client,
        'insert into archive_place (id) values ($1) on conflict do nothing returning id',
        [id],
      );
      // The row stays only with its file. Where another process noted one meanwhile, that one counts.
      if (noted.length > 0) await writeMarker(place, id);
    });
  } catch (error) {
    if (!isOfFiles(error)) throw error;
    throw configInvalid(
      `the archive: ${error.message}`,
      `let the bridge write to ${place.directory}, on a disk that is not full`,
      SETTING,
    );
  }
  await idOf(database, place);
}

const SETTING = 'DATABRIDGE_ARCHIVE';
const MOUNT = `mount the archive there, or correct ${SETTING}`;

/** The id of the archive, or one that it may take. */
async function idOf(
  database: Database,
  place: ArchivePlace,
): Promise<{ readonly id: string; readonly isNoted: boolean }> {
  const { directory } = place;
  const path = join(directory, MARKER);
  const row = await database.row<{ id: string }>('select id from archive_place');
  const marked = await markerOf(path);
  if (row !== undefined) {
    if (marked === row.id) return { id: row.id, isNoted: true };
    throw configInvalid(
      `${directory} is not the archive of this bridge: ${marked === undefined ? `it has no file ${MARKER}` : `its file ${MARKER} names another one`}`,
      `${MOUNT}; where the archive lies there without that file, write ${row.id} into ${path}`,
      SETTING,
    );
  }
  const days = await database.rows<{ path: string; bytes: number }>(
    'select path, bytes from archived_day where replaced_at is null order by id desc',
  );
  if (days.length === 0) {
    if (marked === undefined) return { id: randomUUID(), isNoted: false };
    throw configInvalid(
      `${directory} is the archive of another bridge, as its file ${MARKER} says`,
      `give ${SETTING} a directory of its own; where this database was restored from a backup from before its first move, remove ${path}`,
      SETTING,
    );
  }
  // Days that a version moved which wrote no marker, or a database restored from its backup: a file of them proves the place.
  if (await hasOne(place, days)) return { id: marked ?? randomUUID(), isNoted: false };
  throw configInvalid(
    `${directory} is not the archive of this bridge: it has no file of its ${counted(days.length, 'archived day')}`,
    `${MOUNT}; or bring the files back from a copy of the archive`,
    SETTING,
  );
}

async function hasOne(
  { directory }: ArchivePlace,
  days: readonly { readonly path: string; readonly bytes: number }[],
): Promise<boolean> {
  for (const { path, bytes } of days) {
    for (const ending of ['', REPLACED_ENDING, UNKNOWN_ENDING]) {
      const found = await stat(join(directory, path) + ending).catch(() => undefined);
      if (found?.size === bytes) return true;
    }
  }
  return false;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The id in a marker; undefined where there is none. One that cannot be read is a fault, because it may be the right one. */
async function markerOf(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    if (UUID.test(text)) return text;
  } catch (error) {
    if (!isOfFiles(error)) throw error;
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw configInvalid(`the archive: ${error.message}`, `let the bridge read ${path}`, SETTING);
  }
  throw configInvalid(`${path} holds no id of an archive`, `bring it back from a copy of the archive`, SETTING);
}

async function writeMarker({ directory }: ArchivePlace, id: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, MARKER);
  await writeFile(`${path}.${id}`, `${id}\n`, { flush: true });
  await rename(`${path}.${id}`, path);
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const isOfFiles = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && !(error instanceof BridgeError) && 'syscall' in error && 'path' in error;
