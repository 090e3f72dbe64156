import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import type { RecordedRequest } from '../../src/simulator/recorder.ts';
import type { DeviceSpec } from '../../src/simulator/truth.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { dataRequests, device, differences, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A healthy ThingsBoard and two workers: history and live, tokens, devices that come later, dense stretches.

const PAGE = 400;

/** 1,500 points within 1.5 s in the middle of every hour. */
const dense: DeviceSpec = {
  ...device(3),
  keys: [
    {
      name: 'vibration',
      kind: 'number',
      everyMs: 10_000,
      burst: { everyMs: 3_600_000, offsetMs: 1_800_000, lengthMs: 1_500, stepMs: 1 },
    },
  ],
};

const calm = livingPlant([device(1), device(2), dense]);
const restless = livingPlant([device(11), device(12)], 1);

const databases = useDatabases();
let rig: Rig;
let plant: Plant;
let shortLived: Plant;

beforeAll(async () => {
  [rig, plant, shortLived] = await Promise.all([
    startRig(databases, ['hall', 'late']),
    startPlant({ truth: calm }),
    startPlant({ truth: restless, accessSeconds: 5, refreshSeconds: 60 }),
  ]);
});

afterAll(async () => {
  await rig.close();
  await Promise.all([plant.stop(), shortLived.stop()]);
});

const tokenCalls = (log: readonly RecordedRequest[]): RecordedRequest[] =>
  log.filter(({ path }) => path === '/api/auth/login' || path === '/api/auth/token');

const logins = (log: readonly RecordedRequest[]): RecordedRequest[] =>
  log.filter(({ path }) => path === '/api/auth/login');

/** A request that is under way has no status yet. */
const isRefused = ({ status, finishedMs }: RecordedRequest): boolean => finishedMs !== null && status !== 200;

test('history and live of several devices are stored point for point, with one login and one page after the other', async () => {
  const worker = await rig.bridge.up('worker');
  await rig.apply(
    thingsboard('calm', plant.url, { options: { pageLimit: PAGE } }),
    thingsboard('restless', shortLived.url, { schedule: { every: '500ms', start: '1h', settle: '1s', overlap: '0s' } }),
  );
  const untilMs = Date.now() + 5_000;
  await rig.covered('calm', untilMs);
  const { startMs } = await rig.source('calm');
  expect(await differences(rig.client, calm, { fromMs: startMs, toMs: untilMs })).toEqual(NONE);

  const log = await plant.log();
  expect(logins(log)).toHaveLength(1);
  expect(log.filter(isRefused)).toEqual([]);
  // The dense stretch came in pages: a later page asks for the rest of the same window.
  const pages = dataRequests(log).filter(({ device: id }) => id === dense.id);
  const paged = pages.filter((one) => pages.some((other) => other.toMs === one.toMs && other.fromMs < one.fromMs));
  expect(paged.length).toBeGreaterThan(3);
  expect((await worker.stop(30_000)).code).toBe(0);
});

test('tokens are renewed before they expire, by one call at a time', async () => {
  const log = await eventually('renewals', async () => {
    const seen = await shortLived.log();
    return tokenCalls(seen).length >= 5 ? seen : new Waiting(tokenCalls(seen));
  });
  const calls = tokenCalls(log);
  expect(logins(log)).toHaveLength(1);
  for (const [index, call] of calls.entries()) {
    if (index > 0) expect(call.arrivedMs).toBeGreaterThanOrEqual(calls[index - 1]?.finishedMs ?? Infinity);
  }
  expect(log.length).toBeGreaterThan(50);
  // A token may end on the way to a slow machine. Where tokens were renewed only after a refusal, there would be one before each call.
  const begins = calls.map(({ number }) => number);
  const unasked = begins.filter((begin, index) => {
    const before = begins[index - 1] ?? begin;
    return index > 0 && !log.some((one) => one.number > before && one.number < begin && isRefused(one));
  });
  expect(unasked.length).toBeGreaterThan(0);
  expect(await shortLived.simulator().admin('GET', 'state')).toMatchObject({
    accounts: { 'bridge@plant.test': { failedLogins: 0 } },
  });
  const untilMs = Date.now();
  await rig.covered('restless', untilMs);
  const { startMs } = await rig.source('restless');
  expect(await differences(rig.client, restless, { fromMs: startMs, toMs: untilMs })).toEqual(NONE);
  expect(rig.complaints('restless')).toEqual([]);
});

test('a device that comes later and a new key of an old one get their whole past', async () => {
  const grown = { ...calm, devices: [device(1, 1_000, ['flow', 'temperature', 'speed']), device(2), dense, device(4)] };
  await plant.replace({ truth: grown });
  const begun = (await plant.log()).length;
  await rig.bridge.succeed('source', 'poll', 'calm');
  await eventually('the new streams', async () => {
    const { streams } = await rig.source('calm');
    return streams.length === 5 || new Waiting(streams);
  });
  const untilMs = Date.now();
  await rig.covered('calm', untilMs);
  const { startMs } = await rig.source('calm');
  expect(await differences(rig.client, grown, { fromMs: startMs, toMs: untilMs })).toEqual(NONE);
  // A known device without a new key is asked for its edge only.
  const asked = dataRequests((await plant.log()).slice(begun)).filter(({ device: id }) => id === device(2).id);
  expect(Math.min(...asked.map(({ fromMs }) => fromMs))).toBeGreaterThan(startMs + 3_600_000);
});

test('a backfill begun right after registration leaves no hole before the first live window', async () => {
  // With a settle of 10 s the backfill begins before the start of the source has settled.
  const schedule = { every: '1s', settle: '10s', overlap: '0s' };
  await rig.apply(thingsboard('fresh', shortLived.url, { project: 'late', schedule }));
  const fromMs = Date.now() - 60_000;
  const from = new Date(fromMs).toISOString();
  await rig.bridge.succeed('backfill', 'start', 'fresh', '--from', from);
  const untilMs = Date.now() - 5_000;
  await rig.covered('fresh', untilMs);
  const { rows } = await rig.client.query<{ holes: boolean }>(
    `select not covered @> tstzrange(at_instant($1), at_instant($2)) as holes
     from stream join source on source.id = source_id where name = 'fresh'`,
    [fromMs * 1000, untilMs * 1000],
  );
  expect(rows).toEqual([{ holes: false }, { holes: false }]);
  expect(await differences(rig.client, restless, { fromMs, toMs: untilMs, project: 'late' })).toEqual(NONE);
});
