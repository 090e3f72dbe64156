import { beforeEach, describe, expect, test } from 'vitest';
import { revokeApplication, rotateSecret } from '../../src/access/applications.ts';
import { DAY, SECOND, formatInstant, parseInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { NASTY, everythingIn, granted, makeClient, openProcess } from './access-rig.ts';
import type { Client, Process } from './access-rig.ts';

// The token endpoint without HTTP, on a real database: grants, refusals and revocations.

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

describe('creating a token', () => {
  test('answers the seven fields of a token response, and the token is accepted', async () => {
    const answer = granted(await bridge.grant({ grantType: 'client_credentials', basic: client }));
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
      token_type: 'bearer',
      expires_in: 600,
      expiration_date: expect.any(String) as string,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      refresh_token_expires_in: (30 * DAY) / SECOND,
      refresh_token_expiration_date: expect.any(String) as string,
    });
    const holder = await bridge.accessTokens.verifyAccessToken(answer.access_token);
    if ('refused' in holder) throw new Error(holder.message);
    expect(holder).toMatchObject({
      applicationId: client.id,
      organisationId: 'default',
      scope: 'data',
      projects: null,
    });
    expect(formatInstant(holder.expiresAt)).toBe(answer.expiration_date);
    const left = (parseInstant(answer.refresh_token_expiration_date) ?? 0) - bridge.now();
    expect(Math.round(left / DAY)).toBe(30);
  });

  test('accepts the scope named, empty or missing', async () => {
    for (const scope of ['data', '', undefined]) {
      granted(await bridge.grant({ grantType: 'client_credentials', basic: client, scope }));
    }
  });

  test('answers mistakes as RFC 6749 says', async () => {
    const other = await makeClient(database, 'other');
    const ask = { grantType: 'client_credentials', basic: client };
    const badCredentials = [
      undefined,
      { ...client, secret: 'x' },
      { ...client, secret: other.secret },
      { ...client, secret: '' },
      { ...client, id: client.id.toUpperCase() },
      { ...client, id: 'app_00000000000000000000' },
    ];
    const answers = await Promise.all(badCredentials.map((basic) => bridge.grant({ ...ask, basic })));
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 401,
        error: 'invalid_client',
        wwwAuthenticate: expect.stringMatching(/^Basic /) as string,
      });
      expect(answer).toEqual(answers[0]);
    }
    expect(await bridge.grant({ ...ask, grantType: undefined })).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
    expect(await bridge.grant({ ...ask, grantType: '' })).toMatchObject({ status: 400, error: 'invalid_request' });
    for (const grantType of ['password', 'authorization_code', 'CLIENT_CREDENTIALS', '__proto__']) {
      expect(await bridge.grant({ ...ask, grantType })).toMatchObject({ status: 400, error: 'unsupported_grant_type' });
    }
    for (const scope of ['Data', 'data data', 'admin', 'data admin']) {
      expect(await bridge.grant({ ...ask, scope })).toMatchObject({ status: 400, error: 'invalid_scope' });
    }
    expect(await families()).toEqual([]);
  });

  test('refuses NUL, SQL and nonsense in every field like any other wrong text', async () => {
    const right = await create();
    for (const text of NASTY) {
      const kinds = ['client_credentials', 'refresh_token', text];
      const credentials = [
        undefined,
        { id: text, secret: text },
        { id: client.id, secret: text },
        { ...client, id: text },
      ];
      for (const grantType of kinds) {
        for (const basic of credentials) {
          const request = { grantType, basic, refreshToken: text, scope: text, address: text };
          const status = grantType === 'client_credentials' || (grantType === 'refresh_token' && basic) ? 401 : 400;
          expect(await bridge.grant(request)).toMatchObject({ status, error: expect.any(String) as string });
        }
      }
    }
    await renewed(right);
  });
});

describe('the end of an application', () => {
  test('by revocation: its secret and refresh tokens end at once, its access tokens within seconds, in every process', async () => {
    const elsewhere = await openProcess(await databases.another(database));
    const answer = granted(await bridge.grant({ grantType: 'client_credentials', basic: client }));
    expect(await elsewhere.accessTokens.verifyAccessToken(answer.access_token)).toMatchObject({ scope: 'data' });
    expect(await revokeApplication(database, client.id, 'test')).toBe(true);
    expect(await revokeApplication(database, client.id, 'test')).toBe(false);
    expect(await bridge.grant({ grantType: 'client_credentials', basic: client })).toMatchObject({ status: 401 });
    expect(await renew(answer.refresh_token)).toMatchObject(REFUSED);
    expect(await families()).toMatchObject([{ revoked_because: 'application revoked' }]);
    for (const process of [bridge, elsewhere]) {
      process.wait(5 * SECOND);
      expect(await process.accessTokens.verifyAccessToken(answer.access_token)).toMatchObject({ refused: 'invalid' });
    }
  });

  test('by revocation while ten of its tokens are renewed: all of them are refused afterwards', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => create()));
    const [, ...answers] = await Promise.all([
      revokeApplication(database, client.id, 'test'),
      ...tokens.map((token) => renew(token)),
    ]);
    for (const answer of answers) {
      if ('error' in answer) expect(answer).toMatchObject(REFUSED);
      else expect(await renew(answer.refresh_token)).toMatchObject(REFUSED);
    }
  });

  test('a new secret without overlap ends its refresh tokens too; with overlap they live on', async () => {
    const token = await create();
    await rotateSecret(database, client.id, { overlapHours: 1 }, 'test');
    const next = await renewed(token);
    await rotateSecret(database, client.id, { overlapHours: 0 }, 'test');
    expect(await renew(next)).toMatchObject(REFUSED);
  });
});

test('no row of any table holds a secret or a token', async () => {
  const secrets = [client.secret];
  const answer = granted(await bridge.grant({ grantType: 'client_credentials', basic: client }));
  secrets.push(answer.access_token, answer.refresh_token, await renewed(answer.refresh_token));
  secrets.push((await rotateSecret(database, client.id, { overlapHours: 24 }, 'test')).secret);
  const dump = await everythingIn(database);
  expect(dump).toContain(client.id);
  for (const secret of secrets) {
    for (const form of [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret, 'base64url').toString('hex'),
    ]) {
      expect(dump.includes(form)).toBe(false);
    }
  }
  expect(dump).not.toMatch(/"d"\s*:/);
});
