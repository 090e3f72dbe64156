import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import type { CryptoKey, JWK, JSONWebKeySet } from 'jose';
import { tokenEndpoint } from './credentials.ts';
import type { Account, TokenForm } from './credentials.ts';
import type { SimulatedClock } from './clock.ts';
import type { SimulatedPlatform, SimulatedRequest } from './contract.ts';
import { Refused, route, simulate } from './route.ts';
import type { CredentialCheck, Route } from './route.ts';

export interface AuthorisationServerOptions {
  readonly accounts: readonly Account[];
  /** How long a token lives; 5 minutes unless told. */
  readonly lifetimeSeconds?: number;
}

const ALGORITHM = 'RS256';

/** Where the keys are that verify its tokens. */
export const KEYS_PATH = '/jwks';

/**
 * An OAuth2 server of its own beside a platform: client credentials, JWTs, its keys as JWKS, and discovery (RFC 8414, OpenID
 * Connect). A restart gives it new keys, so the tokens of before are worth nothing. `serve` gives it faults and a record.
 */
export function authorisationServer(
  { accounts, lifetimeSeconds = 300 }: AuthorisationServerOptions,
  clock: SimulatedClock,
): SimulatedPlatform {
  let key = (firstKey ??= newKey());

  const discovery = route({
    open: true,
    answer({ request }) {
      const issuer = addressOf(request);
      return {
        issuer,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}${KEYS_PATH}`,
        response_types_supported: [],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      };
    },
  });

  /** One token endpoint for each request, because the issuer is the address that the client uses. */
  const token = (issuer: string) =>
    tokenEndpoint({
      accounts,
      async grant(client: string, { scope, audience, resource }: TokenForm) {
        const { kid, privateKey } = await key;
        const issuedAt = Math.floor(clock.nowMs() / 1000);
        const signed = await new SignJWT({ ...(scope !== undefined && { scope }), client_id: client })
          .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt', kid })
          .setIssuer(issuer)
          .setSubject(client)
          .setAudience(audience ?? resource ?? issuer)
          .setIssuedAt(issuedAt)
          .setExpirationTime(issuedAt + lifetimeSeconds)
          .setJti(randomUUID())
          .sign(privateKey);
        return {
          access_token: signed,
          token_type: 'Bearer',
          expires_in: lifetimeSeconds,
          ...(scope !== undefined && { scope }),
        };
      },
    });

  const tokens: Route = {
    ...token(''),
    answer: (question) => token(addressOf(question.request)).answer(question),
  };

  return simulate({
    check: () => {
      throw new Refused(401, 'no account has rights here');
    },
    error: (status, message) => ({
      status,
      body: JSON.stringify({ error: status === 400 ? 'invalid_request' : 'server_error', error_description: message }),
    }),
    routes: {
      'GET /.well-known/openid-configuration': discovery,
      'GET /.well-known/oauth-authorization-server': discovery,
      [`GET ${KEYS_PATH}`]: route({ open: true, answer: async () => ({ keys: [(await key).publicKey] }) }),
      'POST /token': tokens,
      // The path of servers that descend from Cloud Foundry's UAA.
      'POST /oauth/token': tokens,
    },
    restart() {
      key = newKey();
    },
  });
}

/** A key takes tens of milliseconds to make, and tests open many servers; a restart makes a new one. */
let firstKey: ReturnType<typeof newKey> | undefined;

const addressOf = ({ headers }: SimulatedRequest): string => `http://${headers.host}`;

async function newKey(): Promise<{ kid: string; privateKey: CryptoKey; publicKey: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
  const kid = randomUUID();
  return { kid, privateKey, publicKey: { ...(await exportJWK(publicKey)), kid, alg: ALGORITHM, use: 'sig' } };
}

export interface JwtCheck {
  readonly check: CredentialCheck;
  /** Every token that was accepted so far is refused from now on. */
  readonly invalidate: () => void;
}

/** The check of a platform that takes the JWTs of the authorisation server at `authUrl`, by the keys that it publishes. */
export function jwtCheck(
  { authUrl, audience, scope }: { readonly authUrl: string; readonly audience?: string; readonly scope?: string },
  clock: SimulatedClock,
): JwtCheck {
  const accepted = new Set<string>();
  const revoked = new Set<string>();
  let keys: JSONWebKeySet | undefined;

  async function verified(token: string) {
    const expected = {
      issuer: authUrl,
      currentDate: new Date(clock.nowMs()),
      ...(audience !== undefined && { audience }),
    };
    const verify = (set: JSONWebKeySet) => jwtVerify(token, createLocalJWKSet(set), expected).catch(() => undefined);
    const known = keys && (await verify(keys));
    if (known !== undefined) return known;
    keys = await keysAt(authUrl);
    return await verify(keys);
  }

  return {
    async check({ headers }) {
      const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
      const payload = token === '' ? undefined : (await verified(token))?.payload;
      const granted = payload?.['scope'];
      const scopes = typeof granted === 'string' ? granted.split(' ') : [];
      if (payload === undefined || revoked.has(token)) {
        throw new Refused(401, 'no valid token', { 'www-authenticate': 'Bearer error="invalid_token"' });
      }
      if (scope !== undefined && !scopes.includes(scope)) throw new Refused(403, `the token lacks the scope ${scope}`);
      accepted.add(token);
      return payload.sub ?? '';
    },
    invalidate() {
      for (const token of accepted) revoked.add(token);
    },
  };
}

/** Throws 503 where the authorisation server is away, because nothing can be verified then. */
async function keysAt(authUrl: string): Promise<JSONWebKeySet> {
  try {
    // A kept connection would end with a restart of that server, and this question with it.
    const answer = await fetch(`${authUrl}${KEYS_PATH}`, { headers: { connection: 'close' } });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return (await answer.json()) as JSONWebKeySet;
  } catch (cause) {
    throw new Refused(503, `the keys of ${authUrl}: ${String(cause)}`);
  }
}
