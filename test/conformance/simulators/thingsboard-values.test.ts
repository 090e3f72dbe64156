import { expect, test } from 'vitest';
import { deviceId, plant } from '../../../src/simulator/plant.ts';
import { truth, visibleFromMs, type Value } from '../../../src/simulator/truth.ts';
import { withThingsBoard, type Client, type Points } from './thingsboard-client.ts';

const spec = plant();
const startMs = spec.firstMs;
const press = deviceId(0);
const hourMs = 3_600_000;
const strict = { orderBy: 'ASC', useStrictDataTypes: 'true', limit: 100_000 };

const read = async (client: Client, query: Record<string, string | number>, suffix?: string) =>
  (await client.values(press, query, suffix)).json<Points>();

test('a window holds the truth of every key with its type, and no key without points', () =>
  withThingsBoard({}, async (client) => {
    const keys = ['temperature', 'pressure', 'vibration', 'running', 'state', 'settings'];
    const query = { ...strict, startTs: startMs, endTs: startMs + hourMs };
    const points = await read(client, { ...query, keys: [...keys, 'humidity'].join(',') });
    expect(Object.keys(points)).toEqual(keys);
    for (const key of keys) expect(points[key]).toEqual(truth(spec, press, key, startMs, startMs + hourMs));
    expect(points['vibration']).toHaveLength(60 + 2_499);
    const types = keys.map((key) => typeof points[key]?.[0]?.value);
    expect(types).toEqual(['number', 'number', 'number', 'boolean', 'string', 'object']);
    expect(await read(client, { ...query, keys: 'humidity' })).toEqual({});
    expect(await read(client, { ...query, keys: 'pressure', startTs: startMs - hourMs, endTs: startMs })).toEqual({});
  }));

test('without useStrictDataTypes every value is a string', () =>
  withThingsBoard({}, async (client) => {
    const query = { orderBy: 'ASC', startTs: startMs, endTs: startMs + hourMs };
    const points = await read(client, { ...query, keys: 'pressure,running,state,settings' });
    const asText = (value: Value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
    for (const [key, written] of Object.entries(points)) {
      const expected = truth(spec, press, key, startMs, startMs + hourMs);
      expect(written).toEqual(expected.map(({ ts, value }) => ({ ts, value: asText(value) })));
    }
    expect(Object.keys(points)).toHaveLength(4);
  }));

test('the limit counts per key, is 100 by default and by default cuts off the oldest points', () =>
  withThingsBoard({}, async (client) => {
    const query = { keys: 'temperature,pressure', startTs: startMs, endTs: startMs + 2 * hourMs };
    const newest = await read(client, query);
    expect(newest['temperature']).toHaveLength(100);
    expect(newest['pressure']).toHaveLength(100);
    const all = truth(spec, press, 'pressure', startMs, startMs + 2 * hourMs);
    expect(newest['pressure']?.map(({ ts }) => ts)).toEqual(
      all
        .map(({ ts }) => ts)
        .toReversed()
        .slice(0, 100),
    );
    const oldest = await read(client, { ...query, ...strict, limit: 7 });
    expect(oldest['pressure']).toEqual(all.slice(0, 7));
    const exact = { ...query, ...strict, keys: 'pressure' };
    expect((await read(client, { ...exact, limit: 120 }))['pressure']).toEqual(all);
    expect((await read(client, { ...exact, limit: 119 }))['pressure']).toEqual(all.slice(0, 119));
  }));

test.each([
  ['half-open', [startMs + 60_000, startMs + 69_999]],
  ['legacy', [startMs + 69_999, startMs + 70_000]],
] as const)('the bounds of a %s server', (bounds, expected) =>
  withThingsBoard({ bounds }, async (client) => {
    const query = { ...strict, keys: 'temperature', startTs: startMs + 60_000, endTs: startMs + 70_000 };
    for (const suffix of ['', '/history']) {
      expect((await read(client, query, suffix))['temperature']?.map(({ ts }) => ts)).toEqual(expected);
    }
  }),
);

test('a request without keys, startTs or endTs is answered with the latest value on the old path', () =>
  withThingsBoard({}, async (client) => {
    const whole: Record<string, string | number> = {
      ...strict,
      keys: 'pressure',
      startTs: startMs,
      endTs: startMs + hourMs,
    };
    const latest = truth(spec, press, 'pressure', startMs, Infinity).slice(-1);
    expect((await read(client, whole))['pressure']).toHaveLength(60);
    for (const missing of ['keys', 'startTs', 'endTs']) {
      const query = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== missing));
      const points = await read(client, query);
      expect(points['pressure']).toEqual(latest);
      expect(Object.keys(points)).toHaveLength(missing === 'keys' ? 6 : 1);
      const history = await client.values(press, query, '/history');
      expect(history.json()).toMatchObject({ status: 400, errorCode: 31 });
    }
  }));

test.each([
  ['both', 200, 200],
  ['old-only', 200, 404],
  ['history-only', 404, 200],
] as const)('paths of a server with %s', (historyPath, oldStatus, historyStatus) =>
  withThingsBoard({ historyPath }, async (client) => {
    const query = { ...strict, keys: 'pressure', startTs: startMs, endTs: startMs + hourMs };
    expect((await client.values(press, query)).status).toBe(oldStatus);
    expect((await client.values(press, query, '/history')).status).toBe(historyStatus);
  }),
);

test('keys= splits a key with a comma, key= of the newer path does not', () => {
  const keys = [{ name: 'flow,main', kind: 'number', everyMs: 60_000 } as const];
  const odd = plant({ devices: [{ id: press, name: 'odd-0', keys }] });
  return withThingsBoard({ truth: odd }, async (client) => {
    const query = { ...strict, startTs: startMs, endTs: startMs + hourMs };
    expect(await read(client, { ...query, keys: 'flow,main' })).toEqual({});
    const points = await read(client, { ...query, key: 'flow,main' }, '/history');
    expect(points['flow,main']).toEqual(truth(odd, press, 'flow,main', startMs, startMs + hourMs));
  });
});

test('a parameter that is no number or no known word is refused, and so is an unknown device', () =>
  withThingsBoard({}, async (client) => {
    const query = { ...strict, keys: 'pressure', startTs: startMs, endTs: startMs + hourMs };
    const wrong = [{ startTs: '2026-01-01' }, { endTs: 1.5 }, { limit: 0 }, { limit: 'all' }, { agg: 'AVG' }];
    for (const change of [...wrong, { orderBy: 'UP' }, { useStrictDataTypes: 'yes' }]) {
      expect((await client.values(press, { ...query, ...change })).json()).toMatchObject({
        status: 400,
        errorCode: 31,
      });
    }
    expect((await client.values(deviceId(99), query)).json()).toMatchObject({ status: 404, errorCode: 32 });
    expect((await client.values(press, { ...query, agg: 'NONE' })).status).toBe(200);
  }));

test('a 503 that is not JSON replaces an answer that is too large', () =>
  withThingsBoard({ answerPointsLimit: 60 }, async (client) => {
    const query = { ...strict, keys: 'pressure', startTs: startMs, endTs: startMs + hourMs };
    expect((await client.values(press, query)).status).toBe(200);
    expect((await client.values(press, { ...query, endTs: startMs + hourMs + 1 })).status).toBe(503);
  }));

test('live data ends at the clock, and a share of it shows up late', () => {
  const live = plant({ liveFromMs: startMs + hourMs, late: { share: 0.3, delayMs: 90_000 } });
  const nowMs = startMs + 2 * hourMs;
  return withThingsBoard({ truth: live, clockMs: nowMs }, async (client, simulator) => {
    const query = { ...strict, keys: 'temperature', startTs: startMs, endTs: startMs + 9 * hourMs };
    const shown = async () => (await read(client, query))['temperature'] ?? [];
    const all = truth(live, press, 'temperature', startMs, startMs + 9 * hourMs);
    const visible = (atMs: number) => all.filter(({ ts }) => visibleFromMs(live, press, 'temperature', ts) <= atMs);
    const before = await shown();
    expect(before).toEqual(visible(nowMs));
    const past = truth(live, press, 'temperature', startMs, nowMs + 1);
    const late = past.filter(({ ts }) => visibleFromMs(live, press, 'temperature', ts) > nowMs);
    expect(late.length).toBeGreaterThan(0);
    expect(before).toHaveLength(past.length - late.length);
    await simulator.clock({ advanceMs: 90_000 });
    const after = await shown();
    for (const point of late) expect(after).toContainEqual(point);
    expect(after).toEqual(visible(nowMs + 90_000));
  });
});
