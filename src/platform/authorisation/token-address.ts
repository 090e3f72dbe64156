import { z } from 'zod';
import { BridgeError, configInvalid } from '../../core/errors.ts';
import type { Credentials, Http } from '../contract.ts';
import { valueOf } from './source-value.ts';
import type { SourceValue } from './source-value.ts';

/** Where tokens are given. The first of `tokenUrl` and `tokenPath` that has a value counts; without one it is discovered. */
export interface TokenPlace<O> {
  /** The whole address. It comes from the code of the platform or from the operator, so it may be at any origin. */
  readonly tokenUrl?: SourceValue<string | undefined, O>;
  /** The path below `authUrl`, or below `url` where the connection has no `authUrl`. */
  readonly tokenPath?: string;
  /** The address that discovery begins at, where it is neither `authUrl` nor `url`. */
  readonly discovery?: SourceValue<string, O>;
}

export interface TokenAddress {
  readonly url: string;
  /** It was discovered for an earlier grant. */
  readonly wasKept: boolean;
  readonly keep: Readonly<Record<string, string>>;
  /** For an answer that is not one of a token endpoint. */
  readonly remedy: string;
}

interface Asking<O> {
  readonly http: Http;
  readonly credentials: Credentials;
  readonly options: O;
  readonly kept: Readonly<Record<string, string>> | undefined;
}

/**
 * The address of the token endpoint. A discovered one has to be at the origin at which discovery began, because the secret
 * goes only to servers that the operator or the platform names; otherwise it is `config-invalid`. Where no discovery document
 * answers, `authUrl` itself is the token endpoint.
 */
export async function tokenAddressOf<O>(place: TokenPlace<O>, asking: Asking<O>): Promise<TokenAddress> {
  const { http, credentials, options, kept } = asking;
  const server = trimmed(credentials['authUrl'] ?? credentials['url'] ?? '');
  const declared =
    valueOf(place.tokenUrl, credentials, options) ??
    (place.tokenPath === undefined ? undefined : `${server}${place.tokenPath}`);
  if (declared !== undefined) {
    const remedy = `check that ${declared} is the address at which the platform gives tokens`;
    return { url: declared, wasKept: false, keep: { tokenUrl: declared }, remedy };
  }
  const field = credentials['authUrl'] === undefined ? 'connection.url' : 'connection.authUrl';
  const from = trimmed(valueOf(place.discovery, credentials, options) ?? server);
  if (!URL.canParse(from)) throw configInvalid(`${field} is not an address`, 'write it like https://host/path', field);
  const remedy = `check ${field}: it has to be the address of the authorisation server, as its issuer or as its token endpoint`;
  if (kept?.['from'] === from && kept['tokenUrl'] !== undefined) {
    return { url: kept['tokenUrl'], wasKept: true, keep: kept, remedy };
  }
  const failures: string[] = [];
  for (const document of documentsOf(from)) {
    const found = await endpointIn(http, document);
    if ('url' in found) {
      pin(found.url, document, from);
      return { url: found.url, wasKept: false, keep: { from, tokenUrl: found.url }, remedy };
    }
    failures.push(`${document} answered ${found.failure}`);
  }
  return { url: from, wasKept: false, keep: { from, tokenUrl: from }, remedy: `${remedy}; ${failures.join('; ')}` };
}

const trimmed = (address: string): string => address.replace(/\/+$/, '');

/** OpenID Connect Discovery 1.0, 4.1 adds to the path; RFC 8414, 3.1 puts its own path before that of the issuer. */
function documentsOf(from: string): readonly string[] {
  const { origin, pathname } = new URL(from);
  return [
    `${from}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${trimmed(pathname)}`,
  ];
}

/** A server without a document says so in one of these ways. Other statuses mean that it cannot be asked now. */
const NO_DOCUMENT = [400, 401, 403, 404, 405, 406, 410, 501];

const metadata = z.object({ token_endpoint: z.url({ protocol: /^https?$/ }) });
const refusal = z.object({ error_description: z.string().max(300) });

async function endpointIn(http: Http, document: string): Promise<{ url: string } | { failure: string }> {
  let status: number;
  let text: unknown;
  try {
    ({ status, data: text } = await http.get<unknown>(document, { responseType: 'text', expect: NO_DOCUMENT }));
  } catch (error) {
    // A login page at another address, for example.
    if (error instanceof BridgeError && error.code === 'contract-broken') return { failure: 'with no document' };
    throw error;
  }
  const json = parsed(text);
  const found = metadata.safeParse(json);
  if (status === 200 && found.success) return { url: found.data.token_endpoint };
  const { data } = refusal.safeParse(json);
  return { failure: data === undefined ? `${status}` : `${status}: ${data.error_description}` };
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

function pin(url: string, document: string, from: string): void {
  const { origin } = new URL(url);
  if (origin === new URL(from).origin) return;
  throw configInvalid(
    `${document} names a token endpoint at ${origin}, where the secret does not go`,
    `if ${url} is the right token endpoint, give it as connection.authUrl (in kinds that have one); otherwise tell the administrator of the authorisation server`,
    'connection.authUrl',
  );
}
