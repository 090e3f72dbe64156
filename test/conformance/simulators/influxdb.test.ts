import { afterAll, afterEach, expect, test } from 'vitest';
import type { SimulatedInfluxdbOptions } from '../../../adapters/platforms/influxdb/simulator.ts';
import { HOUR } from '../../../src/core/instant.ts';
import { isDistorted } from '../../../src/simulator/distort.ts';
import { truth } from '../../../src/simulator/truth.ts';
import type { TruthSpec } from '../../../src/simulator/truth.ts';
import { startSimulator } from '../../kit/simulator.ts';
import type { RunningSimulator } from '../../kit/simulator.ts';
import { connect, disconnect, identify, reading, rowsOf, sensorsOf } from '../influxdb-http.ts';
import type { Row } from '../influxdb-http.ts';

const startMs = Date.UTC(2026, 0, 1);
const from = startMs * 1_000;
const account = { username: 'bridge', password: 'of the test' };
const pump = 'pump,hall=3,machine=P-1';
const valve = 'valve,machine=V 2';
const flow = { name: 'flow', kind: 'number', everyMs: 1_000, edges: true } as const;
const state = { name: 'state', kind: 'text', everyMs: 60_000 } as const;
const on = { name: 'on', kind: 'boolean', everyMs: 7_000 } as const;
const level = { name: 'level', kind: 'number', everyMs: 5_000 } as const;
const devices = [
  { id: pump, name: 'P-1', keys: [flow, state, on] },
  { id: valve, name: 'V 2', keys: [level] },
];
const spec: TruthSpec = { seed: 1, firstMs: startMs, endMs: startMs + 7_200_000, devices };

const running: RunningSimulator[] = [];
async function start(more: Partial<SimulatedInfluxdbOptions> = {}): Promise<RunningSimulator> {
  const simulator = await startSimulator({ name: 'influxdb', accounts: [account], truth: spec, ...more });
  running.push(simulator);
  return simulator;
}
afterEach(() => Promise.all(running.splice(0).map((simulator) => simulator.stop())));
afterAll(disconnect);

const trueRows = (id: string, keys: readonly string[], toMs = startMs + 3_600_000): Row[] =>
  keys.flatMap((key) => truth(spec, id, key, startMs, toMs).map(({ ts, value }): Row => [id, key, ts * 1_000, value]));
const byKey = (rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (one[1] < other[1] ? -1 : Number(one[1] > other[1])));

test('the platform identifies it, finds its series and reads the truth in chunks', async () => {
  const http = connect((await start()).url, account);
  expect(await identify(http)).toMatchObject({ product: 'InfluxDB 1.8.10' });
  expect(await sensorsOf(http)).toEqual([
    { id: pump, group: 'pump', variables: ['flow', 'on', 'state'] },
    { id: valve, group: 'valve', variables: ['level'] },
  ]);
  for (const chunkSize of [7, 10_000]) {
    const rows = await rowsOf(reading(http, { chunkSize }, 'pump', { from, to: from + HOUR }));
    expect(byKey(rows)).toEqual(trueRows(pump, ['flow', 'on', 'state']));
  }
  expect(await rowsOf(reading(http, {}, 'valve', { from: from - HOUR, to: from }))).toEqual([]);
  expect(await rowsOf(reading(http, {}, 'unknown', { from, to: from + HOUR }))).toEqual([]);
});

test('another database, a wrong password and a sensor condition are refused', async () => {
  const { url } = await start();
  const http = connect(url, account);
  await expect(identify(http, { database: 'plnat' })).rejects.toMatchObject({ code: 'config-invalid' });
  await expect(identify(connect(url, { ...account, password: 'guess' }))).rejects.toMatchObject({
    code: 'credentials-rejected',
  });
  const chosen = rowsOf(reading(http, {}, 'pump', { from, to: from + HOUR }, [pump]));
  await expect(chosen).rejects.toThrow(/not simulated: SELECT \* FROM/);
});

test('a parameter it does not know is a 400, a path it does not know a 404', async () => {
  const { url } = await start();
  const authorization = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;
  const ask = async (change: Record<string, string>) => {
    const form = { db: 'plant', q: 'SHOW MEASUREMENTS ON "plant"', epoch: 'u', chunked: 'true', chunk_size: '5' };
    const body = new URLSearchParams({ ...form, ...change });
    return await fetch(`${url}/query`, { method: 'POST', body, headers: { authorization } });
  };
  expect((await ask({})).status).toBe(200);
  for (const change of [{ epoch: 'ms' }, { pretty: 'true' }, { chunk_size: '0' }, { q: 'SHOW USERS' }]) {
    const answer = await ask(change);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('not simulated')]);
  }
  expect((await fetch(`${url}/write`, { method: 'POST' })).status).toBe(404);
});

test('it lies, and refuses faults that InfluxDB cannot have', async () => {
  const simulator = await start();
  const http = connect(simulator.url, account);
  await simulator.faults({ kind: 'lie', every: 50 });
  const rows = await rowsOf(reading(http, {}, 'valve', { from, to: from + HOUR }));
  const told = trueRows(valve, ['level']).filter(([, , at]) => !isDistorted(at / 1_000, 50));
  expect(rows.map(([, , at]) => at)).toEqual(told.map(([, , at]) => at));
  expect(rows).not.toEqual(told);
  await simulator.faultsOff();
  await simulator.faults({ kind: 'duplicate-timestamps' });
  await expect(identify(http)).rejects.toMatchObject({ code: 'unavailable' });
  const objects = { ...spec, devices: [{ id: pump, name: 'P-1', keys: [{ name: 'x', kind: 'json', everyMs: 1 }] }] };
  await expect(start({ truth: objects as TruthSpec })).rejects.toThrow('cannot hold the values');
});
