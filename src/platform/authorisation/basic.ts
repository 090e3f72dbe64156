import { configInvalid } from '../../core/errors.ts';
import type { Authorisation } from '../contract.ts';

/**
 * HTTP Basic (RFC 7617) with the `username` and `password` of the connection, in UTF-8. There is no token to obtain or
 * renew. A user name with a colon is `config-invalid`, because this scheme cannot carry it.
 */
export const basic = (): Authorisation => ({
  sign: ({ username = '', password = '' }) => {
    if (username.includes(':')) {
      const remedy = 'give the bridge a user of its own whose name has no colon';
      throw configInvalid('HTTP Basic cannot carry a user with a colon', remedy, 'connection.username');
    }
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}` };
  },
});
