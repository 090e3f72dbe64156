import { configInvalid } from '../../core/errors.ts';
import type { Authorisation } from '../contract.ts';

interface KeyHeader {
  /** The name of the header. */
  readonly header: string;
  /** The field of the connection that holds the key. */
  readonly field: string;
  /** Text before the key, such as `ApiKey `. */
  readonly prefix?: string;
}

/** A key of the connection in a header. There is no token to obtain. A key that is missing, or that no header can carry, is `config-invalid`. */
export const apiKey = ({ header, field, prefix = '' }: KeyHeader): Authorisation => ({
  sign(credentials) {
    const path = `connection.${field}`;
    const key = credentials[field];
    if (key === undefined) throw configInvalid(`${path} is missing`, `give ${path}, the key of the API`, path);
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw configInvalid(
        `${path} holds a character that no header can carry`,
        'copy it again, without spaces and line breaks',
        path,
      );
    }
    return { [header]: `${prefix}${key}` };
  },
});

/** A bearer token that the operator gives, such as a personal access token (RFC 6750). It is not renewed. */
export const bearer = ({ field }: Pick<KeyHeader, 'field'>): Authorisation =>
  apiKey({ header: 'authorization', field, prefix: 'Bearer ' });
