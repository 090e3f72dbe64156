import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { authorisationServer, jwtCheck } from './authorisation-server.ts';
import { SimulatedClock } from './clock.ts';
import type { SimulatedPlatform } from './contract.ts';
import { basicCheck, keyCheck, SimulatedTokens, tokenCheck, tokenEndpoint } from './credentials.ts';
import { Refused, route, simulate } from './route.ts';
import type { CredentialCheck } from './route.ts';
import { serve } from './serve.ts';
import type { ServedSimulator } from './serve.ts';

const servers: ServedSimulator[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const clock = (): SimulatedClock => new SimulatedClock(Date.UTC(2026, 0, 1));
const account = { username: 'bridge', password: 's3cret: with colon' };
const basic = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;

async function listen(platform: SimulatedPlatform, at = clock()): Promise<ServedSimulator> {
  const server = await serve(platform, at);
  servers.push(server);
  return server;
}

const api = (check: CredentialCheck, more: Partial<Parameters<typeof simulate>[0]> = {}): SimulatedPlatform =>
  simulate({
    check,
    error: (status, message) => ({ status, body: JSON.stringify({ fault: message }) }),
    routes: {
      'GET /pumps/:pump/v1.0': route({
        query: z.strictObject({ limit: z.coerce.number().int() }),
        answer: ({ place, query, user }) => ({ place, query, user }),
      }),
      'POST /pumps': route({ body: z.strictObject({ name: z.string() }), answer: ({ body }) => body }),
      'GET /busy': route({
        open: true,
        answer: () => {
          throw new Refused(429, 'later', { 'retry-after': '3' });
        },
      }),
    },
    ...more,
  });

/** A restart ends the connections that a client keeps. */
const alone = { connection: 'close' };

const seen = async (answer: Response): Promise<unknown> => [answer.status, await answer.json()];

describe('routes', () => {
  test('give the parts of the path, the parameters and the user', async () => {
    const { url } = await listen(api(basicCheck([account])));
    const answer = await fetch(`${url}/pumps/a%2Fb/v1.0?limit=5`, { headers: { authorization: basic } });
    expect(await seen(answer)).toEqual([200, { place: { pump: 'a/b' }, query: { limit: 5 }, user: 'bridge' }]);
  });

  test.each([
    ['/pumps/a/v1.0?limit=5&nonsense=1', 400],
    ['/pumps/a/v1.0?limit=5&limit=6', 400],
    ['/pumps/a/v1.0', 400],
    ['/pumps/a/v1x0?limit=5', 404],
    ['/pumps/a/b/v1.0?limit=5', 404],
    ['/pumps', 405],
  ])('refuse %s with %i', async (path, status) => {
    const { url } = await listen(api(() => 'user'));
    expect((await fetch(`${url}${path}`)).status).toBe(status);
  });

  test.each([
    ['{"name":"p"}', 'application/json', 200],
    ['{"name":"p","x":1}', 'application/json', 400],
    ['{"name":', 'application/json', 400],
    ['name=p', 'application/x-www-form-urlencoded', 200],
    ['name=p', 'text/plain', 415],
  ])('take the body %s as %s: %i', async (body, type, status) => {
    const { url } = await listen(api(() => 'user'));
    const answer = await fetch(`${url}/pumps`, { method: 'POST', body, headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
  });

  test('answer a refusal with the headers of it', async () => {
    const { url } = await listen(api(basicCheck([account])));
    const answer = await fetch(`${url}/busy`);
    expect(answer.headers.get('retry-after')).toBe('3');
    expect(await seen(answer)).toEqual([429, { fault: 'later' }]);
    expect((await fetch(`${url}/pumps/a/v1.0?limit=5`)).status).toBe(401);
  });

  test('of a key need that key', async () => {
    const { url } = await listen(api(keyCheck('X-Api-Key', [account])));
    const ask = (key: string) => fetch(`${url}/pumps/a/v1.0?limit=5`, { headers: { 'x-api-key': key } });
    expect([(await ask(account.password)).status, (await ask('guess')).status]).toEqual([200, 401]);
  });
});

test('a token endpoint grants tokens that end by the clock, are revoked, and are forgotten by a restart', async () => {
  const at = clock();
  const tokens = new SimulatedTokens(at, { access: 60 });
  const grant = (client: string): unknown => {
    const { token, expiresInSeconds } = tokens.issue(client);
    return { access_token: token, expires_in: expiresInSeconds, token_type: 'Bearer' };
  };
  const endpoint = tokenEndpoint({ accounts: [account], grant });
  const routes = { 'POST /token': endpoint, 'GET /me': route({ answer: ({ user }) => ({ user }) }) };
  const server = await listen(api(tokenCheck(tokens), { routes, restart: () => tokens.forget() }), at);
  const obtain = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { ...headers, ...alone },
    });
  const post = { grant_type: 'client_credentials', client_id: account.username, client_secret: account.password };
  const encoded = Buffer.from(`${account.username}:${encodeURIComponent(account.password)}`).toString('base64');

  const token = async (): Promise<string> =>
    ((await (await obtain(post)).json()) as { access_token: string }).access_token;
  const works = async (given: string): Promise<boolean> =>
    (await fetch(`${server.url}/me`, { headers: { authorization: `Bearer ${given}`, ...alone } })).ok;
  expect((await obtain({ grant_type: 'client_credentials' }, { authorization: `Basic ${encoded}` })).status).toBe(200);
  expect(await seen(await obtain({ ...post, client_secret: 'guess' }))).toEqual([401, { error: 'invalid_client' }]);
  expect(await seen(await obtain({ ...post, grant_type: 'password' }))).toEqual([
    400,
    { error: 'unsupported_grant_type' },
  ]);
  expect(await seen(await obtain(post, { authorization: `Basic ${encoded}` }))).toEqual([
    400,
    { error: 'invalid_request' },
  ]);
  const [ends, revoked, forgotten] = [await token(), await token(), await token()];
  expect([await works(ends), await works('guess'), tokens.revoke(revoked), await works(revoked)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(tokens.count()).toBe(3);
  server.restart();
  expect(await works(forgotten)).toBe(false);
  const last = await token();
  at.change({ advanceMs: 59_999 });
  expect(await works(last)).toBe(true);
  at.change({ advanceMs: 1 });
  expect(await works(last)).toBe(false);
});

test('an authorisation server gives JWTs that a platform checks by its keys', async () => {
  const at = clock();
  const authorisation = await listen(authorisationServer({ accounts: [account], lifetimeSeconds: 60 }, at), at);
  const checked = jwtCheck({ authUrl: authorisation.url, audience: 'api', scope: 'read' }, at);
  const platform = await listen(api(checked.check), at);
  const discovered = (await (await fetch(`${authorisation.url}/.well-known/openid-configuration`)).json()) as {
    token_endpoint: string;
  };
  const token = async (form: Record<string, string> = { audience: 'api', scope: 'read' }): Promise<string> => {
    const client = { grant_type: 'client_credentials', client_id: account.username, client_secret: account.password };
    const body = new URLSearchParams({ ...client, ...form });
    const answer = await fetch(discovered.token_endpoint, { method: 'POST', body, headers: alone });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const status = async (given: string): Promise<number> =>
    (await fetch(`${platform.url}/pumps/a/v1.0?limit=1`, { headers: { authorization: `Bearer ${given}` } })).status;
  const good = await token();
  expect(await status(good)).toBe(200);
  expect(await status(`${good}x`)).toBe(401);
  expect(await status(await token({ audience: 'other', scope: 'read' }))).toBe(401);
  expect(await status(await token({ audience: 'api' }))).toBe(403);
  checked.invalidate();
  expect(await status(good)).toBe(401);
  const other = await token();
  expect(await status(other)).toBe(200);
  authorisation.restart();
  expect(await status(await token()), 'a token with the new keys').toBe(200);
  const third = await token();
  at.change({ advanceMs: 60_000 });
  expect(await status(third)).toBe(401);
});
