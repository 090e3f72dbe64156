import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceId } from '../../src/simulator/plant.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

// `source sensors` on a real InfluxDB, whose sensors have groups, and on a platform whose sensors have names.

const PUMPS = 6;
const pumpId = (unit: number): string => `pump,site=North Hall,unit=${unit}`;

let influx: Influx;
let thingsboard: RunningSimulator;
let directory: TempDirectory;
beforeAll(async () => {
  [influx, thingsboard, directory] = await Promise.all([
    startInflux({ databases: ['plant', 'empty'] }),
    startSimulator({ name: 'thingsboard' }),
    makeTempDirectory('sensors'),
  ]);
  const now = Date.now() * 1000 - 5_000_000;
  const pumps = Array.from(
    { length: PUMPS },
    (_, unit) => `pump,site=North\\ Hall,unit=${unit} flow=${unit},head=2 ${now - unit}`,
  );
  await influx.write([...pumps, `fan,unit=0 speed=3 ${now}`], 'plant', 'u');
});

afterAll(async () => {
  await Promise.all([influx.stop(), thingsboard.stop(), directory.remove()]);
  assertNothingLeaked();
});

/** Runs a command on the source from stdin, which may neither write to its home nor print the password. */
async function run(args: readonly string[], more = '', database = 'plant'): Promise<Ran> {
  const home = join(directory.path, 'home');
  const ran = await databridgeHere(['source', ...args], {
    env: { PLANT_PASSWORD: influx.reader.password, DATABRIDGE_HOME: home },
    stdin: `
name: hall-3
project: pump-hall
kind: user-credentials
platform: influxdb
connection: { url: '${influx.url}', username: reader, password: '\${env:PLANT_PASSWORD}' }
options: { database: ${database} }
schedule: { every: 10s, settle: 2s }
${more}`,
  });
  expect(existsSync(home)).toBe(false);
  expect(ran.stdout + ran.stderr).not.toContain(influx.reader.password);
  return ran;
}

/** The YAML that a run printed: from `sensors:` to the empty line after it. */
const blockOf = ({ stdout }: Ran): string => /^sensors:\n(?: .*\n)+/m.exec(stdout)?.[0] ?? '';

const idsIn = (ran: Ran): string[] => {
  const block = parse(blockOf(ran)) as { sensors: { id: string }[] };
  return block.sensors.map(({ id }) => id);
};

describe('source sensors', () => {
  test('shows every sensor with its group and variables, in 80 columns', async () => {
    const ran = await run(['sensors', '-']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    for (let unit = 0; unit < PUMPS; unit += 1)
      expect(ran.stdout).toContain(`${pumpId(unit)}\n  group pump; variables flow, head\n`);
    expect(ran.stdout).toContain('fan,unit=0\n  group fan; variable speed\n');
    expect(ran.stdout).toMatch(/^7 sensors\nInfluxDB 1\.\S+: \d+ requests?; nothing was saved\n$/m);
    expect(ran.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('what it prints for the file chooses exactly the sensors that were shown', async () => {
    const shown = await run(['sensors', '-', '--search', 'UNIT=3']);
    expect(parse(blockOf(shown))).toEqual({ sensors: [{ id: pumpId(3), group: 'pump' }] });
    const all = await run(['sensors', '-', '--search', 'north hall']);
    expect(idsIn(all)).toEqual(Array.from({ length: PUMPS }, (_, unit) => pumpId(unit)));
    const checked = await run(['check', '-'], blockOf(all));
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toMatch(/✓ sensors {3}6 found: pump/);
  });

  test('sensors that the file does not choose are found, too', async () => {
    const ran = await run(['sensors', '-', '--search', 'unit=0'], 'sensors: [{ id: gone }]');
    expect(ran.code).toBe(0);
    expect(idsIn(ran).toSorted()).toEqual(['fan,unit=0', pumpId(0)]);
    expect(ran.stdout).toContain('2 of 7 sensors match "unit=0"');
  });

  test('the limit is told where there are more, and only there', async () => {
    const few = await run(['sensors', '-', '--search', 'pump', '--limit', `${PUMPS - 1}`]);
    expect(idsIn(few)).toHaveLength(PUMPS - 1);
    expect(few.stdout).toMatch(/^the first 5 that match "pump"; there are more: [^]*--limit$/m);
    const enough = await run(['sensors', '-', '--search', 'pump', '--limit', `${PUMPS}`]);
    expect(idsIn(enough)).toHaveLength(PUMPS);
    expect(enough.stdout).toMatch(/^6 of 7 sensors match "pump"$/m);
  });

  test('a search without result names sensors that are there, and an empty platform says so', async () => {
    const none = await run(['sensors', '-', '--search', 'valve']);
    expect(none.code).toBe(0);
    expect(none.stdout).toContain('none of 7 sensors matches "valve"; there are, for example: fan,unit=0 ;');
    expect(none.stdout).not.toContain('sensors:');
    const empty = await run(['sensors', '-'], '', 'empty');
    expect(empty.stdout).toMatch(/^the platform shows no sensors: check the options/);
  });

  test('a database that is not there is an error with a remedy', async () => {
    const ran = await run(['sensors', '-'], '', 'elsewhere');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^error: .*elsewhere.*\n {2}try: /);
  });
});

describe('source sensors of a platform with names and tokens', () => {
  const runNamed = (args: readonly string[], password = 'tenant-password'): Promise<Ran> =>
    databridgeHere(['source', 'sensors', '-', ...args], {
      stdin: `
name: press
project: pump-hall
kind: user-credentials
platform: thingsboard
connection: { url: '${thingsboard.url}', username: tenant@example.test, password: '${password}' }
schedule: { every: 1m }
pace: { requestsPerSecond: 100 }`,
    });

  test('a name is searched and shown, and every request is counted', async () => {
    await thingsboard.admin('POST', 'reset');
    const ran = await runNamed(['--search', 'PRESS', '--json']);
    const [document] = JSON.parse(ran.stdout) as [{ requests: number }];
    expect(document).toMatchObject({
      source: 'press',
      complete: true,
      searchedBy: 'platform',
      compared: 1,
      sensors: [{ id: deviceId(0), name: 'press-0', group: deviceId(0) }],
    });
    expect(document.requests).toBe((await thingsboard.log()).length);
  });

  test('a wrong password is tried once', async () => {
    await thingsboard.admin('POST', 'reset');
    const ran = await runNamed([], 'wrong');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^error: .*refused the login[^\n]*\n {2}try: Check user name and password/m);
    expect((await thingsboard.log()).filter(({ path }) => path.includes('/auth/login'))).toHaveLength(1);
  });
});
