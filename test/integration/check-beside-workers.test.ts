import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSealing } from '../kit/sealing.ts';
import { registry } from '../../src/context-registry.ts';
import { clockOf } from '../../src/database/clock.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { Database } from '../../src/database/database.ts';
import { BEAT_MS, presenceOf } from '../../src/database/presence.ts';
import { repeat } from '../../src/database/repeat.ts';
import { checkSource } from '../../src/source/check.ts';
import type { Checked, Step } from '../../src/source/check.ts';
import { registeredSource } from '../../src/source/registered.ts';
import type { BridgeAtHand } from '../../src/source/registered.ts';
import { changeSource } from '../../src/source/state-change.ts';
import { vitalsOf } from '../../src/source/vitals.ts';
import { useDatabases } from '../kit/databases.ts';
import { logPace, loggedPaces, requestsWithoutSlot, slotsOf } from '../kit/pace-log.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, device, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A check of a registered source beside two processes that poll it: one pace, one login, and one account.

/** How far a process's idea of the database's clock may be off while the machine is busy. */
const CLOCKS_MS = 500;
const PACE = { requestsPerSecond: 12, burst: 6, concurrency: 3 };
const DEVICES = 25;

const databases = useDatabases();
let rig: Rig;
let plant: Plant;
let database: Database;
let bridge: BridgeAtHand;
let leave: () => Promise<void>;

beforeAll(async () => {
  [rig, plant] = await Promise.all([
    startRig(databases, ['hall'], { PLANT_PASSWORD: 'of the past' }),
    startPlant({
      truth: livingPlant(
        Array.from({ length: DEVICES }, (_, number) => device(number + 1, 5_000)),
        6,
      ),
    }),
  ]);
  await rig.bridge.up('worker');
  await logPace(rig.client);
  database = await openDatabase({
    url: String(rig.bridge.settings['DATABASE_URL']),
    poolSize: 4,
    applicationName: 'test',
    patient: false,
  });
  const workerId = randomUUID();
  const presence = presenceOf(database, workerId, 'test', { polls: false });
  await presence.beat();
  const beats = repeat(BEAT_MS, () => presence.beat(), console.error);
  leave = async () => {
    await beats.stop();
    await presence.leave();
    await database.close();
  };
  const sealing = await openSealing(rig.bridge.home, process.env['DATABRIDGE_KEY']);
  bridge = { database, sealing, clock: await clockOf(database), workerId, registry };
});

afterAll(async () => {
  await leave();
  await rig.close();
  await plant.stop();
});

async function checked(name: string, more: object = {}): Promise<Checked & { readonly steps: readonly Step[] }> {
  const { config, platform } = await registeredSource(bridge, { name });
  const given = { now: bridge.clock.now, signal: new AbortController().signal, allowHosts: undefined };
  const checking = checkSource(config, platform, { ...given, bridge, maxReadings: 50_000, ...more });
  const steps: Step[] = [];
  for (;;) {
    const { done, value } = await checking.next();
    if (done) return { ...value, steps };
    steps.push(value);
  }
}

const stepOf = ({ steps }: { readonly steps: readonly Step[] }, name: string): Step =>
  steps.find(({ step }) => step === name) ?? expect.fail(`no step ${name}`);

const logins = async (of: Plant): Promise<number[]> =>
  (await of.log()).filter(({ path }) => path === '/api/auth/login').map(({ status }) => status ?? 0);

const stopped = (name: string): Promise<unknown> =>
  eventually(`${name} stopped`, async () => {
    const state = await rig.source(name);
    return state.state === 'stopped' ? state.fault : new Waiting(state);
  });

test('checks beside two processes that catch up take their slots from the same pace, and their token', async () => {
  const schedule = { every: '1s', start: '5h', settle: '1s', overlap: '0s', maxWindow: '10m' };
  await rig.apply(thingsboard('busy', plant.url, { schedule, pace: PACE }));
  await eventually('catch-up', async () => {
    const { rows } = await rig.client.query(`select from window_log where lane = 'history' limit 1`);
    return rows.length > 0;
  });
  const first = await checked('busy');
  const second = await checked('busy');
  expect(first.steps.filter(({ ok }) => ok !== true)).toEqual([]);
  expect(first).toMatchObject({ sharesPace: true, requestsPerSecond: PACE.requestsPerSecond });
  expect(second.requests).toBeGreaterThan(20);

  await changeSource(database, 'pause', { name: 'busy' }, 'test');
  const { id } = await rig.source('busy');
  const arrived = (await plant.log()).map(({ arrivedMs }) => arrivedMs);
  const slots = slotsOf(await loggedPaces(rig.client, id));
  const ofChecks = slots.filter((slot) => slot.id.startsWith(bridge.workerId));
  const ofWorkers = slots.filter((slot) => !slot.id.startsWith(bridge.workerId));
  expect(ofChecks).toHaveLength(first.requests + second.requests);
  expect(ofWorkers.filter(({ at }) => at > (ofChecks[0]?.at ?? 0)).length).toBeGreaterThan(0);
  expect(requestsWithoutSlot(slots, arrived, CLOCKS_MS)).toEqual([]);
  expect(mostInAnySecond(slots.map(({ at }) => at / 1_000))).toBeLessThanOrEqual(PACE.requestsPerSecond + PACE.burst);
  expect(mostInAnySecond(arrived)).toBeLessThanOrEqual(2 * (PACE.requestsPerSecond + PACE.burst));
  expect(await logins(plant)).toEqual([200]);
  // A check is present for its leases, and no worker.
  expect((await vitalsOf(database)).workers).toHaveLength(2);
});

test('a check of a paused source asks, says so, and reads the first twenty streams', async () => {
  const check = await checked('busy');
  expect(stepOf(check, 'schema')).toMatchObject({
    warning: true,
    detail: expect.stringMatching(/is paused: nothing polls it/),
  });
  const { streams, detail, ok } = stepOf(check, 'window');
  expect(ok).toBe(true);
  expect(streams).toMatchObject({ unreadable: [] });
  expect(new Set([...(streams?.read ?? []), ...(streams?.left ?? [])]).size).toBe(DEVICES);
  expect(streams?.left).toHaveLength(DEVICES - 20);
  expect(detail).toMatch(/series of 20 of 25 streams \(.*not looked at: /);
});

test('a stream that cannot be read fails the check, and the others are read all the same', async () => {
  const [fault = 0] = await plant.simulator().faults({ kind: 'status', status: 500, match: `${device(3).id}/values/` });
  const check = await checked('busy');
  await plant.simulator().faultsOff(fault);
  expect(stepOf(check, 'window')).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  expect(stepOf(check, 'window').streams?.unreadable).toHaveLength(1);
  expect(stepOf(check, 'window').streams?.read).toHaveLength(19);
});

test('a check in quiet hours sends nothing unless it is told to', async () => {
  const clock = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const quietHours = [{ from: clock(-1), to: clock(1), zone: 'UTC' }];
  await rig.apply(thingsboard('quiet', plant.url, { pace: { ...PACE, quietHours }, schedule: { every: '1h' } }));
  const before = (await plant.log()).length;
  const silent = await checked('quiet');
  expect((await plant.log()).length).toBe(before);
  expect(stepOf(silent, 'address')).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/quiet hours/), remedy: expect.stringMatching(/--in-quiet-hours/) },
  });
  const told = await checked('quiet', { inQuietHours: true });
  expect(stepOf(told, 'platform').ok).toBe(true);
  expect((await plant.log()).length).toBe(before + told.requests);
  await changeSource(database, 'remove', { name: 'quiet' }, 'test');
});

test('a password that is wrong from the beginning costs at most two logins: two sources, two processes, checks and a preview', async () => {
  const locked = await startPlant({ truth: livingPlant([device(1)]), lockAfter: 3 });
  try {
    const schedule = { every: '300ms', start: '1h', settle: '1s', overlap: '0s' };
    await rig.client.query(
      `insert into ml_project (organisation_id, code, name) values ('default', 'left', 'left'), ('default', 'right', 'right')`,
    );
    const connection = { url: locked.url, username: ACCOUNT.username, password: 'never right' };
    const of = (name: string): Record<string, unknown> =>
      thingsboard(name, locked.url, { schedule, project: name, connection });
    // A file that is not registered yet is checked and previewed on the account of the bridge.
    const file = join(rig.bridge.home, 'left.yaml');
    await writeFile(file, JSON.stringify(of('left')));
    const [check, preview] = [
      await rig.bridge.answer('source', 'check', file),
      await rig.bridge.answer('source', 'preview', file),
    ];
    expect(check.stdout).toMatch(/refused once; .*these credentials are not sent again/);
    expect(check.stdout).toMatch(/without taking turns with workers: the source is not registered; nothing was saved/);
    expect(preview).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /refused these credentials before \(ThingsBoard refused the login: .*\), so they were not sent again/,
      ),
    });
    await rig.apply(of('left'), of('right'));
    for (const name of ['left', 'right']) {
      expect(await stopped(name)).toMatchObject({
        code: 'credentials-rejected',
        remedy: expect.stringMatching(/resume/),
      });
    }
    const again = await checked('left');
    expect(stepOf(again, 'schema')).toMatchObject({
      warning: true,
      detail: expect.stringMatching(/the source is stopped \(/),
    });
    expect(stepOf(again, 'secrets').error?.remedy).toMatch(/--try-again .*source resume left/);
    expect(again.requests).toBe(0);
    expect(await logins(locked)).toEqual([401]);

    // An operator who knows better gets one try more.
    await checked('left', { tryAgain: true });
    expect(await logins(locked)).toEqual([401, 401]);
    await checked('right');
    expect(await logins(locked)).toEqual([401, 401]);
  } finally {
    for (const name of ['left', 'right']) await changeSource(database, 'remove', { name }, 'test');
    await locked.stop();
  }
});

test('a reference that leads elsewhere in the shell of the operator is told, with the remedy', async () => {
  const password = '${env:PLANT_PASSWORD}';
  const connection = { url: plant.url, username: ACCOUNT.username, password };
  await rig.apply(thingsboard('by-reference', plant.url, { connection, schedule: { every: '1s', start: '1m' } }));
  const fault = await stopped('by-reference');
  expect(fault).toMatchObject({
    code: 'credentials-rejected',
    remedy: expect.stringMatching(
      /connection\.password is \$\{env:PLANT_PASSWORD\}.*restart databridge up.*\$\{file:\/path\}/,
    ),
  });
  process.env['PLANT_PASSWORD'] = ACCOUNT.password;
  try {
    const check = await checked('by-reference');
    expect(stepOf(check, 'secrets')).toMatchObject({
      warning: true,
      detail: expect.stringMatching(
        /workers of the source last used other credentials than this check: .*restart databridge up/,
      ),
    });
    expect(stepOf(check, 'platform').ok).toBe(true);
  } finally {
    delete process.env['PLANT_PASSWORD'];
  }
  // The refused account is that of the workers; the check has not replaced it.
  expect((await checked('by-reference')).steps.at(1)).toMatchObject({ step: 'secrets', ok: false });
});
