import { expect, test } from 'vitest';
import { distort, isDistorted } from '../../../src/simulator/distort.ts';
import type { SimulatedFault } from '../../../src/simulator/faults.ts';
import { deviceId, plant } from '../../../src/simulator/plant.ts';
import { maxInSlidingSecond } from '../../../src/simulator/recorder.ts';
import { truth } from '../../../src/simulator/truth.ts';
import { searchOf, withThingsBoard, type Client, type Points } from './thingsboard-client.ts';

const spec = plant();
const startMs = spec.firstMs;
const press = deviceId(0);
const hourMs = 3_600_000;
const query = {
  keys: 'pressure',
  startTs: startMs,
  endTs: startMs + hourMs,
  orderBy: 'ASC',
  useStrictDataTypes: 'true',
};
const expected = truth(spec, press, 'pressure', startMs, startMs + hourMs);

const read = (client: Client) => client.values(press, query);
const statuses = async (client: Client, times: number) => {
  const seen = [];
  for (let time = 0; time < times; time += 1) seen.push((await read(client)).status);
  return seen;
};

test('an error status hits `next` requests on the paths that match, in the order of the faults', () =>
  withThingsBoard({}, async (client, simulator) => {
    await simulator.faults(
      { kind: 'status', status: 429, match: '/values/', after: 1, next: 2 },
      { kind: 'status', status: 503, match: '/values/', method: 'GET', next: 2 },
    );
    expect((await client.get('/api/auth/user')).status).toBe(200);
    expect(await statuses(client, 5)).toEqual([503, 429, 429, 503, 200]);
    expect(await simulator.listFaults()).toMatchObject([{ hits: 2 }, { hits: 2 }]);
  }));

test('an error without `next` lasts until it is switched off', () =>
  withThingsBoard({}, async (client, simulator) => {
    const [id] = await simulator.faults({ kind: 'status', status: 503 });
    expect(await statuses(client, 2)).toEqual([503, 503]);
    await simulator.faultsOff(id);
    expect(await statuses(client, 1)).toEqual([200]);
  }));

test('a fault hits every n-th request, and an ending fault hides a request from the faults behind it', () =>
  withThingsBoard({}, async (client, simulator) => {
    await simulator.faults(
      { kind: 'status', status: 429, match: '/values/', after: 1, everyNth: 3 },
      { kind: 'status', status: 503, match: '/values/', everyNth: 2 },
    );
    expect(await statuses(client, 8)).toEqual([200, 503, 200, 429, 503, 200, 429, 503]);
  }));

test('Retry-After is absent, in seconds or an HTTP date that is not too early', () =>
  withThingsBoard({}, async (client, simulator) => {
    for (const status of [429, 503]) {
      await simulator.faults(
        { kind: 'status', status, next: 1 },
        { kind: 'status', status, retryAfterSeconds: 7, next: 1 },
        { kind: 'status', status, retryAfterSeconds: 7, retryAfterAs: 'date', next: 1 },
      );
      const askedMs = Date.now();
      const replies = [await read(client), await read(client), await read(client)];
      expect(replies.map((reply) => reply.status)).toEqual([status, status, status]);
      const [none, seconds, date] = replies.map(({ headers }) => headers.get('retry-after'));
      expect([none, seconds]).toEqual([null, '7']);
      expect(Date.parse(date ?? '')).toBeGreaterThanOrEqual(askedMs + 7_000);
      expect(new Date(Date.parse(date ?? '')).toUTCString()).toBe(date);
      if (status === 429) expect(replies[0]?.json()).toMatchObject({ status: 429, errorCode: 33 });
    }
  }));

test('tokens become invalid between two pages, with or without their refresh tokens', () =>
  withThingsBoard({}, async (client, simulator) => {
    const renew = (refreshToken: string) => client.post('/api/auth/token', { refreshToken });
    const { refreshToken } = await client.logIn();
    await simulator.faults({ kind: 'invalidate-tokens', tokens: 'access', match: '/values/', after: 1, next: 1 });
    expect(await statuses(client, 3)).toEqual([200, 401, 401]);
    expect((await read(client)).json()).toMatchObject({ errorCode: 11 });
    expect((await renew(refreshToken)).status).toBe(200);
    await simulator.admin('POST', 'invalidate-tokens');
    expect((await renew(refreshToken)).json()).toMatchObject({ status: 401, errorCode: 11 });
    await client.logIn();
    expect(await statuses(client, 1)).toEqual([200]);
    await simulator.faults({ kind: 'invalidate-tokens', match: '/values/' });
    await client.logIn();
    expect(await statuses(client, 1)).toEqual([401]);
  }));

test('a truncated body is half of the real one, complete as HTTP or cut off', () =>
  withThingsBoard({}, async (client, simulator) => {
    const whole = (await read(client)).text;
    await simulator.faults({ kind: 'truncate', next: 1 }, { kind: 'truncate', lost: 'connection', next: 1 });
    const half = await read(client);
    expect([half.status, half.text]).toEqual([200, whole.slice(0, whole.length / 2)]);
    expect(() => half.json()).toThrow(SyntaxError);
    await expect(read(client)).rejects.toThrow('terminated');
    expect((await read(client)).text).toBe(whole);
  }));

test('a wrong shape is a 200 with another body', () =>
  withThingsBoard({}, async (client, simulator) => {
    const shapes = ['html', 'array', 'object', 'types'] as const;
    await simulator.faults(...shapes.map((shape): SimulatedFault => ({ kind: 'wrong-shape', shape, next: 1 })));
    const replies = [await read(client), await read(client), await read(client), await read(client)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(replies[0]?.text).toMatch(/^<!doctype html>/);
    expect(replies[1]?.json()).toEqual([1, 'two', null]);
    expect(replies[2]?.json()).toMatchObject({ status: 500 });
    const first = { ts: `not a number: ${startMs}`, value: `not a number: ${expected[0]?.value as number}` };
    expect(replies[3]?.json()).toMatchObject({ pressure: { 0: first } });
  }));

test('a reset ends the connection, a hang never answers, and both are in the log without a status', () =>
  withThingsBoard({}, async (client, simulator) => {
    await simulator.admin('POST', 'reset');
    await simulator.faults({ kind: 'reset', next: 1 }, { kind: 'hang', next: 1 });
    const failure = await read(client).catch((cause: unknown) => cause);
    expect((failure as { cause: { code: string } }).cause.code).toBe('ECONNRESET');
    const abort = new AbortController();
    const hanging = fetch(`${simulator.url}/api/auth/user`, { signal: abort.signal }).catch((cause: unknown) => cause);
    await expect.poll(async () => (await simulator.listFaults())[1]?.hits).toBe(1);
    expect(await simulator.log()).toMatchObject([{ status: null }, { status: null, finishedMs: null }]);
    expect(await simulator.stats()).toMatchObject({ total: 2, concurrent: 1 });
    abort.abort();
    expect(await hanging).toMatchObject({ name: 'AbortError' });
    await expect.poll(async () => (await simulator.stats()).concurrent).toBe(0);
    expect(await statuses(client, 1)).toEqual([200]);
  }));

test('a slow answer is right and at least `delayMs` later', () =>
  withThingsBoard({}, async (client, simulator) => {
    await simulator.faults({ kind: 'slow', delayMs: 50, match: '/values/' }, { kind: 'status', status: 503, next: 1 });
    expect(await statuses(client, 1)).toEqual([503]);
    expect((await read(client)).json()).toEqual({ pressure: expected });
    const [, , slow] = await simulator.log();
    expect((slow?.finishedMs ?? 0) - (slow?.arrivedMs ?? 0)).toBeGreaterThan(49);
  }));

test.each([
  ['NaN', /"value":NaN[,}]/],
  ['"NaN"', /"value":"NaN"/],
  ['null', /"value":null/],
] as const)('bad values: %s', (value, pattern) =>
  withThingsBoard({}, async (client, simulator) => {
    await simulator.faults({ kind: 'bad-value', value, every: 3 });
    const { text } = await read(client);
    expect(text).toMatch(pattern);
    if (value === 'NaN') expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    const bad = expected.filter(({ ts }) => isDistorted(ts, 3));
    expect(text.match(new RegExp(pattern, 'g'))).toHaveLength(bad.length);
    const kept = expected.filter(({ ts }) => !isDistorted(ts, 3));
    for (const point of kept) expect(text).toContain(JSON.stringify(point));
  }),
);

test('duplicate timestamps, future dates and lies are in the answer as distort() computes them', () =>
  withThingsBoard({ clockMs: startMs + hourMs }, async (client, simulator) => {
    const faults: SimulatedFault[] = [
      { kind: 'duplicate-timestamps', next: 1 },
      { kind: 'duplicate-timestamps', value: 'other', next: 1 },
      { kind: 'future-dates', next: 1 },
      { kind: 'lie', every: 5, next: 1 },
    ];
    for (const fault of faults) {
      await simulator.faults(fault);
      const { pressure } = (await read(client)).json<Points>();
      const distorted = distort(expected, [fault as never], startMs + hourMs, 'ASC');
      expect(pressure).toEqual(distorted.slice(0, 100));
      if (fault.kind === 'lie') {
        expect(pressure?.length).toBeLessThan(expected.length);
        continue;
      }
      expect(pressure?.length).toBeGreaterThan(expected.length);
      if (fault.kind === 'future-dates') expect(pressure?.at(-1)?.ts).toBe(startMs + hourMs + 400 * 86_400_000);
      else expect(new Set(pressure?.map(({ ts }) => ts)).size).toBe(expected.length);
    }
  }));

test('its own rate limit answers 429/33 to the requests above it and serves the others', () =>
  withThingsBoard({ requestsPerSecond: 3 }, async (client, simulator) => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.get('/api/noauth/userPasswordPolicy')));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.json()).toMatchObject({ status: 429, errorCode: 33 });
    const log = await simulator.log();
    const admitted = log.filter(({ status }) => status === 200);
    expect(admitted.length + refused.length).toBe(21);
    expect(await simulator.admin('GET', 'state')).toMatchObject({ rateLimited: refused.length });
  }));

test('the log and the statistics hold every request and no secret', () =>
  withThingsBoard({}, async (client, simulator) => {
    await Promise.all([read(client), read(client), client.get('/api/nothing')]);
    const log = await simulator.log();
    expect(log.map(({ path, query: sent, status }) => [path.split('/').at(-1), sent, status])).toEqual(
      expect.arrayContaining([
        ['login', '', 200],
        ['timeseries', searchOf(query), 200],
        ['nothing', '', 404],
      ]),
    );
    const stats = await simulator.stats();
    expect(stats).toMatchObject({
      total: 4,
      concurrent: 0,
      maxInOneSecond: maxInSlidingSecond(log.map((r) => r.arrivedMs)),
    });
    const arrivals = log.map(({ arrivedMs }) => arrivedMs);
    expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b));
    expect(JSON.stringify(log)).not.toContain(client.token);
    expect(JSON.stringify(log)).not.toContain('password"');
  }));

test('a misspelt fault is refused with the reason', () =>
  withThingsBoard({}, async (_, simulator) => {
    const wrong = [{ kind: 'explode' }, { kind: 'slow' }, { kind: 'hang', nxt: 1 }, { kind: 'slow', delayMs: '5' }];
    for (const fault of [...wrong, { kind: 'wrong-shape', shape: 'round' }, { kind: 'hang', match: '(' }]) {
      await expect(simulator.admin('POST', 'faults', fault)).rejects.toThrow('400');
    }
    expect(await simulator.admin('GET', 'faults')).toEqual([]);
    await expect(simulator.admin('GET', 'nothing')).rejects.toThrow('404');
  }));
