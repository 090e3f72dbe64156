import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { thingsboard } from '../../adapters/platforms/thingsboard/index.ts';
import type { Sensor } from '../../src/platform/contract.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { deviceId, plant } from '../../src/simulator/plant.ts';
import { customer, tenant } from './simulators/thingsboard-client.ts';
import { wellRead } from '../kit/well-read.ts';
import { connect, disconnect, kept, optionsOf, readAll, sensorsOf, truthOf } from './thingsboard-http.ts';
import type { Found } from './thingsboard-http.ts';

const press = deviceId(0);
const pump = deviceId(1);
const spare = deviceId(4);
const spec = plant();
const MINUTE = 60_000_000;
const noon = (spec.firstMs + 12 * 3_600_000) * 1000;
const hour = { from: noon, to: noon + 60 * MINUTE };
const burst = { from: noon + 10 * MINUTE, to: noon + 10 * MINUTE + 3_000_000 };

const histories = (log: Awaited<ReturnType<RunningSimulator['log']>>): string[] =>
  log.filter(({ path }) => path.includes('/values/')).map(({ path }) => path.replace(/.*\/values\//, ''));

afterAll(disconnect);

describe('with a current server', () => {
  let simulator: RunningSimulator;
  beforeAll(async () => (simulator = await startSimulator({ name: 'thingsboard' })));
  afterAll(async () => await simulator.stop());

  test('every point of an hour is read, with every kind of value', async () => {
    const expected = truthOf(spec, press, hour);
    expect(Object.keys(expected)).toHaveLength(6);
    const found = await readAll(connect(simulator.url), {}, press, hour);
    expect(kept(found, hour)).toEqual(expected);
    const kinds = Object.values(expected).flatMap((points) => points.map(([, value]) => typeof value));
    expect(new Set(kinds)).toEqual(new Set(['number', 'boolean', 'string', 'object']));
    expect(expected['temperature']?.map(([, value]) => value)).toContain(0);
  });

  test('points at the ends of a window are in the right window, and none comes twice', async () => {
    const { temperature = [] } = kept(await readAll(connect(simulator.url), {}, pump, hour), hour);
    const instants = temperature.map(([at]) => at);
    expect(instants).toContain(hour.from);
    expect(instants).toContain(hour.to - 1000);
    expect(instants).not.toContain(hour.to);
    expect(instants.filter((at) => at < hour.from)).toEqual([]);
    expect(new Set(instants).size).toBe(instants.length);
  });

  test.each([
    [9, 2],
    [10, 2],
    [11, 1],
    [2, 10],
  ])('ten points with a limit of %i take %i requests', async (pageLimit, requests) => {
    const window = { from: noon, to: noon + 10 * MINUTE };
    const http = connect(simulator.url);
    await simulator.admin('POST', 'reset');
    const found = await readAll(http, { pageLimit, keys: ['pressure'] }, pump, window);
    expect(found['pressure']).toHaveLength(10);
    expect(found).toEqual({ pressure: truthOf(spec, pump, window)['pressure'] });
    expect(histories(await simulator.log())).toHaveLength(requests);
  });

  test.each([3, 7, 100, 2500, 2501])('2,500 points in a row are read whole in pages of %i', async (pageLimit) => {
    const window = pageLimit < 100 ? { ...burst, to: burst.from + 100_000 } : burst;
    const found = await readAll(connect(simulator.url), { pageLimit }, press, window);
    expect(kept(found, window)).toEqual(truthOf(spec, press, window));
    const instants = found['vibration']?.map(([at]) => at) ?? [];
    expect(instants.length).toBeGreaterThanOrEqual(100);
    expect(instants).toEqual([...new Set(instants)].toSorted((one, other) => one - other));
  });

  test('two sensors are found with three requests, and one that is gone is left out', async () => {
    const http = connect(simulator.url);
    const listed = (await sensorsOf(http)).filter(({ id }) => id === pump || id === press);
    await simulator.admin('POST', 'reset');
    expect(await sensorsOf(http, {}, [press, deviceId(99), pump, 'odd'])).toEqual(listed);
    expect(await simulator.log()).toHaveLength(3);
  });

  test('an empty window is empty, and so is a device without keys', async () => {
    const http = connect(simulator.url);
    const before = { from: (spec.firstMs - 7_200_000) * 1000, to: (spec.firstMs - 3_600_000) * 1000 };
    await simulator.admin('POST', 'reset');
    expect(await readAll(http, {}, press, before)).toEqual({});
    expect(histories(await simulator.log())).toEqual(['timeseries/history']);
    expect(await readAll(http, {}, spare, hour)).toEqual({});
  });

  test.each([[{}], [{ keys: ['temperature'] }], [{ history: 'history' as const, keys: ['temperature'] }]])(
    'an unknown device is an error and never an empty window: %j',
    async (given) => {
      const reading = readAll(connect(simulator.url), given, deviceId(99), hour);
      await expect(reading).rejects.toMatchObject({
        code: 'contract-broken',
        remedy: expect.stringMatching(/deleted/),
      });
    },
  );

  test.each([tenant, customer])('$username identifies the server and finds every device', async (account) => {
    const http = connect(simulator.url, account);
    expect((await thingsboard.identify(http, optionsOf())).product).toMatch(/^ThingsBoard/);
    const sensors = await sensorsOf(http);
    const expected = spec.devices.map(({ id, name, keys }): Sensor => ({
      id,
      name,
      variables: keys.map((key) => key.name),
      group: id,
    }));
    expect(sensors).toEqual(expected);
  });

  test('a wrong password is sent once and refused with a remedy', async () => {
    await simulator.admin('POST', 'reset');
    const http = connect(simulator.url, { ...tenant, password: 'guess' });
    for (const reading of [readAll(http, {}, pump, hour), thingsboard.identify(http, optionsOf())]) {
      await expect(reading).rejects.toMatchObject({
        code: 'credentials-rejected',
        remedy: expect.stringMatching(/user/),
      });
    }
    expect((await simulator.log()).map(({ path }) => path)).toEqual(['/api/auth/login']);
  });

  test.each([
    [{ kind: 'wrong-shape', shape: 'html' }],
    [{ kind: 'wrong-shape', shape: 'array' }],
    [{ kind: 'wrong-shape', shape: 'object' }],
    [{ kind: 'wrong-shape', shape: 'types' }],
    [{ kind: 'truncate' }],
    [{ kind: 'bad-value', value: 'NaN' }],
    [{ kind: 'duplicate-timestamps' }],
    [{ kind: 'future-dates' }],
  ] as const)('a bad answer is contract-broken: %j', async (fault) => {
    const http = connect(simulator.url);
    await simulator.faults({ ...fault, match: '/values/' });
    try {
      await expect(readAll(http, {}, press, hour)).rejects.toMatchObject({ code: 'contract-broken' });
    } finally {
      await simulator.faultsOff();
    }
  });

  test('null comes unchanged, for the core to refuse', async () => {
    const http = connect(simulator.url);
    await simulator.faults({ kind: 'bad-value', value: 'null', every: 1, match: '/values/' });
    const found = await readAll(http, { keys: ['pressure'] }, pump, hour);
    await simulator.faultsOff();
    expect(found['pressure']?.map(([, value]) => value)).toEqual(Array.from({ length: 60 }, () => null));
  });
});

describe.each([
  { historyPath: 'both', bounds: 'legacy' },
  { historyPath: 'old-only', bounds: 'half-open' },
  { historyPath: 'history-only', bounds: 'half-open' },
  { historyPath: 'history-only', bounds: 'legacy' },
] as const)('with a server of $historyPath and $bounds bounds', (kind) => {
  let simulator: RunningSimulator;
  beforeAll(async () => (simulator = await startSimulator({ name: 'thingsboard', ...kind })));
  afterAll(async () => await simulator.stop());

  test('windows that tile a range give each of its points once', async () => {
    const http = connect(simulator.url);
    const ends = [burst.from - 1000, burst.from, burst.from + 1, burst.from + 40_000, burst.from + 77_777, burst.to];
    const tiled: Found = {};
    for (const [index, from] of ends.slice(0, -1).entries()) {
      const window = { from, to: ends[index + 1] as number };
      const found = kept(await readAll(http, { pageLimit: 400 }, press, window), window);
      for (const [key, points] of Object.entries(found)) (tiled[key] ??= []).push(...points);
    }
    expect(tiled).toEqual(truthOf(spec, press, { from: burst.from - 1000, to: burst.to }));
    expect(tiled['vibration']).toHaveLength(2500);
  });

  test('`auto` finds the path of the server, and `history` fails where the server does not have it', async () => {
    const http = connect(simulator.url);
    await simulator.admin('POST', 'reset');
    await readAll(http, { pageLimit: 400, keys: ['vibration'] }, press, { ...burst, to: burst.from + 500_000 });
    const isOld = kind.historyPath === 'old-only';
    expect(histories(await simulator.log())).toEqual(
      isOld ? ['timeseries/history', 'timeseries', 'timeseries'] : ['timeseries/history', 'timeseries/history'],
    );
    const chosen = readAll(http, { history: 'history' }, pump, hour);
    if (kind.historyPath === 'old-only') await expect(chosen).rejects.toMatchObject({ code: 'contract-broken' });
    else expect(kept(await chosen, hour)).toEqual(truthOf(spec, pump, hour));
  });
});

describe('with a plant made for the test', () => {
  const device = {
    id: pump,
    name: 'odd',
    keys: [
      { name: 'x,y', kind: 'number', everyMs: 1000 },
      { name: 'x', kind: 'number', everyMs: 7000 },
      { name: 'größe 100 % & [a]', kind: 'number', everyMs: 1000 },
    ],
  } as const;
  const odd = plant({ devices: [device] });
  const minute = { from: noon, to: noon + MINUTE };

  test('a key with a comma is read whole on 4.x and is unsupported on older servers', async () => {
    const today = await startSimulator({ name: 'thingsboard', truth: odd });
    const before = await startSimulator({ name: 'thingsboard', truth: odd, historyPath: 'old-only' });
    try {
      const found = await readAll(connect(today.url), { pageLimit: 50 }, pump, minute);
      expect(kept(found, minute)).toEqual(truthOf(odd, pump, minute));
      expect(Object.keys(found)).toHaveLength(3);
      const old = readAll(connect(before.url), {}, pump, minute);
      await expect(old).rejects.toMatchObject({ code: 'unsupported', message: expect.stringMatching(/x,y/) });
    } finally {
      await Promise.all([today.stop(), before.stop()]);
    }
  });

  test('an answer that takes the server too long is no answer, and a shorter window is read', async () => {
    const simulator = await startSimulator({ name: 'thingsboard', answerPointsLimit: 1000 });
    try {
      const http = connect(simulator.url);
      await expect(readAll(http, {}, press, hour)).rejects.toMatchObject({
        fault: { code: 'unavailable', why: 'status', status: 503 },
      });
      const half = { ...burst, to: burst.from + 500_000 };
      expect(kept(await readAll(http, {}, press, half), half)).toEqual(truthOf(spec, press, half));
    } finally {
      await simulator.stop();
    }
  });
});

describe('a token', () => {
  const startMs = Date.UTC(2026, 0, 3);
  const lifetimes = { clockMs: startMs, accessSeconds: 60, refreshSeconds: 900 };
  let simulator: RunningSimulator;
  beforeAll(async () => (simulator = await startSimulator({ name: 'thingsboard', ...lifetimes })));
  beforeEach(async () => {
    await simulator.clock({ nowMs: startMs });
    await simulator.admin('POST', 'reset');
  });
  afterAll(async () => await simulator.stop());

  /** Reads a burst in five pages and lets `between` happen after the second. */
  async function readAround(now: () => number, between: () => Promise<unknown>): Promise<string[]> {
    const selection = { group: press, sensors: [press], variables: ['vibration'] };
    const points: Found[string] = [];
    let pages = 0;
    const http = connect(simulator.url, tenant, now);
    const read = wellRead(thingsboard.read(http, optionsOf({ pageLimit: 600 }), selection, burst));
    for await (const { at, values } of read) {
      pages += 1;
      if (pages === 2) await between();
      points.push(...at.map((instant, index): [number, unknown] => [instant, values[index]]));
    }
    expect(points).toEqual(truthOf(spec, press, burst)['vibration']);
    return (await simulator.log()).map(({ path, status }) => `${status} ${path.split('/').at(-1)}`);
  }
  const page = '200 history';

  test('that expires between two pages is renewed by a request without it, and no point is lost', async () => {
    const calls = await readAround(
      () => startMs * 1000,
      () => simulator.clock({ advanceMs: 61_000 }),
    );
    expect(calls).toEqual(['200 login', page, page, '401 history', '200 token', page, page, page]);
  });

  test('is renewed before it expires where the clocks agree', async () => {
    let nowMs = startMs;
    const calls = await readAround(
      () => nowMs * 1000,
      async () => {
        nowMs += 55_000;
        await simulator.clock({ nowMs });
      },
    );
    expect(calls).toEqual(['200 login', page, page, '200 token', page, page, page]);
  });

  test('that is withdrawn together with its refresh token leads to one login', async () => {
    const calls = await readAround(
      () => startMs * 1000,
      () => simulator.admin('POST', 'invalidate-tokens'),
    );
    expect(calls).toEqual(['200 login', page, page, '401 history', '401 token', '200 login', page, page, page]);
  });
});
