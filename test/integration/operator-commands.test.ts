import { beforeAll, expect, test } from 'vitest';
import { setOperatorPassword, signIn } from '../../src/access/operator-passwords.ts';
import { operatorOfToken } from '../../src/access/operator-tokens.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

// An admin sets up operators on the command line; each test continues where the test before ended.

const databases = useDatabases();
let database: Database;

beforeAll(async () => {
  database = await databases.create();
});

const settings = () => ({ DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' });
const run = (...args: readonly string[]): Promise<Ran> => databridgeHere(['operator', ...args], { env: settings() });

async function json<T>(...args: readonly string[]): Promise<T> {
  const ran = await run(...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout) as T;
}

const audited = async (): Promise<unknown> => {
  const row = await database.row<{ entry: unknown }>(
    `select jsonb_build_object('action', action, 'subject', subject, 'detail', detail) as entry from audit order by id desc limit 1`,
  );
  return row?.entry;
};

const sessions = async (): Promise<number> => (await database.rows('select from operator_session')).length;

test('an operator is created once, with a role and organisations', async () => {
  expect((await run('list')).stdout).toContain('no operators yet');
  expect((await run('create', 'anna', '--role', 'admin')).stdout).toContain('operator anna created');
  expect(await json('create', 'board', '--organisation', 'default')).toEqual({
    name: 'board',
    role: 'viewer',
    organisations: ['default'],
  });
  expect(await audited()).toEqual({
    action: 'operator.created',
    subject: 'board',
    detail: { before: null, after: { role: 'viewer', organisations: ['default'] } },
  });
  for (const wrong of [['anna'], ['Anna'], ['a b'], [''], ['x', '--organisation', 'none'], ['x', '--role', 'root']]) {
    expect(await run('create', ...wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining('try:') as string });
  }
  expect(await json('list')).toMatchObject([
    { name: 'anna', role: 'admin', organisations: null, tokens: 0, disabledAt: null },
    { name: 'board', role: 'viewer', organisations: ['default'] },
  ]);
  expect((await run('list')).stdout).toMatch(/anna +admin +all +0 +active/);
});

test('a token is shown once, listed without its secret, and revoked', async () => {
  const { token, id } = await json<{ token: string; id: string }>('token', 'create', 'board', '--name', 'wall');
  expect(token).toMatch(/^dbo_[\w-]{43}$/);
  expect(await operatorOfToken(database, token)).toMatchObject({ operator: { name: 'board', role: 'viewer' } });
  const listed = await run('token', 'list', 'board', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id, operator: 'board', name: 'wall', revokedAt: null }]);
  expect(listed.stdout).not.toContain(token.slice(4));
  expect((await run('token', 'create', 'board', '--name', 'b', '--days', '366')).code).toBe(2);
  expect((await run('token', 'create', 'nobody', '--name', 'b')).code).toBe(2);
  expect((await run('token', 'revoke', id)).stdout).toBe(`token ${id} revoked\n`);
  expect(await json('token', 'revoke', id)).toEqual({ id, revoked: false });
  expect(await operatorOfToken(database, token)).toEqual({ refused: 'revoked' });
  expect((await run('token', 'revoke', 'tok_x')).code).toBe(2);
});

test('a role is changed, and an operator disabled and enabled, with before and after in the audit', async () => {
  expect((await run('role', 'board', 'operator')).stdout).toBe('operator board is operator now\n');
  expect(await audited()).toEqual({
    action: 'operator.role',
    subject: 'board',
    detail: { before: { role: 'viewer' }, after: { role: 'operator' } },
  });
  expect(await json('role', 'board', 'operator')).toEqual({ name: 'board', role: 'operator', changed: false });
  expect((await run('role', 'board', 'root')).code).toBe(2);
  expect((await run('disable', 'board')).stdout).toBe('operator board disabled\n');
  expect((await run('token', 'create', 'board', '--name', 'b')).stderr).toContain('databridge operator enable board');
  expect((await run('list')).stdout).toMatch(/board .* disabled 20/);
  expect(await json('disable', 'board')).toEqual({ name: 'board', disabled: true, changed: false });
  expect((await run('enable', 'board')).stdout).toBe('operator board enabled\n');
  expect(await audited()).toMatchObject({ action: 'operator.enabled', detail: { after: { disabled: false } } });
  expect((await run('role', 'nobody', 'admin')).code).toBe(2);
});

test('the organisations of an operator are changed, and its sessions ended', async () => {
  await setOperatorPassword(database, 'board', { password: 'a horse on a staple', temporary: false }, 'test');
  const from = { address: '::1', agent: 'test' };
  const enter = () => signIn(database, { name: 'board', password: 'a horse on a staple' }, from);
  await enter();
  expect((await run('organisations', 'board', '--all')).stdout).toBe('operator board sees all organisations now\n');
  expect(await audited()).toEqual({
    action: 'operator.organisations',
    subject: 'board',
    detail: { before: { organisations: ['default'] }, after: { organisations: null } },
  });
  expect(await sessions()).toBe(0);
  const limited = { name: 'board', organisations: ['default'] };
  expect(await json('organisations', 'board', '--organisation', 'default')).toEqual({ ...limited, changed: true });
  expect(await json('organisations', 'board', '--organisation', 'default')).toEqual({ ...limited, changed: false });
  for (const wrong of [
    ['board'],
    ['board', '--organisation', 'none'],
    ['nobody', '--all'],
    ['board', '--all', '--organisation', 'default'],
  ]) {
    expect((await run('organisations', ...wrong)).code).toBe(2);
  }
  await enter();
  await enter();
  expect(await json('sign-out', 'board')).toEqual({ name: 'board', sessions: 2 });
  expect(await audited()).toMatchObject({ action: 'operator.signed-out', subject: 'board' });
  await enter();
  expect((await run('sign-out', 'anna')).stdout).toBe('0 sessions ended\n');
  expect((await run('sign-out', '--all')).stdout).toBe('1 session ended\n');
  expect(await sessions()).toBe(0);
  for (const wrong of [[], ['board', '--all'], ['nobody']]) expect((await run('sign-out', ...wrong)).code).toBe(2);
});

test('a password is read from standard input, and a weak one refused', async () => {
  const from = { address: '::1', agent: 'test' };
  const given = { name: 'anna', password: ' a horse on a staple ' };
  const set = (password: string, ...args: string[]) =>
    databridgeHere(['operator', 'password', 'anna', ...args], { env: settings(), stdin: `${password}\n` });
  expect(await signIn(database, given, from)).toBeUndefined();
  expect(await set(given.password)).toMatchObject({ code: 0, stdout: 'operator anna has a password\n' });
  expect(await signIn(database, given, from)).toMatch(/^[\w-]{43}$/);
  expect(await signIn(database, { ...given, password: given.password.trim() }, from)).toBeUndefined();
  expect(await set('password1234')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('guessed first') as string,
  });
  expect(await audited()).toEqual({
    action: 'operator.password',
    subject: 'anna',
    detail: { before: { sessions: 0 }, after: { sessions: 0, temporary: false } },
  });
});
