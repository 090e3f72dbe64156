import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HourOfRequests } from '../../src/core/request-counts.ts';
import type { RecordedRequest } from '../../src/simulator/recorder.ts';
import { useDatabases } from '../kit/databases.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { dataRequests, device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// The requests that an operator is shown are those that the platforms have recorded: of two processes, with failed ones, logins
// and looks for sensors, and after a process was killed.

const CONCURRENCY = 3;
const spec = livingPlant([device(1, 5_000), device(2, 5_000), device(3, 5_000)], 4);

const databases = useDatabases();
let rig: Rig;
let plant: Plant;
let strict: Plant;
let slow: Plant;

beforeAll(async () => {
  [rig, plant, strict, slow] = await Promise.all([
    startRig(databases),
    startPlant({ truth: spec, accessSeconds: 5 }),
    startPlant({ truth: livingPlant([device(11)], 1) }),
    startPlant({ truth: livingPlant([device(21), device(22), device(23)], 2) }),
  ]);
});

afterAll(async () => {
  await rig.close();
  await Promise.all([plant.stop(), strict.stop(), slow.stop()]);
});

const isLogin = ({ path }: RecordedRequest): boolean => ['/api/auth/login', '/api/auth/token'].includes(path);
const isFailed = ({ status }: RecordedRequest): boolean => status === null || status >= 400;

/** The requests of a source as the command line shows them. */
async function shown(name: string): Promise<HourOfRequests & { allowed: number }> {
  const lines = JSON.parse(await rig.bridge.succeed('source', 'list', '--json')) as {
    name: string;
    requestsLastHour: HourOfRequests & { allowed: number };
  }[];
  const line = lines.find((each) => each.name === name);
  if (line === undefined) throw new Error(`${name} is not listed`);
  return line.requestsLastHour;
}

/** Waits until no request of a source is under way. */
const quiet = (name: string): Promise<unknown> =>
  eventually(`no request of ${name}`, async () => {
    const { rows } = await rig.client.query<{ leases: unknown[]; claims: number }>(
      `select leases, (select count(*)::int from work where work.source_id = source.id
         and claimed_by is not null) as claims
       from source join pace on source_id = id where name = $1`,
      [name],
    );
    return (rows[0]?.leases.length === 0 && rows[0].claims === 0) || new Waiting(rows);
  });

test('equal the log of the platform: two processes, logins, looks, live, history and failed requests', async () => {
  const worker = await rig.bridge.up('worker');
  await plant.simulator().faults({ kind: 'status', status: 500, match: '/values/', everyNth: 5, next: 8 });
  await rig.apply(
    thingsboard('busy', plant.url, {
      schedule: { every: '1s', start: '3h', settle: '1s', overlap: '0s', maxWindow: '10m' },
      pace: { requestsPerSecond: 20, burst: 5, concurrency: CONCURRENCY },
    }),
  );
  await rig.covered('busy', Date.now());
  await eventually('a renewed login', async () => {
    const log = await plant.log();
    return log.filter(isLogin).length > 2 || new Waiting(log.length);
  });
  await rig.bridge.succeed('source', 'poll', 'busy');
  await rig.bridge.succeed('source', 'pause', 'busy');
  await quiet('busy');
  const log = await plant.log();
  const data = dataRequests(log).length;
  const logins = log.filter(isLogin).length;
  const requests = await shown('busy');
  expect(requests).toMatchObject({
    all: log.length,
    login: logins,
    failed: log.filter(isFailed).length,
    allowed: 72_000,
  });
  // Polls ask the platform for more than points, and only they ask for points.
  expect(requests.live + requests.history).toBeGreaterThanOrEqual(data);
  expect(requests.live + requests.history + requests.look + logins).toBe(log.length);
  expect(Math.min(requests.live, requests.history, requests.look, requests.login)).toBeGreaterThan(0);
  // On a slow machine a token of five seconds may end on the way, and its request fails, too.
  expect(log.filter(({ status }) => status === 500)).toHaveLength(8);
  expect(requests.fullestMinute).toBeLessThanOrEqual(requests.all);
  expect(await rig.bridge.succeed('source', 'show', 'busy')).toContain(
    `requests in the last hour: ${requests.all} of 72,000 allowed;`,
  );
  expect((await worker.stop(60_000)).code).toBe(0);
});

test('hold each refused login of a source that never got in', async () => {
  const connection = { url: strict.url, username: 'bridge@plant.test', password: 'wrong' };
  await rig.apply(thingsboard('locked', strict.url, { connection }));
  await eventually('the stop', async () => (await rig.source('locked')).state === 'stopped');
  await quiet('locked');
  const log = await strict.log();
  expect(log.length).toBeGreaterThan(0);
  expect(await shown('locked')).toMatchObject({ all: log.length, login: log.length, failed: log.length, live: 0 });
});

test('hold all requests of a killed process, and beyond them at most those that waited for their slots', async () => {
  await slow.simulator().faults({ kind: 'slow', delayMs: 1_500, match: '/values/' });
  const worker = await rig.bridge.up('worker');
  rig.daemon.pause();
  await rig.apply(
    thingsboard('killed', slow.url, { pace: { requestsPerSecond: 20, burst: 5, concurrency: CONCURRENCY } }),
  );
  await eventually('slow requests under way', async () => {
    const { concurrent } = await slow.simulator().stats();
    return concurrent > 1 || new Waiting(concurrent);
  });
  await worker.kill9();
  await rig.client.query(`update source set state = 'paused' where name = 'killed'`);
  await rig.client.query(`update pace set version = pace.version + 1, state = pace.state || '{"paused": true}'
    from source where source_id = id and name = 'killed'`);
  rig.daemon.resume();
  const { length } = await slow.log();
  expect(length).toBeGreaterThan(3);
  const { all } = await shown('killed');
  expect(all - length).toBeGreaterThanOrEqual(0);
  expect(all - length).toBeLessThanOrEqual(CONCURRENCY);
});
