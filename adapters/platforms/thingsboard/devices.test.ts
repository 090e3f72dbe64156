import { describe, expect, test } from 'vitest';
import { all, canned, no, ok } from '../../../test/kit/canned-thingsboard.ts';
import type { Answer, Asked } from '../../../test/kit/canned-thingsboard.ts';
import { find, sensors } from './devices.ts';
import { thingsboardOptions } from './options.ts';
import { identify } from './user.ts';

const device = (id: string, name: string): object => ({ id: { entityType: 'DEVICE', id }, name });
const PAGES = [
  { data: [device('d-1', 'pump'), device('d-2', 'fan')], totalPages: 2, totalElements: 3, hasNext: true },
  { data: [device('d-3', 'motor')], totalPages: 2, totalElements: 3, hasNext: false },
];

/** A tenant with three devices on two pages, unless `change` answers instead. */
const tenant =
  (change: (asked: Asked) => Answer | undefined = () => undefined) =>
  (asked: Asked): Answer => {
    const changed = change(asked);
    if (changed) return changed;
    if (asked.call === 'GET /api/noauth/userPasswordPolicy') return ok({ minimumLength: 6 });
    if (asked.call === 'GET /api/auth/user') return ok({ authority: 'TENANT_ADMIN' });
    if (asked.call === 'GET /api/tenant/deviceInfos') return ok(PAGES[Number(asked.query.get('page'))]);
    return ok(['temperature', 'state']);
  };
const only = (call: string, body: unknown) => (asked: Asked) => (asked.call === call ? ok(body) : undefined);

describe('discovery', () => {
  test('lists every device with its keys, page by page', async () => {
    const { http, asked } = canned(tenant());
    const variables = ['temperature', 'state'];
    expect(await all(sensors(http, thingsboardOptions.parse({})))).toEqual([
      { id: 'd-1', name: 'pump', variables, group: 'd-1' },
      { id: 'd-2', name: 'fan', variables, group: 'd-2' },
      { id: 'd-3', name: 'motor', variables, group: 'd-3' },
    ]);
    const pages = asked.filter(({ call }) => call.endsWith('deviceInfos'));
    expect(pages.map(({ query }) => query.toString())).toEqual(
      [0, 1].map((page) => `pageSize=100&page=${page}&sortProperty=name&sortOrder=ASC`),
    );
    expect(asked.at(-1)?.call).toBe('GET /api/plugins/telemetry/DEVICE/d-3/keys/timeseries');
  });

  test('lists only the chosen devices, by id or name, and the chosen keys', async () => {
    const chosen = thingsboardOptions.parse({
      devices: ['fan', 'd-3'],
      keys: ['state'],
      sensorId: 'name',
      deviceType: 'a b',
    });
    const { http, asked } = canned(tenant());
    expect(await all(sensors(http, chosen))).toEqual([
      { id: 'fan', name: 'fan', variables: ['state'], group: 'd-2' },
      { id: 'motor', name: 'motor', variables: ['state'], group: 'd-3' },
    ]);
    expect(asked.filter(({ call }) => call.endsWith('timeseries'))).toHaveLength(2);
    expect(asked[1]?.query.get('type')).toBe('a b');
  });

  test('of two ids among thousands asks three times', async () => {
    const ids = [4, 7].map((digit) => `784f394c-42b6-435a-983c-b7beff2784f${digit}`);
    const rows = [{ ...device(ids[0] as string, 'pump'), type: 'a' }];
    const { http, asked } = canned((request) => (request.call === 'GET /api/devices' ? ok(rows) : ok(['state'])));
    const found = await all(find(http, thingsboardOptions.parse({ deviceType: 'a' }), [...ids, 'no uuid']));
    expect(found).toEqual([{ id: ids[0], name: 'pump', variables: ['state'], group: ids[0] }]);
    expect(asked.map(({ call }) => call)).toEqual([
      'GET /api/devices',
      `GET /api/plugins/telemetry/DEVICE/${ids[0]}/keys/timeseries`,
    ]);
    expect(asked[0]?.query.get('deviceIds')).toBe(ids.join(','));
    expect(await all(find(http, thingsboardOptions.parse({ deviceType: 'b' }), ids))).toEqual([]);
    expect(await all(find(http, thingsboardOptions.parse({ devices: ['fan'] }), ids))).toEqual([]);
    const before = asked.length;
    expect(await all(sensors(http, thingsboardOptions.parse({ devices: [ids[0]] })))).toEqual(found);
    expect(asked).toHaveLength(before + 2);
  });

  test('of two names asks for no keys of other devices', async () => {
    const { http, asked } = canned(tenant());
    const found = await all(find(http, thingsboardOptions.parse({ sensorId: 'name' }), ['fan', 'motor']));
    expect((found as { id: string }[]).map(({ id }) => id)).toEqual(['fan', 'motor']);
    expect(asked.filter(({ call }) => call.endsWith('timeseries'))).toHaveLength(2);
  });

  test('names the chosen device that the user does not see', async () => {
    const { http } = canned(tenant());
    await expect(all(sensors(http, thingsboardOptions.parse({ devices: ['fan', 'Fan'] })))).rejects.toMatchObject({
      fault: { code: 'config-invalid', path: 'options.devices' },
      message: 'the user sees no such device: Fan',
    });
  });

  test('lists only the devices of its customer for a customer user', async () => {
    const user = { authority: 'CUSTOMER_USER', customerId: { entityType: 'CUSTOMER', id: 'c-1' } };
    const server = tenant(({ call }) => {
      if (call === 'GET /api/auth/user') return ok(user);
      return call.endsWith('/deviceInfos') ? ok(PAGES[1]) : undefined;
    });
    const { http, asked } = canned(server);
    expect(await all(sensors(http, thingsboardOptions.parse({})))).toHaveLength(1);
    expect(asked[1]?.call).toBe('GET /api/customer/c-1/deviceInfos');
  });

  test('ends with an error when pages repeat', async () => {
    const { http } = canned(tenant(only('GET /api/tenant/deviceInfos', PAGES[0])));
    await expect(all(sensors(http, thingsboardOptions.parse({})))).rejects.toMatchObject({ code: 'contract-broken' });
  });

  test('refuses two devices of one name', async () => {
    const twins = { data: [device('d-1', 'pump'), device('d-2', 'pump')], hasNext: false };
    const { http } = canned(tenant(only('GET /api/tenant/deviceInfos', twins)));
    await expect(all(sensors(http, thingsboardOptions.parse({ sensorId: 'name' })))).rejects.toMatchObject({
      fault: { code: 'config-invalid', path: 'options.sensorId' },
    });
    expect(await all(sensors(http, thingsboardOptions.parse({})))).toHaveLength(2);
  });

  test('of ids with rows of another shape is contract-broken', async () => {
    const { http } = canned(() => ok([{ id: 'd-1', name: 'pump' }]));
    const asking = all(find(http, thingsboardOptions.parse({}), ['784f394c-42b6-435a-983c-b7beff2784f4']));
    await expect(asking).rejects.toMatchObject({ code: 'contract-broken' });
  });

  test.each([
    ['/api/tenant/deviceInfos', []],
    ['/api/tenant/deviceInfos', '<html>'],
    ['/api/tenant/deviceInfos', { data: [], totalPages: 0 }],
    ['/api/tenant/deviceInfos', { data: [{ id: 'd-1', name: 'pump' }], hasNext: false }],
    ['/api/plugins/telemetry/DEVICE/d-1/keys/timeseries', { temperature: 1 }],
    ['/api/plugins/telemetry/DEVICE/d-1/keys/timeseries', ['temperature', null]],
    ['/api/auth/user', { name: 'nobody' }],
  ])('of another shape is contract-broken: %s %j', async (path, body) => {
    const { http } = canned(tenant(only(`GET ${path}`, body)));
    await expect(all(sensors(http, thingsboardOptions.parse({})))).rejects.toMatchObject({ code: 'contract-broken' });
  });
});

describe('identify', () => {
  test('asks for the password policy of ThingsBoard, then for the user', async () => {
    const { http, asked } = canned(tenant());
    expect(await identify(http)).toEqual({ product: 'ThingsBoard, as TENANT_ADMIN' });
    expect(asked.map(({ call }) => call)).toEqual(['GET /api/noauth/userPasswordPolicy', 'GET /api/auth/user']);
  });

  test.each([[no(404, 32)], [ok('<html></html>')]])('refuses another server: %j', async (answer) => {
    const { http } = canned(() => answer);
    await expect(identify(http)).rejects.toMatchObject({
      code: 'contract-broken',
      message: expect.stringMatching(/^this is not ThingsBoard/),
    });
  });

  test('refuses a user that cannot have devices', async () => {
    const { http } = canned(tenant(only('GET /api/auth/user', { authority: 'SYS_ADMIN' })));
    await expect(identify(http)).rejects.toMatchObject({
      fault: { code: 'credentials-rejected', right: true },
      remedy: expect.stringMatching(/customer user/),
    });
  });
});
