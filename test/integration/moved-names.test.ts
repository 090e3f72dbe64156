import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { KnownVariable } from '../../src/platform/contract.ts';
import { newestReadings } from '../../src/source/newest.ts';
import { renamesOf } from '../../src/source/renames.ts';
import { useDatabases } from '../kit/databases.ts';
import { good, makeGround } from './registration-ground.ts';
import type { Ground } from './registration-ground.ts';

// The operator gives a sensor another name while the place of the source changes, or before it is polled there.

const databases = useDatabases();
let ground: Ground;

const named = (as: string): Record<string, unknown> => ({ sensors: [{ id: 'a', as }] });
const MOVED = { connection: { ...good.connection, url: 'https://new.example' } };
const OTHER = { platform: 'other' };
const RENAME = {
  from: { sensorId: 'pump', valueName: 'flow' },
  to: { sensorId: 'pump-7', valueName: 'flow' },
  stored: true,
};

beforeEach(async () => {
  ground = await makeGround(databases);
  await ground.apply(named('pump'));
  await ground.database.run(
    `insert into stream (source_id, key, selection, sensors) select id, 'a', '{"sensors":["a"]}', '[{"id":"a"}]' from source`,
  );
  await ground.database.run(
    `insert into series (project_id, sensor_id, value_name, owner) select project_id, 'pump', 'flow', name from source`,
  );
  await ground.database.run(`insert into series_name select id, 'pump', 'flow', '["a","flow"]' from source`);
});

it('is listed and refused where the address changes with it', async () => {
  const change = { ...named('pump-7'), ...MOVED };
  const told = { move: { coverage: 'begins-anew', fields: ['connection.url'] }, renames: [RENAME] };
  expect(await ground.apply(change, { dryRun: true })).toMatchObject(told);
  await expect(ground.apply(change)).rejects.toThrow(/other names for 1 series .*\n {2}pump flow → pump-7 flow$/);
  expect(await ground.apply(change, { rename: true })).toMatchObject(told);
  // Who agreed is not asked again.
  const values = { flow: { unit: 'l/s' } };
  expect((await ground.apply({ ...MOVED, sensors: [{ id: 'a', as: 'pump-7', values }] })).renames).toEqual([]);
});

it('is listed and refused where the address changed before, and no poll gave names since', async () => {
  expect((await ground.apply({ ...named('pump'), ...MOVED })).renames).toEqual([]);
  const change = { ...named('pump-7'), ...MOVED };
  expect((await ground.apply(change, { dryRun: true })).renames).toEqual([RENAME]);
  await expect(ground.apply(change)).rejects.toThrow(/other names/);
});

it('cannot be told on another platform, unless the file assigns the name', async () => {
  const unknown = { ...RENAME, to: 'not-known' };
  expect((await ground.apply({ ...named('pump'), ...OTHER }, { dryRun: true })).renames).toEqual([unknown]);
  await expect(ground.apply({ ...named('pump'), ...OTHER })).rejects.toThrow(/only the platform can tell/);
  const assigned = { ...OTHER, sensors: [{ id: 'b', as: 'pump', values: { rate: { as: 'flow' } } }] };
  expect((await ground.apply(assigned)).renames).toEqual([]);
});

it('is no rename of readings in another project', async () => {
  const moved = { ...named('pump-7'), project: 'pumps' };
  expect((await ground.apply(moved, { dryRun: true })).renames).toEqual([{ ...RENAME, stored: false }]);
  expect((await ground.apply(moved)).move.coverage).toBe('begins-anew');
});

it('takes what the streams of the place before knew about a sensor', async () => {
  const { database } = ground;
  await database.run(`update stream set sensors = '[{"id":"a","name":"Pump 7"}]'`);
  await ground.apply({ ...named('pump'), ...MOVED });
  const row = await database.row<{ id: number; project: number }>('select id, project_id as project from source');
  const source = { name: 'hall-3', platform: 'plant', sensors: 'all', mapping: { labels: [] } };
  const { renames } = await renamesOf(database, source as never, {
    stored: { id: row?.id, platform: 'plant' } as never,
    before: { options: {}, optionsParsed: true } as never,
    platform: {
      renamed: ({ sensor: { name = '?' }, variable }: KnownVariable) => ({ sensor: name, variable }),
    } as never,
    projectId: row?.project ?? 0,
  });
  expect(renames).toEqual([{ ...RENAME, to: { sensorId: 'Pump 7', valueName: 'flow' } }]);
});

it('of the place before counts no more among the sensors of the source', async () => {
  const source = await ground.database.row<{ id: number }>('select id from source');
  const sensors = async (): Promise<unknown> => newestReadings(ground.database, { id: source?.id ?? 0 });
  const shown = [{ sensor: 'a', sensorId: 'pump', series: 1, newestAt: null }];
  await ground.apply({ ...named('pump'), options: { ...good.options, keys: ['s3cret-other'] } });
  expect(await sensors()).toMatchObject(shown);
  await ground.apply({ ...named('pump'), ...MOVED });
  expect(await sensors()).toEqual([]);
});

it('is compared also where a poll gives it while the change is compared, so that the next change takes it for no rename', async () => {
  const { database } = ground;
  await database.run('delete from series_name');
  let transactions = 0;
  const polled: Database = {
    ...database,
    async transaction(work) {
      if ((transactions += 1) === 1)
        await database.run(`insert into series_name select id, 'pump', 'flow', '["a","flow"]' from source`);
      return await database.transaction(work);
    },
  };
  const applied = await ground.apply(named('pump-7'), { database: polled, rename: true });
  expect(applied).toMatchObject({ renames: [RENAME] });
  expect(await database.rows('select from series_name')).toEqual([]);
  const connection = { ...good.connection, password: 's3cret-second' };
  expect(await ground.apply({ ...named('pump-7'), connection })).toMatchObject({ action: 'changed', renames: [] });
});
