import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import { useDatabases } from '../kit/databases.ts';
import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';
import { databridgeHere } from './command-line.ts';
import { credentials, expectedOf, fileOf, fileReadings, linesOf, ndjson, push, storedIn } from './push-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;
let line: HttpFault;
let directory: TempDirectory;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  directory = await makeTempDirectory('push-command');
  await begin();
});

afterEach(async () => {
  await end();
  await directory.remove();
});

async function begin(environment: Record<string, string> = {}): Promise<void> {
  api = await startApi(databases, environment);
  line = await startHttpFault(api.url);
  env = credentials(line.url, api.client);
}

async function end(): Promise<void> {
  await line.close();
  await api.close();
}

const HALL = ['--project', 'hall'];
const isToken = ({ url }: { url: string }): boolean => url === '/v0/oauth2/token';
const isData = ({ url }: { url: string }): boolean => url.includes('/data/');
const requests = (matches: (request: { url: string }) => boolean): number => line.requests.filter(matches).length;

describe('a file that is pushed', () => {
  it('is stored whole in each format, and a second push of it is all duplicates', async () => {
    const readings = fileReadings(300);
    const csv = readings.map(({ sensorId, date, value }) => `${value},${sensorId},${date}\n`).join('');
    const files = [
      await fileOf(directory, 'a.ndjson', ndjson(readings)),
      await fileOf(directory, 'a.csv', `value,sensorId,date\n${csv}`),
      await fileOf(directory, 'no-extension', ndjson(readings)),
    ];
    for (const [index, file] of files.entries()) {
      const { code, stdout } = await push(env, [file, ...HALL, '--batch', '128', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        finished: true,
        read: 300,
        refused: 0,
        requests: 3,
        ...(index === 0 ? { accepted: 300, duplicates: 0 } : { accepted: 0, duplicates: 300 }),
      });
      expect(existsSync(`${file}.databridge-push`)).toBe(false);
    }
    expect(await storedIn(api.database)).toEqual(expectedOf(readings));
  });

  it('is not sent where it is a JSON array: exit 2, and a command that turns it into lines', async () => {
    const file = await fileOf(directory, 'a.json', JSON.stringify(fileReadings(3), undefined, 2));
    const { code, stderr } = await push(env, [file, ...HALL]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is a JSON array[^]*try: jq -c '\.\[\]' FILE/)]);
    expect(requests(isData)).toBe(0);
    expect(existsSync(`${file}.databridge-push`)).toBe(false);
  });

  it('may come by standard input', async () => {
    const readings = fileReadings(20);
    const { code, stdout } = await push(env, ['-', ...HALL], ndjson(readings));
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^20 read: 20 accepted, 0 duplicates, 0 revised, 0 refused\n1 request /),
    ]);
    expect(await storedIn(api.database)).toEqual(expectedOf(readings));
    expect((await push(env, ['-', ...HALL], '')).code).toBe(0);
  });

  it.each(['csv', 'ndjson'])('that databridge readings printed as %s is stored unchanged', async (format) => {
    const strange = ['a,b', 'say "x"', ' edge ', 'ü\u2028𝛑', '[1]', '{}', "'; drop table reading; --"];
    const readings = strange.flatMap((sensorId, index) => [
      { sensorId, date: `2026-01-01T00:00:00.00000${index}Z`, value: [1e-7, -0.1, 1e21, 5e-324][index % 4] },
      {
        sensorId,
        valueName: 'x',
        date: '2026-01-02T00:00:00Z',
        value: index,
        precision: index,
        labels: ['b c', '"q"', 'a,'],
      },
    ]);
    expect((await push(env, ['-', ...HALL], ndjson(readings))).code).toBe(0);
    await createProject(api.database, { organisation: 'default', code: 'copy' }, 'test');
    const printed = (project: string) =>
      databridgeHere(['readings', project, '--from', '2026-01-01', '--to', '2026-02-01', '--format', format], {
        env: { DATABASE_URL: api.database.url, DATABRIDGE_HOME: directory.path },
      });
    const { stdout: first } = await printed('hall');
    expect(first.split('\n').length).toBeGreaterThan(readings.length);
    expect((await push(env, ['-', '--project', 'copy'], first)).code).toBe(0);
    expect((await printed('copy')).stdout).toBe(first);
  });

  it('is sent from the line that --from-line names', async () => {
    const readings = fileReadings(10);
    const file = await fileOf(directory, 'a.ndjson', ndjson(readings));
    expect((await push(env, [file, ...HALL, '--from-line', '8'])).code).toBe(0);
    expect(await storedIn(api.database)).toEqual(expectedOf(readings.slice(7)));
  });
});

describe('a secret', () => {
  it('may come from a file', async () => {
    const secretFile = await fileOf(directory, 'secret', `${api.client.secret}\n`);
    const given = ['-', ...HALL, '--secret-file', secretFile];
    expect((await push({ ...env, DATABRIDGE_APPLICATION_SECRET: '' }, given, ndjson(fileReadings(1)))).code).toBe(0);
  });
});

describe('readings that are refused', () => {
  const good = fileReadings(3);
  const records = [
    good[0],
    { ...good[1], value: '1.5' },
    '{"sensorId":',
    '',
    '[]',
    good[1],
    { ...good[2], date: '2026-01-01', extra: 1 },
    { ...good[2], value: null },
    good[2],
  ];
  const expected = [
    [2, 'text-number', '/value'],
    [3, 'not-json', ''],
    [5, 'not-an-object', ''],
    [7, 'date-without-time', '/date'],
    [8, 'null', '/value'],
  ];

  it('are listed with their lines, and the others are stored', async () => {
    const file = await fileOf(directory, 'a.ndjson', ndjson(records));
    const refused = join(directory.path, 'refused.ndjson');
    const { code, stdout } = await push(env, [file, ...HALL, '--batch', '2', '--refused', refused]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ +2 +value +text-number +"1\.5" +The value is a number written as text/m);
    expect(stdout).toMatch(/5 refused: (?=.*1 text-number)(?=.*1 not-json)(?=.*1 null)/);
    expect(stdout).toMatch(/8 read: 3 accepted, 0 duplicates, 0 revised, 5 refused/);
    expect(stdout).toMatch(/^ignored 1 field that no reading has: "\w+"$/m);
    expect(await storedIn(api.database)).toEqual(expectedOf(good));
    const listed = (await linesOf(refused)) as { line: number; reason: string; pointer: string; record: unknown }[];
    expect(listed.map(({ line: number, reason, pointer }) => [number, reason, pointer])).toEqual(expected);
    expect(listed[0]?.record).toEqual(records[1]);
  });

  it('are the same in a dry run, which needs no service and sends nothing', async () => {
    const file = await fileOf(directory, 'a.ndjson', ndjson(records));
    const [dry, real] = [join(directory.path, 'dry'), join(directory.path, 'real')];
    const judged = await push({}, [file, ...HALL, '--dry-run', '--refused', dry, '--url', line.url]);
    expect([judged.code, judged.stdout]).toEqual([1, expect.stringContaining('8 read: 3 would be taken, 5 refused')]);
    expect(line.requests).toHaveLength(0);
    expect((await push(env, [file, ...HALL, '--refused', real])).code).toBe(1);
    expect(await readFile(dry, 'utf8')).toBe(await readFile(real, 'utf8'));
  });

  it('are all named although an answer lists only the first thousand', async () => {
    const mixed = fileReadings(4_000).map((reading, index) =>
      index % 4 === 0 ? reading : { ...reading, value: String(reading.value) },
    );
    const file = await fileOf(directory, 'a.ndjson', ndjson(mixed));
    const refused = join(directory.path, 'refused.ndjson');
    const { code, stdout } = await push(env, [file, ...HALL, '--refused', refused, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      read: 4_000,
      accepted: 1_000,
      duplicates: 0,
      refused: 3_000,
      requests: 3,
      refusedByReason: { 'text-number': 3_000 },
    });
    const lines = (await linesOf(refused)).map((each) => (each as { line: number }).line);
    expect(lines).toEqual(mixed.flatMap((_, index) => (index % 4 === 0 ? [] : [index + 1])));
  });
});

describe('the service', () => {
  it('may take only smaller bodies', async () => {
    await end();
    await begin({ DATABRIDGE_API_READINGS: '300' });
    const readings = fileReadings(2_000);
    const file = await fileOf(directory, 'a.ndjson', ndjson(readings));
    const { stdout } = await push(env, [file, ...HALL, '--batch', '1000', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ finished: true, accepted: 2_000, requests: 2 + 8 });
    expect(await storedIn(api.database)).toEqual(expectedOf(readings));
  });

  it('may be overloaded for a while, and the push says so once', async () => {
    line.next(2, { status: 503, headers: { 'retry-after': '1' } }, isData);
    const { code, stderr } = await push(env, ['-', ...HALL], ndjson(fileReadings(5)));
    expect(code).toBe(0);
    expect(stderr.match(/trying again/g)).toHaveLength(1);
    expect(stderr).toContain('it goes on');
    const [first, second, third] = line.requests.filter(isData);
    for (const pause of [second!.at - first!.at, third!.at - second!.at]) expect(pause).toBeGreaterThan(900);
  });

  it('may be away for longer than --give-up-after: exit 1, and the stored readings stay', async () => {
    line.next(Infinity, { status: 500, body: 'no' }, (request) => isData(request) && requests(isData) > 1);
    const readings = fileReadings(20);
    const file = await fileOf(directory, 'a.ndjson', ndjson(readings));
    const given = [file, ...HALL, '--batch', '10', '--give-up-after', '500ms'];
    const { code, stdout, stderr } = await push(env, given);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('stopped: everything before line 11 was answered; --resume goes on there'),
    ]);
    expect(stderr).toMatch(/error: .*500/);
    line.heal();
    expect(await storedIn(api.database)).toEqual(expectedOf(readings.slice(0, 10)));
    const resumed = await push(env, [...given, '--resume', '--json']);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ finished: true, read: 20, accepted: 20, requests: 1 });
  });

  it('may give short tokens: the push renews them with the refresh token and does not create new ones', async () => {
    await end();
    await begin({ DATABRIDGE_TOKEN_MAX_SECONDS: '1', DATABRIDGE_TOKEN_MIN_SECONDS: '1' });
    const gateway = await api.application('gateway');
    const families = async (): Promise<unknown> =>
      (
        await api.database.row<{ count: number }>(
          'select count(*) from refresh_family join application on application.id = application_id where name = $1',
          ['gateway'],
        )
      )?.count;
    expect(await families()).toBe(1);
    const given = ['-', ...HALL, '--batch', '10'];
    expect((await push(credentials(line.url, gateway), given, ndjson(fileReadings(50)))).code).toBe(0);
    // A token that ends before its request arrives, on a slow machine, costs one more of both.
    expect(requests(isData)).toBeGreaterThanOrEqual(5);
    expect([requests(isToken), await families()]).toEqual([requests(isData), 2]);
  });

  it('refuses a wrong secret: one request for a token, none for data, exit 2 and a remedy', async () => {
    const wrong = { ...env, DATABRIDGE_APPLICATION_SECRET: 'not-the-secret' };
    const { code, stderr } = await push(wrong, ['-', ...HALL], ndjson(fileReadings(5)));
    expect(code).toBe(2);
    expect(stderr).toMatch(/does not accept the id and secret[^]*try: check --application and the secret/);
    expect([requests(isToken), requests(isData)]).toEqual([1, 0]);
  });

  it.each([
    [['--project', 'nowhere'], /404.*project[^]*try: check --url, --organisation and --project/],
    [['--project', 'hall', '--organisation', 'other'], /404/],
  ])('does not know %j: exit 2', async (args, message) => {
    const { code, stderr } = await push(env, ['-', ...args], ndjson(fileReadings(1)));
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
