import { beforeEach, describe, expect, test } from 'vitest';
import { listAudit } from '../../src/access/audit.ts';
import { GRACE } from '../../src/access/refresh-tokens.ts';
import { tidyAccess } from '../../src/access/tidy.ts';
import { DAY, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { granted, makeClient, openProcess } from './access-rig.ts';
import type { Client, Process } from './access-rig.ts';

// Refresh tokens on a real database.

const databases = useDatabases();
let database: Database;
let bridge: Process;
let client: Client;

beforeEach(async () => {
  database = await databases.create();
  bridge = await openProcess(database);
  client = await makeClient(database);
});

const create = async (by: Process = bridge): Promise<string> =>
  granted(await by.grant({ grantType: 'client_credentials', basic: client })).refresh_token;

const renew = (refreshToken: string, by: Process = bridge) =>
  by.grant({ grantType: 'refresh_token', scope: 'data', refreshToken });

const renewed = async (refreshToken: string, by?: Process): Promise<string> =>
  granted(await renew(refreshToken, by)).refresh_token;

const REFUSED = { status: 400, error: 'invalid_grant' };

const families = () =>
  database.rows<{ revoked_because: string | null; unused: number }>(
    `select revoked_because,
       (select count(*) from refresh_token where family_id = refresh_family.id and used_at is null) as unused
     from refresh_family order by id`,
  );

describe('renewing a token', () => {
  test('answers the seven fields again, with another access token and another refresh token', async () => {
    const first = granted(await bridge.grant({ grantType: 'client_credentials', basic: client }));
    const second = granted(await renew(first.refresh_token));
    expect(Object.keys(second)).toEqual(Object.keys(first));
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.refresh_token_expires_in).toBe((30 * DAY) / SECOND);
    expect(await bridge.accessTokens.verifyAccessToken(second.access_token)).toMatchObject({
      applicationId: client.id,
    });
  });

  test('needs a token; the scope may be missing, but not another', async () => {
    const token = await create();
    expect(await bridge.grant({ grantType: 'refresh_token', refreshToken: token, scope: 'admin' })).toMatchObject({
      status: 400,
      error: 'invalid_scope',
    });
    expect(await bridge.grant({ grantType: 'refresh_token', scope: 'data' })).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
    expect(await renew(`${token} `)).toMatchObject(REFUSED);
    granted(await bridge.grant({ grantType: 'refresh_token', refreshToken: token }));
  });

  test('needs no credentials; credentials that are sent must be right, and a mistake does not use up the token', async () => {
    const other = await makeClient(database, 'other');
    const token = await create();
    const ask = { grantType: 'refresh_token', refreshToken: token };
    expect(await bridge.grant({ ...ask, basic: { ...client, secret: 'x' } })).toMatchObject({
      error: 'invalid_client',
    });
    expect(await bridge.grant({ ...ask, basic: other })).toMatchObject(REFUSED);
    expect(await families()).toEqual([{ revoked_because: null, unused: 1 }]);
    const next = granted(await bridge.grant({ ...ask, basic: client })).refresh_token;
    expect(next).not.toBe(token);
  });

  test('ten times at once with the same token, on two hosts, gives the same new token each time', async () => {
    const elsewhere = await openProcess(await databases.another(database));
    const token = await create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => renew(token, index % 2 === 0 ? bridge : elsewhere)),
    );
    const tokens = answers.map((answer) => granted(answer));
    expect(new Set(tokens.map((answer) => answer.refresh_token)).size).toBe(1);
    expect(new Set(tokens.map((answer) => answer.access_token)).size).toBe(10);
    expect(await families()).toEqual([{ revoked_because: null, unused: 1 }]);
    expect(await database.row('select count(*) from refresh_token')).toEqual({ count: 2 });
    await renewed(tokens[0]?.refresh_token ?? '');
  });

  test('again within the grace time gives the newest token of the family, however many links later', async () => {
    bridge.stopClock();
    const first = await create();
    const second = await renewed(first);
    bridge.wait(10 * SECOND);
    const third = await renewed(second);
    const fourth = await renewed(third);
    expect(await renewed(first)).toBe(fourth);
    expect(await renewed(second)).toBe(fourth);
    expect(await renewed(third)).toBe(fourth);
    expect(await families()).toEqual([{ revoked_because: null, unused: 1 }]);
    bridge.wait(GRACE - 1 * SECOND);
    expect(await renewed(third)).toBe(fourth);
    await renewed(fourth);
  });

  test('again after the grace time revokes and audits the whole family once, and no other family', async () => {
    const stranger = await create();
    const first = await create();
    const second = await renewed(first);
    bridge.wait(GRACE + SECOND);
    const [reuse] = [await bridge.grant({ grantType: 'refresh_token', refreshToken: first, address: '192.0.2.7\0' })];
    expect(reuse).toMatchObject({ ...REFUSED, error_description: expect.stringContaining('used before') as string });
    for (const token of [first, second]) {
      expect(await renew(token)).toMatchObject({
        ...REFUSED,
        error_description: expect.stringContaining('not valid') as string,
      });
    }
    expect(await families()).toMatchObject([
      { revoked_because: null },
      { revoked_because: 'refresh token used again after the grace time' },
    ]);
    const entries = (await listAudit(database, { limit: 10 })).filter(
      ({ action }) => action === 'refresh-family.revoked',
    );
    expect(entries).toMatchObject([
      { actor: `application:${client.id}`, subject: client.id, detail: { generation: 1, address: '192.0.2.7␀' } },
    ]);
    await renewed(stranger);
    await create();
  });

  test('ten times at once after the grace time revokes and audits once', async () => {
    const first = await create();
    await renewed(first);
    bridge.wait(GRACE + SECOND);
    for (const answer of await Promise.all(Array.from({ length: 10 }, () => renew(first)))) {
      expect(answer).toMatchObject(REFUSED);
    }
    const entries = await listAudit(database, { limit: 50 });
    expect(entries.filter(({ action }) => action === 'refresh-family.revoked')).toHaveLength(1);
  });

  test('is refused for an expired token; a token that is renewed in time lives on', async () => {
    const idle = await create();
    let used = await create();
    for (let month = 0; month < 3; month += 1) {
      bridge.wait(29 * DAY);
      used = await renewed(used);
    }
    expect(await renew(idle)).toMatchObject({
      ...REFUSED,
      error_description: expect.stringContaining('expired') as string,
    });
    bridge.wait(30 * DAY + SECOND);
    expect(await renew(used)).toMatchObject(REFUSED);
  });

  test('does not use up the refresh token where no access token can be signed', async () => {
    const token = await create();
    const withOtherKey = await openProcess(database, 'B'.repeat(43));
    await expect(renew(token, withOtherKey)).rejects.toMatchObject({
      code: 'config-invalid',
      remedy: expect.stringContaining('signing-key rotate --at-once') as string,
    });
    expect(await database.row('select count(*) from refresh_token where used_at is not null')).toEqual({ count: 0 });
  });
});

test('tidying removes expired tokens and leaves the others', async () => {
  const [old, living] = [await create(), await create()];
  const next = await renewed(living);
  await database.run(`update refresh_family set expires_at = expires_at - interval '40 days' where id = 1`);
  await database.run(`update refresh_token set used_at = used_at - interval '1 hour'`);
  await tidyAccess(database);
  expect(await database.rows('select id from refresh_family')).toEqual([{ id: 2 }]);
  expect(await database.row('select count(*) from refresh_token where successor_seed is not null')).toEqual({
    count: 0,
  });
  expect(await renew(old)).toMatchObject(REFUSED);
  await renewed(next);
});
