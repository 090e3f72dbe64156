import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setOperatorPassword } from '../../src/access/operator-passwords.ts';
import { holderOfSession } from '../../src/access/operator-sessions.ts';
import { setOperatorDisabled, setOperatorRole } from '../../src/access/operators.ts';
import { tidyAccess } from '../../src/access/tidy.ts';
import { sessionCookieOf } from '../../src/operator/browser.ts';
import { readSettings } from '../../src/settings.ts';
import { useDatabases } from '../kit/databases.ts';
import { PASSWORD, browserOf, cookieOf, signInAt, tryPassword, withPassword } from './operator-browser.ts';
import type { Browser } from './operator-browser.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest } from './operator-rig.ts';

const databases = useDatabases();
/** Two hosts on one database. */
let api: OperatorApiUnderTest;
let other: OperatorApiUnderTest;

beforeAll(async () => {
  const database = await databases.create();
  api = await startOperatorApi(database);
  other = await startOperatorApi(await databases.another(database));
});

afterAll(async () => {
  await api?.close();
  await other?.close();
});

const trySignIn = (name: string, password: string, headers?: Record<string, string>) =>
  tryPassword(api, name, password, headers);
const person = (name: string) => withPassword(api, name);
const signedIn = (name: string) => signInAt(api, name);
const statusOfMe = async (browser: Browser, at = api): Promise<number> =>
  (await browser.send('GET', '/api/v1/me', at)).status;

describe('a sign-in', () => {
  beforeAll(() => person('anna'));

  it('has the ways that the bridge tells to everybody', async () => {
    expect((await api.send('GET', '/api/v1/sign-in')).json).toEqual({ password: true, oidc: false });
  });

  it('sets a cookie that no script reads and no other site uses', async () => {
    const answer = await trySignIn('anna', PASSWORD);
    const [session, known] = answer.headers.getSetCookie();
    expect(session).toMatch(/^databridge=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(known).toMatch(/^databridge-known=\S+; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(answer.json).toMatchObject({ operator: { name: 'anna', role: 'viewer' }, mustChangePassword: false });
    expect(await statusOfMe(browserOf(api, answer), other)).toBe(200);
    expect(cookieOf(await trySignIn('anna', PASSWORD))).not.toBe(cookieOf(answer));
  });

  it('sets a cookie of this host alone over TLS', () => {
    const cookie = (environment: Record<string, string>) => sessionCookieOf(readSettings(environment).operator);
    const secure = {
      name: '__Host-databridge',
      options: { secure: true, httpOnly: true, sameSite: 'strict', path: '/' },
    };
    expect(cookie({ DATABRIDGE_OPERATOR_TLS_CERT: 'a', DATABRIDGE_OPERATOR_TLS_KEY: 'b' })).toEqual(secure);
    expect(cookie({ DATABRIDGE_OPERATOR_URL: 'https://bridge.example/x' })).toEqual(secure);
    expect(cookie({ DATABRIDGE_OPERATOR_HOST: '0.0.0.0', DATABRIDGE_OPERATOR_ALLOW_PLAIN: 'true' })).toEqual(secure);
    expect(cookie({})).toMatchObject({ name: 'databridge', options: { secure: false } });
  });

  it('with a wrong password is answered as one with an unknown name', async () => {
    const [wrong, unknown] = [await trySignIn('anna', 'wrong'), await trySignIn('nobody', 'wrong')];
    const { instance: _one, ...ofWrong } = wrong.json as Record<string, unknown>;
    const { instance: _other, ...ofUnknown } = unknown.json as Record<string, unknown>;
    expect(ofWrong).toEqual(ofUnknown);
    expect(ofWrong).toMatchObject({ status: 403, type: 'urn:databridge:problem:wrong-password' });
    expect(wrong.headers.get('set-cookie')).toBeNull();
    expect(api.log()).toContain('a sign-in of an operator was refused');
  });

  it('with a body that is none is refused', async () => {
    for (const body of [
      {},
      { name: 'anna' },
      { name: 'anna', password: 5 },
      { name: 'anna', password: 'x'.repeat(2_000) },
      '[',
      'null',
    ]) {
      expect((await api.send('POST', '/api/v1/session', { body })).status).toBe(400);
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await api.send('POST', '/api/v1/session', { body: 'name=anna', headers: form })).status).toBe(415);
  });

  it('from a page of another site is refused', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      expect((await trySignIn('anna', PASSWORD, headers)).json).toMatchObject({
        type: expect.stringContaining('foreign-page') as string,
      });
    }
  });

  it('leaves no password and no secret of a session in the database or the log', async () => {
    const { cookie } = await signedIn('anna');
    const [, secret = ''] = cookie.split('=');
    const rows = await api.database.rows<{ text: string }>(
      `select operator_account::text as text from operator_account union all select operator_session::text from operator_session
       union all select audit::text from audit`,
    );
    const everything = rows.map(({ text }) => text).join('\n') + api.log();
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(PASSWORD);
    expect(everything).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
  });
});

describe('a request with a cookie that changes something', () => {
  let browser: Browser;
  beforeAll(async () => {
    await person('carl');
    browser = await signedIn('carl');
  });

  const origin = () => ({ origin: api.url });
  const token = () => ({ 'x-csrf-token': browser.csrfToken });

  it.each([
    ['no origin', () => token()],
    ['no token', () => origin()],
    ['the token of no session', () => ({ ...origin(), 'x-csrf-token': 'x'.repeat(43) })],
    ['another origin', () => ({ ...token(), origin: 'https://evil.example' })],
    ['another port', () => ({ ...token(), origin: 'http://127.0.0.1:1' })],
    ['another site', () => ({ ...token(), ...origin(), 'sec-fetch-site': 'cross-site' })],
    ['a neighbour of the site', () => ({ ...token(), ...origin(), 'sec-fetch-site': 'same-site' })],
  ])('is refused with %s', async (_, more) => {
    const headers = { cookie: browser.cookie, ...more() };
    const answer = await api.send('DELETE', '/api/v1/sessions/none', { headers });
    expect(answer.json).toMatchObject({ status: 403, type: 'urn:databridge:problem:foreign-page' });
  });

  it('is taken with both, and reading needs neither', async () => {
    const headers = { cookie: browser.cookie, ...origin(), ...token() };
    expect((await api.send('DELETE', '/api/v1/sessions/none', { headers })).status).toBe(404);
    expect((await api.send('GET', '/api/v1/session', { headers: { cookie: browser.cookie } })).json).toMatchObject({
      csrfToken: browser.csrfToken,
    });
  });
});

describe('a session', () => {
  beforeAll(() => person('dora'));
  const sql = (statement: string) => api.database.run(statement);

  it('is listed for its operator alone, and ended by it', async () => {
    const [one, two] = [await signedIn('dora'), await signedIn('dora')];
    await person('emil');
    const stranger = await signedIn('emil');
    const { sessions } = (await one.send('GET', '/api/v1/sessions')).json as {
      sessions: { id: string; current: boolean }[];
    };
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    const id = sessions.find(({ current }) => !current)?.id;
    expect((await stranger.send('DELETE', `/api/v1/sessions/${id}`)).status).toBe(404);
    expect((await one.send('DELETE', `/api/v1/sessions/${id}`)).status).toBe(204);
    expect([await statusOfMe(one), await statusOfMe(two)]).toEqual([200, 401]);
  });

  it('ends with the sign-out, on all hosts', async () => {
    const browser = await signedIn('dora');
    const answer = await browser.send('DELETE', '/api/v1/session');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/^databridge=; .*Expires=Thu, 01 Jan 1970/);
    expect(await statusOfMe(browser, other)).toBe(401);
  });

  it('ends after 30 idle minutes and after 12 hours, and is removed', async () => {
    const browser = await signedIn('dora');
    await sql(`update operator_session set used_at = now() - interval '29 minutes'`);
    expect(await statusOfMe(browser)).toBe(200);
    // The request was noted.
    await sql(`update operator_session set used_at = used_at - interval '29 minutes'`);
    expect(await statusOfMe(browser)).toBe(200);
    // A look of a stream is no use.
    await sql(`update operator_session set used_at = now() - interval '29 minutes'`);
    await holderOfSession(api.database, browser.cookie.split('=')[1] ?? '', { isUse: false });
    // Neither is a request that a page makes by itself, though it is answered.
    const headers = { cookie: browser.cookie, 'x-databridge-unattended': 'true' };
    expect((await api.send('GET', '/api/v1/me', { headers })).status).toBe(200);
    await sql(`update operator_session set used_at = used_at - interval '1 minute'`);
    expect(await statusOfMe(browser)).toBe(401);
    const long = await signedIn('dora');
    await sql(`update operator_session set created_at = now() - interval '12 hours'`);
    expect(await statusOfMe(long)).toBe(401);
    await tidyAccess(api.database);
    expect(await api.database.rows('select from operator_session')).toEqual([]);
  });

  it.each([
    ['a change of the role', () => setOperatorRole(api.database, 'dora', 'admin', 'test')],
    ['disabling', () => setOperatorDisabled(api.database, 'dora', true, 'test')],
    [
      'a new password',
      () => setOperatorPassword(api.database, 'dora', { password: PASSWORD, temporary: false }, 'test'),
    ],
  ])('ends with %s, on all hosts', async (_, change) => {
    await setOperatorDisabled(api.database, 'dora', false, 'test');
    await setOperatorRole(api.database, 'dora', 'viewer', 'test');
    const browser = await signedIn('dora');
    await change();
    expect([await statusOfMe(browser, other), await statusOfMe(browser)]).toEqual([401, 401]);
    await setOperatorDisabled(api.database, 'dora', false, 'test');
    expect(await statusOfMe(browser)).toBe(401);
  });

  it('is one of at most 20', async () => {
    const first = await signedIn('anna');
    await api.database.run(
      `insert into operator_session (id, hash, operator_id, address, agent)
       select 'x' || n, decode(lpad(to_hex(n), 64, '0'), 'hex'), (select id from operator_account where name = 'anna'), '', ''
       from generate_series(1, 19) n`,
    );
    await signedIn('anna');
    expect(await statusOfMe(first)).toBe(401);
  });
});
