import { readFileSync } from 'node:fs';
import { Redis as RedisClient } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { startHttpFault } from '../kit/http-fault.ts';
import { influxClient } from '../kit/influx-client.ts';
import { type Influx, startInflux } from '../kit/influx.ts';
import { assertNothingLeaked, leaks } from '../kit/leaks.ts';
import { makePlant } from '../kit/plant.ts';
import { differencesOf, type Point, seriesKey, sortPoints } from '../kit/point.ts';
import { startProcess } from '../kit/process.ts';
import { startProxy } from '../kit/proxy.ts';
import { startRedis } from '../kit/redis.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';

const january = Date.UTC(2026, 0, 1) * 1_000;
const minuteUs = 60_000_000;
const same = { missing: 0, unexpected: 0, changed: 0, repeated: 0, examples: [] };

afterAll(assertNothingLeaked);

/** The state of a process, see proc(5): `T` is stopped by a signal. */
const stateOf = (pid: number): string => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';

describe('a process', () => {
  test('that ends before it is ready fails with its last words', async () => {
    const start = startProcess({
      name: 'unwilling',
      command: process.execPath,
      args: ['-e', 'console.error("no such valve"); process.exit(3)'],
      ready: () => false,
    });
    await expect(start).rejects.toThrow(/unwilling ended before it was ready \(code 3[^]*no such valve/);
  });

  test('that does not exist or never becomes ready fails and leaves no process behind', async () => {
    await expect(startProcess({ name: 'none', command: 'no-such-program', ready: () => false })).rejects.toThrow(
      /none ended before it was ready[^]*no-such-program/,
    );
    const sleepy = startProcess({
      name: 'sleepy',
      command: 'sleep',
      args: ['600'],
      readyWithinMs: 1,
      ready: () => Promise.reject(new Error('still asleep')),
    });
    await expect(sleepy).rejects.toThrow(/sleepy not ready within 1 ms.*still asleep/);
    expect(leaks()).toEqual([]);
  });

  test('that ignores SIGTERM is killed, and a paused process is resumed so that it ends in order', async () => {
    const script = 'process.on("SIGTERM", () => console.log("deaf")); setInterval(() => {}, 1000); console.log("up")';
    const ready = (running: { output(): string }): boolean => running.output().includes('up');
    const deaf = await startProcess({ name: 'deaf', command: process.execPath, args: ['-e', script], ready });
    process.kill(deaf.pid, 'SIGTERM');
    await expect.poll(() => deaf.output()).toContain('deaf');
    expect(await deaf.stop(200)).toEqual({ code: null, signal: 'SIGKILL' });
    const tidy = 'process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000); console.log("up")';
    const paused = await startProcess({ name: 'paused', command: process.execPath, args: ['-e', tidy], ready });
    paused.pause();
    expect(await paused.stop()).toEqual({ code: 0, signal: null });
  });

  test('that a test leaves running, its orphans and a directory are found and removed', async () => {
    const forgotten = await startProcess({ name: 'forgotten', command: 'sleep', args: ['600'], ready: () => true });
    const parent = await startProcess({
      name: 'parent',
      command: 'bash',
      args: ['-c', 'sleep 600 & echo child started; wait'],
      ready: (running) => running.output().includes('child started'),
    });
    await parent.kill9();
    const directory = await makeTempDirectory('forgotten');
    expect(leaks()).toEqual([
      `process forgotten (${forgotten.pid})`,
      `process parent (${parent.pid})`,
      `directory ${directory.path}`,
    ]);
    expect(assertNothingLeaked).toThrow(/left behind by the tests: process forgotten/);
    expect((await forgotten.exited).signal).toBe('SIGKILL');
    expect(leaks()).toEqual([]);
  });
});

test('Redis starts, keeps its data through SIGKILL with appendonly, pauses and stops', async () => {
  const [durable, forgetful] = await Promise.all([startRedis({ appendonly: true }), startRedis()]);
  for (const [redis, expected] of [
    [durable, 'open'],
    [forgetful, null],
  ] as const) {
    const before = new RedisClient(redis.url);
    await before.set('valve', 'open');
    before.disconnect();
    await redis.kill9();
    expect(redis.process().running()).toBe(false);
    await redis.restart();
    const client = new RedisClient(redis.url);
    expect(await client.get('valve')).toBe(expected);

    redis.pause();
    await expect.poll(() => stateOf(redis.process().pid)).toBe('T');
    const answer = client.ping();
    redis.resume();
    expect(await answer).toBe('PONG');
    client.disconnect();
    await redis.stop();
    expect(redis.process().running()).toBe(false);
  }
  const occupied = await startRedis();
  await expect(startRedis({ port: occupied.port })).rejects.toThrow(/Address already in use/);
  await occupied.stop();
  expect(leaks()).toEqual([]);
});

describe('the plant', () => {
  const options = { points: 20_000, fromUs: january, days: 7 };
  const points = [...makePlant(options).points()];

  test('is the same for the same seed, another one for another seed, and in order of time', () => {
    expect(points).toHaveLength(20_000);
    expect(differencesOf(points, makePlant(options).points())).toEqual(same);
    expect(differencesOf(points, makePlant({ ...options, seed: 2 }).points()).missing).toBeGreaterThan(5_000);
    expect(sortPoints(points.toReversed())).toEqual(points);
    expect([...makePlant({ ...options, points: 61 }).points()]).toHaveLength(61);
    expect(() => makePlant({ ...options, fromUs: january + 1 })).toThrow(RangeError);
  });

  test('holds the points that careless code gets wrong: edges of minutes, neighbours, 17 digits, zero, text', () => {
    const { fromUs, toUs } = makePlant(options);
    const times = points.map(({ at }) => at);
    expect(times.filter((at) => at < fromUs || at >= toUs)).toEqual([]);
    expect(new Set(points.map(seriesKey)).size).toBe(60);
    expect(new Set(points.map((point) => `${seriesKey(point)} ${point.at}`)).size).toBe(20_000);
    expect(times).toContain(fromUs);
    expect(times).toContain(toUs - 1);
    for (const offsetUs of [0, minuteUs - 1]) {
      expect(times.filter((at) => at % minuteUs === offsetUs).length).toBeGreaterThan(1_000);
    }
    const vibration = points.filter(({ measurement }) => measurement === 'vibration');
    const close = vibration.filter(({ at }, index) => at - (vibration[index - 1]?.at ?? 0) <= 7);
    expect(close.length).toBeGreaterThan(1_000);
    expect(new Set(points.map(({ value }) => typeof value))).toEqual(new Set(['number', 'string', 'boolean']));
    const texts = points.flatMap(({ value }) =>
      typeof value === 'number' ? [String(value).replaceAll(/\D/g, '')] : [],
    );
    expect(texts.filter((digits) => digits.replace(/^0+/, '').length === 17).length).toBeGreaterThan(100);
    expect(points.some(({ value }) => value === 0) && points.some(({ value }) => Number(value) < 0)).toBe(true);
  });
});

describe('InfluxDB', () => {
  const plant = makePlant({ points: 30_000, fromUs: january, days: 7 });
  const fieldKeysAt = (url: string): Promise<unknown> => influxClient(url, reader).query('SHOW FIELD KEYS', 'plant');
  const reader = { username: '', password: '' };
  let influx: Influx;

  test('holds the plant exactly, and still does after SIGKILL and restart', async () => {
    influx = await startInflux({ maxRowLimit: 100 });
    Object.assign(reader, influx.reader);
    for (const batch of plant.batches()) await influx.write(batch, 'plant', 'u');
    const stored = await influx.readAll('plant', plant.fromUs, plant.toUs);
    expect(stored).toEqual([...plant.points()]);
    const fields = (await influx.query('SHOW FIELD KEYS', 'plant')).flatMap(({ values }) => values);
    expect(Object.fromEntries(fields)).toEqual({
      bar: 'float',
      float: 'float',
      'i "rms", A=1': 'float',
      integer: 'integer',
      open: 'boolean',
      setpoint: 'integer',
      state: 'string',
      total: 'integer',
      value: 'float',
      velocity: 'float',
    });
    await influx.kill9();
    await expect(influx.query('SHOW DATABASES')).rejects.toThrow(/ECONNREFUSED/);
    await influx.restart();
    expect(differencesOf(stored, await influx.readAll('plant', plant.fromUs, plant.toUs))).toEqual(same);
  });

  test('reads half-open ranges to the microsecond', async () => {
    const edges = [...plant.points()].map(({ at }) => at).filter((at) => at > plant.fromUs + 24 * 60 * minuteUs);
    const from = edges.find((at) => at % minuteUs === 0) ?? 0;
    const to = (edges.find((at) => at > from && at % minuteUs === minuteUs - 1) ?? 0) + 1;
    const expected = [...plant.points()].filter(({ at }) => at >= from && at < to);
    expect(differencesOf(expected, await influx.readAll('plant', from, to))).toEqual(same);
    expect(expected.length).toBeGreaterThan(100);
  });

  test('lets the reader read its database, and refuses writing, other databases and a wrong password', async () => {
    const asReader = influxClient(influx.url, influx.reader);
    expect(await asReader.query('SHOW MEASUREMENTS', 'plant')).toEqual(
      await influx.query('SHOW MEASUREMENTS', 'plant'),
    );
    await expect(asReader.write('m f=1 1', 'plant', 'u')).rejects.toThrow(/403/);
    await expect(asReader.query('SHOW MEASUREMENTS', 'elsewhere')).rejects.toThrow(/403/);
    await expect(influx.query('SELECT f FROM m', 'elsewhere')).rejects.toThrow(/database not found/);
    const stranger = influxClient(influx.url, { ...influx.reader, password: 'wrong' });
    await expect(stranger.query('SHOW MEASUREMENTS', 'plant')).rejects.toThrow(/401/);
  });

  test('cuts an answer that is not chunked at maxRowLimit', async () => {
    const query = new URLSearchParams({ db: 'plant', q: 'SELECT total FROM energy' });
    const { username, password } = influx.admin;
    const response = await fetch(`${influx.url}/query?${query}`, {
      headers: { Authorization: `Basic ${btoa(`${username}:${password}`)}` },
    });
    const answer = (await response.json()) as { results: { series: { values: unknown[]; partial?: boolean }[] }[] };
    expect(answer.results[0]?.series[0]).toMatchObject({ partial: true, values: { length: 100 } });
  });

  test('answers after a pause', async () => {
    influx.pause();
    await expect.poll(() => stateOf(influx.process().pid)).toBe('T');
    const answer = fieldKeysAt(influx.url);
    influx.resume();
    expect(await answer).not.toEqual([]);
  });

  test('behind an HTTP fault gives the chosen answers, then its own, and every request is recorded', async () => {
    const fault = await startHttpFault(influx.url);
    const truth = await fieldKeysAt(influx.url);
    fault.next(2, { status: 429, headers: { 'Retry-After': '7' }, body: 'slow down' });
    fault.next(Infinity, { status: 503 }, ({ url }) => url === '/ping');
    const refused = await fetch(`${fault.url}/ping`);
    expect([refused.status, refused.headers.get('Retry-After'), await refused.text()]).toEqual([429, '7', 'slow down']);
    await expect(fieldKeysAt(fault.url)).rejects.toThrow(/429 slow down/);
    expect(await fieldKeysAt(fault.url)).toEqual(truth);
    expect((await fetch(`${fault.url}/ping`)).status).toBe(503);
    fault.heal();
    expect((await fetch(`${fault.url}/ping`)).status).toBe(204);
    expect(fault.requests.map(({ status }) => status)).toEqual([429, 429, 200, 503, 204]);
    expect(fault.requests[0]).toMatchObject({ method: 'GET', url: '/ping' });
    expect(fault.mostAtOnce()).toBe(1);
    await influx.kill9();
    expect((await fetch(`${fault.url}/ping`)).status).toBe(502);
    await influx.restart();
    await fault.close();
  });

  test('behind a proxy that truncates gives an answer that fails instead of looking complete', async () => {
    const proxy = await startProxy({ port: Number(new URL(influx.url).port) });
    const url = `http://127.0.0.1:${proxy.port}`;
    await proxy.set({ truncateAfterBytes: 400 });
    await expect(fieldKeysAt(url)).rejects.toThrow();
    expect(proxy.bytesToClients()).toBe(400);
    await proxy.set({});
    expect(await fieldKeysAt(url)).toEqual(await fieldKeysAt(influx.url));
    await proxy.close();
    await influx.stop();
    expect(leaks()).toEqual([]);
  });

  test('serves https with a self-signed certificate', async () => {
    const secure = await startInflux({ tls: true, databases: ['hall "north"'] });
    expect(secure.url).toMatch(/^https:/);
    await secure.write('m f=1i 1', 'hall "north"', 'u');
    const expected: Point[] = [{ measurement: 'm', tags: {}, field: 'f', at: 1, value: 1 }];
    expect(await secure.readAll('hall "north"', 0, 2)).toEqual(expected);
    const distrustful = influxClient(secure.url, secure.reader);
    await expect(distrustful.query('SHOW MEASUREMENTS', 'hall "north"')).rejects.toThrow(/self-signed certificate/);
    await secure.stop();
  });
});
