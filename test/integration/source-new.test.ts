import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeSource } from '../../src/commands/actions/source-questions.ts';
import { readConfigs } from '../../src/source/configs.ts';
import { registry } from '../../src/context-registry.ts';
import { askAt } from '../../src/terminal/questions.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { databridge } from './command-line.ts';

// `source new` at a terminal whose keys are pressed by the test.

const CTRL_C = '\u0003';

let influx: Influx;
/** Answers nothing that tells a platform from others. */
const silent = createServer((_request, response) => void response.writeHead(404).end());
let directory: TempDirectory;

beforeAll(async () => {
  [influx, directory] = await Promise.all([startInflux({ databases: ['plant'] }), makeTempDirectory('new')]);
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  const now = Date.now() * 1000 - 60_000_000;
  const lines = Array.from({ length: 4 }, (_, unit) => `pump,unit=${unit} flow=${unit} ${now - unit}`);
  await influx.write(lines, 'plant', 'u');
});

afterAll(async () => {
  await Promise.all([influx.stop(), new Promise((closed) => silent.close(closed)), directory.remove()]);
});

beforeEach(() => {
  delete process.env['HALL_3_PASSWORD'];
});

/** A keyboard that types one answer whenever the screen waits for one; records the screen and the modes of the terminal. */
async function answering(file: string, answers: readonly string[], projects: readonly string[] = []) {
  const modes: boolean[] = [];
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => void modes.push(on) });
  const output = new PassThrough();
  const left = [...answers];
  let screen = '';
  output.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    // Escape sequences move the cursor behind a question.
    // oxlint-disable-next-line no-control-regex -- they begin with the control character
    const text = screen.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, '');
    if (!text.endsWith(': ') || text.length === asked) return;
    asked = text.length;
    const answer = left.shift() ?? CTRL_C;
    setImmediate(() => keyboard.write(answer === CTRL_C ? CTRL_C : `${answer}\r`));
  });
  let asked = 0;
  const questions = askAt(keyboard, output);
  let error: unknown;
  try {
    await makeSource(questions, {
      file,
      platform: undefined,
      projects: () => Promise.resolve(projects),
      egress: { allowHosts: undefined, proxy: undefined, hostPaces: new Map() },
      env: process.env,
    });
  } catch (caught) {
    error = caught;
  } finally {
    questions.close();
  }
  return { screen, error, left, restored: modes.at(-1) === false };
}

const pathOf = (name: string): string => join(directory.path, name);

const ANSWERS = (): string[] => [
  'historian.plant',
  influx.url,
  '1',
  'Hall 3',
  'hall-3',
  'reader',
  influx.reader.password,
  '1',
  '',
  'plant',
  '',
  '10s',
  'unit=',
  '9',
  '1,3-4',
];

test('it recognises the platform, tries the answers, and writes a file without the secret', async () => {
  const file = pathOf('hall-3.yaml');
  const run = await answering(file, ANSWERS());
  expect(run.error).toBeUndefined();
  expect(run.left).toEqual([]);
  expect(run.restored).toBe(true);
  expect(run.screen).toContain('it answers like InfluxDB 1.x');
  expect(run.screen).toContain('give numbers from 1 to 4');
  expect(run.screen).toMatch(/3 readings of 3 series, 0 refused; nothing was saved/);
  expect(run.screen).not.toContain(influx.reader.password);
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain(influx.reader.password);
  expect(text).toContain('# Set this variable where the bridge runs.\n');
  expect(parse(text)).toEqual({
    name: 'hall-3',
    project: 'hall-3',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: influx.url, username: 'reader', password: '${env:HALL_3_PASSWORD}' },
    options: { database: 'plant' },
    schedule: { every: '10s' },
    sensors: [0, 2, 3].map((unit) => ({ id: `pump,unit=${unit}`, group: 'pump' })),
  });
  expect((await readConfigs(file, registry, Date.now() * 1000)).problems).toEqual([]);
});

test('Ctrl-C at each question leaves no file and gives the terminal back', async () => {
  const answers = ANSWERS();
  const before = await readdir(directory.path);
  for (const stage of [0, 2, 6, 9, 12, 14]) {
    delete process.env['HALL_3_PASSWORD'];
    const run = await answering(pathOf('none.yaml'), answers.slice(0, stage));
    expect(run.error, `stage ${stage}`).toMatchObject({ code: 'cancelled' });
    expect(run.restored, `stage ${stage}`).toBe(true);
  }
  expect(await readdir(directory.path)).toEqual(before);
});

test('a wrong password is told with its remedy, and no file is written unless the operator goes on', async () => {
  const answers = ANSWERS().with(6, 'wrong').slice(0, 10);
  const ended = await answering(pathOf('ended.yaml'), [...answers, '2']);
  expect(ended.screen).toMatch(/How now\?/);
  expect(ended.error).toMatchObject({ code: 'credentials-rejected' });
  expect(existsSync(pathOf('ended.yaml'))).toBe(false);
  delete process.env['HALL_3_PASSWORD'];
  const went = await answering(pathOf('went.yaml'), [...answers, '3', '', '10s', '', '2', '2']);
  expect(went.error).toBeUndefined();
  expect(await readFile(pathOf('went.yaml'), 'utf8')).not.toContain('sensors');
});

test('a wrong password is given again at once, and costs no other answer; a project that exists is proposed', async () => {
  const file = pathOf('again.yaml');
  const answers = ANSWERS();
  const password = influx.reader.password;
  const run = await answering(
    file,
    [...answers.with(6, 'wr0ng').slice(0, 10), '1', 'reader', password, '2', '/run/secrets/hall', ...answers.slice(10)],
    ['pumps', 'boilers'],
  );
  expect([run.error, run.left]).toEqual([undefined, []]);
  expect(run.screen).toContain('(there are pumps, boilers) [pumps]');
  expect(run.screen).not.toContain('wr0ng');
  expect(run.screen).not.toContain(password);
  expect(parse(await readFile(file, 'utf8'))).toMatchObject({
    project: 'pumps',
    connection: { username: 'reader', password: '${file:/run/secrets/hall}' },
  });
});

test('an address is not taken for a platform that does not say what it is, and a file that exists stays', async () => {
  process.env['HALL_3_PASSWORD'] = 'x';
  const run = await answering(pathOf('hall-3.yaml'), [
    `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    'canary',
    'hall-3',
    'u',
    'x',
    '1',
    '',
    '3',
    'p',
    '1m',
    '',
    '2',
    '2',
  ]);
  expect(run.screen).toContain('it cannot be told without credentials');
  expect(run.error).toMatchObject({ message: expect.stringMatching(/hall-3\.yaml exists$/) as string });
  expect(await readFile(pathOf('hall-3.yaml'), 'utf8')).toContain('platform: influxdb');
});

test('an API that options declare begins with those of the sample, as a draft to edit', async () => {
  process.env['ODD_API_KEY'] = 'x';
  const file = pathOf('odd-api.yaml');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const run = await answering(file, [url, 'http-json', '', '', '1', 'ODD_API_KEY', '', '5m']);
  delete process.env['ODD_API_KEY'];
  expect([run.error, run.left]).toEqual([undefined, []]);
  expect(run.screen).toContain('the file begins with the options of the sample');
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(/^# A DRAFT: /m);
  expect(text).toContain('# How requests are signed.');
  const sample: unknown = parse((await databridge(['source', 'new', '--platform', 'http-json', '--print'], {})).stdout);
  expect(parse(text)).toEqual({
    name: 'odd-api',
    project: 'odd-api',
    kind: 'custom',
    platform: 'http-json',
    connection: { url, key: '${env:ODD_API_KEY}' },
    options: (sample as { options: unknown }).options,
    schedule: { every: '5m' },
  });
  expect((await readConfigs(file, registry, Date.now() * 1000)).problems).toEqual([]);
});

test('without a terminal the sample of the platform is the remedy, and it is a source', async () => {
  const ran = await databridge(['source', 'new'], { stdin: '' });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/there is no terminal\n {2}try: databridge source new --platform NAME --print .*influxdb/);
  const printed = await databridge(['source', 'new', '--platform', 'canary', '--print'], {});
  expect(parse(printed.stdout)).toMatchObject({ platform: 'canary' });
});
