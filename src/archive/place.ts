import { randomUUID } from 'node:crypto';
import { counted } from '../core/counted.ts';
import { BridgeError, configInvalid } from '../core/errors.ts';
import { rowsOf } from '../database/database.ts';
import type { ArchivePlace } from '../database/archive-place.ts';
import type { Database } from '../database/database.ts';
import { archiveFilesAt } from './files-at.ts';
import type { ArchiveFiles } from './files.ts';
import { archiveOf } from './manifest.ts';

/** The file that names the bridge whose archive a directory is: by the id that its database keeps. */
export const MARKER = 'databridge-archive';

/**
 * Throws `config-invalid` where the directory is not the archive of this bridge, such as an empty one in which nothing is mounted: days that
 * are moved there would be lost to the others. An archive that is to begin has no marker yet. Nothing where the setting is not there.
 */
export async function assertArchivePlace(database: Database): Promise<void> {
  if (database.archive !== undefined) await idOf(database, database.archive);
}

/** For a process that begins: a bucket that does not answer now is no reason not to poll, and each move and read asks it again. */
export async function unlessAway(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'unavailable') throw error;
  }
}

/** The same before something is moved or removed: it begins the archive where there is none yet, with its marker. */
export async function holdArchive(database: Database): Promise<void> {
  const place = archiveOf(database, 1);
  const { id, isNoted } = await idOf(database, place);
  if (isNoted) return;
  const files = await archiveFilesAt(place);
  try {
    await database.transaction(async (client) => {
      const noted = await rowsOf(
        client,
        'insert into archive_place (id) values ($1) on conflict do nothing returning id',
        [id],
      );
      // The row stays only with its file. Where another process noted one meanwhile, that one counts.
      if (noted.length > 0) await files.write(MARKER, `${id}\n`);
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
const mount = ({ bucket }: ArchivePlace): string =>
  bucket === undefined ? `mount the archive there, or correct ${SETTING}` : `correct ${SETTING}`;

/** The id of the archive, or one that it may take. */
async function idOf(
  database: Database,
  place: ArchivePlace,
): Promise<{ readonly id: string; readonly isNoted: boolean }> {
  const files = await archiveFilesAt(place);
  const [name, path] = [files.nameOf(), files.nameOf(MARKER)];
  const row = await database.row<{ id: string }>('select id from archive_place');
  const marked = await markerOf(files);
  if (row !== undefined) {
    if (marked === row.id) return { id: row.id, isNoted: true };
    throw configInvalid(
      `${name} is not the archive of this bridge: ${marked === undefined ? `it has no file ${MARKER}` : `its file ${MARKER} names another one`}`,
      `${mount(place)}; where the archive lies there without that file, write ${row.id} into ${path}`,
      SETTING,
    );
  }
  const days = await database.rows<{ path: string; bytes: number }>(
    'select path, bytes from archived_day where replaced_at is null order by id desc',
  );
  if (days.length === 0) {
    if (marked === undefined) return { id: randomUUID(), isNoted: false };
    throw configInvalid(
      `${name} is the archive of another bridge, as its file ${MARKER} says`,
      `give ${SETTING} ${place.bucket === undefined ? 'a directory' : 'a prefix'} of its own; where this database was restored from a backup from before its first move, remove ${path}`,
      SETTING,
    );
  }
  // Days that a version moved which wrote no marker, or a database restored from its backup: a file of them proves the place.
  if (await hasOne(files, days)) return { id: marked ?? randomUUID(), isNoted: false };
  throw configInvalid(
    `${name} is not the archive of this bridge: it has no file of its ${counted(days.length, 'archived day')}`,
    `${mount(place)}; or bring the files back from a copy of the archive`,
    SETTING,
  );
}

async function hasOne(
  files: ArchiveFiles,
  days: readonly { readonly path: string; readonly bytes: number }[],
): Promise<boolean> {
  for (const { path, bytes } of days) {
    // A file that cannot be looked at proves nothing, and another one may; a bucket that does not answer is a fault of all.
    const found = await files.find(path).catch((error: unknown) => {
      if (isOfFiles(error)) return undefined;
      throw error;
    });
    if (found?.bytes === bytes) return true;
  }
  return false;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The id in a marker; undefined where there is none. One that cannot be read is a fault, because it may be the right one. */
async function markerOf(files: ArchiveFiles): Promise<string | undefined> {
  const path = files.nameOf(MARKER);
  try {
    const text = (await files.read(MARKER))?.trim();
    if (text === undefined || UUID.test(text)) return text;
  } catch (error) {
    if (!isOfFiles(error)) throw error;
    throw configInvalid(`the archive: ${error.message}`, `let the bridge read ${path}`, SETTING);
  }
  throw configInvalid(`${path} holds no id of an archive`, `bring it back from a copy of the archive`, SETTING);
}

const isOfFiles = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && !(error instanceof BridgeError) && 'syscall' in error && 'path' in error;
