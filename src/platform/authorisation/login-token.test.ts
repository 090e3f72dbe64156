import axios from 'axios';
import { expect, test } from 'vitest';
import { loginToken } from './login-token.ts';

const grant = { token: 'abc', expiresAt: undefined };
const call = {
  login: () => Promise.resolve(grant),
  header: (token: string) => ({ 'X-Token': token }),
};

test('a platform without a renewal call has no `renew`', () => {
  expect(loginToken(call)).not.toHaveProperty('renew');
});

test('the renewal call is made only with a refresh token', async () => {
  const { renew } = loginToken({
    ...call,
    renew: (_http, { renewal }) => Promise.resolve({ ...grant, token: renewal }),
  });
  const http = axios.create();
  expect(await renew?.(http, grant, {})).toBeUndefined();
  expect(await renew?.(http, { ...grant, renewal: 'next' }, {})).toEqual({ ...grant, token: 'next' });
});

test('before the login, requests get no signature', () => {
  const { sign } = loginToken(call);
  expect(sign({}, undefined, {})).toEqual({});
  expect(sign({}, 'abc', {})).toEqual({ 'X-Token': 'abc' });
});
