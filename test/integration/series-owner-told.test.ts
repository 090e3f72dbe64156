import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { startApi } from './api-rig.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

// What an operator and a client of the push API see of the owners of series.

/** The account that runs the tests. The environment does not decide it. */
const ACTOR = `cli:${userInfo().username}`;

const databases = useDatabases();

const runOn = (database: Database, ...args: readonly string[]): Promise<Ran> =>
  databridgeHere(args, {
    env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere', USER: 'anna' },
  });

/** Series of project 1, each with its owner, which the source `south` asks for, too. */
async function storeSeries(database: Database, owners: Readonly<Record<string, string>>): Promise<void> {
  await database.run(
    `insert into series (project_id, sensor_id, value_name, owner) select 1, sensor, 'none', owner from unnest($1::text[], $2::text[]) as given (sensor, owner)`,
    [Object.keys(owners), Object.values(owners)],
  );
  await database.run(
    `insert into series_name (source_id, sensor_id, value_name, holder)
     select source.id, sensor_id, value_name, '["s","v"]' from source, series where source.name = 'south'`,
  );
}

test('an operator sees the owners of series that a source asks for, and hands them over by the command shown', async () => {
  const database = await databases.create();
  for (const name of ['north', 'south']) await storeSource(database, name);
  await storeSeries(database, { a: 'north', b: 'north', c: '', d: 'south' });
  const shown = await runOn(database, 'source', 'show', 'south');
  expect(shown.stdout).toContain(`
2 series belong to source north: points of this source for them are refused
  try: other names, or databridge source take-over south --from north

1 series belongs to pushing applications: points of this source for it are refused
  try: other names, or databridge source take-over south --from-pushed
`);
  expect(await runOn(database, 'source', 'take-over', 'south', '--from', 'north')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^source south took over 2 series from source north\n/) as string,
  });
  const pushed = await runOn(database, 'source', 'take-over', 'south', '--from-pushed', '--sensor', 'c', '--json');
  expect(JSON.parse(pushed.stdout)).toEqual({ source: 'south', organisation: 'default', from: null, series: 1 });
  const json = await runOn(database, 'source', 'show', 'south', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ seriesOfOthers: [] });
  expect(await database.rows('select distinct owner from series')).toEqual([{ owner: 'south' }]);
  expect(await runOn(database, 'source', 'take-over', 'south', '--from', 'north')).toMatchObject({ code: 2 });
  expect(await runOn(database, 'source', 'take-over', 'south')).toMatchObject({ code: 2 });
  expect(await runOn(database, 'source', 'take-over', 'south', '--from', 'south')).toMatchObject({ code: 2 });
  expect(await database.rows('select actor, action, subject from audit order by id')).toEqual(
    Array.from({ length: 2 }, () => ({ actor: ACTOR, action: 'source.take-over', subject: 'south' })),
  );
});

test('an operator who names a series of another owner in a source is told so when the source is applied', async () => {
  const database = await databases.create();
  await storeSource(database, 'north');
  await storeSeries(database, { pump: 'north', press: '', mine: 'west' });
  const values = { v: { as: 'none' } };
  const source = {
    name: 'west',
    project: 'project',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: 'http://127.0.0.1:9', username: 'reader', password: 's3cret' },
    options: { database: 'plant' },
    sensors: [
      { id: 'p1', as: 'pump', values },
      { id: 'p2', as: 'press', values },
      { id: 'mine', values },
      { id: 'new', values },
    ],
    schedule: { every: '1m' },
  };
  const applied = await databridgeHere(['source', 'apply', '--dry-run', '-'], {
    stdin: JSON.stringify(source),
    env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
  });
  expect(applied).toMatchObject({ code: 3, stderr: '' });
  expect(applied.stdout).toBe(`source west would be created
  1 of the series that it names belong to source north, so its points for them are refused
    try: other names, or databridge source take-over west --from north
  1 of the series that it names belong to pushing applications, so its points for them are refused
    try: other names, or databridge source take-over west --from-pushed
`);
});

test('a client is told that a pushed reading belongs to a source, and its other readings are stored', async () => {
  const api = await startApi(databases);
  const { database } = api;
  await storeSeries(database, { pump: 'north' });
  const at = (second: number): string => `2026-03-01T00:00:0${second}Z`;
  const body = [
    { sensorId: 'pump', date: at(0), value: 1 },
    { sensorId: 'press', date: at(0), value: 2 },
    { sensorId: 'pump', date: at(1), value: 3 },
  ];
  const refused = (index: number) => ({ index, pointer: `/${index}/sensorId`, reason: 'series-of-another' });
  expect(await api.push(body)).toMatchObject({
    status: 200,
    json: { accepted: 1, refusedCount: 2, refused: [refused(0), refused(2)] },
  });
  expect(await api.push(body.filter(({ sensorId }) => sensorId === 'pump'))).toMatchObject({ status: 422 });
  expect(await database.rows('select sensor_id as sensor, owner from series order by 1')).toEqual([
    { sensor: 'press', owner: '' },
    { sensor: 'pump', owner: 'north' },
  ]);
  expect(await database.rows('select value from reading')).toEqual([{ value: 2 }]);
  await api.close();
});
