import { spawnSync } from 'node:child_process';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Check } from '../../src/alerts/judgement.ts';
import { sweep } from '../../src/archive/keep.ts';
import { moveDay } from '../../src/archive/move.ts';
import { assertArchivePlace, holdArchive } from '../../src/archive/place.ts';
import { archiveChecks } from '../../src/commands/actions/doctor-checks.ts';
import { DAY } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { MAIN } from '../kit/joined-program.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { BEGIN, HISTORY, archiveGround, moveAll, placesOf, write } from './archive-ground.ts';

const databases = useDatabases();

/** A database whose first day is archived, and the same as a host sees it on which another directory is in the place of the archive. */
async function twoHosts() {
  const { database, projectId, directory } = await archiveGround(databases);
  await write(database, projectId, HISTORY);
  await moveAll(database);
  const late = { sensor: 'a', at: BEGIN + 7, value: 7, precision: undefined, labels: [] };
  await write(database, projectId, [late]);
  const local = await makeTempDirectory('local');
  const unmounted: Database = { ...database, archive: { directory: local.path, after: DAY } };
  const marker = join(directory.path, 'databridge-archive');
  return { database, projectId, directory, local, unmounted, marker };
}

/** Where 96 readings of 101 are archived, and one late one waits to be merged. */
const BEFORE = { rows: 5, archived: 96, found: 96 };
const MERGED = { rows: 4, archived: 97, found: 97 };

const refused = (database: Database, remedy: string) => ({
  code: 'config-invalid',
  message: expect.stringContaining(`${database.archive?.directory} is`) as unknown,
  remedy: expect.stringContaining(remedy) as unknown,
});

it('moves nothing into a directory that is not the archive, and writes nothing there', async () => {
  const { database, projectId, directory, local, unmounted, marker } = await twoHosts();
  const id = (await database.row<{ id: string }>('select id from archive_place'))?.id ?? '';
  expect(await readFile(marker, 'utf8')).toBe(`${id}\n`);
  for (const refusing of [
    () => moveDay(unmounted, { projectId, day: BEGIN }),
    () => moveAll(unmounted),
    () => sweep(unmounted),
    () => assertArchivePlace(unmounted),
  ])
    await expect(refusing()).rejects.toMatchObject(refused(unmounted, `write ${id} into`));
  expect(await readdir(local.path)).toEqual([]);
  // Also where the directory is not there at all, it is not made.
  await rm(local.path, { recursive: true });
  await expect(moveAll(unmounted)).rejects.toMatchObject(refused(unmounted, 'mount the archive'));
  await expect(readdir(local.path)).rejects.toThrow('ENOENT');
  expect(await placesOf(database, directory.path)).toEqual(BEFORE);
  const checks: Check[] = [];
  for await (const check of archiveChecks(unmounted)) checks.push(check);
  expect(checks).toMatchObject([{ state: 'failed', detail: expect.stringContaining('has no file') as unknown }]);
  expect(await moveAll(database)).toEqual(['merged']);
  expect(await placesOf(database, directory.path)).toEqual(MERGED);
  await directory.remove();
});

it('does not start a worker where the directory is not the archive, and says how to mend it', async () => {
  const { database, directory, local, marker } = await twoHosts();
  const started = (archive: string, ...command: string[]) =>
    spawnSync(process.execPath, [MAIN, ...command], {
      env: { ...process.env, DATABASE_URL: database.url, DATABRIDGE_HOME: directory.path, DATABRIDGE_ARCHIVE: archive },
      encoding: 'utf8',
      timeout: 60_000,
    });
  for (const command of [['worker'], ['archive', 'run']]) {
    const { status, stderr } = started(local.path, ...command);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('mount the archive') as unknown });
  }
  expect(await readdir(local.path)).toEqual([]);
  // What the remedy says of an archive that lies there without its marker.
  const id = await readFile(marker, 'utf8');
  await rm(marker);
  expect(started(directory.path, 'archive', 'run')).toMatchObject({ status: 2 });
  await writeFile(marker, id);
  expect(started(directory.path, 'archive', 'run')).toMatchObject({ status: 0, stderr: '' });
  await Promise.all([directory.remove(), local.remove()]);
});

it('knows a directory that has days of an earlier version by one of their files, whole in size', async () => {
  const { database, directory, local, unmounted, marker } = await twoHosts();
  await database.run('delete from archive_place');
  await rm(marker);
  await expect(moveAll(unmounted)).rejects.toMatchObject(refused(unmounted, 'from a copy'));
  await assertArchivePlace(database);
  // To look begins nothing.
  expect(await database.row('select from archive_place')).toBeUndefined();
  const day = await database.row<{ path: string }>('select path from archived_day');
  const path = join(directory.path, day?.path ?? '');
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(1));
  await expect(moveAll(database)).rejects.toMatchObject(refused(database, 'from a copy'));
  await writeFile(path, bytes);
  expect(await moveAll(database)).toEqual(['merged']);
  const row = await database.row<{ id: string }>('select id from archive_place');
  expect(await readFile(marker, 'utf8')).toBe(`${row?.id}\n`);
  await expect(moveAll(unmounted)).rejects.toMatchObject(refused(unmounted, 'mount the archive'));
  await Promise.all([directory.remove(), local.remove()]);
});

it('begins an archive once, and never in that of another bridge or where its marker cannot be written', async () => {
  const { database, directory, local, unmounted, marker } = await twoHosts();
  const other: Database = { ...(await databases.create()), archive: database.archive };
  await expect(holdArchive(other)).rejects.toMatchObject(refused(other, 'a directory of its own'));
  const beyond: Database = { ...other, archive: { directory: join(marker, 'below'), after: DAY } };
  await expect(holdArchive(beyond)).rejects.toMatchObject({ code: 'config-invalid' });
  expect(await other.row('select from archive_place')).toBeUndefined();
  // Two hosts that begin at once with a directory each.
  const second = await makeTempDirectory('second');
  const hosts = [unmounted, { ...unmounted, archive: { directory: second.path, after: DAY } }].map(
    ({ archive }): Database => ({ ...other, archive }),
  );
  const begun = await Promise.allSettled(hosts.map(holdArchive));
  expect(begun.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect([...(await readdir(local.path)), ...(await readdir(second.path))]).toEqual(['databridge-archive']);
  await Promise.all([directory.remove(), local.remove(), second.remove()]);
});
