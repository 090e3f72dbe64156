import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { startSimulator } from '../../kit/simulator.ts';
import { deviceId, plant } from '../../../src/simulator/plant.ts';
import { customer, tenant, withThingsBoard, type Reply, type TokenPair } from './thingsboard-client.ts';

const startMs = Date.UTC(2026, 0, 1);

function refused(reply: Reply, status: number, errorCode: number): void {
  expect(reply.json()).toEqual({ status, errorCode, message: expect.any(String), timestamp: expect.any(Number) });
  expect(reply.status).toBe(status);
}

function claimsOf(token: string): { exp: number; iat: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number; iat: number };
}

test('a login gives two HS256 tokens of the configured lifetimes', () =>
  withThingsBoard({ accessSeconds: 60, refreshSeconds: 900 }, async (client) => {
    const pair = await client.logIn();
    expect(Object.keys(pair)).toEqual(['token', 'refreshToken']);
    const header: unknown = JSON.parse(Buffer.from(pair.token.split('.')[0] ?? '', 'base64url').toString());
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    for (const [token, seconds] of [[pair.token, 60] as const, [pair.refreshToken, 900] as const]) {
      expect(claimsOf(token).exp - claimsOf(token).iat).toBe(seconds);
    }
    expect((await client.get('/api/auth/user')).json()).toMatchObject({ authority: 'TENANT_ADMIN' });
  }));

test('every call but login, renewal and noauth needs X-Authorization: Bearer with a token of this simulator', () =>
  withThingsBoard({}, async (client) => {
    const { token, refreshToken } = await client.logIn();
    const [header, payload] = token.split('.');
    const forged = createHmac('sha256', 'guessed').update(`${header}.${payload}`).digest('base64url');
    const wrong = [
      {},
      { authorization: `Bearer ${token}` },
      { 'x-authorization': token },
      { 'x-authorization': `Basic ${token}` },
      { 'x-authorization': `Bearer ${refreshToken}` },
      { 'x-authorization': `Bearer ${header}.${payload}.${forged}` },
      { 'x-authorization': `Bearer ${header}.${payload}.` },
    ];
    const paths = ['/api/auth/user', '/api/tenant/deviceInfos?pageSize=1&page=0', '/api/nothing'];
    paths.push(`/api/plugins/telemetry/DEVICE/${deviceId(0)}/keys/timeseries`);
    for (const path of paths) for (const headers of wrong) refused(await client.get(path, headers), 401, 10);
    expect((await client.get('/api/noauth/userPasswordPolicy', {})).status).toBe(200);
    refused(await client.get('/api/nothing'), 404, 32);
  }));

test('an expired token is 401/11, and so is a renewal that carries it', () =>
  withThingsBoard({ accessSeconds: 60, refreshSeconds: 900, clockMs: startMs }, async (client, simulator) => {
    const first = await client.logIn();
    await simulator.clock({ advanceMs: 59_999 });
    expect((await client.get('/api/auth/user')).status).toBe(200);
    await simulator.clock({ advanceMs: 1 });
    refused(await client.get('/api/auth/user'), 401, 11);
    const body = { refreshToken: first.refreshToken };
    refused(await client.post('/api/auth/token', body, client.authorization()), 401, 11);
    const renewed = (await client.post('/api/auth/token', body)).json<TokenPair>();
    expect(renewed.token).not.toBe(first.token);
    expect(renewed.refreshToken).not.toBe(first.refreshToken);
    client.token = renewed.token;
    expect((await client.get('/api/auth/user')).status).toBe(200);
    refused(await client.post('/api/auth/token', { refreshToken: renewed.token }), 401, 10);
    refused(await client.post('/api/auth/token', {}), 400, 31);
    await simulator.clock({ advanceMs: 900_000 });
    refused(await client.post('/api/auth/token', { refreshToken: renewed.refreshToken }), 401, 11);
  }));

test('wrong passwords are counted per user and lock the account for the right one too', () =>
  withThingsBoard({ lockAfter: 3 }, async (client, simulator) => {
    const wrong = { ...tenant, password: 'wrong' };
    for (let times = 0; times < 2; times += 1) refused(await client.post('/api/auth/login', wrong), 401, 10);
    expect((await client.post('/api/auth/login', tenant)).status).toBe(200);
    for (let times = 0; times < 3; times += 1) refused(await client.post('/api/auth/login', wrong), 401, 10);
    refused(await client.post('/api/auth/login', tenant), 401, 10);
    expect((await client.post('/api/auth/login', customer)).status).toBe(200);
    expect(await simulator.admin('GET', 'state')).toMatchObject({
      accounts: {
        [tenant.username]: { logins: 2, failedLogins: 6, locked: true },
        [customer.username]: { logins: 1, failedLogins: 0, locked: false },
      },
    });
  }));

test('a body that is not JSON, or not sent as JSON, is 400/31 and no failed login', () =>
  withThingsBoard({}, async (client, simulator) => {
    refused(await client.post('/api/auth/login', tenant, { 'content-type': 'text/plain' }), 400, 31);
    refused(await client.post('/api/auth/login', 'text'), 400, 31);
    expect(await simulator.admin('GET', 'state')).toMatchObject({
      accounts: { [tenant.username]: { failedLogins: 0 } },
    });
  }));

test('an older server writes the timestamp of an error as text', () =>
  withThingsBoard({ errorTimestamp: 'iso', clockMs: startMs }, async (client) => {
    expect((await client.get('/api/auth/user', {})).json()).toMatchObject({ timestamp: '2026-01-01T00:00:00.000Z' });
  }));

test('devices come in pages, and both page parameters are required', () =>
  withThingsBoard({}, async (client) => {
    const pages = [];
    for (const page of [0, 1, 2, 3]) {
      pages.push(
        (await client.get(`/api/tenant/deviceInfos?pageSize=2&page=${page}`)).json<{ data: { name: string }[] }>(),
      );
    }
    expect(pages.map(({ data }) => data.map(({ name }) => name))).toEqual([
      ['press-0', 'pump-1'],
      ['pump-2', 'pump-3'],
      ['spare-4'],
      [],
    ]);
    const more = [true, true, false, false].map((hasNext) => ({ hasNext, totalPages: 3, totalElements: 5 }));
    expect(pages).toMatchObject(more);
    expect(pages[0]?.data[0]).toMatchObject({ id: { entityType: 'DEVICE', id: deviceId(0) } });
    for (const query of [
      '',
      '?pageSize=2',
      '?page=0',
      '?pageSize=0&page=0',
      '?pageSize=2&page=-1',
      '?pageSize=x&page=0',
    ]) {
      refused(await client.get(`/api/tenant/deviceInfos${query}`), 400, 31);
    }
    const last = await client.get(
      '/api/tenant/deviceInfos?pageSize=5&page=0&textSearch=PUMP&sortProperty=name&sortOrder=DESC',
    );
    expect(last.json<{ data: { name: string }[] }>().data.map(({ name }) => name)).toEqual([
      'pump-3',
      'pump-2',
      'pump-1',
    ]);
  }));

test('a customer user lists devices through the path of the customer only', () =>
  withThingsBoard({}, async (client) => {
    await client.logIn(customer);
    const user = (await client.get('/api/auth/user')).json<{ authority: string; customerId: { id: string } }>();
    expect(user.authority).toBe('CUSTOMER_USER');
    refused(await client.get('/api/tenant/deviceInfos?pageSize=9&page=0'), 403, 20);
    refused(await client.get(`/api/customer/${deviceId(0)}/deviceInfos?pageSize=9&page=0`), 403, 20);
    const own = await client.get(`/api/customer/${user.customerId.id}/deviceInfos?pageSize=9&page=0`);
    expect(own.json()).toMatchObject({ totalElements: 5 });
  }));

test('the keys of a device are the keys that have points by now', () =>
  withThingsBoard({ truth: plant({ liveFromMs: startMs }), clockMs: startMs - 1 }, async (client, simulator) => {
    const path = (device: number) => `/api/plugins/telemetry/DEVICE/${deviceId(device)}/keys/timeseries`;
    expect((await client.get(path(0))).json()).toEqual([]);
    await simulator.clock({ advanceMs: 1 });
    const names = ['temperature', 'pressure', 'vibration', 'running', 'state', 'settings'];
    expect((await client.get(path(0))).json()).toEqual(names);
    expect((await client.get(path(4))).json()).toEqual([]);
    refused(await client.get(path(99)), 404, 32);
    refused(await client.get('/api/plugins/telemetry/DEVICE/press-0/keys/timeseries'), 400, 31);
  }));

test('a misspelt option ends the start with the reason', async () => {
  const options = { accesSeconds: 5 } as object;
  await expect(startSimulator({ name: 'thingsboard', ...options })).rejects.toThrow(/Unrecognized key.*accesSeconds/s);
  const late = { truth: plant({ late: { share: 1, delayMs: 1 } }) };
  await expect(startSimulator({ name: 'thingsboard', ...late })).rejects.toThrow(
    'has late points and needs a liveFromMs',
  );
});
