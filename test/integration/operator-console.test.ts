import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '../../src/core/instant.ts';
import { makePartitions } from '../../src/database/partitions.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// What a console shows and changes beyond one source.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let root: SignedIn;
let anna: SignedIn;
let nora: SignedIn;

beforeAll(async () => {
  const database = await databases.create();
  const { projectId } = await storeSource(database);
  api = await startOperatorApi(database);
  root = await api.operator('root', 'admin');
  anna = await api.operator('anna', 'operator');
  nora = await api.operator('nora', 'admin', ['north']);
  await database.run(
    `insert into series (project_id, sensor_id, value_name) select $1, sensor, name from unnest(array['pump-1', 'pump-2', 'Fan']) as sensor, unnest(array['flow', 'heat']) as name`,
    [projectId],
  );
  const begin = Date.UTC(2026, 0, 1) * 1_000;
  await database.transaction((client) => makePartitions(client, 'reading', begin, begin + HOUR));
  await database.run(
    `insert into reading (series, at, value) select series.id, timestamptz '2026-01-01Z' + n * interval '1 second', n
     from series, generate_series(0, 99) as n where sensor_id = 'pump-1' and value_name = 'flow'`,
  );
});

afterAll(async () => {
  await api?.close();
});

const get = (path: string, as = anna) => api.send('GET', `/api/v1${path}`, { as });
const PROJECT = '/projects/default/project';

describe('the overview', () => {
  it('judges the bridge, and tells an operator of some organisations of these alone', async () => {
    const { json, status } = await get('/overview');
    expect(status).toBe(200);
    expect(json).toMatchObject({ sources: 1, conditions: { starting: 1 }, workers: [], disks: [] });
    expect((await get('/overview', nora)).json).toMatchObject({
      sources: 0,
      conditions: {},
      // That nothing is polled concerns everybody.
      state: 'failed',
      troubles: [{ kind: 'planner' }],
    });
    expect((await get('/overview', nora)).json).not.toHaveProperty('disks');
  });

  it('is made once for all that ask', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => get('/overview')));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

describe('series', () => {
  it('are found by a part of their names, page by page', async () => {
    const names = async (query: string) => {
      const { items } = (await get(`${PROJECT}/series?${query}`)).json as { items: Record<string, string>[] };
      return items.map(({ sensorId, valueName }) => `${sensorId} ${valueName}`);
    };
    expect(await names('text=FAN')).toEqual(['Fan flow', 'Fan heat']);
    expect(await names('sensor=pump-*&text=heat')).toEqual(['pump-1 heat', 'pump-2 heat']);
    const first = (await get(`${PROJECT}/series?limit=5`)).json as { items: unknown[]; next: string };
    expect(first.items).toContainEqual(
      expect.objectContaining({ sensorId: 'pump-1', valueName: 'flow', newestAt: '2026-01-01T00:01:39Z', owner: null }),
    );
    expect(await names(`limit=5&cursor=${first.next}`)).toEqual(['pump-2 heat']);
  });

  it('have their readings in bins, and nothing where there are none', async () => {
    const range = 'from=2026-01-01T00:00:00Z&to=2026-01-01T00:03:20Z';
    const { json } = await get(`${PROJECT}/bins?sensorId=pump-1&valueName=flow&bins=4&${range}`);
    expect(json).toMatchObject({
      bins: 4,
      items: [
        { bin: 0, min: 0, max: 49, mean: 24.5, count: 50 },
        { bin: 1, min: 50, max: 99, mean: 74.5, count: 50 },
      ],
    });
    for (const [query, status] of [
      [`sensorId=pump-9&valueName=flow&${range}`, 404],
      [`sensorId=pump-1&valueName=flow&bins=2001&${range}`, 400],
      ['sensorId=pump-1&valueName=flow&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 400],
      ['sensorId=pump-1&valueName=flow&from=1800-01-01T00:00:00Z&bins=2000', 400],
    ] as const)
      expect((await get(`${PROJECT}/bins?${query}`)).status).toBe(status);
  });
});

it('a platform says which fields its sources have, and what to ask the customer for', async () => {
  const { json } = await get('/platforms/influxdb/guide');
  const { schema, askTheCustomer } = json as { schema: string; askTheCustomer: string };
  expect(JSON.parse(schema)).toMatchObject({ title: 'databridge source' });
  expect(askTheCustomer).toMatch(/^- The address of the server/);
  expect(askTheCustomer).not.toContain('## ');
});

describe('operators', () => {
  const send = (method: string, path: string, body?: unknown, as = root) =>
    api.send(method, `/api/v1/operators${path}`, { as, ...(body !== undefined && { body }) });

  it('are created, get a token and a role, are signed out and disabled, and each change is audited', async () => {
    const created = await send('POST', '', { name: 'otto', role: 'viewer' });
    expect(created).toMatchObject({ status: 201, json: { name: 'otto', organisations: null, tokens: 0 } });
    expect(created.headers.get('location')).toBe('/api/v1/operators/otto');
    const { token, id } = (await send('POST', '/otto/tokens', { name: 'laptop' })).json as Record<string, string>;
    const otto = { token: token ?? '' };
    const me = async () => (await api.send('GET', '/api/v1/me', { as: otto })).status;
    expect(await me()).toBe(200);
    expect((await send('PUT', '/otto/role', { role: 'operator' })).json).toEqual({ name: 'otto', changed: true });
    expect((await send('PUT', '/otto/organisations', { organisations: ['none'] })).status).toBe(400);
    expect((await send('PUT', '/otto/organisations', { organisations: ['default'] })).json).toMatchObject({
      changed: true,
    });
    expect((await send('GET', '/otto/tokens')).json).toMatchObject({ items: [{ id, name: 'laptop' }], next: null });
    expect((await send('GET', '/otto/tokens')).text).not.toContain(token);
    expect((await send('DELETE', `/anna/tokens/${id}`)).status).toBe(404);
    expect((await send('DELETE', `/otto/tokens/${id}`)).json).toEqual({ id, revoked: true });
    expect(await me()).toBe(401);
    expect((await send('POST', '/otto/sign-out')).json).toEqual({ name: 'otto', sessions: 0 });
    expect((await send('POST', '/otto/disable')).json).toEqual({ name: 'otto', changed: true });
    expect((await send('POST', '/otto/disable')).json).toEqual({ name: 'otto', changed: false });
    expect((await send('GET', '/nobody')).status).toBe(404);
    const { text } = await api.send('GET', '/api/v1/audit/export?action=operator.*&format=jsonl', { as: root });
    const actions = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { action: string; actor: string; subject: string });
    expect(
      actions
        .filter(({ subject, actor }) => subject === 'otto' && actor === 'operator:root')
        .map(({ action }) => action),
    ).toEqual([
      'operator.disabled',
      'operator.signed-out',
      'operator.token-revoked',
      'operator.organisations',
      'operator.role',
      'operator.token-created',
      'operator.created',
    ]);
  });

  it('are nothing for an operator or for an admin of some organisations', async () => {
    expect((await send('GET', '', undefined, anna)).status).toBe(403);
    expect((await send('GET', '', undefined, nora)).status).toBe(403);
  });
});

it('an audit as CSV has a line an entry, and no cell that a program takes for a formula', async () => {
  await api.database.run(
    `insert into audit (actor, action, subject, detail) values ('test', 'test.csv', '=1+1', '{"a":"x,\\"y"}')`,
  );
  const { text, headers } = await api.send('GET', '/api/v1/audit/export?action=test.csv', { as: root });
  expect(headers.get('content-type')).toMatch(/^text\/csv/);
  expect(text.split('\r\n')[0]).toBe('"id","at","actor","action","subject","detail"');
  expect(text.split('\r\n')[1]).toContain(`"test","test.csv","'=1+1","{""a"":""x,\\""y""}"`);
});

describe('many sources at once', () => {
  const change = (body: unknown, as = anna) => api.send('POST', '/api/v1/sources/actions', { as, body });
  const source = { organisation: 'default', name: 'source' };

  it('are changed one by one, and each has its answer', async () => {
    const { json } = await change({ action: 'pause', sources: [source, { ...source, name: 'none' }] });
    expect(json).toMatchObject({ done: 1, failed: 1, items: [{ done: true }, { name: 'none', done: false }] });
    expect((await change({ action: 'resume', filter: { state: 'paused' } })).json).toMatchObject({
      done: 1,
      failed: 0,
    });
  });

  it('of another organisation are as if they did not exist', async () => {
    expect((await change({ action: 'pause', sources: [source] }, nora)).json).toMatchObject({ done: 0, failed: 1 });
    expect((await change({ action: 'pause', filter: {} }, nora)).json).toMatchObject({ items: [] });
    expect((await change({ action: 'pause', filter: { organisation: 'default' } }, nora)).json).toMatchObject({
      items: [],
    });
    expect((await change({ action: 'pause' })).status).toBe(400);
  });
});
