import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { runHere } from '../kit/command-here.ts';
import type { RanHere } from '../kit/command-here.ts';
import { useDatabases } from '../kit/databases.ts';
import { BEGIN, HISTORY, archiveGround, keyOf, linesIn, linesOf, placesOf, write } from './archive-ground.ts';
import type { Point } from './archive-ground.ts';

const databases = useDatabases();

const late = (sensor: string, hour: number): Point => ({
  sensor,
  at: BEGIN + hour * HOUR + 1,
  value: hour,
  precision: 2,
  labels: ['late'],
});

/**
 * The drill of docs/archive.md, by its commands: after each backup the directory is copied, and both are lost. What the restored bridge shows
 * must be what the other one had stored when the backup was made.
 */
it('brings rows and files back together from any backup and one copy of the directory', async () => {
  const { database: first, projectId, directory } = await archiveGround(databases);
  const [archive, copy, earlyCopy] = ['archive', 'copy', 'early-copy'].map((name) => join(directory.path, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(archive);
  let { url } = first;
  const opened = async (): Promise<Database> => ({
    ...(await databases.another({ url })),
    archive: { directory: archive, after: 60 * DAY },
  });
  let database = await opened();
  const bridge = async (...args: string[]): Promise<RanHere> =>
    await runHere(args, {
      PATH: process.env['PATH'],
      DATABASE_URL: url,
      DATABRIDGE_HOME: directory.path,
      DATABRIDGE_ARCHIVE: archive,
    });
  const well = async (...args: string[]): Promise<void> =>
    expect(await bridge(...args)).toMatchObject({ code: 0, stderr: '' });
  const copied = (from: string, to: string): Promise<void> =>
    cp(from, to, { recursive: true, filter: (path) => !path.includes('.work') });

  const model = new Map<string, Point>();
  const store = async (points: readonly Point[]): Promise<void> => {
    await write(database, projectId, points);
    for (const point of points) model.set(keyOf(point), point);
  };
  const backups: { readonly file: string; readonly lines: string[] }[] = [];
  const backUp = async (name: string): Promise<void> => {
    const file = join(directory.path, name);
    await well('backup', file);
    await copied(archive, copy);
    backups.push({ file, lines: linesIn(model) });
  };
  const restore = async (file: string): Promise<void> => {
    url = await databases.createEmpty();
    await well('restore', file);
    database = await opened();
  };

  await store(HISTORY);
  await backUp('rows');
  await well('archive', 'run');
  expect(await placesOf(database, archive)).toEqual({ rows: 4, archived: 96, found: 96 });
  await backUp('moved');
  await copied(archive, earlyCopy);
  await store([late('a', 3), late('b', 4)]);
  await backUp('late');
  await well('archive', 'run');
  await backUp('merged');
  await store([late('c', 5)]);
  await well('archive', 'run');
  expect(await linesOf(database, projectId)).toEqual(linesIn(model));

  for (const { file, lines } of backups.toReversed()) {
    await rm(archive, { recursive: true });
    await copied(copy, archive);
    await restore(file);
    if (file.endsWith('rows')) await rm(join(archive, 'databridge-archive'));
    await well('archive', 'check');
    expect(await linesOf(database, projectId)).toEqual(lines);
    // What came after the backup comes again, and is stored once.
    await write(database, projectId, [...model.values()]);
    await well('archive', 'run');
    expect(await linesOf(database, projectId)).toEqual(linesIn(model));
    expect(await placesOf(database, archive)).toEqual({ rows: 4, archived: 99, found: 99 });
  }

  // A copy that is older than the backup: the bridge names the day, and shows nothing in its place.
  const { file, lines } = backups.at(-1) as (typeof backups)[0];
  await rm(archive, { recursive: true });
  await copied(earlyCopy, archive);
  await restore(file);
  expect(await bridge('archive', 'check')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('is missing') as unknown,
  });
  await expect(linesOf(database, projectId)).rejects.toMatchObject({ code: 'config-invalid' });
  await copied(copy, archive);
  expect(await linesOf(database, projectId)).toEqual(lines);
  await directory.remove();
});
