import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { PATH, curl, expectProblem, startApi } from './api-rig.ts';
import type { Answered, ApiUnderTest } from './api-rig.ts';

// Ids of requests, and the log of refused authentications.

const databases = useDatabases();
let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases);
});

afterAll(async () => {
  await api.close();
});

const reading = { sensorId: 'a', date: '2026-11-20T08:15:30Z', value: 1 };

/** The lines of the log that tell of a request, without its time. */
const linesOf = (requestId: string, log = api.log()): Record<string, unknown>[] =>
  log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['requestId'] === requestId);

describe('a request id', () => {
  test.each(['/healthz', '/readyz', '/openapi.json', '/docs/', '/.well-known/jwks.json', '/nowhere', '/%zz', PATH])(
    'of the client comes back from %s, and another one gets a new id',
    async (path) => {
      const named = await curl('-H', 'X-Request-Id: line-3.batch_9', api.url + path);
      expect(named.headers['x-request-id']).toBe('line-3.batch_9');
      if (named.status >= 400) expect(named.json).toMatchObject({ instance: 'urn:databridge:request:line-3.batch_9' });
      const given: string[] = [];
      for (const header of [[], ['-H', 'X-Request-Id: two words'], ['-H', `X-Request-Id: ${'x'.repeat(129)}`]]) {
        const { headers } = await curl(...header, api.url + path);
        expect(headers['x-request-id']).toMatch(/^[0-9a-f]{16}-\d+$/);
        given.push(headers['x-request-id'] ?? '');
      }
      expect(new Set(given).size).toBe(3);
    },
  );

  it('comes back from pushes and token requests, and stands in the log', async () => {
    const id = ['-H', 'X-Request-Id: push-1'];
    expect(await api.push([reading], ...id)).toMatchObject({ status: 200, headers: { 'x-request-id': 'push-1' } });
    expect(linesOf('push-1')).toMatchObject([{ application: api.client.applicationId, msg: 'readings were pushed' }]);
    expectProblem(await api.push('{', '-H', 'X-Request-Id: push-2'), 400, 'not-json');
    expect(linesOf('push-2')).toMatchObject([{ status: 400, msg: 'a request of the API was refused' }]);
    const token = await curl('-d', 'x=1', '-H', 'X-Request-Id: token-1', `${api.url}/v0/oauth2/token`);
    expect(token).toMatchObject({ status: 400, headers: { 'x-request-id': 'token-1' } });
  });

  it('is given to a request that is not HTTP', async () => {
    const { hostname, port } = new URL(api.url);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    const [, id] = /\r\nX-Request-Id: (\S+)\r\n/.exec(answer) ?? [];
    expect(answer).toContain(`"instance":"urn:databridge:request:${id}"`);
  });

  it('stands beside the error of a request that failed', async () => {
    const { server } = api;
    const broken = await startApi(databases);
    try {
      await broken.database.run('alter table series rename to gone');
      const answer = await broken.push([reading], '-H', 'X-Request-Id: failed-1');
      expectProblem(answer, 500, 'internal');
      expect(linesOf('failed-1', broken.log())).toContainEqual(
        expect.objectContaining({ level: 50, msg: 'a request of the API failed' }),
      );
    } finally {
      await broken.close();
    }
    expect(server.server.listening).toBe(true);
  });
});

describe('a refused authentication', () => {
  const ask = (id: string, ...args: string[]): Promise<Answered> =>
    curl('-H', `X-Request-Id: ${id}`, ...args, `${api.url}/v0/oauth2/token`);
  const send = (id: string, ...args: string[]): Promise<Answered> =>
    curl('-H', `X-Request-Id: ${id}`, '-d', '[]', ...args, api.url + PATH);
  const refusals = (id: string): Record<string, unknown>[] =>
    linesOf(id).filter(({ msg }) => msg === 'an authentication was refused');

  it('is one line with reason, address, application where known, and nothing secret', async () => {
    const { applicationId, secret } = api.client;
    const grant = ['-d', 'grant_type=client_credentials'];
    await ask('wrong-secret', '-u', `${applicationId}:not-the-secret`, ...grant);
    expect(refusals('wrong-secret')).toMatchObject([
      { level: 40, reason: 'invalid-client', address: '127.0.0.1', application: applicationId },
    ]);
    const created = (await ask('fine', '-u', `${applicationId}:${secret}`, ...grant)).json as { refresh_token: string };
    expect(refusals('fine')).toEqual([]);
    const other = await api.application('other');
    const renewal = ['-d', 'grant_type=refresh_token', '--data-urlencode'];
    await ask(
      'foreign',
      '-u',
      `${other.applicationId}:${other.secret}`,
      ...renewal,
      `refresh_token=${created.refresh_token}`,
    );
    expect(refusals('foreign')).toMatchObject([{ reason: 'refresh-token-foreign', application: applicationId }]);
    await ask('unknown', ...renewal, 'refresh_token=not-a-refresh-token');
    expect(refusals('unknown')).toMatchObject([{ reason: 'refresh-token-unknown' }]);
    expect(refusals('unknown')[0]).not.toHaveProperty('application');
    await send('no-token');
    expect(refusals('no-token')).toMatchObject([{ reason: 'no-token', address: '127.0.0.1' }]);
    await send('bad-token', '-H', 'Authorization: Bearer not-an-access-token');
    expect(refusals('bad-token')).toMatchObject([{ reason: 'invalid-token' }]);
    for (const word of [
      secret,
      'not-the-secret',
      created.refresh_token,
      'not-a-refresh-token',
      'not-an-access-token',
    ]) {
      expect(api.log()).not.toContain(word);
    }
  });

  it('of a secret in the place of the id leaves the secret out', async () => {
    const swapped = await startApi(databases);
    const { applicationId, secret } = swapped.client;
    const url = `${swapped.url}/v0/oauth2/token`;
    await curl('-u', `${secret}:${applicationId}`, '-d', 'grant_type=client_credentials', url);
    expect(swapped.log()).toContain('"reason":"invalid-client"');
    await swapped.close();
    expect(swapped.log()).not.toContain(secret);
  });

  it('has one line for each address and reason; the number of the others follows', async () => {
    const flooded = await startApi(databases);
    for (const id of ['one', 'two', 'three']) await curl('-H', `X-Request-Id: ${id}`, '-d', '[]', flooded.url + PATH);
    expect(
      ['one', 'two', 'three'].flatMap((id) => linesOf(id, flooded.log())).filter(({ level }) => level === 40),
    ).toHaveLength(1);
    await flooded.close();
    expect(flooded.log()).toContain('"reason":"no-token","suppressed":2');
  });
});
