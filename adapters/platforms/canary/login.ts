import { z } from 'zod';
import { contractBroken, credentialsRejected } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Authorisation } from '../../../src/platform/contract.ts';
import { licenceMissing, wordsOf } from './answer.ts';

const envelope = z.object({ statusCode: z.string(), errors: z.array(z.unknown()) });
const granted = z.object({ userToken: z.string().min(1) });

/**
 * Trades user and password for a token, which travels in the body of each request and ends after five minutes without one. Each
 * open token holds a licence, so a token that nothing else uses is given back.
 */
export const sessionToken: Authorisation = {
  sign: () => ({}),
  signBody: (token) => ({ userToken: token }),
  refusesToken: (text) => /"statusCode"\s*:\s*"BadUserToken"/.test(text),

  // Without `timeZone`, times are UTC.
  async obtain(http, { username, password }) {
    const what = 'login of Canary';
    const { data } = await http.post<unknown>('/api/v2/getUserToken', {
      username,
      password,
      application: 'databridge',
    });
    const { statusCode, errors } = answer(envelope, data, what);
    const words = wordsOf(errors);
    if (statusCode === 'BadLicense' || /licen[cs]e/i.test(words)) throw licenceMissing(`${what}: ${words}`);
    if (statusCode === 'Errors' || statusCode === 'BadUserToken') {
      const remedy = 'check user and password with the administrator of Canary, then resume the source';
      throw credentialsRejected(`${what}: ${words || statusCode}`, remedy);
    }
    const { success, data: grant } = granted.safeParse(data);
    // The error has no page, because an answer with half a grant may hold a secret.
    if (statusCode !== 'Good' || !success) throw contractBroken(`${what}: ${statusCode}, and no userToken`);
    // How long it lives depends on its use, so it counts until it is refused.
    return { token: grant.userToken, expiresAt: undefined };
  },

  async revoke(http, { token }) {
    await http.post('/api/v2/revokeUserToken', { userToken: token });
  },
};
