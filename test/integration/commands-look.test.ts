import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { urlOfRunning } from '../../src/database/running.ts';
import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { MAIN } from '../kit/joined-program.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { databridgeHere, environment } from './command-line.ts';
import type { Ran } from './command-line.ts';

// An operator looks at a running bridge: a correct source, one with a wrong password, an embedded database.

let home: TempDirectory;
let influx: Influx;
let bridge: RunningProcess;

const run = (...args: readonly string[]): Promise<Ran> => databridgeHere(args, { env: { DATABRIDGE_HOME: home.path } });

const sourceText = (name: string, password: string): string => `
name: ${name}
project: pump-hall
kind: user-credentials
platform: influxdb
connection: { url: '${influx.url}', username: reader, password: ${JSON.stringify(password)} }
options: { database: plant }
schedule: { every: 1s, settle: 0s, start: 1h }
mapping: { labels: [hall-3] }`;

beforeAll(async () => {
  [home, influx] = await Promise.all([makeTempDirectory('look'), startInflux()]);
  // The server of the database may run as another user.
  await chmod(home.path, 0o755);
  const now = Date.now() * 1000;
  const lines = Array.from(
    { length: 20 },
    (_, index) => `pump flow=${index}.5,state="ok" ${now - (index + 1) * 1_000_000}`,
  );
  await influx.write(lines, 'plant', 'u');
  expect(await run('project', 'create', 'pump-hall')).toMatchObject({ code: 0 });
  expect(await run('doctor', '--health')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^unhealthy: .* does not run/) as string,
  });
  const sources = `${sourceText('hall-3', influx.reader.password)}\n---${sourceText('hall-4', 'wrong')}`;
  const applied = await databridgeHere(['source', 'apply', '-'], {
    stdin: sources,
    env: { DATABRIDGE_HOME: home.path },
  });
  expect(applied).toMatchObject({ code: 0 });
  bridge = await startProcess({
    name: 'databridge up',
    command: process.execPath,
    args: [MAIN, 'up'],
    env: environment({ DATABRIDGE_HOME: home.path }),
    ready: (running) => running.output().includes('databridge is up'),
  });
  while (!(await isSettled())) await sleep(200);
});

afterAll(async () => {
  expect(await bridge.stop(60_000)).toMatchObject({ code: 0 });
  await Promise.all([influx.stop(), home.remove()]);
  assertNothingLeaked();
});

interface Line {
  readonly name: string;
  readonly state: string;
  readonly lagSeconds: number | null;
  readonly gaps: boolean;
  readonly readings24h: number;
  readonly fault: { readonly message: string } | null;
}

const list = async (): Promise<Line[]> => JSON.parse((await run('source', 'list', '--json')).stdout) as Line[];
/** Whether the good source has caught up, and the other one was stopped for its password. */
async function isSettled(): Promise<boolean> {
  const [good, bad] = await list();
  return (good?.readings24h ?? 0) >= 20 && good?.gaps === false && bad?.state === 'stopped';
}

describe('sources', () => {
  test('the list shows the lag and the fault of each source', async () => {
    const [good, bad] = await list();
    expect(good).toMatchObject({ name: 'hall-3', state: 'active', gaps: false, readings24h: 20, fault: null });
    expect(good?.lagSeconds).toBeGreaterThan(0);
    expect(bad).toMatchObject({ name: 'hall-4', state: 'stopped', lagSeconds: null, readings24h: 0 });
    const { stdout } = await run('source', 'list');
    expect(stdout).toMatch(
      /^organisation +name +project +platform +condition +every +streams +lag +newest +gaps +24h +req\/h +last fault$/m,
    );
    expect(stdout).toMatch(/^default +hall-4 +pump-hall +influxdb +stopped +1s +0 +– +never +– .*401/m);
  });

  test('a source is shown with everything but its secret', async () => {
    const { stdout, code } = await run('source', 'show', 'hall-3');
    expect(code).toBe(0);
    expect(stdout).not.toContain(influx.reader.password.slice(0, 5));
    expect(stdout).toMatch(/^ {2}password: \(secret\)$/m);
    expect(stdout).toMatch(/^pump: 1 sensor, windows of .*\n {2}covered /m);
    expect(stdout).toMatch(/^ {2}newest reading 20\d\d-.*Z$/m);
    expect(stdout).toMatch(/^stream +lane +asked .* wait +http +norm +store$/m);
    expect(stdout).toMatch(/^not-a-number, 20 times: .*\n {2}pump state .* "ok"$/m);
    const stopped = await run('source', 'show', 'hall-4', '--json');
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      state: 'stopped',
      fault: { code: 'credentials-rejected' },
      streams: [],
    });
    expect(await run('source', 'show', 'hall-5')).toMatchObject({ code: 2 });
  });

  test('refusals are listed and counted', async () => {
    const { stdout } = await run('source', 'refusals', 'hall-3', '--json');
    const found = JSON.parse(stdout) as {
      reasons: unknown[];
      series: { examples: unknown[] }[];
    };
    expect(found.reasons).toMatchObject([{ reason: 'not-a-number', refused: 20, series: 1 }]);
    expect(found.series).toMatchObject([{ sensor: 'pump', variable: 'state', refused: 20, reason: 'not-a-number' }]);
    expect(found.series[0]?.examples[0]).toMatchObject({ raw: '"ok"' });
    const list = await run('source', 'refusals', 'hall-3');
    expect(list.stdout).toMatch(
      /^not-a-number: 20 points of 1 variable\n {2}The.*\n {2}try: Text [^]*\nrefused +first +last +sensor +variable +value\n.*\n +20 +20\S+ \S+ +20\S+ \S+ +pump +state +"ok", "ok"/,
    );
    const other = await run('source', 'refusals', 'hall-3', '--reason', 'null');
    expect(other).toMatchObject({ code: 0, stdout: 'nothing is refused\n' });
    expect(await run('source', 'refusals', 'hall-5')).toMatchObject({ code: 2 });
  });
});

describe('doctor', () => {
  test('a stopped source is a failed check', async () => {
    const ran = await run('doctor');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^✓ database +PostgreSQL \d/m);
    expect(ran.stdout).toMatch(/^✓ workers +1: /m);
    expect(ran.stdout).toMatch(/^✓ planner /m);
    expect(ran.stdout).toMatch(/^✗ source hall-4 stopped: .*401[^\n]*\n +try: /m);
    expect(ran.stdout.match(/^✗/gm)).toHaveLength(1);
  });

  test('--health checks only the database and the planner', async () => {
    expect(await run('doctor', '--health')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^healthy: planned (?:<1|\d+)s ago\n$/) as string,
    });
  });
});

describe('readings', () => {
  const FIRST = Date.UTC(2026, 0, 1) * 1000;
  const DENSE = 12_345;

  beforeAll(async () => {
    const client = new pg.Client({ connectionString: urlOfRunning(home.path) });
    await client.connect();
    await client.query(`
      insert into ml_project (organisation_id, code, name) values ('default', 'past', 'past');
      insert into series (project_id, sensor_id, value_name)
        select ml_project.id, sensor, 'v' from ml_project, unnest(array['b', 'B', 'a_1', 'ax1']) as sensor where code = 'past';
      insert into series (project_id, sensor_id, value_name)
        select ml_project.id, 'c' || n, 'v' from ml_project, generate_series(1, 700) as n where code = 'past';
      create table reading_2026_01 partition of reading for values from ('2026-01-01Z') to ('2026-02-01Z');
      insert into label_set (labels) values (array['bar', 'x,y']);
      insert into reading (series, at, value, precision, labels) select series.id, at_instant(${FIRST} + n), n, 100, label_set.id
        from series, label_set, generate_series(0, ${DENSE - 1}) as n where sensor_id = 'b' and labels = array['bar', 'x,y'];
      insert into reading (series, at, value, precision, labels) select id, at_instant(${FIRST}), 1, null, null from series where sensor_id ~ '^[aBc]'`);
    await client.end();
  });

  const past = (...more: string[]): Promise<Ran> =>
    run('readings', 'past', '--from', '2026-01-01', '--to', '2026-01-02', ...more);

  test('all readings are printed once and in order, over several pages', async () => {
    const { stdout, code } = await past('--format', 'ndjson');
    expect(code).toBe(0);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { sensorId: string; date: string; value: number });
    const names = ['B', 'a_1', 'ax1', 'b', ...Array.from({ length: 700 }, (_, index) => `c${index + 1}`).toSorted()];
    expect([...new Set(rows.map(({ sensorId }) => sensorId))]).toEqual(names);
    expect(rows).toHaveLength(DENSE + 703);
    const dense = rows.filter(({ sensorId }) => sensorId === 'b');
    expect(dense.map(({ value }) => value)).toEqual(Array.from({ length: DENSE }, (_, index) => index));
    expect(dense[1]).toEqual({
      sensorId: 'b',
      valueName: 'v',
      date: '2026-01-01T00:00:00.000001Z',
      value: 1,
      precision: 100,
      labels: ['bar', 'x,y'],
    });
  });

  test('a pattern and a limit select readings, and CSV is quoted', async () => {
    const { stdout } = await past('--sensor', 'a_?', '--format', 'csv');
    expect(stdout).toBe('sensorId,valueName,date,value,precision,labels\na_1,v,2026-01-01T00:00:00Z,1,,\n');
    const limited = await past('--sensor', 'b', '--format', 'csv', '--limit', '1');
    expect(limited.stdout.split('\n')[1]).toBe('b,v,2026-01-01T00:00:00Z,0,100,"bar;x,y"');
    const shown = await past('--sensor', 'b');
    expect(shown.stdout.split('\n')).toHaveLength(2 + 100 + 2);
    expect(shown.stdout).toMatch(/there are more/);
  });

  test('a reader that closes the pipe early is no error', async () => {
    const child = spawn(
      process.execPath,
      [MAIN, 'readings', 'past', '--from', '2026-01-01T00:00:00Z', '--format', 'ndjson'],
      {
        env: environment({ DATABRIDGE_HOME: home.path }),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    const ended = once(child, 'exit') as Promise<[number | null]>;
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await ended).toEqual([0, null]);
    expect(complaint).toBe('');
  });

  test('the name of a source is refused, with the project of that source', async () => {
    const ran = await run('readings', 'hall-3', '--from', '1h');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/try: hall-3 is a source; its readings are in the project pump-hall/);
    const polled = await run('readings', 'pump-hall', '--from', '1h', '--format', 'csv');
    expect(polled.stdout.match(/^pump,flow,.*,hall-3$/gm)).toHaveLength(20);
  });
});
