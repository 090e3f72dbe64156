import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { damagedDays, listDays, sweep, unknownFiles } from '../../src/archive/keep.ts';
import { DAY } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { startBucketOfRun } from '../kit/real-bucket.ts';
import { storeSource } from '../kit/stored-source.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { BEGIN, HISTORY, keyOf, linesIn, linesOf, moveAll, reached, write } from './archive-ground.ts';

const databases = useDatabases();

/** The simulator, which takes no conditional write here; with `DATABRIDGE_TEST_BUCKET=real` the API of S3 that OpenStack Swift has. */
it('moves, merges, brings back and sweeps days in a store that others wrote', async () => {
  const store = await startBucketOfRun();
  const directory = await makeTempDirectory('archive');
  const archive = { directory: directory.path, after: DAY, bucket: reached(store) };
  const database: Database = { ...(await databases.create()), archive };
  const { projectId } = await storeSource(database);
  const model = new Map(HISTORY.map((each) => [keyOf(each), each]));
  const forget = async (): Promise<void> => {
    for (const name of await readdir(directory.path))
      if (name.startsWith('project=')) await rm(join(directory.path, name), { recursive: true });
  };
  await write(database, projectId, HISTORY);
  expect(await moveAll(database)).toEqual(['moved']);
  await forget();
  expect(await linesOf(database, projectId)).toEqual(linesIn(model));
  const late = { sensor: 'a', at: BEGIN + 1, value: 7, precision: 2, labels: ['late'] };
  await write(database, projectId, [late]);
  expect(await moveAll(database)).toEqual(['merged']);
  model.set(keyOf(late), late);
  await forget();
  expect(await linesOf(database, projectId)).toEqual(linesIn(model));
  for await (const day of damagedDays(database, await listDays(database), { whole: true }))
    throw new Error(JSON.stringify(day));
  await database.run(`update archived_day set replaced_at = now() - interval '31 days' where replaced_at is not null`);
  await sweep(database);
  expect(await unknownFiles(database)).toEqual([]);
  expect(await database.rows('select from archived_day')).toHaveLength(1);
  await forget();
  expect(await linesOf(database, projectId)).toEqual(linesIn(model));
  await store.close();
  await directory.remove();
});
