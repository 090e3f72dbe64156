import { describe, expect, test } from 'vitest';
import type { Grant } from '../../../src/platform/contract.ts';
import { canned, no, ok } from '../../../test/kit/canned-thingsboard.ts';
import type { Answer } from '../../../test/kit/canned-thingsboard.ts';
import { apiKeyOfUser, login } from './login.ts';

const jwt = (claims: unknown): string =>
  `${btoa('{"alg":"HS512"}')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
const credentials = { url: 'http://thingsboard.test', username: 'bridge@plant.example', password: 'pässword' };
const first = { options: {}, kept: undefined };

const obtain = async (answer: Answer): Promise<Grant | undefined> =>
  await login.obtain?.(canned(() => answer).http, credentials, first);
const renew = async (answer: Answer, grant: Grant): Promise<Grant | undefined> =>
  await login.renew?.(canned(() => answer).http, grant, {});

describe('login', () => {
  test('trades user and password for tokens, and reads their expiry from them', async () => {
    const { http, asked } = canned(() => ok({ token: jwt({ exp: 1_767_225_600 }), refreshToken: jwt({ exp: 1.7e9 }) }));
    const grant = await login.obtain?.(http, credentials, first);
    expect(asked.map(({ call, body }) => ({ call, body }))).toEqual([
      { call: 'POST /api/auth/login', body: { username: 'bridge@plant.example', password: 'pässword' } },
    ]);
    expect(grant?.expiresAt).toBe(1_767_225_600_000_000);
    expect(grant?.renewalExpiresAt).toBe(1_700_000_000_000_000);
  });

  test.each([['opaque'], ['a.b.c'], [jwt({})], [jwt({ exp: '1767225600' })], [jwt({ exp: 1e300 })], [jwt(null)]])(
    'has no expiry where the token names none: %s',
    async (token) => {
      expect(await obtain(ok({ token, refreshToken: 'opaque' }))).toEqual({
        token,
        expiresAt: undefined,
        renewal: 'opaque',
      });
    },
  );

  test('fails with a remedy and without the password where ThingsBoard refuses it', async () => {
    const refusal = obtain(no(401, 10, 'Invalid username or password'));
    await expect(refusal).rejects.toMatchObject({ fault: { code: 'credentials-rejected', right: false } });
    await expect(refusal).rejects.toThrow(/Invalid username or password \(401\/10\)/);
    await expect(refusal).rejects.not.toThrow(/pässword/);
    await expect(refusal).rejects.toHaveProperty('remedy', expect.stringMatching(/user/));
  });

  test('with an expired password says so, and does not show the reset token that comes with it', async () => {
    const { body } = no(401, 15, 'User password expired!');
    const refusal = obtain({ status: 401, body: { ...(body as object), resetToken: 'rés3t' } });
    await expect(refusal).rejects.toMatchObject({
      fault: { code: 'credentials-rejected', right: false },
      message: expect.stringMatching(/expired/),
      remedy: expect.stringMatching(/new password/),
    });
    await expect(refusal.catch((error: unknown) => JSON.stringify(error))).resolves.not.toMatch(/rés3t/);
  });

  test.each([
    ['no refresh token', { token: jwt({}), refreshToken: null }],
    ['a scope', { token: jwt({}), refreshToken: 'r', scope: 'PRE_VERIFICATION_TOKEN' }],
    ['a scope in the token', { token: jwt({ scopes: ['PRE_VERIFICATION_TOKEN'] }), refreshToken: 'r' }],
  ])('of an account with a second factor is unsupported: %s', async (_, body) => {
    await expect(obtain(ok(body))).rejects.toMatchObject({ code: 'unsupported', remedy: expect.any(String) });
  });

  test.each([
    ['HTML', ok('<!doctype html><title>Portal</title>')],
    ['an array', ok([])],
    ['no token', ok({ refreshToken: 'r' })],
    ['no such path', no(404, 32)],
  ])('with another answer is contract-broken: %s', async (_, answer) => {
    await expect(obtain(answer)).rejects.toMatchObject({ code: 'contract-broken' });
  });
});

describe('renewal', () => {
  const grant = { token: 'old', expiresAt: undefined, renewal: 'refresh' };

  test('sends only the refresh token', async () => {
    const { http, asked } = canned(() => ok({ token: 'new', refreshToken: 'next' }));
    expect(await login.renew?.(http, grant, {})).toEqual({ token: 'new', expiresAt: undefined, renewal: 'next' });
    expect(asked).toMatchObject([{ call: 'POST /api/auth/token', body: { refreshToken: 'refresh' } }]);
  });

  test('that is refused returns undefined, so that a login follows', async () => {
    expect(await renew(no(401, 11, 'Token has expired'), grant)).toBeUndefined();
    expect(await renew(no(401, 10), { token: 'old', expiresAt: undefined })).toBeUndefined();
  });

  test('is not sent without a refresh token', async () => {
    const { http, asked } = canned(() => no(401, 10));
    expect(await login.renew?.(http, { token: 'old', expiresAt: undefined }, {})).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

test('an API key travels in X-Authorization', () => {
  expect(apiKeyOfUser.sign({ url: credentials.url, apiKey: 'tb_key' }, undefined, {})).toEqual({
    'X-Authorization': 'ApiKey tb_key',
  });
  expect(() => apiKeyOfUser.sign({ url: credentials.url }, undefined, {})).toThrow(/connection.apiKey is missing/);
});

test('the token travels in X-Authorization', () => {
  expect(login.sign(credentials, 'abc', {})).toEqual({ 'X-Authorization': 'Bearer abc' });
  expect(login.sign(credentials, undefined, {})).toEqual({});
});
