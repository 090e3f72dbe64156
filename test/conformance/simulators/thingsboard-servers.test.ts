import { expect, test } from 'vitest';
import { deviceId, plant } from '../../../src/simulator/plant.ts';
import { truth } from '../../../src/simulator/truth.ts';
import { startSimulator } from '../../kit/simulator.ts';
import { Client, tenant, withThingsBoard, type Points } from './thingsboard-client.ts';

// What servers of other generations do, by the vendor's description: thingsboard-java-client ce/spec/openapi.json.

const spec = plant();
const startMs = spec.firstMs;
const press = deviceId(0);
const gone = deviceId(99);
const hour = { startTs: startMs, endTs: startMs + 3_600_000, orderBy: 'ASC', useStrictDataTypes: 'true' };

test('an old path without bounds answers the latest value to a question for an hour, without an error', () =>
  withThingsBoard({ oldPath: 'latest' }, async (client) => {
    const query = { ...hour, keys: 'pressure' };
    const latest = truth(spec, press, 'pressure', startMs, Infinity).slice(-1);
    expect((await client.values(press, query)).json<Points>()).toEqual({ pressure: latest });
    expect((await client.values(press, { key: 'pressure', useStrictDataTypes: 'true' })).json<Points>()).toEqual({
      pressure: latest,
    });
    expect(Object.keys((await client.values(press, hour)).json<Points>())).toHaveLength(6);
    const history = (await client.values(press, query, '/history')).json<Points>();
    expect(history['pressure']).toEqual(truth(spec, press, 'pressure', hour.startTs, hour.endTs));
    expect(history['pressure']).toHaveLength(60);
  }));

test('a deleted device may look like one without points', () =>
  withThingsBoard({ deletedDevice: 'empty' }, async (client, simulator) => {
    const keys = (device: string) => client.get(`/api/plugins/telemetry/DEVICE/${device}/keys/timeseries`);
    for (const suffix of ['', '/history']) {
      const answer = await client.values(gone, { ...hour, keys: 'pressure' }, suffix);
      expect([answer.status, answer.json()]).toEqual([200, {}]);
    }
    expect((await keys(gone)).json()).toEqual([]);
    await simulator.faults({ kind: 'bad-sensor', device: press, as: 'missing' });
    expect((await keys(press)).json()).toEqual([]);
    expect((await client.get(`/api/plugins/telemetry/DEVICE/${gone}/nothing`)).status).toBe(404);
  }));

test('a password that has expired is refused with a code of its own, a wrong one as before', async () => {
  const simulator = await startSimulator({ name: 'thingsboard', accounts: [{ ...tenant, passwordExpired: true }] });
  try {
    const client = new Client(simulator);
    const refused = await client.post('/api/auth/login', tenant);
    expect([refused.status, refused.json()]).toMatchObject([401, { errorCode: 15 }]);
    const wrong = await client.post('/api/auth/login', { ...tenant, password: 'guess' });
    expect(wrong.json()).toMatchObject({ errorCode: 10 });
  } finally {
    await simulator.stop();
  }
});

test('an API key stands for its user, does not expire, and is known or refused', () =>
  withThingsBoard(
    { accounts: [{ ...tenant, authority: 'TENANT_ADMIN', apiKeys: ['key-1'] }], accessSeconds: 60, clockMs: startMs },
    async (client, simulator) => {
      const asKey = (key: string) => client.get('/api/auth/user', { 'x-authorization': `ApiKey ${key}` });
      await simulator.clock({ advanceMs: 3_600_000 });
      await simulator.admin('POST', 'invalidate-tokens');
      expect((await asKey('key-1')).json()).toMatchObject({ authority: 'TENANT_ADMIN', name: tenant.username });
      expect((await asKey('key-2')).json()).toMatchObject({ status: 401, errorCode: 10 });
      expect((await client.get('/api/auth/user', { 'x-authorization': 'Bearer key-1' })).status).toBe(401);
    },
  ));

test('devices without sortProperty may come in another order on every page', () =>
  withThingsBoard({ unsortedDevices: 'changing' }, async (client) => {
    const names = async (sort: string) => {
      const page = async (number: number) => {
        const answer = await client.get(`/api/tenant/deviceInfos?pageSize=3&page=${number}${sort}`);
        return answer.json<{ data: { name: string }[] }>().data.map(({ name }) => name);
      };
      return [...(await page(0)), ...(await page(1))];
    };
    expect(await names('')).toEqual(['press-0', 'pump-1', 'pump-2', 'pump-1', 'press-0']);
    const sorted = ['press-0', 'pump-1', 'pump-2', 'pump-3', 'spare-4'];
    expect(await names('&sortProperty=name&sortOrder=ASC')).toEqual(sorted);
    expect(await names('&sortProperty=createdTime&sortOrder=ASC')).toEqual(sorted);
  }));
