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
const key = (name: string) => ({ name, kind: 'number', everyMs: minute }) as const;
const spec: TruthSpec = {
  seed: 1,
  firstMs,
  endMs: firstMs + 3 * dayMs,
  devices: [
    {
      id: '77',
      name: 'Pump 1/Drive end',
      keys: [key('Overall X'), key('Overall Y'), key('Nível Geral X'), key('Speed')],
    },
    { id: '78', name: 'Pump 1/Other end', keys: [{ ...key('Overall X'), edges: true }] },
    { id: '90', name: 'Fan/Bearing', keys: [] },
  ],
};
const account = { username: 'reader', password: 'secret' };
const right = { grant_type: 'password', ...account };

const running: RunningSimulator[] = [];
afterEach(() => Promise.all(running.splice(0).map((simulator) => simulator.stop())));

interface Grant {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function started(options: object = {}, clockMs = firstMs + 2 * dayMs) {
  const simulator = await startSimulator({
    name: 'skf-observer',
    accounts: [account],
    truth: spec,
    clockMs,
    ...options,
  });
  running.push(simulator);
  const logIn = (form: Record<string, string> = right) => askProduct(simulator, '/token', { form });
  const grant = (await logIn()).json as Grant;
  const ask = (path: string, method = 'GET', token = grant.access_token) =>
    askProduct(simulator, path, { method, headers: { authorization: `Bearer ${token}` } });
  const trend = (point: string, fromMs: number, toMs: number, more = '') =>
    ask(`/v1/points/${point}/trendMeasurements?fromDateUTC=${iso(fromMs)}&toDateUTC=${iso(toMs)}${more}`);
  return { simulator, logIn, grant, ask, trend };
}
const iso = (ms: number): string => new Date(ms).toISOString();

interface Row {
  readonly ReadingTimeUTC: string;
  readonly Speed?: number;
  readonly Measurements: { ChannelName: string; Direction: string; Level: number }[];
}
const minutesOf = (rows: unknown): number[] =>
  (rows as Row[]).map(({ ReadingTimeUTC: time }) => (Date.parse(`${time}Z`) - startMs) / minute);

test('a day of a point holds the truth, each direction of each channel and the speed', async () => {
  const { trend } = await started({ bounds: '[)' });
  const rows = (await trend('77', startMs, startMs + dayMs, '&descending=false')).json as Row[];
  const found = (values: (row: Row) => unknown) =>
    rows.map((row) => ({ ts: Date.parse(`${row.ReadingTimeUTC}Z`), value: values(row) }));
  const level = (channel: string, direction: string) => (row: Row) =>
    row.Measurements.find(({ ChannelName, Direction }) => ChannelName === channel && Direction === direction)?.Level;
  const expected = (name: string) => truth(spec, '77', name, startMs, startMs + dayMs);
  expect(expected('Overall X')).toHaveLength(1440);
  expect(found(level('Overall', 'X'))).toEqual(expected('Overall X'));
  expect(found(level('Overall', 'Y'))).toEqual(expected('Overall Y'));
  expect(found(level('Nível Geral', 'X'))).toEqual(expected('Nível Geral X'));
  expect(found(({ Speed }) => Speed)).toEqual(expected('Speed'));
  expect(rows[0]).toMatchObject({ ReadingTimeUTC: '2026-01-02T00:00:00', PointID: 77, SpeedUnits: 'rpm' });
});

test('times keep their milliseconds, with or without Z', async () => {
  const times = async (options: object) => {
    const { trend } = await started({ bounds: '[)', ...options });
    const rows = (await trend('78', startMs + minute - 1, startMs + minute + 1, '&descending=false')).json as Row[];
    return rows.map(({ ReadingTimeUTC: time }) => time);
  };
  expect(await times({})).toEqual(['2026-01-02T00:00:59.999', '2026-01-02T00:01:00']);
  expect(await times({ marksUtc: true })).toEqual(['2026-01-02T00:00:59.999Z', '2026-01-02T00:01:00Z']);
});

test.each([
  ['[)', [0, 1]],
  ['[]', [0, 1, 2]],
  ['(]', [1, 2]],
  ['()', [1]],
] as const)('the bounds %s', async (bounds, expected) => {
  const { trend } = await started({ bounds });
  expect(minutesOf((await trend('77', startMs, startMs + 2 * minute, '&descending=false')).json)).toEqual(expected);
});

test('the order and the cut of numReadings are those of the options', async () => {
  const cut = async (options: object, more: string) => {
    const { trend } = await started({ bounds: '[)', ...options });
    return minutesOf((await trend('77', startMs, startMs + 4 * minute, more)).json);
  };
  expect(await cut({}, '')).toEqual([3, 2, 1, 0]);
  expect(await cut({ descending: false }, '')).toEqual([0, 1, 2, 3]);
  expect(await cut({}, '&numReadings=2&descending=false')).toEqual([0, 1]);
  expect(await cut({ keeps: 'newest' }, '&numReadings=2&descending=false')).toEqual([2, 3]);
  expect(await cut({ mostReadings: 3 }, '&numReadings=4&descending=true')).toEqual([3, 2, 1]);
});

test('a window without rows is a 204 without a body', async () => {
  const { trend } = await started();
  const empty = await trend('77', firstMs - 2 * minute, firstMs - minute);
  expect([empty.status, empty.text]).toEqual([204, '']);
  expect((await trend('90', startMs, startMs + dayMs)).status).toBe(204);
});

test('machines, points and the tree, in the styles of their names', async () => {
  const { ask } = await started();
  const machines = (await ask('/v1/machines')).json;
  expect(machines).toEqual([
    { id: 1001, name: 'Pump 1', path: String.raw`Company\Plant\Pump 1` },
    { id: 1002, name: 'Fan', path: String.raw`Company\Plant\Fan` },
  ]);
  const points = (await ask('/v1/machines/1001/points?IncludeLastMeasurement=true')).json;
  expect(points).toMatchObject([
    { ID: 77, Name: 'Drive end', ParentID: 1001, LastMeasurement: { ReadingTimeUTC: '2026-01-03T00:00:00' } },
    { ID: 78, Name: 'Other end' },
  ]);
  const never = (await ask('/v1/machines/1002/points?IncludeLastMeasurement=true')).json;
  expect(never).toMatchObject([{ ID: 90, LastMeasurement: { ReadingTimeUTC: '1900-01-01T00:00:00' } }]);
  const pumps = { name: 'Pump 1', children: [{ id: 77, name: 'Drive end' }, { id: 78 }] };
  const plant = { name: 'Plant', children: [pumps, { name: 'Fan', children: [{ id: 90 }] }] };
  expect((await ask('/v1/hierarchy?includePoints=true')).json).toMatchObject([{ children: [plant] }]);
  const camel = await started({ keys: 'camel' });
  expect((await camel.ask('/v1/machines/1001/points')).json).toMatchObject([{ id: 77, parentID: 1001 }, { id: 78 }]);
  const pascal = await started({ keys: 'pascal' });
  expect((await pascal.ask('/v1/machines')).json).toMatchObject([{ ID: 1001, Name: 'Pump 1' }, { ID: 1002 }]);
});

test('a renewal works once, and a token ends by the clock of the simulator', async () => {
  const { simulator, ask, logIn, grant } = await started({ accessSeconds: 60, refreshSeconds: 600 });
  await simulator.clock({ advanceMs: 60_000 });
  expect((await ask('/v1/machines')).status).toBe(401);
  const renewal = { grant_type: 'refresh_token', refresh_token: grant.refresh_token };
  const renewed = (await logIn(renewal)).json as Grant;
  expect(renewed).toEqual({
    access_token: expect.any(String),
    token_type: 'bearer',
    expires_in: 60,
    refresh_token: expect.any(String),
  });
  expect((await ask('/v1/machines', 'GET', renewed.access_token)).status).toBe(200);
  expect((await logIn(renewal)).json).toMatchObject({ error: 'invalid_grant' });
  await simulator.admin('POST', 'invalidate-tokens');
  expect((await ask('/v1/machines', 'GET', renewed.access_token)).status).toBe(401);
  const without = await started({ refreshSeconds: 0 });
  expect(Object.keys(without.grant)).toEqual(['access_token', 'token_type', 'expires_in']);
});

test('a wrong login is refused with the status of the option', async () => {
  for (const refusedLogin of [400, 401]) {
    const { logIn } = await started({ refusedLogin });
    const answer = await logIn({ ...right, password: 'guess' });
    expect([answer.status, answer.json]).toMatchObject([refusedLogin, { error: 'invalid_grant' }]);
  }
  const { simulator, logIn } = await started();
  expect((await logIn({ ...right, grant_type: 'client_credentials' })).json).toMatchObject({
    error: 'unsupported_grant_type',
  });
  expect((await logIn({ ...right, client_id: 'x' })).json).toMatchObject({ error: 'invalid_request' });
  expect((await askProduct(simulator, '/token', { json: right })).status).toBe(400);
});

test('what is missing, unknown or out of order is refused with words', async () => {
  const { ask } = await started();
  const window = `fromDateUTC=${iso(startMs)}&toDateUTC=${iso(startMs + minute)}`;
  const refused = [
    [`/v1/points/77/trendMeasurements?fromDateUTC=${iso(startMs)}`, 400],
    ['/v1/points/77/trendMeasurements?fromDateUTC=2026-01-01T00:00:00&toDateUTC=2026-01-02T00:00:00', 400],
    [`/v1/points/77/trendMeasurements?fromDateUTC=${iso(startMs)}&toDateUTC=${iso(startMs - 1)}`, 400],
    [`/v1/points/77/trendMeasurements?${window}&descending=yes`, 400],
    [`/v1/points/77/trendMeasurements?${window}&numReadings=0`, 400],
    [`/v1/points/77/trendMeasurements?${window}&limit=5`, 400],
    [`/v1/points/99/trendMeasurements?${window}`, 404],
    ['/v1/machines/9/points', 404],
    ['/v1/machines?active=true', 400],
    ['/v1/nothing', 404],
  ] as const;
  for (const [path, status] of refused) {
    const answer = await ask(path);
    expect([path, answer.status, answer.json]).toEqual([path, status, { message: expect.stringMatching(/\S/) }]);
  }
  expect((await ask('/v1/machines', 'POST')).status).toBe(405);
});

test('a truth that the product cannot hold ends the start', async () => {
  const device = (change: object) => ({ truth: { ...spec, devices: [{ id: '1', name: 'A/B', keys: [], ...change }] } });
  await expect(started(device({ id: 'a' }))).rejects.toThrow('not a point of a machine');
  await expect(started(device({ name: 'A' }))).rejects.toThrow('not a point of a machine');
  await expect(started(device({ keys: [key('Overall')] }))).rejects.toThrow(
    'Overall is not a channel with its direction',
  );
});

test.each([
  ['missing', 404],
  ['forbidden', 403],
  ['broken', 500],
] as const)('a point that is %s is listed and cannot be read', async (as, status) => {
  const { simulator, ask, trend } = await started();
  await simulator.faults({ kind: 'bad-sensor', device: '77', as });
  expect((await trend('77', startMs, startMs + minute)).status).toBe(status);
  expect((await trend('78', startMs, startMs + minute)).status).toBe(200);
  expect((await ask('/v1/machines/1001/points')).json).toMatchObject([{ ID: 77 }, { ID: 78 }]);
});
