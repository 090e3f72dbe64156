import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFirstOperator, setOperatorPassword } from '../../src/access/operator-passwords.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { PASSWORD, browserOf, signInAt, tryPassword, withPassword } from './operator-browser.ts';
import type { Browser } from './operator-browser.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest } from './operator-rig.ts';

const databases = useDatabases();
let api: OperatorApiUnderTest;

beforeAll(async () => {
  api = await startOperatorApi(await databases.create());
});

afterAll(async () => {
  await api?.close();
});

const trySignIn = (name: string, password: string) => tryPassword(api, name, password);
const person = (name: string) => withPassword(api, name);
const signedIn = (name: string) => signInAt(api, name);
const statusOfMe = async (browser: Browser): Promise<number> => (await browser.send('GET', '/api/v1/me')).status;

describe('an operator changes its password', () => {
  it('and all its sessions end, while a new one begins', async () => {
    await person('fred');
    const [one, two] = [await signedIn('fred'), await signedIn('fred')];
    const change = (current: string, password: string) =>
      one.send('PUT', '/api/v1/password', api, { current, password });
    expect((await change('wrong', 'another horse in a stable')).status).toBe(403);
    expect((await change(PASSWORD, 'short')).json).toMatchObject({
      status: 400,
      detail: expect.stringContaining('at least 12') as string,
    });
    expect((await change(PASSWORD, PASSWORD)).status).toBe(400);
    const changed = await change(PASSWORD, 'another horse in a stable');
    expect(changed.status).toBe(200);
    expect([await statusOfMe(one), await statusOfMe(two), await statusOfMe(browserOf(api, changed))]).toEqual([
      401, 401, 200,
    ]);
    expect((await trySignIn('fred', PASSWORD)).status).toBe(403);
  });
});

describe('a list of passwords that nobody may choose', () => {
  it('holds for operators and for admins', async () => {
    const directory = await makeTempDirectory('password-list');
    const list = join(directory.path, 'list.txt');
    await writeFile(list, 'A Battery in a Barn\n');
    const strict = await startOperatorApi(api.database, { DATABRIDGE_PASSWORD_LIST: list });
    try {
      await withPassword(strict, 'olga');
      const browser = await signInAt(strict, 'olga');
      const change = (password: string) =>
        browser.send('PUT', '/api/v1/password', strict, { current: PASSWORD, password });
      expect((await change('a battery in a barn')).json).toMatchObject({
        status: 400,
        detail: expect.stringContaining('stands in the list') as string,
      });
      const given = { password: 'a battery in a barn', temporary: true, list };
      await expect(setOperatorPassword(api.database, 'olga', given, 'test')).rejects.toThrow('stands in the list');
      expect((await change('a battery in a bar')).status).toBe(200);
    } finally {
      await strict.close();
      await directory.remove();
    }
  });
});

describe('the first operator', () => {
  it('is made once, by one of the processes that start, and has to choose a password', async () => {
    const database = await databases.create();
    const made = await Promise.all([makeFirstOperator(database), makeFirstOperator(database)]);
    const first = made.find((one) => one !== undefined);
    expect(made.filter((one) => one === undefined)).toHaveLength(1);
    const fresh = await startOperatorApi(database);
    try {
      const body = { name: 'admin', password: first?.password };
      const answer = await fresh.send('POST', '/api/v1/session', { body });
      expect(answer.json).toMatchObject({ operator: { name: 'admin', role: 'admin' }, mustChangePassword: true });
      const browser = browserOf(fresh, answer);
      expect((await browser.send('GET', '/api/v1/sessions')).json).toMatchObject({
        type: 'urn:databridge:problem:password-change-needed',
      });
      const change = { current: first?.password, password: 'another horse in a stable' };
      const changed = await browser.send('PUT', '/api/v1/password', fresh, change);
      expect(changed.json).toMatchObject({ mustChangePassword: false });
      expect((await browserOf(fresh, changed).send('GET', '/api/v1/sessions')).status).toBe(200);
      expect(await makeFirstOperator(database)).toBeUndefined();
    } finally {
      await fresh.close();
    }
  });

  it('has a password for a day', async () => {
    await api.operator('gina', 'admin');
    await setOperatorPassword(api.database, 'gina', { password: PASSWORD, temporary: true }, 'test');
    expect((await trySignIn('gina', PASSWORD)).status).toBe(200);
    await api.database.run(`update operator_account set password_until = now() where name = 'gina'`);
    expect((await trySignIn('gina', PASSWORD)).status).toBe(403);
  });
});

describe('passwords tried in a flood', () => {
  it('stop at a name and its address, and leave tokens and sessions alone', async () => {
    await person('hugo');
    const { token } = await api.operator('ines', 'viewer');
    const browser = await signedIn('hugo');
    let answer = await trySignIn('ines', 'wrong');
    while (answer.status === 403 || answer.status === 503) answer = await trySignIn('ines', 'wrong');
    expect(answer.json).toMatchObject({ status: 429 });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await trySignIn('hugo', PASSWORD)).status).toBe(200);
    expect(await statusOfMe(browser)).toBe(200);
    expect((await api.send('GET', '/api/v1/me', { as: { token } })).status).toBe(200);
  });

  it('do not stop a browser in which the operator signed in before, behind the same address', async () => {
    await person('kate');
    const cookies = (await trySignIn('kate', PASSWORD)).headers.getSetCookie();
    const cookie = /^[^;]*/.exec(cookies.find((one) => one.startsWith('databridge-known=')) ?? '')?.[0] ?? '';
    const inBrowser = (password: string) => tryPassword(api, 'kate', password, { cookie });
    let answer = await trySignIn('kate', 'wrong');
    while (answer.status !== 429) answer = await trySignIn('kate', 'wrong');
    const again = await inBrowser(PASSWORD);
    expect(again.status).toBe(200);
    expect(again.headers.getSetCookie().filter((one) => one.startsWith('databridge-known='))).toEqual([]);
    // It has a number of tries of its own.
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429) statuses.push((await inBrowser('wrong')).status);
    expect(statuses.length).toBeGreaterThan(10);
  });

  it('are refused at once where too many wait, with Retry-After', async () => {
    const busy = await startOperatorApi(api.database);
    try {
      const names = Array.from({ length: 60 }, (_, number) => ({ name: `n${number}`, password: 'wrong' }));
      const answers = await Promise.all(names.map((body) => busy.send('POST', '/api/v1/session', { body })));
      const statuses = new Set(answers.map(({ status }) => status));
      expect(statuses).toEqual(new Set([403, 503]));
      expect(answers.find(({ status }) => status === 503)?.headers.get('retry-after')).toBe('2');
    } finally {
      await busy.close();
    }
  });
});
