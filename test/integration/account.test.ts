import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriesName } from '../../adapters/platforms/influxdb/series-name.ts';
import { useDatabases } from '../kit/databases.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { differencesOf } from '../kit/point.ts';
import type { Point } from '../kit/point.ts';
import type { RunningProcess } from '../kit/process.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, device, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';

// A password changes on the platform while many requests of many processes carry it.

const MEASUREMENTS = 12;
const HOURS = 24;
const MINUTE_US = 60_000_000;
const USER = 'changing';

const databases = useDatabases();
let rig: Rig;
let influx: Influx;
let proxy: HttpFault;
const workers: RunningProcess[] = [];
const beginUs = (Math.floor(Date.now() / 60_000) - HOURS * 60) * MINUTE_US;

beforeAll(async () => {
  [rig, influx] = await Promise.all([startRig(databases, ['hall', 'other']), startInflux()]);
  proxy = await startHttpFault(influx.url);
  await influx.query(`CREATE USER "${USER}" WITH PASSWORD 'first'`);
  await influx.query(`GRANT READ ON "plant" TO "${USER}"`);
  const lines = Array.from({ length: MEASUREMENTS }, (_, number) =>
    Array.from(
      { length: HOURS * 60 },
      (_point, minute) => `pump${number} flow=${minute} ${beginUs + minute * MINUTE_US}`,
    ),
  );
  await influx.write(lines.flat(), 'plant', 'u');
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await rig.close();
  await proxy.close();
  await influx.stop();
});

const source = (name: string, password: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  project: 'hall',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url: proxy.url, username: USER, password },
  options: { database: 'plant' },
  schedule: {
    every: '1s',
    start: new Date(beginUs / 1000).toISOString(),
    settle: '2s',
    overlap: '0s',
    maxWindow: '10m',
  },
  pace: { requestsPerSecond: 50, burst: 10, concurrency: 2 },
  ...more,
});

/** Sees to it that so many workers run beside the daemon; they run until the end of the file. */
async function atLeast(count: number): Promise<void> {
  while (workers.length < count) workers.push(await rig.bridge.up('worker'));
}

const refusedRequests = (): number => proxy.requests.filter(({ status }) => status === 401).length;

const stopped = (name: string): Promise<unknown> =>
  eventually(`${name} stopped`, async () => {
    const state = await rig.source(name);
    return state.state === 'stopped' ? state.fault : new Waiting(state);
  });

/** Waits until no process has a claim on any source, so that no request is under way. */
const quiet = (): Promise<unknown> =>
  eventually('no claims', async () => {
    const { rows } = await rig.client.query('select from work where claimed_by is not null');
    return rows.length === 0;
  });

const busy = (processes: number): Promise<unknown> =>
  eventually('catch-up in each process', async () => {
    const { rows } = await rig.client.query<{ workers: number; windows: number }>(
      `select (select count(distinct claimed_by)::int from work where kind = 'history') as workers, count(*)::int as windows
       from window_log where lane = 'history'`,
    );
    return ((rows[0]?.workers ?? 0) >= processes && (rows[0]?.windows ?? 0) > 20) || new Waiting(rows);
  });

/** Compares the points of the first measurements with the readings of a project. */
async function differences(project: string): Promise<unknown> {
  const held = await influx.readAll('plant', beginUs, Date.now() * 1000);
  const { rows } = await rig.client.query<{ measurement: string; field: string; at: string; value: number }>(
    `select sensor_id as measurement, value_name as field, instant_of(at)::text as at, value from reading
     join series on series.id = reading.series join ml_project on ml_project.id = project_id where code = $1`,
    [project],
  );
  return differencesOf(
    held.map((point): Point => ({ ...point, measurement: seriesName({ measurement: point.measurement, tags: [] }) })),
    rows.map((row) => ({ ...row, tags: {}, at: Number(row.at) })),
  );
}

describe('a password that changes in the middle of a catch-up of twelve measurements', () => {
  test.each([1, 4])('costs two refused requests with %i processes', async (processes) => {
    await atLeast(processes - 1);
    const name = `plant-${processes}`;
    const project = processes === 1 ? 'hall' : 'other';
    await influx.query(`SET PASSWORD FOR "${USER}" = 'first'`);
    await rig.client.query('truncate window_log');
    await rig.apply(source(name, 'first', { project }));
    await busy(Math.min(processes, 3));
    const before = refusedRequests();
    await influx.query(`SET PASSWORD FOR "${USER}" = 'second'`);
    expect(await stopped(name)).toMatchObject({
      code: 'credentials-rejected',
      remedy: expect.stringMatching(/password.*resume/),
    });
    await quiet();
    expect(refusedRequests() - before).toBe(2);

    // A resume without a new password gets one try, whatever the number of processes.
    await rig.bridge.succeed('source', 'resume', name);
    await stopped(name);
    await quiet();
    expect(refusedRequests() - before).toBe(3);

    await rig.apply(
      source(name, 'second', {
        project,
        schedule: { ...(source(name, '')['schedule'] as object), maxWindow: '12h' },
      }),
    );
    await rig.covered(name, Date.now());
    expect(await differences(project)).toEqual(NONE);
    expect(refusedRequests() - before).toBe(3);
    await rig.bridge.succeed('source', 'remove', name, '--yes');
  });
});

test('two sources with one account share the two refused requests, and both stop', async () => {
  await influx.query(`SET PASSWORD FOR "${USER}" = 'third'`);
  const one = { requestsPerSecond: 50, burst: 10, concurrency: 1 };
  const schedule = { every: '1s', start: '1h', settle: '2s', overlap: '0s' };
  const of = (name: string, project: string): Record<string, unknown> =>
    source(name, 'third', { project, schedule, pace: one });
  await rig.apply(of('left', 'hall'), of('right', 'other'));
  await rig.covered('left', Date.now());
  await rig.covered('right', Date.now());
  const before = refusedRequests();
  await influx.query(`SET PASSWORD FOR "${USER}" = 'fourth'`);
  for (const name of ['left', 'right']) {
    expect(await stopped(name)).toMatchObject({
      code: 'credentials-rejected',
      remedy: expect.stringMatching(/password/),
    });
  }
  await quiet();
  expect(refusedRequests() - before).toBe(2);

  // The old password again: one try finds out that it works, and the other source goes on as soon as it is resumed.
  await influx.query(`SET PASSWORD FOR "${USER}" = 'third'`);
  for (const name of ['left', 'right']) {
    await rig.bridge.succeed('source', 'resume', name);
    await rig.covered(name, Date.now());
  }
  expect(refusedRequests() - before).toBe(2);
  for (const name of ['left', 'right']) await rig.bridge.succeed('source', 'remove', name, '--yes');
});

test('sources that log in with one account make one failed login in all, and all of them stop', async () => {
  const plant = await startPlant({ truth: livingPlant([device(1), device(2)], 1), lockAfter: 3 });
  await atLeast(2);
  const names = ['boiler-1', 'boiler-2', 'boiler-3', 'boiler-4'];
  try {
    const schedule = { every: '1s', start: '1h', settle: '1s', overlap: '0s' };
    await rig.client.query(
      `insert into ml_project (organisation_id, code, name) select 'default', name, name from unnest($1::text[]) as name`,
      [names],
    );
    await rig.apply(...names.map((name) => thingsboard(name, plant.url, { schedule, project: name })));
    for (const name of names) await rig.covered(name, Date.now());
    await plant.replace({ accounts: [{ ...ACCOUNT, password: 'n3w-pa55-of-the-plant' }] });
    for (const name of names) expect(await stopped(name)).toMatchObject({ code: 'credentials-rejected' });
    await quiet();
    const logins = (await plant.simulator().log()).filter(({ path }) => path === '/api/auth/login');
    expect(logins.map(({ status }) => status)).toEqual([401]);
  } finally {
    await rig.bridge.succeed('source', 'remove', 'boiler-*', '--yes');
    await plant.stop();
  }
});

test('after a check with wrong credentials the operator is told how many requests were refused', async () => {
  const file = join(rig.bridge.home, 'wrong.yaml');
  await writeFile(file, JSON.stringify(source('wrong', 'never right')));
  const before = refusedRequests();
  const { stdout } = await rig.bridge.answer('source', 'check', file);
  expect(stdout).toMatch(/refused 2 times/);
  expect(refusedRequests() - before).toBe(2);
});
