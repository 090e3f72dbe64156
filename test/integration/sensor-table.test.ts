import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { deviceId } from '../../src/simulator/plant.ts';
import { useDatabases } from '../kit/databases.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

// A source whose sensors stand in a table, as an operator sees it.

const ROWS = 3000;

const databases = useDatabases();
let directory: TempDirectory;
let thingsboard: RunningSimulator;
let env: Record<string, string> = {};

beforeAll(async () => {
  [directory, thingsboard] = await Promise.all([makeTempDirectory('table'), startSimulator({ name: 'thingsboard' })]);
  const { url } = await databases.create();
  env = { DATABASE_URL: url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' };
  expect(await run('project', 'create', 'pump-hall')).toMatchObject({ code: 0 });
  const source = `
name: press
project: pump-hall
kind: user-credentials
platform: thingsboard
connection: { url: '${thingsboard.url}', username: tenant@example.test, password: tenant-password }
schedule: { every: 1m }
pace: { requestsPerSecond: 100 }
sensors: { table: ./tags.csv }`;
  await writeFile(join(directory.path, 'press.yaml'), source);
});

afterAll(async () => {
  await Promise.all([thingsboard.stop(), directory.remove()]);
});

const run = (...args: readonly string[]): Promise<Ran> => databridgeHere(args, { env });

const source = (command: string, ...args: readonly string[]): Promise<Ran> =>
  run('source', command, join(directory.path, 'press.yaml'), ...args);

const putTable = (rows: readonly string[]): Promise<void> =>
  writeFile(join(directory.path, 'tags.csv'), ['tag,variable,sensorId,valueName,scale', ...rows, ''].join('\n'));

const rowsFrom = (first: number): string[] => Array.from({ length: ROWS }, (_, row) => `tag-${first + row},,,flow,2`);

test('check and preview name the tags that are not there and variables that a sensor does not have, and go on', async () => {
  await putTable([
    `${deviceId(0)},temperature,press-0,celsius,2`,
    `${deviceId(1)},,press-1,flow,1`,
    ...rowsFrom(0).slice(0, 7),
  ]);
  const checked = await source('check');
  expect(checked).toMatchObject({ code: 0, stderr: '' });
  expect(checked.stdout).toMatch(
    /^! sensors {3}2 found: .*; there is no sensor tag-0, .*, tag-4 and 2 more on press: /m,
  );
  expect(checked.stdout).toContain(`the platform shows no variable "value" of ${deviceId(1)}, so its name and factor`);
  expect(checked.stdout).toMatch(/^✓ window/m);
  const preview = await source('preview', '--from', '2026-01-01T12:00:00Z', '--to', '2026-01-01T12:10:00Z');
  expect(preview.code).toBe(0);
  expect(preview.stdout).toMatch(/^press-0 +celsius +2026-01-01T12:00:00Z/m);
  expect(preview.stdout).toMatch(/^there is no sensor tag-0, .* and 2 more on press\n {2}try: /m);
  await putTable(['gone,,,,']);
  expect(await source('check')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^✗ sensors/m) as string });
});

test('a table of thousands of rows is stored as a list and shown shortly', async () => {
  await putTable(rowsFrom(0));
  expect(await source('apply')).toMatchObject({ code: 0, stdout: 'source press created\n' });
  const same = await source('apply', '--dry-run');
  expect(same).toMatchObject({ code: 0, stdout: 'source press unchanged\n' });

  const shown = await run('source', 'show', 'press');
  const config = shown.stdout.slice(0, shown.stdout.indexOf('\n── '));
  expect((parse(config) as { sensors: unknown[] }).sensors).toHaveLength(20);
  expect(config).toMatch(/^ *# … 2,980 more of 3,000 sensors; --json shows all$/m);
  const json = JSON.parse((await run('source', 'show', 'press', '--json')).stdout) as {
    config: { sensors: unknown[] };
  };
  expect(json.config.sensors).toHaveLength(ROWS);
  expect(json.config.sensors[0]).toEqual({ id: 'tag-0', values: { value: { as: 'flow', scale: 2 } } });

  await putTable(rowsFrom(ROWS / 2));
  const dry = await source('apply', '--dry-run');
  expect(dry.stdout).toMatch(/^source press would be changed\n {2}sensors\[tag-0\]\.id: tag-0 → \(not set\)$/m);
  expect(dry.stdout).toMatch(/^ {2}and 8,980 more fields of sensors; --json lists all$/m);
  expect(dry.stdout.split('\n')).toHaveLength(23);
});

test('a wrong table is told with its file and line, and nothing is stored', async () => {
  await putTable(['a,,p,flow,2', 'b,,p,flow,2']);
  const ran = await source('apply');
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(
    /tags\.csv:3:1: valueName .* is also the name of line 2\n {2}try: give one of them another name\n$/,
  );
});
