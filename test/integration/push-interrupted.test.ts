import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { freePort } from '../kit/free-port.ts';
import { useDatabases } from '../kit/databases.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { MAIN } from '../kit/joined-program.ts';
import { startProxy } from '../kit/proxy.ts';
import type { Proxy } from '../kit/proxy.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { environment } from './command-line.ts';
import { credentials, expectedOf, fileOf, fileReadings, linesOf, ndjson, push } from './push-rig.ts';
import type { FileReading } from './push-rig.ts';

const databases = useDatabases();
let bridge: BridgeUnderTest;
let directory: TempDirectory;
let port: number;
/** Every request goes through `recorder`, and from there through `line`. */
let recorder: HttpFault;
let line: Proxy;
let env: NodeJS.ProcessEnv;
const running: RunningProcess[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  bridge = await makeBridge({ DATABASE_URL: await databases.createMigrated() });
  directory = await makeTempDirectory('push-interrupted');
  await bridge.succeed('project', 'create', 'hall');
  const client = JSON.parse(await bridge.succeed('application', 'create', 'gateway', '--json')) as {
    applicationId: string;
    secret: string;
  };
  port = await freePort();
  line = await startProxy({ port });
  recorder = await startHttpFault(`http://127.0.0.1:${line.port}`);
  env = credentials(recorder.url, client);
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const one of running.splice(0)) await one.stop();
  await recorder.close();
  await line.close();
  await bridge.remove();
  await directory.remove();
});

async function startApi(): Promise<RunningProcess> {
  const api = await startProcess({
    name: 'databridge api',
    command: process.execPath,
    args: [MAIN, 'api'],
    env: environment({ ...bridge.settings, DATABRIDGE_API_PORT: String(port) }),
    ready: (one) => one.output().includes('the API is up'),
  });
  running.push(api);
  return api;
}

/** Starts a push and waits until the service answered a part of the file. It answers no more of it until `goOn`. */
async function startPush(file: string, ...more: string[]): Promise<RunningProcess> {
  let answered = 0;
  recorder.next(Infinity, { status: 500 }, ({ url }) => {
    if (url.includes('/data/')) answered += 1;
    if (answered > ANSWERED) void line.set({ stalled: true });
    return false;
  });
  const pushing = await startProcess({
    name: 'databridge push',
    command: process.execPath,
    args: [MAIN, 'push', file, ...SMALL, ...more],
    env: environment(env),
    ready: () => existsSync(`${file}.databridge-push`),
  });
  running.push(pushing);
  return pushing;
}

async function goOn(): Promise<void> {
  recorder.heal();
  await line.set({});
}

/** Small requests, so that a test can interrupt a push between two of them. */
const SMALL = ['--project', 'hall', '--batch', '200'];
const COUNT = 6_000;
/** Requests for data that are answered before the push waits. */
const ANSWERED = 3;

const stored = async (): Promise<string[]> => {
  const { client, close } = await bridge.database();
  try {
    const { rows } = await client.query<{ found: string }>(
      `select sensor_id || to_char(at at time zone 'UTC', ' YYYY-MM-DD"T"HH24:MI:SS"Z" ') || value as found
       from reading join series on series.id = series`,
    );
    return rows.map(({ found }) => found).toSorted();
  } finally {
    await close();
  }
};

/** Compares the lists as texts, because a difference of two lists of thousands is unreadable. */
async function expectStored(readings: readonly FileReading[]): Promise<void> {
  const [found, expected] = [await stored(), expectedOf(readings)];
  expect(found.length).toBe(expected.length);
  expect(found.join('\n') === expected.join('\n')).toBe(true);
}

const stateOf = async (file: string): Promise<{ place: { line: number }; counts: { read: number } }> =>
  JSON.parse(await readFile(`${file}.databridge-push`, 'utf8')) as {
    place: { line: number };
    counts: { read: number };
  };

describe('a push', () => {
  it('goes on by itself after the API was killed and started again', async () => {
    const readings = fileReadings(COUNT);
    const file = await fileOf(directory, 'a.ndjson', ndjson(readings));
    const api = await startApi();
    const pushing = await startPush(file);
    await api.kill9();
    await goOn();
    while (!pushing.output().includes('trying again')) await sleep(20);
    expect(pushing.running()).toBe(true);
    await startApi();
    expect(await pushing.exited).toMatchObject({ code: 0 });
    expect(pushing.output()).toMatch(/it goes on[^]*6,000 read: /);
    expect(existsSync(`${file}.databridge-push`)).toBe(false);
    await expectStored(readings);
  });

  it('that was killed goes on where it was with --resume only, and keeps every refusal', async () => {
    const readings = fileReadings(COUNT);
    const bad = new Set(Array.from({ length: COUNT / 100 }, (_, index) => 100 * index + 50));
    const text = ndjson(readings.map((reading, index) => (bad.has(index) ? 'no reading' : reading)));
    const file = await fileOf(directory, 'a.ndjson', text);
    const refused = `${file}.refused`;
    await startApi();
    const pushing = await startPush(file, '--refused', refused);
    await pushing.kill9();
    await goOn();
    const { place, counts } = await stateOf(file);
    expect(place.line).toBe(counts.read + 1);
    expect(counts.read).toBeLessThan(COUNT);
    await appendFile(refused, '{"line":0}\n');

    const again = await push(env, [file, ...SMALL]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(`interrupted before line ${place.line} (`)]);
    expect(again.stderr).toMatch(/--resume to go on there, or --restart to begin anew/);
    const elsewhere = await push(env, [file, '--project', 'other', '--resume']);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('it went to project hall')]);

    const resumed = await push(env, [file, ...SMALL, '--resume', '--refused', refused, '--json']);
    expect(resumed.code).toBe(1);
    const summary = JSON.parse(resumed.stdout) as { requests: number };
    expect(summary).toMatchObject({ finished: true, read: COUNT, refused: bad.size });
    expect(summary.requests).toBe(Math.ceil((COUNT - counts.read) / 200));
    expect((await linesOf(refused)).map((each) => (each as { line: number }).line)).toEqual(
      [...bad].map((index) => index + 1),
    );
    expect(existsSync(`${file}.databridge-push`)).toBe(false);
    await expectStored(readings.filter((_, index) => !bad.has(index)));
  });

  it('ends behind the request under way at Ctrl-C, and says where it stopped', async () => {
    const readings = fileReadings(COUNT);
    const text = `sensorId,date,value\n${readings.map(({ sensorId, date, value }) => `${sensorId},${date},${value}\n`).join('')}`;
    const file = await fileOf(directory, 'a.csv', text);
    await startApi();
    const pushing = await startPush(file);
    process.kill(pushing.pid, 'SIGINT');
    await goOn();
    expect(await pushing.exited).toEqual({ code: 130, signal: null });
    const { place, counts } = await stateOf(file);
    expect(pushing.output()).toContain(
      `stopped: everything before line ${place.line} was answered; --resume goes on there`,
    );
    expect(await stored()).toHaveLength(counts.read);

    // --resume refuses a file that changed before the place, and accepts a file that has grown.
    const lines = text.split('\n');
    const middle = Math.floor(place.line / 2);
    await writeFile(file, lines.with(middle, `x${lines[middle]?.slice(1)}`).join('\n'));
    const changed = await push(env, [file, ...SMALL, '--resume']);
    expect([changed.code, changed.stderr]).toEqual([
      2,
      expect.stringMatching(/a\.csv has changed before line \d+[^]*--restart/),
    ]);
    await writeFile(file, `${text}late,2026-03-01T00:00:00Z,1\n`);
    const resumed = await push(env, [file, ...SMALL, '--resume', '--json']);
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ read: COUNT + 1, accepted: COUNT + 1 });
    await expectStored([...readings, { sensorId: 'late', date: '2026-03-01T00:00:00Z', value: 1 }]);
  });
});

describe('standard input', () => {
  /** Starts a push of some readings; the pipe stays open. */
  function pipe(readings: readonly FileReading[], more: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [MAIN, 'push', '-', ...SMALL], {
      env: environment({ ...env, ...more }),
      stdio: 'pipe',
    });
    children.push(child);
    const ended = once(child, 'close') as Promise<[number | null]>;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (said: string) => (output += said));
    }
    child.stdin.on('error', () => undefined).write(ndjson(readings));
    return { child, ended, output: () => output };
  }

  it('is sent as it comes, and cannot be resumed after Ctrl-C', async () => {
    await startApi();
    const { child, ended, output } = pipe(fileReadings(3));
    while ((await stored()).length < 3) await sleep(100);
    child.kill('SIGINT');
    const [code] = await ended;
    const told = /before line 4 was answered; --from-line 4 goes on there; a pipe cannot/;
    expect([code, output()]).toEqual([130, expect.stringMatching(told)]);
  });

  it('is closed when the push cannot go on', async () => {
    await startApi();
    const { ended, output } = pipe(fileReadings(3), { DATABRIDGE_APPLICATION_SECRET: 'not-the-secret' });
    const [code] = await ended;
    expect([code, output()]).toEqual([2, expect.stringContaining('does not accept the id and secret')]);
  });
});

describe('progress', () => {
  it('is kept in a state file; --restart ignores the file, and a push goes on where it cannot be written', async () => {
    await startApi();
    const readings = fileReadings(400);
    const file = await fileOf(directory, 'a.ndjson', ndjson(readings));
    const state = await fileOf(directory, 'state', 'something else');
    const unreadable = await push(env, [file, ...SMALL, '--state', state, '--resume']);
    expect([unreadable.code, unreadable.stderr]).toEqual([2, expect.stringMatching(/no state of a push[^]*--restart/)]);
    expect((await push(env, [file, ...SMALL, '--state', state, '--restart'])).code).toBe(0);
    expect(existsSync(state)).toBe(false);
    const nowhere = await push(env, [file, ...SMALL, '--state', '/no-such-directory/state']);
    expect(nowhere.code).toBe(0);
    expect(nowhere.stderr.match(/progress cannot be kept/g)).toHaveLength(1);
    await rm(file);
    await expectStored(readings);
  });
});
