import { afterAll, beforeAll, expect, test } from 'vitest';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { deviceId } from '../../src/simulator/plant.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

// `source check` and `source preview` of a platform with tokens and a stream for each device.

let thingsboard: RunningSimulator;
beforeAll(async () => (thingsboard = await startSimulator({ name: 'thingsboard' })));
afterAll(async () => {
  await thingsboard.stop();
  assertNothingLeaked();
});

const run = (args: readonly string[], password = 'tenant-password'): Promise<Ran> =>
  databridgeHere(['source', ...args], {
    stdin: `
name: press
project: pump-hall
kind: user-credentials
platform: thingsboard
connection: { url: '${thingsboard.url}', username: tenant@example.test, password: '${password}' }
schedule: { every: 1m }
pace: { requestsPerSecond: 100 }`,
  });

interface Shown {
  readonly complete: boolean;
  readonly readings: number;
  readonly windows: readonly { readonly stream: string }[];
  readonly sample: readonly { readonly sensorId: string; readonly valueName: string }[];
}

const noon = ['--from', '2026-01-01T12:00:00Z', '--to', '2026-01-01T13:00:00Z'];

test('a platform with tokens is checked like any other', async () => {
  const ran = await run(['check', '-']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/✓ platform {2}ThingsBoard, as TENANT_ADMIN/);
  expect(ran.stdout).toMatch(/✓ sensors {3}5 found: press-0/);
});

test('a wrong password is tried once, because the platform locks accounts', async () => {
  await thingsboard.admin('POST', 'reset');
  const ran = await run(['check', '-'], 'wrong');
  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(/✗ platform .*refused the login/);
  const logins = (await thingsboard.log()).filter(({ path }) => path.includes('/auth/login'));
  expect(logins).toHaveLength(1);
});

test('readings are shown with the names they would have, refusals with their reasons', async () => {
  const ran = await run(['preview', '-', ...noon, '--limit', '3000']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^sensorId +valueName +date +value +precision +labels$/m);
  expect(ran.stdout).toMatch(new RegExp(`^${deviceId(0)} +temperature +2026-01-01T12:00:00Z +-?\\d`, 'm'));
  expect(ran.stdout).toMatch(/^boolean, 60 times: The value is true or false/m);
  expect(ran.stdout).toMatch(/^not-a-scalar, once: /m);
});

test('every stream is read, the limit is spread over all series, and a longer range says that there is more', async () => {
  const ran = await run(['preview', '-', ...noon, '--limit', '5', '--json']);
  const [document] = JSON.parse(ran.stdout) as [Shown];
  expect(new Set(document.sample.map(({ sensorId, valueName }) => `${sensorId} ${valueName}`)).size).toBe(5);
  // One of the five devices has no telemetry.
  expect(document.windows).toHaveLength(4);
  expect(new Set(document.windows.map(({ stream }) => stream)).size).toBe(4);
  expect(document).toMatchObject({ complete: true, unreadable: [], left: [] });
  expect(document.readings).toBeGreaterThan(2_500);

  const longer = await run([
    'preview',
    '-',
    '--from',
    '2026-01-01T10:00:00Z',
    '--to',
    '2026-01-01T13:00:00Z',
    '--json',
  ]);
  expect(JSON.parse(longer.stdout)).toMatchObject([{ complete: false }]);
});

test('an overloaded platform is asked for less at a time', async () => {
  await thingsboard.admin('POST', 'reset');
  const [id = 0] = await thingsboard.faults({ kind: 'status', status: 413, match: 'values/timeseries', next: 2 });
  const ran = await run(['preview', '-', ...noon, '--limit', '5', '--json']);
  const [document] = JSON.parse(ran.stdout) as [{ windows: { from: string; to: string }[] }];
  expect(document.windows[0]).toMatchObject({ from: '2026-01-01T12:00:00Z', to: '2026-01-01T12:15:00Z' });
  await thingsboard.faultsOff(id);
});

test('a refused login is an error with a remedy', async () => {
  const ran = await run(['preview', '-', ...noon], 'wrong');
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/^error: .*refused the login[^\n]*\n {2}try: Check user name and password/m);
});

test('a range that ends before it begins is wrong usage', async () => {
  const ran = await run(['preview', '-', '--from', '1m', '--to', '2m']);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/--from is not before the end/);
});
