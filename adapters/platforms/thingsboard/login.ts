import { contractBroken, credentialsRejected, unsupported } from '../../../src/core/errors.ts';
import type { Grant } from '../../../src/platform/contract.ts';
import { apiKey } from '../../../src/platform/authorisation/api-key.ts';
import { jwtClaims, jwtExpiry } from '../../../src/platform/authorisation/jwt-claims.ts';
import { loginToken } from '../../../src/platform/authorisation/login-token.ts';
import { broken, isObject, jsonObject, saidIn } from './answer.ts';

/** ThingsboardErrorCode.CREDENTIALS_EXPIRED: the password is right, and too old. */
const PASSWORD_EXPIRED = 15;

/** An API key in place of a login (https://thingsboard.io/docs/reference/rest-api/). It is not renewed. */
export const apiKeyOfUser = apiKey({ header: 'X-Authorization', field: 'apiKey', prefix: 'ApiKey ' });

/**
 * Trades user and password for a token, which travels in `X-Authorization`, and a refresh token.
 *
 * Source: `LoginResponse` in thingsboard-java-client ce/spec/openapi.json; lifetimes (2.5 h and 7 d unless an
 * administrator changed them) at https://thingsboard.io/docs/user-guide/ui/jwt-security-settings/ are not in the
 * answer, so they are read from the tokens.
 */
export const login = loginToken({
  login: async (http, { username, password }) => {
    const answer = await http.post<unknown>(
      '/api/auth/login',
      { username, password },
      { expect: [400, 401, 404, 405] },
    );
    const { status, data } = answer;
    if (status === 401 && isObject(data) && data['errorCode'] === PASSWORD_EXPIRED) {
      throw credentialsRejected(
        `ThingsBoard refused the login, because the password expired: ${saidIn(status, data)}`,
        'Set a new password in the web page of the server, give it to the source and apply it; an API key does not expire with the password.',
      );
    }
    if (status === 401) {
      throw credentialsRejected(
        `ThingsBoard refused the login: ${saidIn(status, data)}`,
        'Check user name and password by hand in the web page of the server; the user must be activated and not locked.',
      );
    }
    if (status !== 200) throw broken(`this is not ThingsBoard: no login here: ${saidIn(status, data)}`, data);
    return grantOf(data);
  },

  // The bridge sends this unsigned: with the expired token attached the server answers 401/11 (thingsboard#4532).
  renew: async (http, { renewal }) => {
    const refused = [400, 401, 403];
    const { status, data } = await http.post<unknown>(
      '/api/auth/token',
      { refreshToken: renewal },
      { expect: refused },
    );
    return refused.includes(status) ? undefined : grantOf(data);
  },

  header: (token) => ({ 'X-Authorization': `Bearer ${token}` }),
});

function grantOf(data: unknown): Grant {
  const { token, refreshToken, scope } = jsonObject(data, 'ThingsBoard login');
  // The error has no page, because an answer with half a grant may hold a secret.
  if (typeof token !== 'string' || token === '') throw contractBroken('ThingsBoard login: the answer holds no token');
  if (typeof refreshToken !== 'string' || isPreliminary(scope) || isPreliminary(jwtClaims(token)['scopes'])) {
    throw unsupported(
      'ThingsBoard wants a second factor for this user: its login gives only a pre-verification token',
      'Give the bridge a user of its own without two-factor authentication.',
    );
  }
  const renewalExpiresAt = jwtExpiry(refreshToken);
  return {
    token,
    expiresAt: jwtExpiry(token),
    renewal: refreshToken,
    ...(renewalExpiresAt === undefined ? {} : { renewalExpiresAt }),
  };
}

/** Whether a scope belongs to a token that still needs a second factor. */
function isPreliminary(scope: unknown): boolean {
  if (Array.isArray(scope)) return scope.some(isPreliminary);
  return typeof scope === 'string' && /pre.?verification/i.test(scope);
}
