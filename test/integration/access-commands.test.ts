import { userInfo } from 'node:os';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY, everythingIn, granted, openProcess } from './access-rig.ts';
import { databridge, databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

// An operator sets up access for a client on the command line; each test continues where the test before ended.

/** The account that runs the tests. The environment does not decide it. */
const ACTOR = `cli:${userInfo().username}`;

const databases = useDatabases();
let database: Database;

beforeAll(async () => {
  database = await databases.create();
});

const settings = () => ({
  env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere', USER: 'anna' },
});
const run = (...args: readonly string[]): Promise<Ran> => databridgeHere(args, settings());

async function json<T>(...args: readonly string[]): Promise<T> {
  const ran = await run(...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout) as T;
}

interface Credentials {
  readonly applicationId: string;
  readonly secret: string;
}

const isAccepted = async ({ applicationId: id, secret }: Credentials): Promise<boolean> => {
  const bridge = await openProcess(database);
  const answer = await bridge.grant({ grantType: 'client_credentials', basic: { id, secret } });
  return !('error' in answer) && granted(answer).token_type === 'bearer';
};

const secrets: string[] = [];

describe('an organisation with a project', () => {
  test('is created once and listed', async () => {
    const create = ['organisation', 'create', 'north', '--name', 'North works'];
    expect(await databridge(create, settings())).toMatchObject({
      code: 0,
      stdout: 'organisation north created\n',
    });
    expect((await run('organisation', 'create', 'north')).stdout).toBe('organisation north exists already\n');
    expect(await json('organisation', 'create', 'north')).toEqual({ id: 'north', created: false });
    expect(await run('project', 'create', 'pump-hall', '--organisation', 'north')).toMatchObject({
      code: 0,
      stdout: 'project pump-hall created\n',
    });
    expect(await json('organisation', 'list')).toMatchObject([
      { id: 'default' },
      { id: 'north', name: 'North works', projects: 1, createdAt: expect.stringMatching(/Z$/) as string },
    ]);
    expect((await run('organisation', 'list')).stdout).toMatch(/^north +North works +1 +0$/m);
  });

  test('is not created with an id that a path cannot hold', async () => {
    const ran = await run('organisation', 'create', '../etc');
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^error: "\.\.\/etc" is not an organisation id\n {2}try: use letters/);
  });
});

describe('an application', () => {
  test('is created with a secret that is shown once, and works', async () => {
    const { stdout } = await run(
      'application',
      'create',
      'gateway',
      '--organisation',
      'north',
      '--project',
      'pump-hall',
    );
    const [, applicationId, secret] =
      /APPLICATION_ID {6}(app_\w+)\n {2}APPLICATION_SECRET {2}([\w-]{43})\n.*cannot be shown again/.exec(stdout) ?? [];
    if (applicationId === undefined || secret === undefined) throw new Error(stdout);
    secrets.push(secret);
    expect(await isAccepted({ applicationId, secret })).toBe(true);
    const again = await json<Credentials>('application', 'create', 'gateway-2');
    secrets.push(again.secret);
    expect(again).toEqual({
      applicationId: expect.stringMatching(/^app_/) as string,
      secret: expect.stringMatching(/^[\w-]{43}$/) as string,
      organisation: 'default',
      name: 'gateway-2',
      projects: null,
    });
    expect(await isAccepted(again)).toBe(true);
  });

  test.each([
    ['a name that is taken', ['create', 'gateway', '--organisation', 'north'], /has an application "gateway"/],
    ['an unknown organisation', ['create', 'x', '--organisation', 'south'], /no organisation "south"/],
    ['an unknown project', ['create', 'x', '--project', 'nothing'], /has no project "nothing"/],
    ['an unknown id', ['rotate', 'app_00000000000000000000'], /no active application "app_0+"/],
    ['an overlap that is no number', ['rotate', 'app_00000000000000000000', '--overlap-hours', 'x'], /0 to 720/],
    ['an unknown id to revoke', ['revoke', "' or 1=1"], /no active application/],
  ])('is not changed with %s', async (_, args, message) => {
    const ran = await run('application', ...args);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) as string });
    expect(ran.stderr).toMatch(/\n {2}try: /);
  });

  test('gets a new secret, and the old secret works during the overlap', async () => {
    const made = await json<Credentials>('application', 'create', 'rotating');
    const next = await json<Credentials & { previousSecretUntil: string }>('application', 'rotate', made.applicationId);
    secrets.push(made.secret, next.secret);
    expect([await isAccepted(made), await isAccepted(next)]).toEqual([true, true]);
    expect((await run('application', 'list')).stdout).toContain(`active, old secret until ${next.previousSecretUntil}`);
    const shown = await run('application', 'rotate', made.applicationId, '--overlap-hours', '0');
    expect(shown.stdout).toMatch(/^the old secret is refused from now on\n/);
    expect([await isAccepted(made), await isAccepted(next)]).toEqual([false, false]);
  });

  test('is listed and revoked', async () => {
    const [row] = (await json<Credentials[]>('application', 'list')).filter(
      (one) => 'name' in one && one.name === 'gateway',
    );
    expect(row).toMatchObject({
      organisation: 'north',
      projects: ['pump-hall'],
      revokedAt: null,
      lastTokenAt: expect.stringMatching(/Z$/) as string,
    });
    expect(Object.keys(row ?? {})).not.toContain('secret');
    const id = row?.applicationId ?? '';
    expect(await json('application', 'show', id)).toEqual(row);
    const { stdout } = await run('application', 'show', id);
    expect(stdout).toMatch(/^id +app_[^]*^projects +pump-hall\n[^]*^last push +–\npushes +0\n/m);
    expect((await run('application', 'revoke', id)).stdout).toBe(`application ${id} revoked\n`);
    expect(await json('application', 'revoke', id)).toEqual({ applicationId: id, revoked: false });
    expect(await isAccepted({ applicationId: id, secret: secrets[0] ?? '' })).toBe(false);
    expect((await run('application', 'list')).stdout).toMatch(/gateway +pump-hall +\S+ +– +0 +revoked 2/);
  });
});

test('signing keys are listed and rotated', async () => {
  const [first] = await json<{ kid: string; state: string }[]>('signing-key', 'list');
  expect(first).toMatchObject({ state: 'signs', signsUntil: null });
  const { kid } = await json<{ kid: string }>('signing-key', 'rotate');
  expect((await run('signing-key', 'rotate')).stdout).toMatch(`a rotation is under way already: key ${kid} signs from`);
  const listed = (await run('signing-key', 'list')).stdout;
  expect(listed).toMatch(new RegExp(`^${first?.kid} +signs .*Z +2.*Z$`, 'm'));
  expect(listed).toMatch(new RegExp(`^${kid} +published`, 'm'));
  expect((await run('signing-key', 'rotate', '--at-once')).stdout).toMatch(/^key \S+ created; it signs from /);
  expect(await json('signing-key', 'list')).toMatchObject([{ state: 'signs' }]);
});

test('the audit lists actions and actors page by page, and no secret is in the audit or the database', async () => {
  const entries = await json<{ id: number; actor: string; action: string }[]>('audit', 'list');
  expect(entries[0]).toMatchObject({
    action: 'signing-key.created',
    actor: ACTOR,
    detail: { othersWithdrawn: true },
  });
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['application.revoked', 'project.created']),
  );
  const page = await json<{ id: number }[]>('audit', 'list', '--limit', '2', '--before', String(entries[1]?.id));
  expect(page.map(({ id }) => id)).toEqual([entries[2]?.id, entries[3]?.id]);
  const shown = (await databridge(['audit', 'list'], settings())).stdout;
  expect(shown).toMatch(
    new RegExp(`^.*${ACTOR} +organisation\\.created +north +\\{"after":\\{"name":"North works"\\}, `, 'm'),
  );
  expect(await run('audit', 'list', '--limit', '0')).toMatchObject({ code: 2 });
  const dump = `${shown}${JSON.stringify(entries)}${await everythingIn(database)}`;
  expect(secrets.length).toBeGreaterThan(3);
  for (const secret of secrets) expect(dump.includes(secret)).toBe(false);
});
