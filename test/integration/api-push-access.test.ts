import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import { SECOND } from '../../src/core/instant.ts';
import { useDatabases } from '../kit/databases.ts';
import { PATH, curl, curlWith, expectProblem, startApi, stdinTo } from './api-rig.ts';
import type { Answered, ApiUnderTest } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases, { DATABRIDGE_API_FAILURES_PER_MINUTE: '1000' });
});

afterAll(async () => {
  await api.close();
});

beforeEach(async () => {
  await api.database.run('truncate reading');
});

const good = { sensorId: 'pump-7', date: '2026-11-20T08:15:30Z', value: 4.25 };

describe('a push', () => {
  const post = (token: string | undefined, path = PATH): Promise<Answered> =>
    curlWith(
      JSON.stringify([good]),
      ...(token === undefined ? [] : ['-H', `Authorization: ${token}`]),
      '-H',
      'Content-Type: application/json',
      ...stdinTo(api.url + path),
    );

  it('is 401 without a token, or with an invalid one', async () => {
    const { token } = api.client;
    const [head = '', payload = '', signature = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const changed = `${signature.slice(0, -2)}${signature.endsWith('AA') ? 'BB' : 'AA'}`;
    const wrong = [
      undefined,
      'Bearer',
      'Bearer x',
      `Basic ${token}`,
      token,
      `Bearer ${none}.${payload}.`,
      `Bearer ${head}.${payload}.${changed}`,
      `Bearer ${token} ${token}`,
      `Bearer ${'x'.repeat(9_000)}`,
    ];
    for (const authorization of wrong) {
      const answer = await post(authorization);
      expectProblem(answer, 401, 'invalid-token');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token", error_description="[ -~]+"$/);
      expect(answer.body).not.toContain(signature);
    }
    expect(await post(`bearer ${token}`)).toMatchObject({ status: 200 });
  });

  it('is 401 once its token has expired, and says so', async () => {
    const short = await startApi(databases, { DATABRIDGE_TOKEN_MAX_SECONDS: '1', DATABRIDGE_TOKEN_MIN_SECONDS: '1' });
    try {
      const { exp } = JSON.parse(Buffer.from(short.client.token.split('.')[1] ?? '', 'base64url').toString()) as {
        exp: number;
      };
      let answer = await short.push([good]);
      while (answer.status === 200) answer = await short.push([good]);
      expect(short.now()).toBeGreaterThanOrEqual(exp * SECOND);
      expectProblem(answer, 401, 'invalid-token');
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(answer.body).toContain('expired');
    } finally {
      await short.close();
    }
  });

  it('is 403 for another organisation, and for a project that its application is not limited to', async () => {
    await createProject(api.database, { organisation: 'default', code: 'press' }, 'test');
    const other = await api.application('other', { organisation: 'north' });
    expectProblem(await post(`Bearer ${other.token}`), 403, 'forbidden');
    const limited = await api.application('limited', { projects: ['hall'] });
    expect(await post(`Bearer ${limited.token}`)).toMatchObject({ status: 200 });
    const press = '/v0/organisations/default/data/press';
    expectProblem(await post(`Bearer ${limited.token}`, press), 403, 'forbidden');
    expect(await post(`Bearer ${api.client.token}`, press)).toMatchObject({ status: 200 });
  });

  test.each([
    '/v0/organisations/nobody/data/hall',
    '/v0/organisations/default/data/nothing',
    '/v0/organisations/default/data/hall%00',
    '/v0/organisations/default%00/data/hall',
    `/v0/organisations/default/data/${'x'.repeat(150)}`,
    '/v0/organisations/default/data/%F0%9F%98%80',
  ])('is 404 at %s', async (path) => {
    expectProblem(await post(`Bearer ${api.client.token}`, path), 404, 'unknown-project');
  });

  it('finds a project that was created a moment ago', async () => {
    const path = '/v0/organisations/default/data/new';
    expectProblem(await post(`Bearer ${api.client.token}`, path), 404, 'unknown-project');
    await createProject(api.database, { organisation: 'default', code: 'new' }, 'test');
    expect(await post(`Bearer ${api.client.token}`, path)).toMatchObject({ status: 200 });
  });
});

describe('another request', () => {
  it('is answered 404, 405, 400 or 431 with a problem document', async () => {
    expectProblem(await curl(`${api.url}/nothing`), 404, 'not-found');
    expectProblem(await curl('-X', 'POST', `${api.url}/v1/oauth2/token`), 404, 'not-found');
    const get = await curl(api.url + PATH);
    expectProblem(get, 405, 'method-not-allowed');
    expect(get.headers['allow']).toBe('POST');
    expectProblem(await curl('-X', 'DELETE', `${api.url}/v0/oauth2/token`), 405, 'method-not-allowed');
    expectProblem(await curl(`${api.url}/%zz`), 400, 'bad-request');
    expectProblem(await curl('-H', `X-Large: ${'x'.repeat(20_000)}`, api.url + PATH), 431, 'headers-too-large');
  });
});
