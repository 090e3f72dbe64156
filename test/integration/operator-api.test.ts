import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperatorToken } from '../../src/access/operator-tokens.ts';
import { actorOf, setOperatorDisabled, setOperatorRole } from '../../src/access/operators.ts';
import { assertSeen } from '../../src/operator/authenticate.ts';
import { assertOperatorSettings } from '../../src/operator/open.ts';
import { readSettings } from '../../src/settings.ts';
import { useDatabases } from '../kit/databases.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

const databases = useDatabases();
let api: OperatorApiUnderTest;
let anna: SignedIn;

beforeAll(async () => {
  api = await startOperatorApi(await databases.create());
  anna = await api.operator('anna', 'operator', ['north']);
});

afterAll(async () => {
  await api?.close();
});

describe('the server', () => {
  it('tells an operator which one it is', async () => {
    const answer = await api.send('GET', '/api/v1/me', { as: anna });
    expect(answer.json).toEqual({ name: 'anna', role: 'operator', organisations: ['north'] });
    expect(actorOf(anna)).toBe('operator:anna');
  });

  it('sends its headers with every answer', async () => {
    for (const path of ['/api/v1/me', '/api/v1/openapi.json', '/nowhere']) {
      const { headers } = await api.send('GET', path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining(`frame-ancestors 'none'`) as string,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('strict-transport-security')).toBeNull();
    }
  });

  it('repeats the id of a request where a log can hold it, and makes one else', async () => {
    const named = await api.send('GET', '/nowhere', { headers: { 'x-request-id': 'abc.1-2_3' } });
    expect(named.headers.get('x-request-id')).toBe('abc.1-2_3');
    expect(named.json).toEqual({
      type: 'urn:databridge:problem:not-found',
      title: 'There is no such thing',
      status: 404,
      detail: 'There is no such path.',
      instance: 'urn:databridge:request:abc.1-2_3',
      remedy: 'Check the name and the organisation.',
      errors: [],
    });
    const odd = await api.send('GET', '/nowhere', { headers: { 'x-request-id': 'a b"}' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}-\d+$/);
  });

  it('is described', async () => {
    const { json } = await api.send('GET', '/api/v1/openapi.json');
    expect(json).toMatchObject({
      openapi: '3.1.0',
      paths: { '/api/v1/me': { get: { operationId: 'getMe', security: [{ personalToken: [] }, { session: [] }] } } },
      components: {
        schemas: { OperatorProblem: expect.anything() as unknown, Operator: expect.anything() as unknown },
      },
    });
  });

  it('answers what is no HTTP', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.end('NONSENSE\r\n\r\n');
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('refuses two Host headers', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write('GET /api/v1/me HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n');
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a route that declares no role', () => {
  it('keeps the server from starting', async () => {
    const start = (config?: object) =>
      startOperatorApi(api.database, {}, (app) => {
        app.get('/api/v1/open', { ...(config && { config }) }, () => 'open');
      });
    await expect(start()).rejects.toThrow(/declares neither/);
    await expect(start({ role: 'viewer', access: 'public' })).rejects.toThrow(/declares neither/);
  });
});

describe('an organisation', () => {
  it('of others is as if it did not exist', () => {
    assertSeen(anna, 'north', 'source x');
    assertSeen({ ...anna, organisations: null }, 'south', 'source x');
    expect(() => assertSeen(anna, 'south', 'source x')).toThrow(
      expect.objectContaining({ status: 404, message: 'There is no source x.' }),
    );
  });
});

describe('an address beyond loopback', () => {
  const assert = (environment: Record<string, string>) => assertOperatorSettings(readSettings(environment));

  it('needs TLS, or a proxy that speaks it', () => {
    const beyond = { DATABRIDGE_OPERATOR_HOST: '0.0.0.0' };
    expect(() => assert(beyond)).toThrow(/the operator API would speak plain HTTP on 0\.0\.0\.0/);
    expect(() => assert({ ...beyond, DATABRIDGE_OPERATOR_TLS_CERT: 'x.pem' })).toThrow(/_OPERATOR_TLS_KEY is not set/);
    assert({ ...beyond, DATABRIDGE_OPERATOR_ALLOW_PLAIN: 'true' });
    assert({ ...beyond, DATABRIDGE_OPERATOR: 'off' });
    // The setting of the other API does not count.
    expect(() => assert({ ...beyond, DATABRIDGE_API_ALLOW_PLAIN: 'true' })).toThrow(/would speak plain HTTP/);
  });
});

describe('a personal token', () => {
  it('follows a change of the role, and ends with its operator for good', async () => {
    const bert = await api.operator('bert', 'viewer');
    const role = async () => ((await api.send('GET', '/api/v1/me', { as: bert })).json as { role?: string }).role;
    expect(await role()).toBe('viewer');
    await setOperatorRole(api.database, 'bert', 'admin', 'test');
    expect(await role()).toBe('admin');
    await setOperatorDisabled(api.database, 'bert', true, 'test');
    expect(await role()).toBeUndefined();
    await setOperatorDisabled(api.database, 'bert', false, 'test');
    const refused = await api.send('GET', '/api/v1/me', { as: bert });
    expect(refused.json).toMatchObject({ status: 401, detail: expect.stringContaining('revoked') as string });
  });

  it('lives for at most a year, and an operator has at most 50', async () => {
    const cleo = await api.operator('cleo', 'viewer');
    const create = (days: number) => createOperatorToken(api.database, { operator: 'cleo', name: 'x', days }, 'test');
    for (const days of [0, 0.5, 366, Number.NaN]) await expect(create(days)).rejects.toThrow(/cannot live/);
    for (let made = 1; made < 50; made += 1) await create(365);
    await expect(create(1)).rejects.toThrow(/has 50 tokens/);
    expect((await api.send('GET', '/api/v1/me', { as: cleo })).status).toBe(200);
  });

  it('stands in clear neither in the database nor in the log', async () => {
    const [row] = await api.database.rows<{ found: boolean }>(
      `select exists (select from operator_token where operator_token::text like '%' || $1 || '%')
         or exists (select from audit where detail::text like '%' || $1 || '%') as found`,
      [anna.token.slice(4)],
    );
    expect(row?.found).toBe(false);
    expect(api.log()).not.toContain(anna.token.slice(4));
  });
});

describe('failures of an address', () => {
  it('end in 429 that names when to try again, and stop no neighbour with a valid token', async () => {
    const other = await startOperatorApi(api.database);
    try {
      const wrong = () => other.send('GET', '/api/v1/me', { as: { token: 'wrong' } });
      let answer = await wrong();
      expect(answer.status).toBe(401);
      while (answer.status === 401) answer = await wrong();
      expect(answer.json).toMatchObject({ status: 429, type: 'urn:databridge:problem:too-many-requests' });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      // A valid token behind the same address still counts.
      expect((await other.send('GET', '/api/v1/me', { as: anna })).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
