import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { SignJWT, decodeJwt, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWTPayload } from 'jose';
import { Provider } from 'oidc-provider';
import type { Adapter, AdapterPayload, JWK } from 'oidc-provider';
import { freePort } from './free-port.ts';
import { watchForLeaks } from './leaks.ts';

/** A certified OpenID provider on loopback at which one person is signed in already. */
export interface OidcIssuer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The person that is signed in: `sub` and other claims of its ID token. */
  person: { readonly sub: string } & Readonly<Record<string, unknown>>;
  /** Changes the claims of the next ID tokens; the issuer signs them with `key`, or its own. */
  tamper: ((claims: JWTPayload) => JWTPayload) | undefined;
  /** Signs the next ID tokens with a key that the issuer does not publish. */
  foreignKey: boolean;
  close(): Promise<void>;
}

/** Opens a provider for a client that comes back to `redirectUri`. */
export async function openOidcIssuer(redirectUri: string): Promise<OidcIssuer> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const { privateKey: foreign } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' } as JWK;
  const opened: Omit<OidcIssuer, 'close'> = {
    issuer,
    clientId: 'bridge',
    clientSecret: 'a secret of the client that is long',
    person: { sub: 'anna' },
    tamper: undefined,
    foreignKey: false,
  };
  const provider = new Provider(issuer, {
    adapter: memoryAdapter(),
    clients: [
      {
        client_id: opened.clientId,
        client_secret: opened.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [jwk] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    cookies: { keys: ['a key'] },
    claims: { openid: ['sub', 'roles', 'realm_access'], profile: ['preferred_username'], email: ['email'] },
    // The claims stand in the ID token, as most issuers for companies have it.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...opened.person, sub }) }),
    async loadExistingGrant(context) {
      const { client, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({
        ...(client && { clientId: client.clientId }),
        ...(session?.accountId !== undefined && { accountId: session.accountId }),
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    if (context.path.startsWith('/interaction/')) {
      await provider.interactionFinished(context.req, context.res, { login: { accountId: opened.person.sub } });
      context.respond = false;
      return;
    }
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (context.path === '/token' && body?.id_token !== undefined) {
      const key = opened.foreignKey ? foreign : privateKey;
      body.id_token = await signedAgain(body.id_token, key, opened.tamper);
    }
  });
  const answer = provider.callback();
  const server: Server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening);
  });
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  watchForLeaks(
    `OpenID provider at ${issuer}`,
    () => server.listening,
    () => void close(),
  );
  return Object.assign(opened, { close });
}

const signedAgain = (token: string, key: CryptoKey, tamper: (claims: JWTPayload) => JWTPayload = (claims) => claims) =>
  new SignJWT(tamper(decodeJwt(token))).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key);

function memoryAdapter(): (name: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
  return (name) => {
    const keyOf = (id: string): string => `${name}:${id}`;
    const found = (matches: (payload: AdapterPayload) => boolean) =>
      Promise.resolve([...stored].find(([key, payload]) => key.startsWith(`${name}:`) && matches(payload))?.[1]);
    return {
      upsert: (id, payload) => Promise.resolve(void stored.set(keyOf(id), payload)),
      find: (id) => Promise.resolve(stored.get(keyOf(id))),
      findByUserCode: (code) => found(({ userCode }) => userCode === code),
      findByUid: (uid) => found((payload) => payload.uid === uid),
      consume(id) {
        const payload = stored.get(keyOf(id));
        if (payload !== undefined) payload['consumed'] = Math.floor(Date.now() / 1000);
        return Promise.resolve();
      },
      destroy: (id) => Promise.resolve(void stored.delete(keyOf(id))),
      revokeByGrantId(grantId) {
        for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
        return Promise.resolve();
      },
    };
  };
}
