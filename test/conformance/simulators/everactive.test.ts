import { afterEach, expect, test } from 'vitest';
import type { TruthSpec } from '../../../src/simulator/truth.ts';
import { truth } from '../../../src/simulator/truth.ts';
import { isDistorted } from '../../../src/simulator/distort.ts';
import { startSimulator } from '../../kit/simulator.ts';
import type { RunningSimulator } from '../../kit/simulator.ts';
import { askProduct, type ProductAnswer } from './product-client.ts';

const firstMs = Date.UTC(2026, 0, 1);
const day = 86_400;
const start = firstMs / 1000 + day;
const motor = 'bc:5e:a1:00:00:00:00:01';
const room = 'bc:5e:a1:00:00:00:00:02';
const silent = 'bc:5e:a1:00:00:00:00:03';
const everyMs = 120_000;
const motorKeys = [
  'velocity.overall.axial',
  'velocity.max.axial',
  'acceleration.max.radial',
  'temperature[0]',
] as const;
const keysOf = (names: readonly string[]) => names.map((name) => ({ name, kind: 'number', everyMs }) as const);
const spec: TruthSpec = {
  seed: 1,
  firstMs,
  endMs: firstMs + 3 * day * 1000,
  devices: [
    {
      id: room,
      name: '2',
      keys: keysOf(['temperature[0]', 'temperature[1]', 'humidity[0]', 'pressure', 'movement.x']),
    },
    { id: motor, name: '1', keys: keysOf([...motorKeys, 'electricalField.max']) },
    { id: silent, name: '3', keys: [] },
  ],
};
const account = { username: 'client', password: 'secret' };
const right = { grant_type: 'client_credentials', client_id: 'client', client_secret: 'secret' };

const running: RunningSimulator[] = [];
afterEach(() => Promise.all(running.splice(0).map((simulator) => simulator.stop())));

/** A simulator and a way to ask it with a token. */
async function started(options: object = {}, clockMs = firstMs + 2 * day * 1000) {
  const simulator = await startSimulator({ name: 'everactive', accounts: [account], truth: spec, clockMs, ...options });
  running.push(simulator);
  const login = await askProduct(simulator, '/auth/token', { form: right });
  const { access_token: token } = login.json as { access_token: string };
  const ask = (path: string, method = 'GET', authorization = `Bearer ${token}`) =>
    askProduct(simulator, path, { method, headers: { authorization } });
  const read = (mac: string, from: number, to: number) =>
    ask(`/ds/v1/eversensors/${mac}/readings?start-time=${from}&end-time=${to}`);
  return { simulator, login, ask, read };
}

interface Reading {
  readonly timestamp: number;
  readonly gatewaySerialNumber: string;
  readonly vibrationalMeasurements: Record<string, Record<string, Record<string, number>>>;
  readonly temperatureMeasurements: { sensorIndex: number; value: number }[];
}
const readingsOf = (answer: ProductAnswer): Reading[] => (answer.json as { data: Reading[] }).data;
const secondsOf = (answer: ProductAnswer): number[] => readingsOf(answer).map(({ timestamp }) => timestamp);
const trueSeconds = (from: number, to: number): number[] =>
  truth(spec, motor, 'temperature[0]', from * 1000, to * 1000).map(({ ts }) => ts / 1000);

test('a day of a sensor holds the truth, newest first', async () => {
  const { read } = await started({ bounds: '[)' });
  const readings = readingsOf(await read(motor, start, start + day)).toReversed();
  const found = (values: (reading: Reading) => unknown) =>
    readings.map((reading) => ({ ts: reading.timestamp * 1000, value: values(reading) }));
  const expected = motorKeys.map((key) => truth(spec, motor, key, start * 1000, (start + day) * 1000));
  expect(expected[0]).toHaveLength(720);
  expect(found((reading) => reading.vibrationalMeasurements['velocity']?.['overallLevels']?.['axial'])).toEqual(
    expected[0],
  );
  expect(found((reading) => reading.vibrationalMeasurements['velocity']?.['maxLevels']?.['axial'])).toEqual(
    expected[1],
  );
  expect(found((reading) => reading.vibrationalMeasurements['acceleration']?.['maxLevels']?.['radial'])).toEqual(
    expected[2],
  );
  expect(found((reading) => reading.temperatureMeasurements[0]?.value)).toEqual(expected[3]);
});

test('a reading has the fields of its schema', async () => {
  const { ask } = await started();
  const last = await ask(`/ds/v1/eversensors/${room}/readings/last`);
  const [inside = 0, outside = 0] = ['temperature[0]', 'temperature[1]'].map(
    (key) => truth(spec, room, key, (start + day) * 1000, (start + day) * 1000 + 1)[0]?.value as number,
  );
  expect(last.json).toMatchObject({
    data: {
      macAddress: room,
      timestamp: start + day,
      readingDate: '2026-01-03T00:00:00Z',
      schema: 'https://evr.ac/schemas/platform/eversensor/environmental/v1/reading',
      temperatureMeasurements: [
        { sensorIndex: 0, value: inside },
        { sensorIndex: 1, value: outside },
      ],
      pressureMeasurement: expect.any(Number),
      movementMeasurement: { initialAcceleration: { x: expect.any(Number) } },
    },
  });
  expect((await ask(`/ds/v1/eversensors/${silent}/readings/last`)).status).toBe(404);
  expect((await ask('/ds/v1/health')).json).toMatchObject({ ok: true });
});

test.each([
  ['[)', [0, 120]],
  ['[]', [0, 120, 240]],
  ['(]', [120, 240]],
  ['()', [120]],
] as const)('the bounds %s', async (bounds, offsets) => {
  const { read } = await started({ bounds });
  const expected = offsets.map((offset) => start + offset).toReversed();
  expect(secondsOf(await read(motor, start, start + 240))).toEqual(expected);
});

test('a reading that came through two gateways stands twice', async () => {
  const { read } = await started({ secondGatewayEvery: 3, bounds: '[)' });
  const expected = trueSeconds(start, start + 7200).flatMap((at) => (isDistorted(at * 1000, 3) ? [at, at] : [at]));
  const readings = readingsOf(await read(motor, start, start + 7200)).toReversed();
  expect(readings.map(({ timestamp }) => timestamp)).toEqual(expected);
  expect(expected.length).toBeGreaterThan(60);
  expect(new Set(readings.map(({ gatewaySerialNumber }) => gatewaySerialNumber))).toEqual(new Set(['GW1', 'GW2']));
});

test('sensors come in pages from 1, and without sort-by their order may change from page to page', async () => {
  const page = async (asked: Awaited<ReturnType<typeof started>>, query: string) => {
    const { data, paginationInfo } = (await asked.ask(`/ds/v1/eversensors?${query}`)).json as {
      data: { macAddress: string }[];
      paginationInfo: unknown;
    };
    return { macs: data.map(({ macAddress }) => macAddress), paginationInfo };
  };
  const today = await started();
  const info = { page: 2, pageSize: 2, totalItems: 3, totalPages: 2 };
  expect(await page(today, 'page=2&page-size=2')).toEqual({ macs: [silent], paginationInfo: info });
  expect((await page(today, 'sort-by=mac-address&sort-dir=desc')).macs).toEqual([silent, room, motor]);
  expect((await page(today, 'mac-address=00:02')).macs).toEqual([room]);
  const changing = await started({ unsorted: 'changing' });
  const macs = async (more = '') => [
    ...(await page(changing, `page=1&page-size=2${more}`)).macs,
    ...(await page(changing, `page=2&page-size=2${more}`)).macs,
  ];
  expect(await macs()).toEqual([room, motor, room]);
  expect(await macs('&sort-by=mac-address')).toEqual([motor, room, silent]);
});

test('a login takes a form or JSON with the right secret, and nothing else', async () => {
  const { simulator, login } = await started();
  expect(login.json).toEqual({ access_token: expect.any(String), expires_in: day, token_type: 'Bearer' });
  const json = await askProduct(simulator, '/auth/token', { json: { ...right, scope: 'user developer' } });
  expect(json.status).toBe(200);
  const refusals = [
    [{ form: { ...right, client_secret: 'guess' } }, 401, 'invalid_client'],
    [{ form: { ...right, grant_type: 'password' } }, 400, 'unsupported_grant_type'],
    [{ form: { ...right, audience: 'x' } }, 400, 'invalid_request'],
    [{ form: { grant_type: 'client_credentials', client_id: 'client' } }, 400, 'invalid_request'],
    [{ form: right, headers: { authorization: 'Basic Y2xpZW50OnNlY3JldA==' } }, 400, 'invalid_request'],
    [{ form: right, headers: { 'content-type': 'text/plain' } }, 400, 'invalid_request'],
    [{}, 405, 'invalid_request'],
  ] as const;
  for (const [asking, status, error] of refusals) {
    const answer = await askProduct(simulator, '/auth/token', asking);
    expect([answer.status, answer.json]).toMatchObject([status, { error }]);
  }
});

test('a token ends by the clock of the simulator or when it is taken back', async () => {
  const { simulator, read } = await started({ tokenSeconds: 60 });
  await simulator.clock({ advanceMs: 59_999 });
  expect((await read(motor, start, start + 1)).status).toBe(200);
  await simulator.clock({ advanceMs: 1 });
  expect((await read(motor, start, start + 1)).status).toBe(401);
  const fresh = await started();
  expect((await fresh.read(motor, start, start + 1)).status).toBe(200);
  await fresh.simulator.admin('POST', 'invalidate-tokens');
  expect((await fresh.read(motor, start, start + 1)).status).toBe(401);
});

test('what is missing, unknown or too long is refused with words', async () => {
  const { ask, read } = await started();
  const readings = `/ds/v1/eversensors/${motor}/readings`;
  const refused = [
    [`${readings}?start-time=${start}`, 400],
    [`${readings}?start-time=${start}&end-time=${start + 1}.5`, 400],
    [`${readings}?start-time=${start}&end-time=${start - 1}`, 400],
    [`${readings}?start-time=${start}&end-time=${start + day + 1}`, 400],
    [`${readings}?start-time=${start}&end-time=${start}&limit=5`, 400],
    [`${readings}?start-time=${start}&end-time=${start}&end-time=${start}`, 400],
    ['/ds/v1/eversensors?page=0', 400],
    ['/ds/v1/eversensors?page-size=501', 400],
    ['/ds/v1/eversensors?pageSize=5', 400],
    ['/ds/v1/health?deep=1', 400],
    ['/ds/v1/eversensors/bc:5e:a1:00:00:00:00:99/readings?start-time=0&end-time=0', 404],
    ['/ds/v2/eversensors', 404],
  ] as const;
  for (const [path, status] of refused) {
    const answer = await ask(path);
    expect([path, answer.status, answer.json]).toEqual([path, status, { message: expect.stringMatching(/\S/) }]);
  }
  expect((await ask('/ds/v1/eversensors', 'POST')).status).toBe(405);
  expect((await ask('/ds/v1/eversensors', 'GET', 'Bearer guess')).status).toBe(401);
  expect((await read(motor, start, start + day)).status).toBe(200);
});

test('errors may be plain text or empty', async () => {
  expect((await (await started({ errors: 'text' })).ask('/nothing')).text).toBe('no /nothing');
  expect((await (await started({ errors: 'empty' })).ask('/nothing')).text).toBe('');
});

test('a truth that the product cannot hold ends the start', async () => {
  const withKey = (id: string, key: object) => ({ truth: { ...spec, devices: [{ id, name: 'x', keys: [key] }] } });
  const temperature = { name: 'temperature[0]', kind: 'number', everyMs: 1000 };
  await expect(started(withKey(motor, { ...temperature, edges: true }))).rejects.toThrow('between two seconds');
  await expect(started(withKey(motor, { ...temperature, name: 'flow' }))).rejects.toThrow('no place for flow');
  await expect(started(withKey('press-1', temperature))).rejects.toThrow('not the MAC address');
  await expect(started({ tokenSecond: 5 })).rejects.toThrow(/Unrecognized key.*tokenSecond/s);
});

test.each([
  ['missing', 404],
  ['forbidden', 403],
  ['broken', 500],
] as const)('a sensor that is %s is listed and cannot be read', async (as, status) => {
  const { simulator, ask, read } = await started();
  await simulator.faults({ kind: 'bad-sensor', device: motor, as });
  expect((await read(motor, start, start + 1)).status).toBe(status);
  expect((await read(room, start, start + 1)).status).toBe(200);
  expect(JSON.stringify((await ask('/ds/v1/eversensors')).json)).toContain(motor);
});
