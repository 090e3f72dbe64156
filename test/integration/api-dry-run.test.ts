import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { answerOf } from '../../src/client/answer.ts';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn } from '../kit/stored-source.ts';
import { expectProblem, pushAs, startApi, PATH } from './api-rig.ts';
import type { Answered, ApiUnderTest } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases, { DATABRIDGE_API_READINGS: '2000' });
});

afterAll(async () => {
  await api.close();
});

const DATE = '2026-11-20T08:15:30Z';
const tryOut = (body: unknown, query = 'dryRun=true', ...more: string[]): Promise<Answered> =>
  pushAs(api.client, `${api.url}${PATH}?${query}`, body, ...more);

/** Everything that a push may change. */
const state = async (): Promise<unknown> => [
  await readingsIn(api.database),
  await api.database.rows('select sensor_id, value_name, owner from series order by id'),
  await api.database.rows('select labels from label_set order by id'),
  await api.database.rows('select sum(refused)::int as refused, sum(kept)::int as kept from refusal_count'),
  await api.database.rows('select count(*) from refusal'),
  await api.database.rows(
    `select relname from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'reading'::regclass order by 1`,
  ),
];

it('answers as a push of the same body then does, and changes nothing', async () => {
  await api.push([
    { sensorId: 'a', date: DATE, value: 1 },
    { sensorId: 'a', date: '2026-11-20T08:15:31Z', value: 1, labels: ['x', 'y'] },
    { sensorId: 'a', date: '2026-11-20T08:15:32Z', value: 1, precision: 3 },
    { sensorId: 'a', date: '2026-11-20T08:15:33Z', value: 1 },
    { sensorId: 'bad', date: 'never', value: 1 },
  ]);
  await api.database.run(`insert into series (project_id, sensor_id, value_name, owner)
    select id, 'pulled', 'none', 'plant' from ml_project where code = 'hall'`);
  const body = [
    { sensorId: 'a', date: DATE, value: 1 },
    { sensorId: 'a', date: '2026-11-20T08:15:31Z', value: 1, labels: ['y', 'x'] },
    { sensorId: 'a', date: '2026-11-20T08:15:32Z', value: 1, precision: 4 },
    { sensorId: 'a', date: '2026-11-20T08:15:33Z', value: 1, labels: ['never seen'] },
    { sensorId: 'a', date: '2026-11-20T08:15:34Z', value: 1 },
    { sensorId: 'a', date: '2026-11-20T08:15:34Z', value: 1 },
    { sensorId: 'new', valueName: 'v', date: '2031-02-03T00:00:00Z', value: 1 },
    { sensorId: 'new', valueName: 'v', date: '2024-02-03T00:00:00Z', value: 1, labels: ['brand new'] },
    { sensorId: 'pulled', date: DATE, value: 1 },
    { sensorId: 'refused', date: DATE, value: 'text', unit: 'K' },
  ];
  const before = await state();
  const tried = await tryOut(body);
  expect(await state()).toEqual(before);
  expect(tried).toMatchObject({ status: 200 });
  const { dryRun, ...answer } = tried.json as { dryRun: unknown };
  expect(dryRun).toEqual({
    series: 2,
    newSeries: 1,
    listed: [
      {
        sensorId: 'new',
        valueName: 'v',
        readings: 1,
        first: '2024-02-03T00:00:00Z',
        last: '2024-02-03T00:00:00Z',
        isNew: true,
      },
      { sensorId: 'a', valueName: 'none', readings: 5, first: DATE, last: '2026-11-20T08:15:34Z', isNew: false },
    ],
  });
  // The client of this bridge takes the answer for one to a push.
  expect(answerOf(200, tried.body, body.length)).toMatchObject({ accepted: 2, duplicates: 3, revised: 2 });
  const pushed = await api.push(body);
  expect(pushed.json).toEqual(answer);
  expect(await state()).not.toEqual(before);
  expect((await tryOut(body)).json).toMatchObject({ accepted: 0, duplicates: 7, revised: 0, dryRun: { newSeries: 0 } });
});

it('is refused as a push is', async () => {
  expect(await tryOut([{ sensorId: 'a', value: 1 }])).toMatchObject({
    status: 422,
    json: { refusedCount: 1, dryRun: { series: 0 } },
  });
  expectProblem(await tryOut('{'), 400, 'not-json');
  expectProblem(await tryOut(Array(2_001).fill({})), 413, 'too-many-readings');
  expectProblem(await tryOut(gzipSync('[]'), 'dryRun=true', '-H', 'Content-Encoding: br'), 415, 'unsupported-encoding');
  expectProblem(await pushAs({ ...api.client, token: 'x' }, `${api.url}${PATH}?dryRun=true`, []), 401, 'invalid-token');
  expect(await tryOut([])).toMatchObject({ status: 200, json: { accepted: 0, dryRun: { series: 0, listed: [] } } });
});

test.each([
  'dryRun=1',
  'dryRun=TRUE',
  'dryRun',
  'dryRun=true&dryRun=true',
  'dryrun=true',
  'dry_run=true',
  'dry-run=false',
])('%s stores nothing either, because its sender may not want it', async (query) => {
  const before = await state();
  expectProblem(await tryOut([{ sensorId: 'z', date: DATE, value: 1 }], query), 400, 'bad-query');
  expect(await state()).toEqual(before);
});

it('is a push with dryRun=false, and other parameters are ignored', async () => {
  const { json } = await tryOut([{ sensorId: 'real', date: DATE, value: 1 }], 'dryRun=false&run=dry');
  expect(json).toMatchObject({ accepted: 1 });
  expect(json).not.toHaveProperty('dryRun');
});
