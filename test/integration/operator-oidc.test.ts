import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setOperatorDisabled } from '../../src/access/operators.ts';
import { assertOperatorSettings } from '../../src/operator/open.ts';
import { readSettings } from '../../src/settings.ts';
import { useDatabases } from '../kit/databases.ts';
import { freePort } from '../kit/free-port.ts';
import { openOidcIssuer } from '../kit/oidc-issuer.ts';
import type { OidcIssuer } from '../kit/oidc-issuer.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorAnswer, OperatorApiUnderTest } from './operator-rig.ts';

// oidc-provider is certified for OpenID Connect and knows nothing of databridge.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let issuer: OidcIssuer;

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  issuer = await openOidcIssuer(`${url}/api/v1/oidc/callback`);
  api = await startOperatorApi(await databases.create(), {
    DATABRIDGE_OPERATOR_PORT: String(port),
    DATABRIDGE_OPERATOR_URL: url,
    DATABRIDGE_OIDC_ISSUER: issuer.issuer,
    DATABRIDGE_OIDC_CLIENT_ID: issuer.clientId,
    DATABRIDGE_OIDC_CLIENT_SECRET: issuer.clientSecret,
    DATABRIDGE_OIDC_ACR: 'two-factors,hardware',
    DATABRIDGE_OIDC_ROLES: 'pumps-admin=admin,pumps=operator,everyone=viewer',
  });
});

/** The claims of a person that showed a second factor. */
const strong = (claims: JWTPayload): JWTPayload => ({ ...claims, acr: 'two-factors' });

beforeEach(() => {
  issuer.person = { sub: 'subject-1', preferred_username: 'Anna.Müller', roles: ['everyone', 'pumps'] };
  issuer.tamper = strong;
  issuer.foreignKey = false;
});

afterAll(async () => {
  await api?.close();
  await issuer?.close();
});

type Jar = Map<string, string>;

/** Follows redirects as a browser does until the callback of the bridge, which is not sent yet. */
async function toCallback(jar: Jar): Promise<string> {
  let address = `${api.url}/api/v1/oidc/start`;
  for (let hop = 0; hop < 10; hop += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    expect(answer.status, await answer.text()).toBeGreaterThan(299);
    address = new URL(answer.headers.get('location') ?? '', address).href;
    if (address.startsWith(`${api.url}/api/v1/oidc/callback`)) return address;
  }
  throw new Error('the issuer never led back');
}

const FLOW = 'databridge-oidc';

/** Sends the callback with the cookie of the flow alone. */
const callback = (address: string, flow: string | undefined): Promise<OperatorAnswer> =>
  api.send('GET', address.slice(api.url.length), {
    headers: flow === undefined ? {} : { cookie: `${FLOW}=${flow}` },
  });

async function signedIn(): Promise<OperatorAnswer> {
  const jar: Jar = new Map();
  return await callback(await toCallback(jar), jar.get(FLOW));
}

const accounts = () =>
  api.database.rows<{ name: string; role: string; subject: string | null }>(
    'select name, role, oidc_subject as subject from operator_account order by id',
  );

/** Refused without a session, and without a word of the cause. */
function expectRefused(answer: OperatorAnswer): void {
  expect(answer.json).toMatchObject({ status: 403, type: 'urn:databridge:problem:sign-in-refused' });
  expect(answer.headers.getSetCookie().filter((one) => one.startsWith('databridge='))).toEqual([]);
}

describe('a sign-in at the issuer', () => {
  it('asks with PKCE, state and nonce', async () => {
    const answer = await api.send('GET', '/api/v1/oidc/start');
    const asked = new URL(answer.headers.get('location') ?? '');
    expect(asked.origin).toBe(issuer.issuer);
    const parameters = Object.fromEntries(asked.searchParams);
    expect(parameters).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      client_id: 'bridge',
      acr_values: 'two-factors hardware',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(parameters[name]).toMatch(/^[\w-]{43}$/);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^databridge-oidc=\S+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('begins a session of the operator, with the highest role of its claims', async () => {
    const answer = await signedIn();
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({
      operator: { name: 'anna.muller', role: 'operator' },
      mustChangePassword: false,
    });
    const cookies = answer.headers.getSetCookie();
    const session = cookies.find((one) => one.startsWith('databridge='));
    expect(session).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(cookies.find((one) => one.startsWith(FLOW))).toMatch(/^databridge-oidc=; .*1970/);
    const me = await api.send('GET', '/api/v1/me', { headers: { cookie: session?.split(';')[0] ?? '' } });
    expect(me.json).toMatchObject({ name: 'anna.muller', role: 'operator' });
  });

  it('leaves the tokens of the issuer in the server', async () => {
    const answer = await signedIn();
    const everything = `${answer.text} ${JSON.stringify([...answer.headers])} ${api.log()}`;
    // A token of the issuer is a JWT, or is named so.
    expect(everything).not.toMatch(/eyJ|id_token|access_token|refresh_token/);
    const rows = await api.database.rows<{ text: string }>(
      'select operator_session::text as text from operator_session union all select operator_account::text from operator_account',
    );
    expect(rows.map(({ text }) => text).join(' ')).not.toContain('eyJ');
  });

  it('finds its operator by the subject, and takes the role of the claims over', async () => {
    issuer.person = { sub: 'subject-1', preferred_username: 'renamed', roles: 'pumps-admin' };
    expect((await signedIn()).json).toMatchObject({ operator: { name: 'anna.muller', role: 'admin' } });
    const [newest] = await api.database.rows<{ detail: unknown }>('select detail from audit order by id desc limit 1');
    expect(newest?.detail).toEqual({ before: { role: 'operator' }, after: { role: 'admin', issuer: issuer.issuer } });
  });

  it('never takes one for an operator of the same name', async () => {
    await api.operator('boss', 'admin');
    issuer.person = { sub: 'subject-2', preferred_username: 'boss', roles: ['everyone'] };
    const { operator } = (await signedIn()).json as { operator: { name: string; role: string } };
    expect(operator.role).toBe('viewer');
    expect(operator.name).toMatch(/^boss\.[0-9a-f]{12}$/);
    expect(await accounts()).toContainEqual({ name: 'boss', role: 'admin', subject: null });
  });

  it('is refused for claims without a role, and for a disabled operator', async () => {
    issuer.person = { sub: 'subject-3', roles: ['strangers'] };
    expectRefused(await signedIn());
    issuer.person = { sub: 'subject-3' };
    expectRefused(await signedIn());
    expect((await accounts()).map(({ subject }) => subject)).not.toContain('subject-3');
    await setOperatorDisabled(api.database, 'anna.muller', true, 'test');
    issuer.person = { sub: 'subject-1', roles: ['pumps'] };
    expectRefused(await signedIn());
    await setOperatorDisabled(api.database, 'anna.muller', false, 'test');
  });

  it('that gives no role any more ends the sessions that there are', async () => {
    const session = (await signedIn()).headers.getSetCookie().find((one) => one.startsWith('databridge='));
    const me = () => api.send('GET', '/api/v1/me', { headers: { cookie: session?.split(';')[0] ?? '' } });
    expect((await me()).status).toBe(200);
    issuer.person = { sub: 'subject-1' };
    expectRefused(await signedIn());
    expect((await me()).status).toBe(401);
  });
});

describe('the way back from the issuer', () => {
  it('counts in the browser that began', async () => {
    const address = await toCallback(new Map());
    expectRefused(await callback(address, undefined));
    const other: Jar = new Map();
    await toCallback(other);
    expectRefused(await callback(address, other.get(FLOW)));
    expectRefused(await callback(address, 'nonsense'));
  });

  it('counts once', async () => {
    const jar: Jar = new Map();
    const address = await toCallback(jar);
    expect((await callback(address, jar.get(FLOW))).status).toBe(200);
    expectRefused(await callback(address, jar.get(FLOW)));
  });

  it('needs the state that was given', async () => {
    const jar: Jar = new Map();
    const address = new URL(await toCallback(jar));
    address.searchParams.set('state', 'x'.repeat(43));
    expectRefused(await callback(address.href, jar.get(FLOW)));
    address.searchParams.delete('state');
    expectRefused(await callback(address.href, jar.get(FLOW)));
  });

  it('of another issuer does not count', async () => {
    const jar: Jar = new Map();
    const address = new URL(await toCallback(jar));
    address.searchParams.set('iss', 'https://evil.example');
    expectRefused(await callback(address.href, jar.get(FLOW)));
  });

  it('with an error of the issuer is refused', async () => {
    const jar: Jar = new Map();
    const { searchParams } = new URL(await toCallback(jar));
    const state = searchParams.get('state') ?? '';
    const answer = await callback(
      `${api.url}/api/v1/oidc/callback?error=access_denied&state=${state}&iss=${issuer.issuer}`,
      jar.get(FLOW),
    );
    expectRefused(answer);
    expect(answer.text).not.toContain('access_denied');
  });

  it.each<[string, NonNullable<OidcIssuer['tamper']>]>([
    ['a sign-in that is not strong enough', (claims) => ({ ...claims, acr: 'one-factor' })],
    ['a sign-in of unknown strength', (claims) => ({ ...claims, acr: undefined })],
    ['several strengths', (claims) => ({ ...claims, acr: ['two-factors'] })],
    ['another nonce', (claims) => ({ ...claims, nonce: 'x'.repeat(43) })],
    ['no nonce', (claims) => ({ ...claims, nonce: undefined })],
    ['another audience', (claims) => ({ ...claims, aud: 'another-client' })],
    ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['a time that is over', (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 60 })],
    ['no subject', ({ iss, aud, exp, iat, nonce, acr }) => ({ iss, aud, exp, iat, nonce, acr }) as JWTPayload],
  ])('with an ID token of %s is refused', async (_, tamper) => {
    issuer.tamper = (claims) => tamper(strong(claims));
    expectRefused(await signedIn());
    expect(api.log()).toContain('a sign-in by OIDC was refused');
  });

  it('with an ID token that another key signed is refused', async () => {
    issuer.foreignKey = true;
    expectRefused(await signedIn());
  });
});

describe('an issuer', () => {
  it('whose document names another issuer is not taken', async () => {
    // The same server under another name: its document says 127.0.0.1.
    const other = await startOperatorApi(api.database, {
      DATABRIDGE_OPERATOR_URL: api.url,
      DATABRIDGE_OIDC_ISSUER: issuer.issuer.replace('127.0.0.1', 'localhost'),
      DATABRIDGE_OIDC_CLIENT_ID: issuer.clientId,
    });
    try {
      expect((await other.send('GET', '/api/v1/oidc/start')).status).toBe(503);
      expect(other.log()).toMatch(/issuer/i);
    } finally {
      await other.close();
    }
  });
});

describe('requests to the issuer', () => {
  it('go through the egress guard', async () => {
    const guarded = await startOperatorApi(api.database, {
      DATABRIDGE_OPERATOR_URL: 'http://127.0.0.1:1',
      DATABRIDGE_OIDC_ISSUER: issuer.issuer,
      DATABRIDGE_OIDC_CLIENT_ID: 'bridge',
      DATABRIDGE_EGRESS_HOSTS: 'plant.example',
    });
    try {
      const answer = await guarded.send('GET', '/api/v1/oidc/start');
      expect(answer.json).toMatchObject({ status: 503, detail: 'The issuer cannot be asked at present.' });
      expect(guarded.log()).toContain('not among the allowed hosts');
    } finally {
      await guarded.close();
    }
  });

  it('need settings that belong together', () => {
    const settings = (more: Record<string, string>) => readSettings({ DATABRIDGE_OIDC_ISSUER: issuer.issuer, ...more });
    expect(() => assertOperatorSettings(settings({}))).toThrow(/DATABRIDGE_OIDC_CLIENT_ID is not/);
    expect(() => assertOperatorSettings(settings({ DATABRIDGE_OIDC_CLIENT_ID: 'x' }))).toThrow(/OPERATOR_URL is not/);
    expect(() => settings({ DATABRIDGE_OIDC_ISSUER: 'http://issuer.example' })).toThrow(/begins with https/);
    expect(() => settings({ DATABRIDGE_OIDC_ROLES: 'a=root' })).toThrow(/is not a list/);
  });

  it('are not made where no issuer is set', async () => {
    const plain = await startOperatorApi(api.database);
    expect((await plain.send('GET', '/api/v1/oidc/start')).status).toBe(404);
    const waysOf = async (at: OperatorApiUnderTest): Promise<unknown> => (await at.send('GET', '/api/v1/sign-in')).json;
    expect([await waysOf(plain), await waysOf(api)]).toMatchObject([{ oidc: false }, { oidc: true }]);
    await plain.close();
  });
});
