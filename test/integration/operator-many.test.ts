import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

const databases = useDatabases();
let api: OperatorApiUnderTest;
let anna: SignedIn;

beforeAll(async () => {
  api = await startOperatorApi(await databases.create());
  anna = await api.operator('anna', 'operator');
});

afterAll(async () => {
  await api?.close();
});

interface Refusals {
  readonly reasons: readonly { readonly reason: string; readonly refused: number; readonly series: number }[] | null;
  readonly items: readonly { readonly source: string; readonly sensor: string; readonly refused: number }[];
  readonly next: string | null;
}

it('refusals of all sources are paged, filtered, summed by reason, and those of other organisations left out', async () => {
  for (const name of ['b', 'a']) {
    const source = await storeSource(api.database, name);
    const stream = await storeStream(api.database, source);
    await api.database.run(
      `insert into refused_hour (stream_id, hour, sensor, variable, reason, points)
       select $1, '2026-11-01T00:00Z'::timestamptz + n * interval '1 hour', sensor, 'v', reason, array[-5, 7]
       from generate_series(0, 1) n, (values ('s1', 'text-number'), ('s2', 'not-finite'), ('Z', 'text-number')) as one (sensor, reason)`,
      [stream],
    );
  }
  const ask = async (query: string, as = anna): Promise<Refusals> => {
    const answer = await api.send('GET', `/api/v1/refusals?${query}`, { as });
    expect(answer.status, answer.text).toBe(200);
    return answer.json as Refusals;
  };
  const first = await ask('limit=4');
  expect(first.reasons?.map(({ reason, refused, series }) => [reason, refused, series])).toEqual([
    ['text-number', 16, 4],
    ['not-finite', 8, 2],
  ]);
  expect(first.items[0]).toMatchObject({
    source: 'a',
    sensor: 'Z',
    refused: 4,
    first: '2026-11-01T00:29:59.999995Z',
    last: '2026-11-01T01:30:00.000007Z',
  });
  const streams = await api.send('GET', '/api/v1/sources?limit=1', { as: anna });
  const { next } = streams.json as { next: string };
  expect((await api.send('GET', `/api/v1/refusals?cursor=${next}`, { as: anna })).status).toBe(400);
  const second = await ask(`limit=4&cursor=${first.next}`);
  expect(second).toMatchObject({ reasons: null, next: null });
  expect([...first.items, ...second.items].map(({ source, sensor }) => source + sensor)).toEqual([
    'aZ',
    'as1',
    'as2',
    'bZ',
    'bs1',
    'bs2',
  ]);
  expect((await ask('source=b&reason=text-number&sensor=s1&project=project')).items).toHaveLength(1);
  expect((await ask('project=another')).items).toEqual([]);
  const elsewhere = await api.operator('elsewhere', 'viewer', ['elsewhere']);
  expect(await ask('', elsewhere)).toEqual({ reasons: [], items: [], next: null });
  expect(await ask('organisation=default', elsewhere)).toEqual({ reasons: [], items: [], next: null });
});

const fileOf = (name: string, project = 'hall'): string => `
name: ${name}
project: ${project}
kind: user-credentials
platform: influxdb
connection: { url: https://influx.example, username: reader, password: s3cret }
options: { database: plant }
schedule: { every: 1m, start: 2026-11-01T00:00:00Z }
`;

it('many sources are applied, each by itself', async () => {
  await api.send('POST', '/api/v1/projects', { as: anna, body: { code: 'hall' } });
  const apply = (sources: readonly string[], more: Record<string, unknown> = {}) =>
    api.send('POST', '/api/v1/sources/apply-many', { as: anna, body: { sources, ...more } });
  const sources = [fileOf('one'), 'name: [', fileOf('two', 'none'), fileOf('three')];
  expect((await apply(sources, { dryRun: true })).json).toMatchObject({ done: 2, failed: 2 });
  expect(await api.database.row(`select from source where name = 'one'`)).toBeUndefined();
  const applied = await apply(sources);
  expect(applied.json).toMatchObject({
    done: 2,
    failed: 2,
    items: [
      { organisation: 'default', name: 'one', action: 'created' },
      { name: null, action: null, errors: [{ line: expect.any(Number) as number }] },
      { name: 'two', action: null, detail: expect.stringContaining('none') as string },
      { name: 'three', action: 'created' },
    ],
  });
  expect(applied.text).not.toContain('s3cret');
  expect((await apply(sources)).json).toMatchObject({
    items: [{ action: 'unchanged' }, {}, {}, { action: 'unchanged' }],
  });
  expect((await apply(Array.from({ length: 101 }, () => ''))).status).toBe(400);
});
