import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';
import { eventually } from './daemon-rig.ts';
import { makeRig } from './outbox-rig.ts';
import type { Rig } from './outbox-rig.ts';
import { APPLICATION, SECRET } from './outbox-service-tokens.ts';
import { ORGANISATION, PROJECT } from './outbox-service.ts';

// An operator sets up handing over by the command line. Each test continues from the state the one before left.

const databases = useDatabases();
let rig: Rig;
let directory: TempDirectory;

beforeAll(async () => {
  rig = await makeRig(databases);
  directory = await makeTempDirectory('outbox-commands');
  await writeFile(join(directory.path, 'secret'), `${SECRET}\n`);
  await writeFile(join(directory.path, 'wrong'), 'wrong-secret-of-a-file\n');
});

afterAll(async () => {
  await rig.close();
  await directory.remove();
});

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  databridgeHere(['ingestion', ...args], {
    env: {
      DATABASE_URL: rig.database.url,
      DATABRIDGE_KEY: 'A'.repeat(43),
      DATABRIDGE_HOME: '/nowhere',
      USER: 'anna',
      ...env,
    },
  });

/** Arguments that push `project` to the service. Those in `more` come last and override the others. */
const pushArguments = (...more: string[]): string[] => [
  ...`push project --url ${rig.service.url} --application ${APPLICATION}`.split(' '),
  ...`--remote-organisation ${ORGANISATION} --remote-project ${PROJECT}`.split(' '),
  ...more,
];
const secretFile = (name: string): string[] => ['--secret', `\${file:${join(directory.path, name)}}`];

interface Line {
  readonly project: string;
  readonly ingestion: string;
  readonly state: string | null;
  readonly waiting: number | null;
  readonly url: string | null;
}

async function list(): Promise<Line[]> {
  const ran = await run(['list', '--json']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout) as Line[];
}

const isStored = async (): Promise<boolean> => (await rig.database.row('select from remote')) !== undefined;

describe('a wrong argument is named, and nothing is stored:', () => {
  test.each<[string, () => Promise<string[]>, number, RegExp, Record<string, string>?]>([
    [
      'an unknown project',
      async () => ['push', 'nowhere', ...pushArguments(...secretFile('secret')).slice(2)],
      2,
      /no project "nowhere"/,
    ],
    ['a secret on the command line', async () => pushArguments('--secret', SECRET), 2, /--secret is not a reference/],
    ['no secret', async () => pushArguments(), 2, /no secret/],
    ['a file that does not exist', async () => pushArguments(...secretFile('none')), 2, /does not exist/],
    ['no address', async () => ['push', 'project', '--application', APPLICATION], 2, /--url/],
    ['a malformed address', async () => pushArguments(...secretFile('secret'), '--url', 'example'), 2, /--url/],
    [
      'plain HTTP to another host',
      async () => pushArguments(...secretFile('secret'), '--url', 'http://ingest.example'),
      2,
      /--allow-plain/,
    ],
    [
      'a malformed address, unchecked',
      async () => pushArguments(...secretFile('secret'), '--url', 'example', '--no-check'),
      2,
      /--url/,
    ],
    [
      'a malformed reference, unchecked',
      async () => pushArguments('--secret', '${file:relative}', '--no-check'),
      2,
      /reference/,
    ],
    [
      'a closed port',
      async () => pushArguments(...secretFile('secret'), '--url', `http://127.0.0.1:${await freePort()}`),
      1,
      /no program listens/,
    ],
    [
      'another address',
      async () => pushArguments(...secretFile('secret'), '--url', `${rig.service.url}/elsewhere`),
      2,
      /127\.0\.0\.1/,
    ],
    ['a wrong secret', async () => pushArguments(...secretFile('wrong')), 2, /does not accept the id and secret/],
    [
      'a wrong secret of the environment',
      async () => pushArguments(),
      2,
      /does not accept the id and secret/,
      { DATABRIDGE_APPLICATION_SECRET: 'wrong-secret-of-env' },
    ],
    [
      'an unknown project there',
      async () => pushArguments(...secretFile('secret'), '--remote-project', 'no'),
      2,
      /404/,
    ],
    [
      'an unknown organisation there',
      async () => pushArguments(...secretFile('secret'), '--remote-organisation', '..'),
      2,
      /organisation/,
    ],
    [
      'a number that is not whole',
      async () => pushArguments(...secretFile('secret'), '--most-waiting', 'many'),
      2,
      /most-waiting/,
    ],
  ])('%s', async (_name, args, code, message, env = {}) => {
    const ran = await run(await args(), env);
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) as string });
    const said = ran.stdout + ran.stderr;
    for (const secret of [SECRET, 'wrong-secret-of-a-file', 'wrong-secret-of-env']) expect(said).not.toContain(secret);
    expect(await isStored()).toBe(false);
  });

  test('a project that is pushed nowhere cannot be resumed', async () => {
    expect(await run(['resume', 'project'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/readings of project are not pushed/) as string,
    });
    expect(await run(['resume', 'nowhere'])).toMatchObject({ code: 2 });
    expect(await run(['store', 'nowhere'])).toMatchObject({ code: 2 });
    expect(await run(['store', 'project'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/readings of project stay here only, as before/) as string,
    });
  });
});

describe('a project', () => {
  test('keeps its readings here by default', async () => {
    expect(await list()).toMatchObject([
      { project: 'project', ingestion: 'store', state: null, waiting: null, url: null },
    ]);
    expect((await run(['list'])).stdout).toMatch(/project +store/);
  });

  test('is pushed after a check that sends no reading', async () => {
    const before = rig.service.bodies.length;
    const ran = await run(pushArguments(...secretFile('secret'), '--json'));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual({
      project: 'project',
      ingestion: 'push',
      checked: true,
      remote: {
        url: rig.service.url,
        organisation: ORGANISATION,
        code: PROJECT,
        applicationId: APPLICATION,
        mostWaiting: 10_000_000,
      },
    });
    expect(rig.service.bodies.slice(before).map(({ readings }) => readings.length)).toEqual([0]);
    expect(rig.service.stored()).toEqual([]);
    expect(await list()).toMatchObject([{ ingestion: 'push', state: 'active', waiting: 0, url: rig.service.url }]);
  });

  test('keeps a secret of the environment sealed', async () => {
    const ran = await run(pushArguments('--no-check'), { DATABRIDGE_APPLICATION_SECRET: SECRET });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).not.toMatch(/answers/);
    const row = await rig.database.row<{ secret: string }>('select secret from remote');
    expect(row?.secret).toMatch(/^ey/);
    await rig.commit([{ sensor: 'a', at: 0, value: 1 }]);
    await rig.drain([await rig.worker()]);
    await rig.expectEqual();
  });

  test('shows how many readings wait, and the fault that hinders them', async () => {
    rig.service.tokens.manners.refuseClient = true;
    await run(pushArguments('--no-check'), { DATABRIDGE_APPLICATION_SECRET: SECRET });
    await rig.commit([
      { sensor: 'a', at: 0, value: 2 },
      { sensor: 'a', at: 1, value: 3 },
    ]);
    const worker = await rig.worker();
    await worker.deliverer.look();
    await eventually('it is stopped', async () => (await rig.remote()).state === 'stopped');
    expect(await list()).toMatchObject([
      {
        state: 'stopped',
        waiting: 2,
        fault: { code: 'credentials-rejected' },
        oldestAt: expect.stringMatching(/Z$/) as string,
      },
    ]);
    expect((await run(['list'])).stdout).toMatch(/stopped.*does not accept/);
  });

  test('goes on when the operator resumes it', async () => {
    rig.service.tokens.manners.refuseClient = false;
    rig.service.refuse(({ value }) => (value === 3 ? 'never-three' : undefined));
    expect(await run(['resume', 'project', '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/"resumed": true/) as string,
    });
    await rig.drain([await rig.worker()]);
    expect(await list()).toMatchObject([{ state: 'active', waiting: 0, fault: null, delivered24h: 2, refused24h: 1 }]);
  });

  test('shows the readings that the service refused', async () => {
    const ran = await run(['refusals', 'project', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ source: 'source', sensor: 'a', raw: '3: never-three: said of a' }]);
    expect((await run(['refusals', 'project'])).stdout).toMatch(/never-three/);
    expect((await run(['refusals', 'nowhere'])).code).toBe(2);
    const source = await databridgeHere(['source', 'refusals', 'source', '--json'], {
      env: { DATABASE_URL: rig.database.url, DATABRIDGE_KEY: 'A'.repeat(43) },
    });
    expect(source.stdout).toMatch(/refused-there/);
  });

  test('keeps its readings here again only when none waits, or with --discard', async () => {
    await rig.commit([{ sensor: 'a', at: 2, value: 4 }]);
    expect(await run(['store', 'project'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/1 reading .* not delivered/) as string,
    });
    expect(await rig.outbox()).toHaveLength(1);
    const ran = await run(['store', 'project', '--discard', '--json']);
    expect(JSON.parse(ran.stdout)).toEqual({ project: 'project', ingestion: 'store', discarded: 1 });
    expect(await rig.outbox()).toEqual([]);
    expect(await list()).toMatchObject([{ ingestion: 'store' }]);
    const audit = await rig.database.rows<{ action: string; actor: string }>(
      `select action, actor from audit where action like 'ingestion.%' order by id`,
    );
    expect(audit.map(({ action }) => action)).toEqual([
      ...Array.from({ length: 3 }, () => 'ingestion.push'),
      'ingestion.resumed',
      'ingestion.store',
    ]);
    expect(new Set(audit.map(({ actor }) => actor)).size).toBe(1);
  });
});
