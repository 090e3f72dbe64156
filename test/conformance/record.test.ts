import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databridgeHere } from '../integration/command-line.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { playsBack } from './kit/case-rules.ts';
import { subjects } from './kit/subject.ts';

// `source record`, and its folders as recorded cases of their platforms.

const PASSWORD = 'tenant-password';

let influx: Influx;
let thingsboard: RunningSimulator;
let directory: TempDirectory;

beforeAll(async () => {
  [influx, thingsboard, directory] = await Promise.all([
    startInflux({ databases: ['plant'] }),
    startSimulator({ name: 'thingsboard' }),
    makeTempDirectory('record'),
  ]);
  const now = Date.now() * 1000 - 40_000_000;
  const said = `user ${influx.reader.username} of ${new URL(influx.url).host}`;
  const lines = [0, 1, 2].map(
    (unit) => `pump,unit=${unit},note=${said.replaceAll(' ', '\\ ')} flow=${unit}.5,on=true ${now - unit}`,
  );
  await influx.write(lines, 'plant', 'u');
});

afterAll(async () => {
  await Promise.all([influx.stop(), thingsboard.stop(), directory.remove()]);
});

const record = (name: string, source: string) =>
  databridgeHere(['source', 'record', '-', '--into', join(directory.path, name)], {
    stdin: `name: hall-3\nproject: p\nschedule: { every: 10s }\npace: { requestsPerSecond: 100 }\n${source}`,
  });

async function play(name: string, platform: string): Promise<string> {
  const subject = subjects().find((one) => one.platform.name === platform);
  if (subject === undefined) throw new Error(platform);
  let whole = '';
  for (const part of await readdir(join(directory.path, name))) {
    const folder = join(directory.path, name, part);
    await playsBack(subject, folder);
    for (const file of await readdir(folder)) whole += await readFile(join(folder, file), 'utf8');
  }
  return whole;
}

function expectNone(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replaceAll('=', '')])
      expect(text.toLowerCase()).not.toContain(form.toLowerCase());
  }
}

test('answers of InfluxDB become cases that play, without user, password and host', async () => {
  const { username, password } = influx.reader;
  const ran = await record(
    'influx',
    `kind: user-credentials
platform: influxdb
connection: { url: '${influx.url}', username: ${username}, password: ${JSON.stringify(password)} }
options: { database: plant }`,
  );
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/read: \d+ answers?, 3 readings\n/);
  expect(ran.stdout).toMatch(/Look through the files before you hand them on/);
  const text = await play('influx', 'influxdb');
  expect(text).toContain('platform.example');
  expect(text).toContain('redacted-username');
  expectNone(text, [username, password, new URL(influx.url).host, '127.0.0.1', `${username}:${password}`]);
  const again = await record(
    'influx',
    `kind: user-credentials
platform: influxdb
connection: { url: '${influx.url}', username: ${username}, password: ${JSON.stringify(password)} }
options: { database: plant }`,
  );
  expect(again).toMatchObject({ code: 2, stderr: expect.stringMatching(/influx exists\n {2}try: /) as string });
});

test('a platform with tokens becomes cases that play, and a failing one writes nothing', async () => {
  const source = (password: string) => `kind: user-credentials
platform: thingsboard
connection: { url: '${thingsboard.url}', username: tenant@example.test, password: '${password}' }`;
  expect(await record('wrong', source('wrong-password'))).toMatchObject({ code: 1 });
  expect(await readdir(directory.path)).not.toContain('wrong');
  expect(await record('things', source(PASSWORD))).toMatchObject({ code: 0, stderr: '' });
  const text = await play('things', 'thingsboard');
  expectNone(text, ['tenant@example.test', PASSWORD, new URL(thingsboard.url).host, 'eyJ']);
});
