import { configInvalid } from '../../core/errors.ts';
import type { Authorisation } from '../contract.ts';

/**
 * HTTP Basic (RFC 7617) with the `username` and `password` of the connection, in UTF-8. There is no token, so nothing
 * is obtained or renewed. A user with a colon cannot be written in this scheme: `config-invalid`.
 */
export const basic = (): Authorisation => ({
  sign: ({ username = '', password = '' }) => {
    if (username.includes(':')) {
      const remedy = 'Give the bridge a user of its own whose name has no colon.';
      throw configInvalid('HTTP Basic cannot carry a user with a colon', remedy, 'connection.username');
    }
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}` };
  },
});
