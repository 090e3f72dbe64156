import { credentialsRejected, rightMissing } from '../../core/errors.ts';
import type { BridgeError } from '../../core/errors.ts';

const AGAIN = 'then resume each source that has them';

const SECRET = `check user, password or secret in the connection of the source with the administrator of the platform, ${AGAIN}`;

/** Whether the code says that the credentials count and lack a right, and the remedy. */
const REFUSALS: Readonly<Record<string, readonly [right: boolean, remedy: string]>> = {
  invalid_client: [
    false,
    `check connection.clientId and connection.clientSecret: the secret may be wrong, expired or revoked; ${AGAIN}`,
  ],
  invalid_grant: [false, SECRET],
  unauthorized_client: [
    false,
    `check connection.clientId and the tenant in the address, and let the administrator allow this client this way to a token; ${AGAIN}`,
  ],
  access_denied: [
    true,
    'let the administrator of the authorisation server give this client access to the API; then resume the source',
  ],
  invalid_scope: [
    true,
    'check the scope of the source, and let the administrator of the authorisation server grant it to this client; then resume the source',
  ],
  invalid_target: [
    true,
    'check the audience or resource of the source, and let the administrator of the authorisation server allow it to this client; then resume the source',
  ],
};

/**
 * The error for an OAuth2 error code that means refused credentials or a missing right (RFC 6749, 5.2; `invalid_target`: RFC
 * 8707, 2); undefined for a code that means a wrong request.
 */
export function oauthRefusal(code: string | undefined, message: string): BridgeError | undefined {
  if (code === undefined || !Object.hasOwn(REFUSALS, code)) return undefined;
  const [right, remedy] = REFUSALS[code] ?? [false, SECRET];
  return right ? rightMissing(message, remedy) : credentialsRejected(message, remedy);
}
