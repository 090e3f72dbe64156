import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfPassword, isPassword } from '../../src/access/password.ts';
import { signInByIdentity } from '../../src/access/operator-oidc.ts';
import { setOperatorDisabled, setOperatorOrganisations, signOutOperators } from '../../src/access/operators.ts';
import { createOrganisation } from '../../src/access/organisations.ts';
import { assertOperatorSettings } from '../../src/operator/open.ts';
import { readSettings } from '../../src/settings.ts';
import { organisationsOfClaims } from '../../src/operator/oidc.ts';
import { useDatabases } from '../kit/databases.ts';
import { PASSWORD, browserOf, signInAt, tryPassword, withPassword } from './operator-browser.ts';
import type { Browser } from './operator-browser.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest } from './operator-rig.ts';

// Sessions, passwords and the log of the operator API. test/security/asvs-*.yaml names the requirements.

const databases = useDatabases();
let api: OperatorApiUnderTest;

beforeAll(async () => {
  api = await startOperatorApi(await databases.create());
  await withPassword(api, 'dora');
});

afterAll(async () => {
  await api?.close();
});

const statusOfMe = async ({ cookie }: Browser): Promise<number> =>
  (await api.send('GET', '/api/v1/me', { headers: { cookie } })).status;

describe('a stream of events of a browser', () => {
  it.each<[what: string, end: (browser: Browser) => Promise<unknown>]>([
    ['its sign-out', (browser) => browser.send('DELETE', '/api/v1/session')],
    ['its operator, who is disabled', () => setOperatorDisabled(api.database, 'dora', true, 'test')],
    ['an admin that ends the session', () => signOutOperators(api.database, 'dora', 'test')],
    [
      'its longest time',
      () => api.database.run(`update operator_session set created_at = now() - interval '12 hours'`),
    ],
    ['its idle time', () => api.database.run(`update operator_session set used_at = now() - interval '30 minutes'`)],
    ['other organisations', () => setOperatorOrganisations(api.database, 'dora', ['default'], 'test')],
  ])('ends with %s', async (_, end) => {
    await setOperatorDisabled(api.database, 'dora', false, 'test');
    const browser = await signInAt(api, 'dora');
    const answer = await fetch(`${api.url}/api/v1/events`, { headers: { cookie: browser.cookie } });
    expect(answer.status).toBe(200);
    await end(browser);
    // It would go on for ever.
    expect(await answer.text()).toMatch(/event: end\ndata: .*\n\n$/);
    expect(await statusOfMe(browser)).toBe(401);
  });
});

describe('a session', () => {
  it('that the browser had ends with the next sign-in, and no other one', async () => {
    const [former, other] = [await signInAt(api, 'dora'), await signInAt(api, 'dora')];
    const answer = await tryPassword(api, 'dora', PASSWORD, { cookie: former.cookie });
    const next = browserOf(api, answer);
    expect([await statusOfMe(former), await statusOfMe(other), await statusOfMe(next)]).toEqual([401, 200, 200]);
    const wrong = await tryPassword(api, 'dora', 'wrong', { cookie: next.cookie });
    expect([wrong.status, await statusOfMe(next)]).toEqual([403, 200]);
  });

  it('leaves nothing in the browser when it ends', async () => {
    const browser = await signInAt(api, 'dora');
    const answer = await browser.send('DELETE', '/api/v1/session');
    expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"');
  });
});

describe('the organisations of an operator of an OpenID provider', () => {
  it('follow its claims where the settings name a claim', async () => {
    const claim = 'email';
    await createOrganisation(api.database, { id: 'north', name: 'north' }, 'test');
    const enter = (organisations: unknown) => {
      const identity = { issuer: 'https://i', subject: 'o', name: 'otto', role: 'viewer' } as const;
      const claims = { iss: '', sub: '', aud: '', iat: 0, exp: 0, [claim]: organisations } as never;
      const seen = organisationsOfClaims(claims, { organisationsClaim: claim });
      return signInByIdentity(api.database, { ...identity, organisations: seen }, { address: '', agent: '' });
    };
    const seen = async (): Promise<unknown> =>
      (await api.database.row(`select organisations from operator_account where name = 'otto'`))?.['organisations'];
    const [sessions, entries] = ['operator_session', 'audit'].map(
      (table) => async () => (await api.database.rows(`select from ${table}`)).length,
    ) as [() => Promise<number>, () => Promise<number>];
    expect(await enter(['none'])).toEqual({ refused: 'no-organisation' });
    expect(await seen()).toBeUndefined();
    expect(await enter(['north', 'none', 'default', 'north'])).toMatchObject({ name: 'otto' });
    expect(await seen()).toEqual(['default', 'north']);
    const [sessionsBefore, entriesBefore] = [await sessions(), await entries()];
    await enter(['default', 'north']);
    expect([await sessions(), await entries()]).toEqual([sessionsBefore + 1, entriesBefore]);
    await enter('north');
    // The sessions with the former rights ended.
    expect([await seen(), await sessions(), await entries()]).toEqual([['north'], sessionsBefore, entriesBefore + 1]);
    await enter('*');
    expect(await seen()).toBeNull();
    expect(await enter(undefined)).toEqual({ refused: 'no-organisation' });
    expect(await sessions()).toBe(sessionsBefore - 1);
    expect(organisationsOfClaims({} as never, { organisationsClaim: undefined })).toBeUndefined();
  });
});

describe('a password', () => {
  it('counts as it was sent, with its case, its spaces and its end', async () => {
    const password = ` A Horse on a Stäple ${'x'.repeat(80)} `;
    const hash = await hashOfPassword(password);
    expect(await isPassword(password, hash)).toBe(true);
    for (const other of [password.toLowerCase(), password.trim(), password.slice(0, 72), password.normalize('NFD')]) {
      expect(await isPassword(other, hash)).toBe(false);
    }
  });

  it('opens nothing where the settings leave sign-ins to the OpenID provider', async () => {
    const only = {
      DATABRIDGE_OPERATOR_PASSWORDS: 'off',
      DATABRIDGE_OPERATOR_URL: 'http://127.0.0.1:1',
      DATABRIDGE_OIDC_ISSUER: 'http://127.0.0.1:1',
      DATABRIDGE_OIDC_CLIENT_ID: 'bridge',
    };
    const strict = await startOperatorApi(api.database, only);
    try {
      const answer = await tryPassword(strict, 'dora', PASSWORD);
      expect(answer.json).toMatchObject({ status: 403, type: 'urn:databridge:problem:sign-in-refused' });
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(strict.log()).toContain('a request was refused');
    } finally {
      await strict.close();
    }
    const nobody = readSettings({ DATABRIDGE_OPERATOR_PASSWORDS: 'off' });
    expect(() => assertOperatorSettings(nobody)).toThrow('nobody could sign in');
  });

  it('does not end with time', async () => {
    await api.database.run(`update operator_account set created_at = now() - interval '9 years' where name = 'dora'`);
    expect((await tryPassword(api, 'dora', PASSWORD)).status).toBe(200);
  });
});

describe('the log', () => {
  const refusals = (reason: string): unknown[] =>
    api
      .log()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line['reason'] === reason);
  const from = { address: '127.0.0.1', requestId: expect.any(String) as string };

  it('has sign-ins, those that fail without the name', async () => {
    await signInAt(api, 'dora');
    await tryPassword(api, 'a password in the wrong place', 'wrong');
    const lines = api.log().split('\n');
    expect(lines.some((line) => line.includes('"an operator signed in"') && line.includes('"dora"'))).toBe(true);
    expect(lines.some((line) => line.includes('"a sign-in of an operator was refused"'))).toBe(true);
    expect(api.log()).not.toContain('a password in the wrong place');
  });

  it('has credentials that are refused, and no credential', async () => {
    const token = `dbo_${'x'.repeat(43)}`;
    expect((await api.send('GET', '/api/v1/me', { as: { token } })).status).toBe(401);
    expect(refusals('unauthenticated')[0]).toMatchObject({ ...from, level: 40, msg: 'an authentication was refused' });
    expect(api.log()).not.toContain(token);
  });

  it('has requests that a role does not allow, with the operator', async () => {
    const viewer = await api.operator('vera', 'viewer');
    expect((await api.send('POST', '/api/v1/applications', { as: viewer, body: { name: 'x' } })).status).toBe(403);
    expect(refusals('forbidden')).toEqual([
      expect.objectContaining({
        ...from,
        operator: 'vera',
        route: 'POST /api/v1/applications',
        msg: 'a request was refused',
      }),
    ]);
  });

  it('has requests of pages of other sites, and tries beyond the limits', async () => {
    const { cookie } = await signInAt(api, 'dora');
    const headers = { cookie, origin: 'https://evil.example' };
    expect((await api.send('DELETE', '/api/v1/session', { headers })).status).toBe(403);
    expect(refusals('foreign-page')).toMatchObject([{ ...from, route: 'DELETE /api/v1/session' }]);
    let answer = await tryPassword(api, 'nobody', 'wrong');
    while (answer.status !== 429) answer = await tryPassword(api, 'nobody', 'wrong');
    expect(refusals('too-many-requests')).toMatchObject([{ ...from, route: 'POST /api/v1/session' }]);
  });
});
