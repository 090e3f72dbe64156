import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Credentials, Http } from '../../src/platform/contract.ts';
import { memoryAccount } from '../../src/platform/connection/index.ts';
import { oauth2Client } from '../../src/platform/authorisation/oauth2-client.ts';
import type { ClientCredentials } from '../../src/platform/authorisation/oauth2-client.ts';
import { jwtCheck } from '../../src/simulator/authorisation-server.ts';
import { SimulatedClock } from '../../src/simulator/clock.ts';
import { route, simulate } from '../../src/simulator/route.ts';
import { serve } from '../../src/simulator/serve.ts';
import type { ServedSimulator } from '../../src/simulator/serve.ts';
import { refusal, tidyUp } from '../kit/connection-rig.ts';
import { freePort } from '../kit/free-port.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { connect } from '../kit/oauth-rig.ts';
import { openOidcServer } from '../kit/oidc-server.ts';
import type { OidcServer } from '../kit/oidc-server.ts';

// oidc-provider is certified for OpenID Connect and knows nothing of databridge, so the bridge has to ask it as the standards say.

const RESOURCE = 'https://plant.example/api';
const SECONDS = 5;
/** Each character needs its escape in a form and in HTTP Basic. */
const posting = { id: 'post: 100%', secret: 'a b+c:%&=/~', authentication: 'post' } as const;
const basic = { ...posting, id: 'basic: 100%', authentication: 'basic' } as const;

/** What a platform declares: discovery, the scope and the resource. */
const declared: ClientCredentials<unknown> = {
  clientAuthentication: 'post',
  scope: 'plant.read',
  resource: RESOURCE,
};

let provider: OidcServer;
let api: ServedSimulator;

/** An API that takes the JWTs of the provider, by its keys. */
const serveApi = (port: number): Promise<ServedSimulator> => {
  const clock = new SimulatedClock();
  const { check } = jwtCheck({ authUrl: provider.issuer, audience: RESOURCE, scope: 'plant.read' }, clock);
  const platform = simulate({
    check,
    error: (status, message) => ({ status, body: JSON.stringify({ message }) }),
    routes: { 'GET /readings': route({ answer: ({ user }) => ({ client: user }) }) },
  });
  return serve(platform, clock, { port });
};

beforeEach(async () => {
  // The provider, the API and the bridge share this clock; timers and sockets keep the real one.
  vi.useFakeTimers({ toFake: ['Date'] });
  provider = await openOidcServer({
    clients: [posting, basic],
    resource: RESOURCE,
    scopes: ['plant.read', 'plant.write'],
    lifetimeSeconds: SECONDS,
  });
  // A port that no outgoing connection takes while the API is away.
  api = await serveApi(await freePort());
});
afterEach(async () => {
  await tidyUp();
  await api.close();
  await provider.stop();
  vi.useRealTimers();
});
afterAll(assertNothingLeaked);

const pass = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000);

interface Given {
  readonly strategy?: Partial<ClientCredentials<unknown>>;
  readonly credentials?: Partial<Credentials>;
  readonly account?: ReturnType<typeof memoryAccount>;
  readonly now?: () => number;
}

function bridge({ strategy, credentials, account = memoryAccount(), now = () => Date.now() * 1000 }: Given = {}): Http {
  const client = { clientId: posting.id, clientSecret: posting.secret };
  const connection = { url: api.url, authUrl: provider.issuer, ...client, ...credentials };
  return connect(oauth2Client({ ...declared, ...strategy }), connection, { parts: { account, now } });
}

const read = async (http: Http): Promise<unknown> => (await http.get('/readings')).data;
const statuses = (): (number | null)[] => api.recorder.log().map(({ status }) => status);
const tokensGiven = (): number => provider.answers.filter((answer) => answer === 'POST /token 200').length;
const DISCOVERY = 'GET /.well-known/openid-configuration 200';

describe('a certified authorisation server', () => {
  it.each([posting, basic])('gives a token to a client that shows its secret by $authentication', async (client) => {
    const strategy = { clientAuthentication: client.authentication };
    const http = bridge({ strategy, credentials: { clientId: client.id } });
    expect(await read(http)).toEqual({ client: client.id });
    expect(provider.answers).toEqual([DISCOVERY, 'POST /token 200', 'GET /jwks 200']);
  });

  it('is not asked for its document where a platform declares the token endpoint', async () => {
    await read(bridge({ strategy: { tokenPath: '/token' } }));
    expect(provider.answers).toEqual(['POST /token 200', 'GET /jwks 200']);
  });

  it('gives the next token before the one of a few seconds ends', async () => {
    const http = bridge();
    for (let second = 0; second < 20; second += 1) {
      await read(http);
      pass(1);
    }
    expect(statuses()).toEqual(Array(20).fill(200));
    expect(tokensGiven()).toBe(20 / (SECONDS - 1));
  });

  it('gives another token after the API refused one that had ended', async () => {
    const standing = Date.now() * 1000;
    const http = bridge({ now: () => standing });
    await read(http);
    pass(SECONDS);
    await read(http);
    expect(statuses()).toEqual([200, 401, 200]);
    expect(tokensGiven()).toBe(2);
  });
});

describe('a restart of the authorisation server', () => {
  it('with the same keys ends no token', async () => {
    const http = bridge();
    await read(http);
    await provider.stop();
    await provider.start('same keys');
    await read(http);
    expect(tokensGiven()).toBe(1);
    pass(SECONDS);
    await read(http);
    expect([statuses(), tokensGiven()]).toEqual([[200, 200, 200], 2]);
  });

  it('with new keys costs the API one refusal of a token that still lives', async () => {
    const http = bridge();
    await read(http);
    await provider.stop();
    await provider.start('new keys');
    // The API forgets the keys that it knew.
    const { port } = new URL(api.url);
    await api.close();
    api = await serveApi(Number(port));
    await read(http);
    expect(statuses()).toEqual([401, 200]);
    expect(tokensGiven()).toBe(2);
  });
});

describe('an outage', () => {
  it('of the authorisation server is felt when the token ends, is told, and passes', async () => {
    const http = bridge();
    await read(http);
    await provider.stop();
    await read(http);
    pass(SECONDS);
    const error = await refusal(read(http));
    expect(error.fault).toMatchObject({ code: 'unavailable', why: 'refused' });
    expect(error.message).toContain(`authorisation server: connecting to ${provider.issuer}`);
    expect(error.remedy).toMatch(/^the platform itself was not asked/);
    expect(statuses()).toEqual([200, 200]);
    await provider.start('same keys');
    expect(await read(http)).toEqual({ client: posting.id });
    expect(statuses()).toEqual([200, 200, 200]);
  });

  it('of the API costs no token', async () => {
    const http = bridge();
    await read(http);
    const { port } = new URL(api.url);
    await api.close();
    const error = await refusal(read(http));
    expect(error.fault).toMatchObject({ code: 'unavailable', why: 'refused' });
    expect(error.message).toBe(`connecting to ${api.url}: connection refused`);
    api = await serveApi(Number(port));
    expect(await read(http)).toEqual({ client: posting.id });
    expect(tokensGiven()).toBe(1);
  });
});

describe('a refusal', () => {
  it.each(['post', 'basic'] as const)('of a wrong secret by %s is final after one request', async (authentication) => {
    const account = memoryAccount();
    const credentials = {
      clientId: (authentication === 'post' ? posting : basic).id,
      clientSecret: 'Pa55-never-shown',
    };
    const given = { strategy: { clientAuthentication: authentication }, credentials, account };
    const http = bridge(given);
    const error = await refusal(read(http));
    expect(error.fault).toEqual({ code: 'credentials-rejected', right: false });
    expect(error.message).toContain('invalid_client');
    expect(error.remedy).toMatch(/connection\.clientSecret/);
    // Neither this connection nor another one of the account sends the secret again.
    for (const again of [http, bridge(given)]) expect((await refusal(read(again))).code).toBe('credentials-rejected');
    expect(provider.answers.filter((answer) => answer.startsWith('POST'))).toEqual(['POST /token 401']);
    expect(statuses()).toEqual([]);
  });

  it.each([
    ['a scope that the client may not have', { scope: 'plant.read plant.write' }, /invalid_scope/, /check the scope/],
    [
      'a resource that it does not know',
      { resource: 'https://other.example' },
      /invalid_target/,
      /audience or resource/,
    ],
  ])('of %s tells a remedy', async (_what, strategy, message, remedy) => {
    const error = await refusal(read(bridge({ strategy })));
    expect(error.fault).toEqual({ code: 'credentials-rejected', right: true });
    expect(error.message).toMatch(message);
    expect(error.remedy).toMatch(remedy);
    expect(provider.answers).toEqual([DISCOVERY, 'POST /token 400']);
    expect(statuses()).toEqual([]);
  });

  it('by the API of a token without its scope tells a remedy', async () => {
    const error = await refusal(read(bridge({ strategy: { scope: undefined } })));
    expect(error.fault).toEqual({ code: 'credentials-rejected', right: true });
    expect(error.message).toContain('the token lacks the scope plant.read');
    expect(error.remedy).toMatch(/give the user or client of this source the right/);
    expect(statuses()).toEqual([403]);
  });
});
