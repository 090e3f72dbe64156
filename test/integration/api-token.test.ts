import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { PATH, curl, curlWith, pushAs, startApi, stopAttemptsClock } from './api-rig.ts';
import type { Answered, ApiUnderTest } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;

beforeEach(async () => {
  api = await startApi(databases);
});

afterEach(async () => {
  await api.close();
});

interface Token {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

const ask = (...args: string[]): Promise<Answered> => curl(...args, `${api.url}/v0/oauth2/token`);

const create = ({ applicationId, secret } = api.client): Promise<Answered> =>
  ask('-u', `${applicationId}:${secret}`, '-d', 'grant_type=client_credentials');

const renew = (refreshToken: string, ...more: string[]): Promise<Answered> =>
  ask(
    '-d',
    'grant_type=refresh_token',
    '-d',
    'scope=data',
    '--data-urlencode',
    `refresh_token=${refreshToken}`,
    ...more,
  );

function expectRefused(answer: Answered, status: number, error: string): void {
  expect(answer.status, answer.body).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.json).toEqual({ error, error_description: expect.any(String) as string });
}

describe('a token', () => {
  it('is created and renewed with seven fields, and not cached', async () => {
    const created = await create();
    expect(created).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    const renewed = await renew((created.json as Token).refresh_token);
    for (const answer of [created, renewed]) {
      expect(answer.json).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
        token_type: 'bearer',
        expires_in: 3600,
        expiration_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/) as string,
        refresh_token: expect.any(String) as string,
        refresh_token_expires_in: expect.any(Number) as number,
        refresh_token_expiration_date: expect.stringMatching(/Z$/) as string,
      });
    }
    const { access_token: token } = renewed.json as Token;
    const reading = { sensorId: 'a', date: '2026-11-20T08:15:30Z', value: 1 };
    expect(await pushAs({ ...api.client, token }, api.url + PATH, [reading])).toMatchObject({ status: 200 });
    expect(token).not.toBe((created.json as Token).access_token);
  });

  it('verifies with the published keys', async () => {
    const keys = await curl(`${api.url}/.well-known/jwks.json`);
    expect(keys).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=60' } });
    expect(keys.body).not.toContain('"d"');
    const set = createRemoteJWKSet(new URL(`${api.url}/.well-known/jwks.json`), { timeoutDuration: 60_000 });
    const { payload } = await jwtVerify(api.client.token, set, { issuer: 'databridge', audience: 'databridge' });
    expect(payload).toMatchObject({ sub: api.client.applicationId, org: 'default', scope: 'data' });
  });
});

describe('an error', () => {
  it('is the same invalid_client for every wrong id or secret', async () => {
    const { applicationId, secret } = api.client;
    const grant = ['-d', 'grant_type=client_credentials'];
    const pairs = [
      `${applicationId}:wrong`,
      `nobody:${secret}`,
      `app_00000000000000000000:${secret}`,
      ':',
      `${applicationId}:`,
    ];
    const encoded = (text: string): string[] => ['-H', `Authorization: Basic ${text}`];
    const answers = [
      await ask(...grant),
      ...(await Promise.all(pairs.map((pair) => ask('-u', pair, ...grant)))),
      await ask(...encoded('!!!'), ...grant),
      await ask(...encoded(Buffer.from('no colon').toString('base64')), ...grant),
      await ask(...encoded(Buffer.from([0xff, 0x3a, 0xff]).toString('base64')), ...grant),
      await ask(...encoded(Buffer.from(`${applicationId}:%zz`).toString('base64')), ...grant),
      await ask('-H', `Authorization: Bearer ${api.client.token}`, ...grant),
      await ask('-d', `client_id=${applicationId}`, '-d', `client_secret=${secret}`, ...grant),
    ];
    for (const answer of answers) {
      expectRefused(answer, 401, 'invalid_client');
      expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
      expect(answer.body).toBe(answers[0]?.body);
    }
  });

  it('does not come for an id and a secret that are form-encoded, as in RFC 6749', async () => {
    const { applicationId, secret } = api.client;
    const every = (text: string): string => text.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    expect(await create({ ...api.client, applicationId: every(applicationId), secret: every(secret) })).toMatchObject({
      status: 200,
    });
  });

  test.each([
    [['-d', 'grant_type=password'], 400, 'unsupported_grant_type'],
    [['-d', 'grant_type='], 400, 'invalid_request'],
    [['-d', 'scope=data'], 400, 'invalid_request'],
    [['-d', 'grant_type=client_credentials&grant_type=client_credentials'], 400, 'invalid_request'],
    [['-d', 'grant_type=client_credentials&scope=admin'], 400, 'invalid_scope'],
    [['-d', 'grant_type=refresh_token&scope=data'], 400, 'invalid_request'],
    [['-d', 'grant_type=refresh_token&scope=data&refresh_token=x'], 400, 'invalid_grant'],
    [['-d', `grant_type=refresh_token&scope=data&refresh_token=%00%27--`], 400, 'invalid_grant'],
    [['-d', 'grant_type=refresh_token&refresh_token={10000 x}'], 400, 'invalid_grant'],
    [['-H', 'Content-Type: application/json', '-d', '{"grant_type":"client_credentials"}'], 400, 'invalid_request'],
    [['-H', 'Content-Encoding: gzip', '-d', 'x'], 400, 'invalid_request'],
    [['-d', 'x={20000 x}'], 413, 'invalid_request'],
    [['-X', 'POST'], 400, 'invalid_request'],
  ])('of %j is %i %s', async (args, status, error) => {
    const { applicationId, secret } = api.client;
    const filled = args.map((arg) => arg.replace(/\{(\d+) x\}/, (_, length: string) => 'x'.repeat(Number(length))));
    expectRefused(await ask('-u', `${applicationId}:${secret}`, ...filled), status, error);
  });

  it('is invalid_request for a body that is not UTF-8', async () => {
    const { applicationId, secret } = api.client;
    const bytes = Buffer.from([...Buffer.from('grant_type='), 0xff]);
    const args = ['-u', `${applicationId}:${secret}`, '--data-binary', '@-', `${api.url}/v0/oauth2/token`];
    expectRefused(await curlWith(bytes, ...args), 400, 'invalid_request');
  });

  it('comes for a refresh token that is used again after the grace time, and for all that followed from it', async () => {
    const { refresh_token: first } = (await create()).json as Token;
    const { refresh_token: second } = (await renew(first)).json as Token;
    // Within the grace time a renewal may be repeated.
    expect(await renew(first)).toMatchObject({ status: 200 });
    await api.database.run(`update refresh_token set used_at = used_at - interval '1 day' where used_at is not null`);
    await api.database.run('update refresh_token set successor_seed = null');
    expectRefused(await renew(first), 400, 'invalid_grant');
    expectRefused(await renew(second), 400, 'invalid_grant');
  });

  it('does not come for a renewal with an old access token in its header', async () => {
    const { refresh_token: token } = (await create()).json as Token;
    expect(await renew(token, '-H', 'Authorization: Bearer old')).toMatchObject({ status: 200 });
  });
});

describe('too many requests', () => {
  beforeEach(stopAttemptsClock);
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('of an application are 429 with Retry-After, and other applications go on', async () => {
    await api.close();
    api = await startApi(databases, { DATABRIDGE_API_TOKENS_PER_MINUTE: '3' });
    const other = await api.application('other');
    const answers = [await create(), await create(), await create()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expectRefused(answers[2] as Answered, 429, 'temporarily_unavailable');
    expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(answers[2]?.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(await create(other)).toMatchObject({ status: 200 });
  });

  it('of an address are 429, also without an application', async () => {
    await api.close();
    api = await startApi(databases, { DATABRIDGE_API_TOKENS_PER_MINUTE: '1' });
    const statuses: number[] = [];
    for (let index = 0; index < 11; index += 1) statuses.push((await renew('x')).status);
    expect(statuses.slice(0, 9)).toEqual(Array(9).fill(400));
    expect(statuses.slice(9)).toContain(429);
  });

  it('with a wrong secret block that application at that address, also with the right secret', async () => {
    await api.close();
    api = await startApi(databases, {
      DATABRIDGE_API_FAILURES_PER_MINUTE: '2',
      DATABRIDGE_API_TRUST_PROXY: '127.0.0.1',
    });
    const from = (address: string): string[] => ['-H', `X-Forwarded-For: ${address}`];
    const { applicationId, secret } = api.client;
    const asked = async (address: string, password: string): Promise<number> =>
      (await ask(...from(address), '-u', `${applicationId}:${password}`, '-d', 'grant_type=client_credentials')).status;
    expect([await asked('192.0.2.1', 'x'), await asked('192.0.2.1', 'x'), await asked('192.0.2.1', 'x')]).toEqual([
      401, 401, 429,
    ]);
    expect(await asked('192.0.2.1', secret)).toBe(429);
    expect(await asked('192.0.2.2', secret)).toBe(200);
    const other = await api.application('other');
    const elsewhere = await ask(
      ...from('192.0.2.1'),
      '-u',
      `${other.applicationId}:${other.secret}`,
      '-d',
      'grant_type=client_credentials',
    );
    expect(elsewhere.status).toBe(200);
  });

  it('with wrong access tokens are 429, and those with a valid one from the same address are not', async () => {
    await api.close();
    api = await startApi(databases, { DATABRIDGE_API_FAILURES_PER_MINUTE: '1' });
    const reading = [{ sensorId: 'a', date: '2026-11-20T08:15:30Z', value: 1 }];
    const path = `${api.url}/v0/organisations/default/data/hall`;
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) {
      statuses.push((await curl('-H', 'Authorization: Bearer x', '-d', '[]', path)).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.at(-1)).toBe(429);
    expect(await api.push(reading)).toMatchObject({ status: 200 });
  });
});
