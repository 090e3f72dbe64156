import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest } from './operator-rig.ts';

// Time that cannot be read, as operators are told of it by the commands and by the operator API.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let url: string;

beforeEach(async () => {
  database = await databases.create();
  ({ url } = database);
  const stored = await storeSource(database, 'hall-3');
  const config = {
    name: 'hall-3',
    project: 'project',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: 'https://influx.example', username: 'reader', password: 'sealed' },
    options: { database: 'plant' },
  };
  await database.run(
    `update source set kind = 'user-credentials', platform = 'influxdb', config = $1, start_at = '2026-11-01Z'`,
    [JSON.stringify(config)],
  );
  await database.run('update work set ended_at = now(), well_at = now()');
  const fault = { code: 'contract-broken', message: 'half a page', at: '2026-11-02T00:00:00Z' };
  // Of the second stream a stretch was read since, and one stretch is no part of the backfill.
  for (const [key, covered] of [
    ['pumps', '{[2026-11-01Z,2026-11-01T02:00Z)}'],
    ['valves', '{[2026-11-01T05:00Z,2026-11-01T06:00Z)}'],
  ] as const) {
    const streamId = await storeStream(database, stored, key);
    await database.run('update stream set covered = $2::tstzmultirange where id = $1', [streamId, covered]);
    await database.run(
      `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault)
       values ($1, '2026-11-01T05:00Z', '2026-11-01T05:00:01Z', 3, '2026-11-03T08:00Z', $2),
         ($1, '2026-11-02T05:00Z', '2026-11-02T05:01Z', 3, '2026-11-03T08:00Z', $2)`,
      [streamId, JSON.stringify(fault)],
    );
  }
  await database.run(
    `with begun as (insert into backfill (source_id, from_at, to_at, what, requested_by)
       values ($1, '2026-11-01Z', '2026-11-02Z', 'missing', 'test') returning id)
     insert into backfill_stream (backfill_id, stream_id) select begun.id, stream.id from begun, stream`,
    [stored.sourceId],
  );
  api = await startOperatorApi(database);
});

afterEach(() => api.close());

const printed = async (...args: readonly string[]): Promise<string> => {
  const env = { DATABASE_URL: url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' };
  return (await databridgeHere(args, { env })).stdout;
};

const document = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse(await printed(...args, '--json')) as unknown;

it('the list of sources counts it, on the command line and in the API', async () => {
  expect(await printed('source', 'list')).toMatch(/3 stretches of time cannot be read/);
  const listed = [{ name: 'hall-3', unreadable: 3 }];
  expect(await document('source', 'list')).toMatchObject(listed);
  const as = await api.operator('anna', 'viewer');
  expect((await api.send('GET', '/api/v1/sources', { as })).json).toMatchObject({ items: listed });
});

it('a source tells each stretch, why, and when it is tried again', async () => {
  const text = await printed('source', 'show', 'hall-3');
  expect(text).toContain(`
  unreadable: 1m1s in 2 stretches, asked around and tried again slowly
    2026-11-01T05:00:00Z/2026-11-01T05:00:01Z, next try 2026-11-03T08:00:00Z: contract-broken: half a page
    2026-11-02T05:00:00Z/2026-11-02T05:01:00Z, next try 2026-11-03T08:00:00Z: contract-broken: half a page
    try: look at these points on the platform; databridge source poll asks for all of them at once
`);
  const second = { from: '2026-11-02T05:00:00Z', to: '2026-11-02T05:01:00Z', retryAt: '2026-11-03T08:00:00Z' };
  const shown = {
    streams: [
      { key: 'pumps', unreadableCount: 2, unreadable: [{ from: '2026-11-01T05:00:00Z' }, second] },
      { key: 'valves' },
    ],
  };
  expect(await document('source', 'show', 'hall-3')).toMatchObject(shown);
  const as = await api.operator('anna', 'viewer');
  expect((await api.send('GET', '/api/v1/sources/default/hall-3', { as })).json).toMatchObject(shown);
});

it('stretches before the start are told as not asked for, but where a running backfill asks for them', async () => {
  await database.run(`update source set start_at = '2026-11-02T05:00:30Z'`);
  // The first stretch is in the range of the backfill.
  expect(await printed('source', 'show', 'hall-3')).toContain('2 stretches, asked around and tried again slowly\n');
  await database.run(`update backfill set state = 'cancelled'`);
  expect(await printed('source', 'show', 'hall-3')).toContain(`
  unreadable: 1m1s in 2 stretches, asked around and tried again slowly; not asked for: 1 before the start
    2026-11-01T05:00:00Z/2026-11-01T05:00:01Z, before the start: contract-broken: half a page
    2026-11-02T05:00:00Z/2026-11-02T05:01:00Z, next try 2026-11-03T08:00:00Z: contract-broken: half a page
    try: look`);
  await database.run(`update source set start_at = '2026-11-03Z'`);
  expect(await printed('source', 'list')).not.toContain('cannot be read');
  const text = await printed('source', 'show', 'hall-3');
  expect(text).toContain('  unreadable: 1m1s in 2 stretches before the start, not asked for\n');
  expect(text).not.toContain('try: look at these points');
  const stretch = { from: '2026-11-02T05:00:00Z', retryAt: null };
  expect(await document('source', 'show', 'hall-3')).toMatchObject({
    streams: [{ unreadableLeft: 2, unreadable: [{}, stretch] }, {}],
  });
});

it('a backfill counts the stretches of its range that hold it up', async () => {
  const told = /: running, .*; 1 stretch of it cannot be read \(databridge source show\)$/m;
  expect(await printed('backfill', 'show', '1')).toMatch(told);
  expect(await document('backfill', 'list')).toMatchObject([{ id: 1, unreadable: 1 }]);
  const as = await api.operator('anna', 'viewer');
  expect((await api.send('GET', '/api/v1/backfills/1', { as })).json).toMatchObject({ id: 1, unreadable: 1 });
});
