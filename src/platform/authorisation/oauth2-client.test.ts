import { afterEach, describe, expect, it } from 'vitest';
import { SECOND } from '../../core/instant.ts';
import { CLIENT, OIDC, RFC_8414, connect, serveApi, serveTokens, tokens } from '../../../test/kit/oauth-rig.ts';
import { NOW, json, makeCertificate, refusal, serveTls, tidyUp } from '../../../test/kit/connection-rig.ts';
import { oauth2Client } from './oauth2-client.ts';

afterEach(tidyUp);

const post = { clientAuthentication: 'post' } as const;

describe('the token request', () => {
  it('holds the client in its form, and every value that the platform declares', async () => {
    const server = await serveTokens({ 'POST /token': tokens() });
    const api = await serveApi();
    const strategy = oauth2Client<{ tenant: string }>({
      ...post,
      tokenUrl: `${server.url}/token`,
      scope: ({ url }, { tenant }) => `${url}/.default ${tenant}`,
      audience: 'api',
      resource: () => undefined,
      parameters: { app: 'bridge' },
    });
    const http = connect(strategy, { url: api.url, ...CLIENT }, { options: { tenant: 'north' } });
    expect((await http.get('/')).data).toBe('Bearer t1');
    expect(server.asked).toEqual([
      {
        call: 'POST /token',
        authorization: undefined,
        form: {
          grant_type: 'client_credentials',
          client_id: 'bridge',
          client_secret: 'Pa55-never-shown',
          scope: `${api.url}/.default north`,
          audience: 'api',
          app: 'bridge',
        },
      },
    ]);
  });

  it('carries the client as HTTP Basic, each part encoded as in a form', async () => {
    const server = await serveTokens({ 'POST /base/token': tokens() });
    const strategy = oauth2Client({ clientAuthentication: 'basic', tokenPath: '/token' });
    const api = await serveApi();
    const client = { clientId: 'plant:1', clientSecret: 'a b+ü' };
    await connect(strategy, { url: api.url, authUrl: `${server.url}/base/`, ...client }).get('/');
    const [asked] = server.asked;
    expect(asked?.form).toEqual({ grant_type: 'client_credentials' });
    expect(Buffer.from(asked?.authorization?.replace('Basic ', '') ?? '', 'base64').toString()).toBe(
      'plant%3A1:a+b%2B%C3%BC',
    );
  });

  it('is made once for many requests, and again before the token ends', async () => {
    const server = await serveTokens({ 'POST /token': tokens({ expires_in: '100' }) });
    const api = await serveApi();
    let now = NOW;
    const strategy = oauth2Client({ ...post, tokenPath: '/token' });
    const http = connect(strategy, { url: api.url, authUrl: server.url, ...CLIENT }, { parts: { now: () => now } });
    await Promise.all([1, 2, 3].map(() => http.get('/')));
    now = NOW + 79 * SECOND;
    await http.get('/');
    expect(server.asked).toHaveLength(1);
    now = NOW + 80 * SECOND;
    expect((await http.get('/')).data).toBe('Bearer t2');
  });

  it('without a client in the connection is config-invalid', async () => {
    const strategy = oauth2Client({ ...post, tokenPath: '/token' });
    const error = await refusal(connect(strategy, { url: 'http://127.0.0.1:9', clientId: 'bridge' }).get('/'));
    expect(error.fault).toEqual({ code: 'config-invalid', path: 'connection.clientSecret' });
  });
});

describe('discovery', () => {
  const strategy = oauth2Client(post);
  const listed = (path: string) => (response: Parameters<typeof json>[0]) =>
    json(response, { issuer: 'any', token_endpoint: path });

  async function tenant(answers: Parameters<typeof serveTokens>[0] = {}) {
    const server = await serveTokens(answers);
    const api = await serveApi();
    return { server, api, credentials: { url: api.url, authUrl: `${server.url}/tenant/`, ...CLIENT } };
  }
  const calls = ({ asked }: { asked: readonly { call: string }[] }): string[] => asked.map(({ call }) => call);

  it.each([
    ['OpenID Connect', OIDC, [OIDC]],
    ['RFC 8414', RFC_8414, [OIDC, RFC_8414]],
  ])('finds the token endpoint by %s', async (_what, document, asked) => {
    const { server, credentials } = await tenant({ 'POST /t': tokens() });
    server.answers[document] = listed(`${server.url}/t`);
    expect((await connect(strategy, credentials).get('/')).data).toBe('Bearer t1');
    expect(calls(server)).toEqual([...asked, 'POST /t']);
  });

  it.each([
    ['404', undefined],
    ['a web page', (response: Parameters<typeof json>[0]) => void response.end('<html>')],
    ['JSON of another kind', (response: Parameters<typeof json>[0]) => json(response, { token_endpoint: '/t' })],
    [
      'a redirect to a login page',
      (response: Parameters<typeof json>[0]) =>
        void response.writeHead(302, { location: 'http://other.example/' }).end(),
    ],
  ])('takes authUrl itself where the server answers with %s', async (_what, answer) => {
    const { server, credentials } = await tenant({ 'POST /tenant': tokens() });
    if (answer) Object.assign(server.answers, { [OIDC]: answer, [RFC_8414]: answer });
    expect((await connect(strategy, credentials).get('/')).data).toBe('Bearer t1');
    expect(calls(server)).toEqual([OIDC, RFC_8414, 'POST /tenant']);
  });

  it('is kept with the grant, until the token endpoint moves', async () => {
    const { server, credentials } = await tenant({ 'POST /t': tokens({ expires_in: 100 }) });
    server.answers[OIDC] = listed(`${server.url}/t`);
    let now = NOW;
    const http = connect(strategy, credentials, { parts: { now: () => now } });
    await http.get('/');
    now += 100 * SECOND;
    await http.get('/');
    expect(calls(server)).toEqual([OIDC, 'POST /t', 'POST /t']);
    server.asked.length = 0;
    server.answers['POST /new'] = tokens();
    delete server.answers['POST /t'];
    server.answers[OIDC] = listed(`${server.url}/new`);
    now += 100 * SECOND;
    await http.get('/');
    expect(calls(server)).toEqual(['POST /t', OIDC, 'POST /new']);
  });

  it('never sends the secret to an origin that the operator did not name', async () => {
    const { server, api, credentials } = await tenant();
    const elsewhere = await serveTokens({ 'POST /t': tokens() });
    server.answers[OIDC] = listed(`${elsewhere.url}/t`);
    const error = await refusal(connect(strategy, credentials).get('/'));
    expect(error.fault).toEqual({ code: 'config-invalid', path: 'connection.authUrl' });
    expect(error.message).toContain(elsewhere.url);
    expect(error.remedy).toContain(`${elsewhere.url}/t`);
    expect([elsewhere.asked, api.asked]).toEqual([[], []]);
    const named = { ...credentials, authUrl: `${elsewhere.url}/t` };
    expect((await connect(strategy, named).get('/')).data).toBe('Bearer t1');
  });

  it('that cannot be asked now does not send the secret to authUrl', async () => {
    const { server, credentials } = await tenant();
    server.answers[OIDC] = (response) => json(response, {}, 502);
    expect((await refusal(connect(strategy, credentials).get('/'))).fault).toMatchObject({ code: 'unavailable' });
    expect(calls(server)).toEqual([OIDC]);
  });

  it('of a wrong tenant tells the words of the server and the field', async () => {
    const { server, credentials } = await tenant();
    const words = { error: 'invalid_tenant', error_description: "Tenant 'tenant' not found" };
    server.answers[OIDC] = (response) => json(response, words, 400);
    const error = await refusal(connect(strategy, credentials).get('/'));
    expect(error.code).toBe('contract-broken');
    expect(error.remedy).toMatch(/connection\.authUrl.*400: Tenant 'tenant' not found/);
  });
});

describe('a refusal', () => {
  const strategy = oauth2Client({ ...post, tokenPath: '/token', scope: 'plant.read' });

  async function refusedWith(status: number, body: object) {
    const server = await serveTokens({ 'POST /token': (response) => json(response, body, status) });
    const api = await serveApi();
    const error = await refusal(connect(strategy, { url: api.url, authUrl: server.url, ...CLIENT }).get('/'));
    expect(api.asked).toEqual([]);
    return error;
  }

  it.each([
    [400, 'invalid_client', false, /connection\.clientSecret/],
    [401, 'invalid_client', false, /connection\.clientSecret/],
    [400, 'unauthorized_client', false, /connection\.clientId/],
    [400, 'invalid_scope', true, /scope/],
    [401, 'invalid_scope', true, /scope/],
    [400, 'invalid_target', true, /audience or resource/],
    [403, 'access_denied', true, /access to the API/],
    [200, 'invalid_client', false, /connection\.clientSecret/],
  ])('with %i %s is credentials-rejected, and says what to do', async (status, code, right, remedy) => {
    const words = 'AADSTS7000215: secret Pa55-never-shown is not known';
    const error = await refusedWith(status, { error: code, error_description: words });
    expect(error.fault).toEqual({ code: 'credentials-rejected', right });
    expect(error.remedy).toMatch(remedy);
    expect(error.message).toContain(`${code}: AADSTS7000215: secret [redacted] is not known`);
    expect(error.message).toMatch(/^authorisation server: /);
    expect(error.message.includes('(asked for scope "plant.read")')).toBe(right);
  });

  it('inside a 200 counts also without words', async () => {
    const error = await refusedWith(200, { error: 'invalid_client' });
    expect(error.fault).toEqual({ code: 'credentials-rejected', right: false });
  });

  it('with another code is contract-broken', async () => {
    const error = await refusedWith(400, { error: 'unsupported_grant_type' });
    expect(error).toMatchObject({ code: 'contract-broken', remedy: expect.stringContaining('/token') as string });
  });

  it('of a new token by the API is credentials-rejected after one more token', async () => {
    const server = await serveTokens({ 'POST /token': tokens() });
    const api = await serveApi(() => 401);
    const error = await refusal(connect(strategy, { url: api.url, authUrl: server.url, ...CLIENT }).get('/'));
    expect(error.fault).toEqual({ code: 'credentials-rejected', right: false });
    expect(error.remedy).toMatch(/scope, audience or resource/);
    expect(api.asked).toEqual(['Bearer t1', 'Bearer t2']);
  });
});

describe('an answer that is no token', () => {
  it.each([
    ['a web page', '<html>', /web page/],
    ['no token', '{}', /access_token/],
    ['null', 'null', /not one of OAuth2/],
    ['an empty token', '{"access_token":""}', /access_token/],
    ['a token that no header carries', '{"access_token":"a\\nb"}', /access_token/],
    ['a life of nothing', '{"access_token":"a","expires_in":0}', /expires_in/],
    ['a life that is no number', '{"access_token":"a","expires_in":"1h"}', /expires_in/],
  ])('is contract-broken: %s', async (_what, text, message) => {
    const server = await serveTokens({ 'POST /token': (response) => void response.end(text) });
    const strategy = oauth2Client({ ...post, tokenPath: '/token' });
    const error = await refusal(connect(strategy, { url: server.url, ...CLIENT }).get('/'));
    expect(error).toMatchObject({ code: 'contract-broken', message: expect.stringMatching(message) as string });
    expect(server.asked).toHaveLength(1);
  });

  it('for a bearer is unsupported', async () => {
    const server = await serveTokens({ 'POST /token': tokens({ token_type: 'DPoP' }) });
    const strategy = oauth2Client({ ...post, tokenPath: '/token' });
    expect((await refusal(connect(strategy, { url: server.url, ...CLIENT }).get('/'))).code).toBe('unsupported');
  });
});

describe('with two servers', () => {
  const strategy = oauth2Client({ ...post, tokenPath: '/token' });
  const gone = 'http://127.0.0.1:9';

  it('the one that is away is named', async () => {
    const server = await serveTokens({ 'POST /token': tokens() });
    const api = await serveApi();
    const noTokens = await refusal(connect(strategy, { url: api.url, authUrl: gone, ...CLIENT }).get('/'));
    expect(noTokens.fault).toMatchObject({ code: 'unavailable', why: 'refused' });
    expect(noTokens.message).toBe(`authorisation server: connecting to ${gone}: connection refused`);
    expect(noTokens.remedy).toMatch(/^the platform itself was not asked/);
    const noApi = await refusal(connect(strategy, { url: gone, authUrl: server.url, ...CLIENT }).get('/'));
    expect(noApi.message).toBe(`connecting to ${gone}: connection refused`);
  });

  it('the authority of the source counts for both', async () => {
    const certificate = makeCertificate('IP:127.0.0.1');
    const url = await serveTls(certificate, (request, response) =>
      json(response, request.url === '/token' ? { access_token: 't1' } : request.headers.authorization),
    );
    const unknown = await refusal(connect(strategy, { url, authUrl: url, ...CLIENT }).get('/'));
    expect(unknown).toMatchObject({
      fault: { code: 'unavailable', why: 'tls' },
      remedy: expect.stringMatching(/tls\.ca/) as string,
    });
    const trusting = { settings: { tls: { ca: certificate.cert } } };
    expect((await connect(strategy, { url, authUrl: url, ...CLIENT }, trusting).get('/')).data).toBe('Bearer t1');
  });
});
