import { beforeEach, describe, expect, it } from 'vitest';
import { revokeApplication, rotateSecret } from '../../src/access/applications.ts';
import { GRACE } from '../../src/access/refresh-tokens.ts';
import { DAY, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { granted, makeClient, openProcess } from './access-rig.ts';
import type { Client, Process } from './access-rig.ts';

// Tokens end with the secret, the family and the application that they came from, on every host.

const databases = useDatabases();
let database: Database;
let bridge: Process;
let elsewhere: Process;
let client: Client;

beforeEach(async () => {
  database = await databases.create();
  bridge = await openProcess(database);
  elsewhere = await openProcess(await databases.another(database));
  client = await makeClient(database);
});

const create = async (by: Client = client) =>
  granted(await bridge.grant({ grantType: 'client_credentials', basic: by }));

const renew = (refreshToken: string) => bridge.grant({ grantType: 'refresh_token', scope: 'data', refreshToken });

const REFUSED = { status: 400, error: 'invalid_grant' };

describe('refresh tokens', () => {
  it('end with the secret that made them, however often they were renewed', async () => {
    const old = await create();
    const { secret } = await rotateSecret(database, client.id, { overlapHours: 24 }, 'test');
    const made = await create({ ...client, secret });
    const late = await create();
    const renewed = granted(await renew(old.refresh_token));
    await database.run(`update application set previous_secret_until = now() - interval '1 second'`);
    expect(await renew(renewed.refresh_token)).toMatchObject(REFUSED);
    expect(await renew(late.refresh_token)).toMatchObject(REFUSED);
    granted(await renew(made.refresh_token));
  });

  it('end with a secret that was replaced twice, although the second overlap goes on', async () => {
    const old = await create();
    await rotateSecret(database, client.id, { overlapHours: 24 }, 'test');
    const { secret } = await rotateSecret(database, client.id, { overlapHours: 24 }, 'test');
    expect(await renew(old.refresh_token)).toMatchObject(REFUSED);
    granted(await renew((await create({ ...client, secret })).refresh_token));
  });

  it('end a year after the secret was used, however often they are renewed', async () => {
    let token = (await create()).refresh_token;
    for (let days = 0; days < 350; days += 25) {
      bridge.wait(25 * DAY);
      const answer = granted(await renew(token));
      token = answer.refresh_token;
      expect(Math.round(answer.refresh_token_expires_in / (DAY / SECOND))).toBe(Math.min(30, 365 - days - 25));
    }
    // A token ends with a whole second.
    bridge.wait(15 * DAY + SECOND);
    expect(await renew(token)).toMatchObject(REFUSED);
    await create();
  });
});

describe('access tokens', () => {
  const isValid = async (token: string, at: Process): Promise<boolean> =>
    !('refused' in (await at.accessTokens.verifyAccessToken(token)));

  /** Whether a token is valid on both hosts, as they see it at most three seconds later. */
  async function validSoon(token: string): Promise<boolean[]> {
    for (const host of [bridge, elsewhere]) host.wait(3 * SECOND);
    return [await isValid(token, bridge), await isValid(token, elsewhere)];
  }

  const endings: [string, (refreshToken: string) => Promise<unknown>][] = [
    [
      'a refresh token that was used again',
      async (refreshToken) => {
        granted(await renew(refreshToken));
        bridge.wait(GRACE + SECOND);
        elsewhere.wait(GRACE + SECOND);
        expect(await renew(refreshToken)).toMatchObject(REFUSED);
      },
    ],
    ['a secret without overlap', async () => await rotateSecret(database, client.id, { overlapHours: 0 }, 'test')],
    ['a revoked application', async () => await revokeApplication(database, client.id, 'test')],
  ];

  it.each(endings)('end within three seconds on every host after %s, and others go on', async (_, end) => {
    const other = await makeClient(database, 'other');
    const [token, others] = [await create(), (await create(other)).access_token];
    expect([await isValid(token.access_token, bridge), await isValid(token.access_token, elsewhere)]).toEqual([
      true,
      true,
    ]);
    await end(token.refresh_token);
    expect(await validSoon(token.access_token)).toEqual([false, false]);
    expect(await validSoon(others)).toEqual([true, true]);
  });

  it('that are made afterwards are valid, also in the same second', async () => {
    const { secret } = await rotateSecret(database, client.id, { overlapHours: 0 }, 'test');
    const { access_token: token } = await create({ ...client, secret });
    expect(await validSoon(token)).toEqual([true, true]);
    const renewed = granted(await renew((await create({ ...client, secret })).refresh_token));
    expect(await validSoon(renewed.access_token)).toEqual([true, true]);
  });

  it('live on where the secret is rotated with an overlap', async () => {
    const { access_token: token } = await create();
    await rotateSecret(database, client.id, { overlapHours: 1 }, 'test');
    expect(await validSoon(token)).toEqual([true, true]);
  });
});
