import {
  ClientSecretBasic,
  Configuration,
  None,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
  allowInsecureRequests,
  clientCredentialsGrant,
  fetchProtectedResource,
  genericGrantRequest,
  refreshTokenGrant,
} from 'openid-client';
import type { ClientAuth } from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GRACE } from '../../src/access/refresh-tokens.ts';
import { useDatabases } from '../kit/databases.ts';
import { PATH, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';

// openid-client knows RFC 6749 and nothing of databridge, so it must understand our tokens and errors.

const databases = useDatabases();
let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi(databases);
});

afterAll(async () => {
  await api.close();
});

/** The configuration of the library for our token endpoint, with one kind of client authentication. */
function configured(authentication: ClientAuth): Configuration {
  const endpoints = { issuer: 'databridge', token_endpoint: `${api.url}/v0/oauth2/token` };
  const configuration = new Configuration(endpoints, api.client.applicationId, undefined, authentication);
  // Plain HTTP is safe on loopback.
  allowInsecureRequests(configuration);
  return configuration;
}

const withSecret = (secret = api.client.secret): Configuration => configured(ClientSecretBasic(secret));
const withoutSecret = (): Configuration => configured(None());

const renew = (refreshToken: string | undefined, configuration = withoutSecret(), scope = 'data') =>
  refreshTokenGrant(configuration, refreshToken ?? '', { scope });

async function push(accessToken: string, second: number): Promise<unknown> {
  const body = JSON.stringify([{ sensorId: 'pump', date: `2026-11-20T08:15:0${second}Z`, value: second }]);
  const headers = new Headers({ 'Content-Type': 'application/json' });
  const answer = await fetchProtectedResource(
    withoutSecret(),
    accessToken,
    new URL(api.url + PATH),
    'POST',
    body,
    headers,
  );
  return { status: answer.status, ...((await answer.json()) as object) };
}

const stored = async (): Promise<number[]> =>
  (await api.database.rows<{ value: number }>('select value from reading order by at')).map(({ value }) => value);

/** Expects that the library reads the answer as this error of RFC 6749. */
async function expectError(asked: Promise<unknown>, status: number, error: string): Promise<void> {
  const thrown: unknown = await asked.then(
    () => 'a token',
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ResponseBodyError);
  expect(thrown).toMatchObject({ status, error, error_description: expect.any(String) as string });
}

describe('openid-client', () => {
  it('creates a token, pushes with it, renews it without credentials and pushes with the new one', async () => {
    const created = await clientCredentialsGrant(withSecret(), { scope: 'data' });
    expect(created).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect(created.expiresIn()).toBeGreaterThan(3590);
    expect(await push(created.access_token, 1)).toMatchObject({ status: 200, accepted: 1 });

    const renewed = await renew(created.refresh_token);
    expect(renewed.access_token).not.toBe(created.access_token);
    expect(renewed.refresh_token).not.toBe(created.refresh_token);
    expect(await push(renewed.access_token, 2)).toMatchObject({ status: 200, accepted: 1 });
    expect(await stored()).toEqual([1, 2]);

    const again = await renew(renewed.refresh_token, withSecret());
    expect(await push(again.access_token, 3)).toMatchObject({ status: 200, accepted: 1 });
  });

  it('gets invalid_grant for a refresh token that was used before, and for all tokens that followed from it', async () => {
    const first = await clientCredentialsGrant(withSecret());
    const second = await renew(first.refresh_token);
    const graceIsOver = "update refresh_token set used_at = used_at - $1 * interval '1 microsecond'";
    await api.database.run(graceIsOver, [GRACE + 1_000_000]);
    await expectError(renew(first.refresh_token), 400, 'invalid_grant');
    await expectError(renew(second.refresh_token), 400, 'invalid_grant');
  });

  it('understands every other refusal: a wrong secret, an unknown token, scope and grant', async () => {
    const { refresh_token: token } = await clientCredentialsGrant(withSecret());
    await expectError(renew('made up'), 400, 'invalid_grant');
    await expectError(renew(token, withoutSecret(), 'everything'), 400, 'invalid_scope');
    await expectError(clientCredentialsGrant(withSecret(), { scope: 'everything' }), 400, 'invalid_scope');
    await expectError(genericGrantRequest(withSecret(), 'password', {}), 400, 'unsupported_grant_type');
    // An answer with status 401 carries a challenge, and the library throws an error with that challenge.
    for (const configuration of [withSecret('wrong'), withoutSecret()]) {
      const asked = clientCredentialsGrant(configuration);
      await expect(asked).rejects.toMatchObject({ status: 401, cause: [{ scheme: 'basic' }] });
      await expect(asked).rejects.toBeInstanceOf(WWWAuthenticateChallengeError);
    }
    await expect(push('made.up.token', 9)).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    });
    await expect(renew(token)).resolves.toMatchObject({ token_type: 'bearer' });
    expect(await stored()).not.toContain(9);
  });
});
