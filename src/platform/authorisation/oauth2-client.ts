import { BridgeError, configInvalid } from '../../core/errors.ts';
import type { Authorisation, Credentials, Grant, Http } from '../contract.ts';
import { loginToken } from './login-token.ts';
import { tokenAddressOf } from './token-address.ts';
import type { TokenAddress, TokenPlace } from './token-address.ts';
import { grantOf } from './token-answer.ts';
import { valueOf } from './source-value.ts';
import type { SourceValue } from './source-value.ts';

/** The parameters that servers know besides those of RFC 6749: `audience` (Auth0 and others), `resource` (RFC 8707). */
interface TokenRequest<O> extends TokenPlace<O> {
  readonly scope?: SourceValue<string | undefined, O>;
  readonly audience?: SourceValue<string | undefined, O>;
  readonly resource?: SourceValue<string | undefined, O>;
  /** Further parameters of the form. */
  readonly parameters?: SourceValue<Readonly<Record<string, string>>, O>;
}

export interface ClientCredentials<O> extends TokenRequest<O> {
  /** Whether `clientId` and `clientSecret` travel in the form or as HTTP Basic (RFC 6749, 2.3.1). */
  readonly clientAuthentication: 'post' | 'basic';
}

/**
 * OAuth2 client credentials (RFC 6749, 4.4) with the `clientId` and `clientSecret` of the connection. The token endpoint is
 * declared or discovered (token-address.ts). A platform that takes options into its values writes
 * `oauth2Client<Options>({ … })`. A refused client, grant or scope is `credentials-rejected`.
 */
export const oauth2Client = <O = unknown>(given: ClientCredentials<O>): Authorisation<O> =>
  strategyOf(given, (credentials) => {
    const client = { id: field(credentials, 'clientId'), secret: field(credentials, 'clientSecret') };
    const form = { grant_type: 'client_credentials' };
    return given.clientAuthentication === 'basic'
      ? { form, headers: { authorization: basicOf(client) } }
      : { form: { ...form, client_id: client.id, client_secret: client.secret }, headers: {} };
  });

/**
 * OAuth2 with user and password (RFC 6749, 4.3), without a client, and its renewal by refresh token. The user and the password
 * are `username` and `password` of the connection, or `clientId` and `clientSecret` where the kind has those.
 */
export const oauth2Password = <O = unknown>(given: TokenRequest<O>): Authorisation<O> =>
  strategyOf(given, (credentials) => ({
    form: {
      grant_type: 'password',
      username: credentials['username'] ?? field(credentials, 'clientId'),
      password: credentials['password'] ?? field(credentials, 'clientSecret'),
    },
    headers: {},
  }));

interface Proof {
  readonly form: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

function strategyOf<O>(given: TokenRequest<O>, prove: (credentials: Credentials) => Proof): Authorisation<O> {
  return loginToken<O>({
    async login(http, credentials, { options, kept }) {
      const optional = {
        scope: valueOf(given.scope, credentials, options),
        audience: valueOf(given.audience, credentials, options),
        resource: valueOf(given.resource, credentials, options),
      };
      const { form, headers } = prove(credentials);
      const parameters = { ...form, ...defined(optional), ...valueOf(given.parameters, credentials, options) };
      const ask = async (address: TokenAddress): Promise<Grant> => {
        try {
          const { data } = await http.post<unknown>(address.url, new URLSearchParams(parameters), { headers });
          return { ...grantOf(data), keep: address.keep };
        } catch (error) {
          throw explained(error, address, defined(optional));
        }
      };
      const address = await tokenAddressOf(given, { http, credentials, options, kept });
      try {
        return await ask(address);
      } catch (error) {
        // The endpoint may have moved since it was discovered.
        if (!address.wasKept || !(error instanceof BridgeError) || error.code !== 'contract-broken') throw error;
        return await ask(await tokenAddressOf(given, { http, credentials, options, kept: undefined }));
      }
    },
    renew: renewed,
    header: (token) => ({ authorization: `Bearer ${token}` }),
  });
}

/** RFC 6749, 6. Servers refuse with different statuses; after each of them a login decides whether the credentials count. */
async function renewed(http: Http, grant: Grant & { readonly renewal: string }): Promise<Grant | undefined> {
  const url = grant.keep?.['tokenUrl'];
  if (url === undefined) return undefined;
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: grant.renewal });
  const { status, data } = await http.post<unknown>(url, form, { expect: [400, 401, 403] });
  return status >= 400 ? undefined : { renewal: grant.renewal, ...grantOf(data) };
}

/** An error of the token request, which says that the authorisation server gave it and what the request asked for. */
function explained(error: unknown, address: TokenAddress, asked: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof BridgeError)) return error;
  const { fault, message } = error;
  const words = Object.entries(asked).map(([name, value]) => `${name} "${value}"`);
  const lacksRight = fault.code === 'credentials-rejected' && fault.right && words.length > 0;
  const told = `authorisation server: ${message}${lacksRight ? ` (asked for ${words.join(', ')})` : ''}`;
  const remedies: Partial<Record<typeof fault.code, string>> = {
    unavailable: `the platform itself was not asked, because there is no token; ${error.remedy ?? ''}`,
    'contract-broken': address.remedy,
  };
  return new BridgeError(fault, told, { remedy: remedies[fault.code] ?? error.remedy, cause: error.cause });
}

const defined = (values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Both parts are encoded as in a form before they become HTTP Basic (RFC 6749, 2.3.1). */
const basicOf = ({ id, secret }: { id: string; secret: string }): string =>
  `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`;

const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

function field(credentials: Credentials, name: string): string {
  const value = credentials[name];
  if (value !== undefined && value !== '') return value;
  throw configInvalid(`connection.${name} is missing`, `give connection.${name}`, `connection.${name}`);
}
