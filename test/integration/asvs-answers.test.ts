import { once } from 'node:events';
import { request as ask } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../kit/certificate.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { PATH, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';
import { PASSWORD, withPassword } from './operator-browser.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest } from './operator-rig.ts';

// What browsers, proxies and strangers see of both servers. test/security/asvs-*.yaml names the requirements.

const databases = useDatabases();
let api: ApiUnderTest;
let operators: OperatorApiUnderTest;

/** Stands in an error of the program. */
const INSIDE = 'select secret from /srv/bridge/inside.ts';

beforeAll(async () => {
  api = await startApi(databases, { DATABRIDGE_API_PUBLIC_URL: 'https://bridge.example' });
  operators = await startOperatorApi(api.database, {}, (app) => {
    app.get('/api/v1/broken', { config: { access: 'public' } }, () => {
      throw new Error(INSIDE);
    });
  });
});

afterAll(async () => {
  await operators?.close();
  await api?.close();
});

const SAFE = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The lines of a log with a message. */
const linesOf = (log: string, message: string): Record<string, unknown>[] =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === message);

/** The bytes that a server answers to bytes. */
async function rawAnswer(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe('an answer of either server', () => {
  it.each([
    ['GET', '/healthz'],
    ['GET', '/nowhere'],
    ['GET', '/openapi.json'],
    ['GET', '/docs'],
    ['GET', '/docs/problems'],
    ['GET', '/.well-known/jwks.json'],
    ['POST', '/v0/oauth2/token'],
    ['POST', PATH],
    ['GET', `${PATH}/sensors`],
  ] as const)('to %s %s is safe in a browser', async (method, url) => {
    const { headers } = await api.server.inject({ method, url });
    expect(headers).toMatchObject({
      ...SAFE,
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'|object-src 'none'/);
    for (const directive of ['base-uri', 'form-action', 'frame-ancestors'])
      expect(policy).toContain(`${directive} 'none'`);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('of readings and errors is kept by no cache', async () => {
    const authorization = `Bearer ${api.client.token}`;
    const read = await api.server.inject({ url: `${PATH}/sensors`, headers: { authorization } });
    expect([read.statusCode, read.headers['cache-control']]).toEqual([200, 'no-store']);
    const refused = await api.server.inject({ method: 'POST', url: PATH });
    expect([refused.statusCode, refused.headers['cache-control']]).toEqual([401, 'no-store']);
  });

  it('to what is no HTTP is safe in a browser, too', async () => {
    for (const { url } of [api, operators]) {
      const answer = await rawAnswer(url, 'nonsense\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      for (const [name, value] of Object.entries(SAFE)) expect(answer).toContain(`${name}: ${value}\r\n`);
      expect(answer).toContain(`frame-ancestors 'none'`);
    }
  });

  it('has nothing of an error of the program, which stands in the log', async () => {
    const answer = await operators.send('GET', '/api/v1/broken');
    expect(answer.json).toMatchObject({ status: 500, type: 'urn:databridge:problem:internal' });
    expect(answer.text + JSON.stringify([...answer.headers])).not.toMatch(/secret|inside|Error:|\bat /);
    expect(operators.log()).toContain(INSIDE);
  });

  it('names no program and no version', async () => {
    for (const { url } of [api, operators]) {
      const answer = await rawAnswer(url, 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer).not.toMatch(/^(?:server|x-powered-by|via):/im);
      expect(answer).not.toMatch(/node\.?js|fastify|\d+\.\d+\.\d+/i);
    }
  });
});

describe('a request', () => {
  it('with the method TRACE is not answered with its own headers', async () => {
    for (const { url } of [api, operators]) {
      const request = ask(`${url}/healthz`, { method: 'TRACE', headers: { authorization: 'Bearer mine' } }).end();
      const [answer] = (await once(request, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
      let text = '';
      for await (const chunk of answer) text += String(chunk);
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain('mine');
    }
  });

  it('with a token in its address is not signed in', async () => {
    const { token } = await operators.operator('quinn', 'admin');
    for (const name of ['access_token', 'token', 'authorization']) {
      const read = await api.server.inject({ url: `${PATH}/sensors?${name}=${api.client.token}` });
      expect(read.statusCode).toBe(401);
      expect((await operators.send('GET', `/api/v1/me?${name}=${token}`)).status).toBe(401);
    }
  });

  it('that changes something is no GET: those need the right to read, and few a higher one', () => {
    const reads = operators.routes.filter(({ method }) => method === 'GET' || method === 'HEAD');
    expect(reads.length).toBeGreaterThan(20);
    // A new one is looked at before it is added here: it must change nothing.
    const higher = reads.filter(({ role }) => role !== 'viewer' && role !== 'public').map(({ path }) => path);
    expect(higher.toSorted()).toEqual([
      '/api/v1/operators',
      '/api/v1/operators/:name',
      '/api/v1/operators/:name/sessions',
      '/api/v1/operators/:name/tokens',
      '/api/v1/sealing-keys',
    ]);
    expect(operators.routes.filter(({ method }) => method === 'OPTIONS' || method === 'HEAD')).toEqual([]);
  });

  it('with a parameter twice is refused', async () => {
    const { token } = await operators.operator('paul', 'viewer');
    const answer = await operators.send('GET', '/api/v1/audit?limit=1&limit=2', { as: { token } });
    expect(answer.json).toMatchObject({ status: 400, type: 'urn:databridge:problem:invalid' });
  });
});

describe('the log', () => {
  it('has each token that an application gets, and no token', async () => {
    const { applicationId, secret } = await api.application('logged');
    const basic = Buffer.from(`${applicationId}:${secret}`).toString('base64');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = (payload: string, headers: Record<string, string> = {}) =>
      api.server.inject({ method: 'POST', url: '/v0/oauth2/token', payload, headers: { ...form, ...headers } });
    const created = await sent('grant_type=client_credentials', { authorization: `Basic ${basic}` });
    const token = (created.json as () => { refresh_token: string })().refresh_token;
    expect((await sent(`grant_type=refresh_token&refresh_token=${token}`)).statusCode).toBe(200);
    const lines = linesOf(api.log(), 'a token was given').filter(({ application }) => application === applicationId);
    expect(lines.map(({ grant }) => grant)).toEqual(['client_credentials', 'client_credentials', 'refresh_token']);
    for (const line of lines)
      expect(line).toMatchObject({ address: '127.0.0.1', requestId: expect.any(String) as string });
    for (const text of [token, secret]) expect(api.log()).not.toContain(text);
  });

  it('has requests of applications without the right', async () => {
    const { token, applicationId } = await api.application('limited', { projects: ['hall'] });
    const url = PATH.replace('/hall', '/press');
    const answer = await api.server.inject({ method: 'POST', url, headers: { authorization: `Bearer ${token}` } });
    expect(answer.statusCode).toBe(403);
    expect(linesOf(api.log(), 'a request was refused')).toMatchObject([
      {
        level: 40,
        reason: 'forbidden',
        application: applicationId,
        address: '127.0.0.1',
        route: 'POST /v0/organisations/:organisation_id/data/:ml_project',
      },
    ]);
  });
});

describe('the address of a client', () => {
  /** The address that a session keeps of a sign-in. */
  async function addressOf(at: OperatorApiUnderTest, forwarded: string): Promise<string | undefined> {
    const headers = { 'x-forwarded-for': forwarded, 'x-real-ip': '203.0.113.1', forwarded: 'for=203.0.113.1' };
    const answer = await at.send('POST', '/api/v1/session', { body: { name: 'nina', password: PASSWORD }, headers });
    expect(answer.status, answer.text).toBe(200);
    const row = await at.database.row<{ address: string }>(
      'select address from operator_session order by created_at desc limit 1',
    );
    return row?.address;
  }

  it('is told by trusted proxies alone, and only by the nearest word of them', async () => {
    await withPassword(operators, 'nina');
    expect(await addressOf(operators, '203.0.113.9')).toBe('127.0.0.1');
    const behind = await startOperatorApi(operators.database, { DATABRIDGE_OPERATOR_TRUST_PROXY: '127.0.0.1' });
    try {
      expect(await addressOf(behind, '198.51.100.7, 203.0.113.9')).toBe('203.0.113.9');
    } finally {
      await behind.close();
    }
  });
});

describe('TLS', () => {
  const shaken = (port: number, options: ConnectionOptions): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
        socket.destroy();
      });
      socket.on('error', reject);
    });

  it('is 1.3 or 1.2 with forward secrecy, and the server chooses the strongest suite', async () => {
    const directory = await makeTempDirectory('asvs-tls');
    const { certificatePath, keyPath } = await makeCertificate(directory.path);
    const server = await startOperatorApi(api.database, {
      DATABRIDGE_OPERATOR_TLS_CERT: certificatePath,
      DATABRIDGE_OPERATOR_TLS_KEY: keyPath,
    });
    try {
      const port = Number(new URL(server.url).port);
      expect(await shaken(port, {})).toBe('TLSv1.3 TLS_AES_256_GCM_SHA384');
      const weakFirst = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384';
      expect(await shaken(port, { maxVersion: 'TLSv1.2', ciphers: weakFirst })).toBe(
        'TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384',
      );
      for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA']) {
        await expect(shaken(port, { maxVersion: 'TLSv1.2', ciphers })).rejects.toThrow('handshake failure');
      }
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
      await expect(shaken(port, old)).rejects.toThrow(/protocol version|handshake failure/);
    } finally {
      await server.close();
      await directory.remove();
    }
  });
});
