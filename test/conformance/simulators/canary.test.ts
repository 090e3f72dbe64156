import { afterEach, expect, test } from 'vitest';
import { truth } from '../../../src/simulator/truth.ts';
import type { TruthSpec } from '../../../src/simulator/truth.ts';
import { startSimulator } from '../../kit/simulator.ts';
import type { RunningSimulator } from '../../kit/simulator.ts';
import { askProduct } from './product-client.ts';

const firstMs = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
const minute = 60_000;
const startMs = firstMs + dayMs;
const flow = { name: 'Flow', kind: 'number', everyMs: minute, edges: true } as const;
const state = { name: 'State', kind: 'text', everyMs: minute } as const;
const level = { name: 'Level', kind: 'number', everyMs: 5 * minute } as const;
const spec: TruthSpec = {
  seed: 1,
  firstMs,
  endMs: firstMs + 3 * dayMs,
  devices: [
    { id: 'Plant.Hall 1.Press', name: 'Press', keys: [flow, state] },
    { id: 'Plant.Hall 1', name: 'Hall 1', keys: [level] },
    { id: 'Plant.Hall 2.Tank', name: 'Tank', keys: [level] },
  ],
};
const pressFlow = 'Plant.Hall 1.Press.Flow';
const pressState = 'Plant.Hall 1.Press.State';
const hallLevel = 'Plant.Hall 1.Level';
const account = { username: 'reader', password: 'secret' };
const right = { ...account, application: 'test' };
const iso = (ms: number): string => new Date(ms).toISOString();
const day = { startTime: iso(startMs), endTime: iso(startMs + dayMs) };

const running: RunningSimulator[] = [];
afterEach(() => Promise.all(running.splice(0).map((simulator) => simulator.stop())));

interface Answer {
  readonly statusCode: string;
  readonly errors: string[];
  readonly userToken: string;
  readonly tags: string[];
  readonly nodes: unknown;
  readonly data: Record<string, { t: string; v: unknown; q?: number }[]>;
  readonly continuation: string[] | null;
}

async function started(options: object = {}, clockMs = firstMs + 3 * dayMs) {
  const simulator = await startSimulator({ name: 'canary', accounts: [account], truth: spec, clockMs, ...options });
  running.push(simulator);
  const call = async (name: string, json: object): Promise<Answer> => {
    const answer = await askProduct(simulator, `/api/v2/${name}`, { json });
    expect(answer.status).toBe(200);
    return answer.json as Answer;
  };
  const { userToken } = await call('getUserToken', right);
  const ask = (name: string, fields: object = {}) => call(name, { userToken, ...fields });
  return { simulator, call, ask, userToken };
}
type Started = Awaited<ReturnType<typeof started>>;

/** All pages of a request for data: the points of each tag, and how many pages there were. */
async function readAll({ ask }: Started, name: string, fields: object) {
  const found: Record<string, unknown[]> = {};
  let continuation: string[] | null = null;
  let pages = 0;
  do {
    const answer = await ask(name, { ...fields, continuation });
    expect(answer).toMatchObject({ statusCode: 'Good', errors: [] });
    for (const [tag, points] of Object.entries(answer.data)) (found[tag] ??= []).push(...points);
    continuation = answer.continuation;
    pages += 1;
  } while (continuation !== null);
  return { found, pages };
}
const expected = (id: string, key: string) =>
  truth(spec, id, key, startMs, startMs + dayMs).map(({ ts, value: v }) => ({
    t: iso(ts).replace('Z', '0000+00:00'),
    v,
  }));

test('a day of tags holds the truth, in pages of so many points a tag', async () => {
  const asked = await started({ bounds: '[)' });
  const tags = [pressFlow, pressState, hallLevel];
  const { found, pages } = await readAll(asked, 'getTagData2', { tags, ...day, maxSize: 1000 });
  expect(found[pressFlow]).toEqual(expected('Plant.Hall 1.Press', 'Flow'));
  expect(found[pressState]).toEqual(expected('Plant.Hall 1.Press', 'State'));
  expect(found[hallLevel]).toEqual(expected('Plant.Hall 1', 'Level'));
  expect([found[pressFlow]?.length, pages]).toEqual([2880, 3]);
});

test('the older call writes arrays, in pages of so many points in all', async () => {
  const asked = await started({ bounds: '[)' });
  const fields = { tags: [hallLevel, pressFlow], ...day, includeQuality: true };
  const { found, pages } = await readAll(asked, 'getTagData', { ...fields, maxSize: 1000 });
  expect(found[pressFlow]).toEqual(expected('Plant.Hall 1.Press', 'Flow').map(({ t, v }) => [t, v, 192]));
  expect(found[hallLevel]).toEqual(expected('Plant.Hall 1', 'Level').map(({ t, v }) => [t, v, 192]));
  expect(pages).toBe(Math.ceil((2880 + 288) / 1000));
  const [first] =
    (await asked.ask('getTagData', { ...fields, includeQuality: false, maxSize: 1 })).data[hallLevel] ?? [];
  expect(first).toHaveLength(2);
});

test.each([287, 288, 289])('288 points in pages of %d', async (maxSize) => {
  const asked = await started({ bounds: '[)' });
  const { found, pages } = await readAll(asked, 'getTagData2', { tags: [hallLevel], ...day, maxSize });
  expect([found[hallLevel]?.length, pages]).toEqual([288, maxSize < 288 ? 2 : 1]);
  const capped = await started({ bounds: '[)', largestSize: 200 });
  expect((await readAll(capped, 'getTagData2', { tags: [hallLevel], ...day, maxSize })).pages).toBe(2);
});

test.each([
  ['[)', [0, 5]],
  ['[]', [0, 5, 10]],
  ['(]', [5, 10]],
  ['()', [5]],
] as const)('the bounds %s', async (bounds, minutes) => {
  const { ask } = await started({ bounds });
  const window = { startTime: iso(startMs), endTime: '2026-01-02T01:10:00.0000000+01:00' };
  const { data } = await ask('getTagData2', { tags: [hallLevel], ...window });
  expect(data[hallLevel]?.map(({ t }) => (Date.parse(t) - startMs) / minute)).toEqual(minutes);
});

test('a continuation belongs to its question', async () => {
  const { ask } = await started();
  const fields = { tags: [hallLevel, pressFlow], ...day, maxSize: 5 };
  const { continuation } = await ask('getTagData2', fields);
  expect(continuation).toHaveLength(2);
  for (const change of [{ tags: [pressFlow] }, { maxSize: 6 }, { endTime: iso(startMs + minute) }]) {
    const answer = await ask('getTagData2', { ...fields, ...change, continuation });
    expect(answer).toMatchObject({ statusCode: 'Errors', errors: ['continuation is of another request'] });
  }
  expect((await ask('getTagData2', { ...fields, continuation: continuation?.[0] })).statusCode).toBe('Errors');
});

test('tags are browsed by path, in depth, by words and in pages', async () => {
  const { ask, call } = await started();
  expect((await ask('browseNodes', { path: 'Plant' })).nodes).toEqual({
    'Hall 1': { fullPath: 'Plant.Hall 1', hasNodes: true, hasTags: true },
    'Hall 2': { fullPath: 'Plant.Hall 2', hasNodes: true, hasTags: false },
  });
  expect((await ask('browseNodes')).nodes).toMatchObject({ Plant: { hasNodes: true, hasTags: false } });
  expect((await ask('browseTags', { path: 'Plant.Hall 1' })).tags).toEqual([hallLevel]);
  const all = { path: 'Plant', deep: true };
  expect((await ask('browseTags', { ...all, search: 'press flow' })).tags).toEqual([pressFlow]);
  const first = await ask('browseTags', { ...all, maxSize: 3 });
  const second = await ask('browseTags', { ...all, maxSize: 3, continuation: first.continuation });
  expect([...first.tags, ...second.tags]).toEqual([pressFlow, pressState, hallLevel, 'Plant.Hall 2.Tank.Level']);
  expect([typeof first.continuation, second.continuation]).toEqual(['string', null]);
  expect(await ask('getTagProperties', { tags: [hallLevel] })).toMatchObject({ properties: { [hallLevel]: {} } });
  expect(await call('getTimeZones', {})).toMatchObject({ timeZones: ['UTC', expect.any(String)] });
});

test('a token lives as long as it is used, and gives its licence back when it is revoked', async () => {
  const { simulator, ask, call, userToken } = await started({ licences: 1 });
  for (let time = 0; time < 3; time += 1) {
    await simulator.clock({ advanceMs: 299_999 });
    expect((await ask('browseNodes')).statusCode).toBe('Good');
  }
  expect((await call('getUserToken', right)).statusCode).toBe('Errors');
  await simulator.clock({ advanceMs: 300_000 });
  expect((await ask('browseNodes')).statusCode).toBe('BadUserToken');
  const { userToken: next } = await call('getUserToken', right);
  expect(await simulator.admin('GET', 'state')).toEqual({ openTokens: 1 });
  expect(next).not.toBe(userToken);
  expect((await call('revokeUserToken', { userToken: next })).statusCode).toBe('Good');
  expect((await call('browseNodes', { userToken: next })).statusCode).toBe('BadUserToken');
  expect(await simulator.admin('GET', 'state')).toEqual({ openTokens: 0 });
});

test('a refused login is a 200 with a status code of its own', async () => {
  const { call } = await started();
  expect(await call('getUserToken', { ...right, password: 'guess' })).toMatchObject({ statusCode: 'Errors' });
  expect(await call('getUserToken', account)).toMatchObject({
    statusCode: 'Errors',
    errors: [expect.stringContaining('application')],
  });
  expect(await call('getUserToken', { ...right, timeZone: 'UTC' })).toMatchObject({ statusCode: 'Errors' });
  const other = await started({ refusedLogin: 'BadUserToken', apiTokens: ['api-1'] });
  expect((await other.call('getUserToken', { ...right, username: 'x' })).statusCode).toBe('BadUserToken');
  expect((await other.call('browseNodes', { apiToken: 'api-1' })).statusCode).toBe('Good');
  expect((await other.call('browseNodes', { accessToken: 'api-2' })).statusCode).toBe('BadUserToken');
  const unlicensed = await started({ licensed: false });
  expect((await unlicensed.call('getUserToken', right)).statusCode).toBe('BadLicense');
});

test('an unknown tag refuses the request, is skipped or has no data', async () => {
  const fields = { tags: [hallLevel, 'Plant.Gone'], ...day, includeQuality: true };
  const answer = async (unknownTag: string) => (await started({ unknownTag })).ask('getTagData2', fields);
  const refused = await answer('refused');
  expect([refused.statusCode, refused.errors, refused.data]).toEqual([
    'Errors',
    ['Tag not found: Plant.Gone'],
    undefined,
  ]);
  const skipped = await answer('skipped');
  expect([skipped.statusCode, Object.keys(skipped.data)]).toEqual(['Errors', [hallLevel]]);
  const noData = await answer('no-data');
  expect([noData.statusCode, noData.data['Plant.Gone']]).toMatchObject(['Good', [{ v: null, q: 32_768 }]]);
});

test('a tag without points is empty or absent, and bad points say so', async () => {
  const before = { startTime: iso(firstMs - minute), endTime: iso(firstMs - 1) };
  const empty = async (options: object) =>
    (await (await started(options)).ask('getTagData2', { tags: [pressFlow], ...before })).data;
  expect(await empty({})).toEqual({ [pressFlow]: [] });
  expect(await empty({ emptyTag: 'absent' })).toEqual({});
});

test('qualities are numbers of OPC, and several points of one instant stay apart over the end of a page', async () => {
  const keys = [
    { ...level, qualities: ['good', 'uncertain', 'substituted', 'bad'], together: { everyNth: 2, count: 3 } } as const,
  ];
  const odd: TruthSpec = { ...spec, devices: [{ id: 'Plant', name: 'Plant', keys }] };
  const toMs = startMs + 60 * minute;
  const points = truth(odd, 'Plant', 'Level', startMs, toMs);
  const hour = { startTime: iso(startMs), endTime: iso(toMs) };
  const numbers = { good: 192, uncertain: 64, substituted: 216, bad: 0, unknown: 128 };
  const qualities = points.map(({ quality = 'good' }) => numbers[quality]);
  expect(new Set(qualities).size).toBe(4);
  const asked = await started({ bounds: '[)', truth: odd });
  for (const maxSize of [1, 2, 5]) {
    const fields = { tags: ['Plant.Level'], ...hour, includeQuality: true, maxSize };
    const { found } = await readAll(asked, 'getTagData2', fields);
    const rows = (found['Plant.Level'] ?? []) as { v: unknown; q: number }[];
    expect(rows.map(({ v, q }) => [v, q])).toEqual(points.map(({ value }, index) => [value, qualities[index]]));
  }
  const { ask } = await started({ bounds: '[)', truth: odd, badValue: 'null' });
  const { data } = await ask('getTagData2', { tags: ['Plant.Level'], ...hour, includeQuality: true });
  const isNull = (data['Plant.Level'] ?? []).map(({ v, q }) => [v === null, q === 0]);
  expect(new Set(isNull.map(String))).toEqual(new Set(['true,true', 'false,false']));
});

test('a restart ends the sessions, and a bad tag fails as an unknown one does', async () => {
  const { simulator, ask } = await started();
  await simulator.faults({ kind: 'bad-sensor', device: 'Plant.Hall 1', as: 'forbidden', next: 1 });
  const answer = await ask('getTagData2', { tags: [hallLevel], ...day });
  expect([answer.statusCode, answer.errors]).toEqual(['Errors', [`Tag ${hallLevel} is forbidden`]]);
  await simulator.faults({ kind: 'restart', next: 1 });
  await expect(ask('browseNodes')).rejects.toThrow();
  expect((await ask('browseNodes')).statusCode).toBe('BadUserToken');
});

test('what is missing, unknown or not absolute is an error inside a 200; a strange path is a 404', async () => {
  const { simulator, ask, call, userToken } = await started();
  const fields = { tags: [hallLevel], ...day };
  const wrong = [
    { startTime: 'Now - 1Day' },
    { startTime: '2026-01-01T00:00:00' },
    { endTime: undefined },
    { tags: [] },
  ];
  for (const change of [
    ...wrong,
    { maxSize: 0 },
    { maxSize: '5' },
    { aggregateName: 'Average' },
    { includeBounds: true },
  ]) {
    const answer = await ask('getTagData2', { ...fields, ...change });
    expect([change, answer.statusCode, answer.data]).toEqual([change, 'Errors', undefined]);
    expect(answer.errors[0]).toMatch(/\S/);
  }
  expect((await ask('getTagData2', { ...fields, startTime: iso(startMs + 2 * dayMs) })).statusCode).toBe('Errors');
  expect((await call('browseNodes', {})).statusCode).toBe('BadUserToken');
  expect((await askProduct(simulator, '/api/v2/getAggregates', { json: { userToken } })).status).toBe(404);
  expect((await askProduct(simulator, '/api/v1/browseNodes', { json: { userToken } })).status).toBe(404);
  expect((await askProduct(simulator, '/api/v2/browseNodes')).status).toBe(405);
  expect((await askProduct(simulator, '/api/v2/browseNodes', { form: { userToken } })).json).toMatchObject({
    statusCode: 'BadUserToken',
  });
});
