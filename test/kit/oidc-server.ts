import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider, errors } from 'oidc-provider';
import type { Adapter, ClientMetadata, JWK } from 'oidc-provider';
import { freePort } from './free-port.ts';
import { watchForLeaks } from './leaks.ts';

/** A client, and how it has to show its secret. */
export interface OidcClient {
  readonly id: string;
  readonly secret: string;
  readonly authentication: 'post' | 'basic';
}

export interface OidcServerOptions {
  readonly clients: readonly OidcClient[];
  /** The API that the tokens are for where a client names none; a client that names another one is refused. */
  readonly resource?: string;
  /** The scopes that the server knows; the first one is the only one that its clients may have. */
  readonly scopes?: readonly [granted: string, ...denied: string[]];
  /** How long a token lives; 5 minutes unless told. */
  readonly lifetimeSeconds?: number;
}

/** A certified authorisation server on loopback: discovery, client credentials, JWTs and the keys that verify them. */
export interface OidcServer {
  readonly issuer: string;
  /** Each answer so far, such as `POST /token 200`. */
  readonly answers: readonly string[];
  /** Ends every connection; nothing listens until `start`. */
  stop(): Promise<void>;
  /** Listens at the same address. New keys make the tokens of before worth nothing. */
  start(keys: 'same keys' | 'new keys'): Promise<void>;
}

export async function openOidcServer(options: OidcServerOptions): Promise<OidcServer> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const answers: string[] = [];
  let key = await (firstKey ??= newKey());
  let server: Server;

  async function listen(): Promise<void> {
    const provider = providerOf(issuer, key, options);
    provider.use(async (context, next) => {
      await next();
      answers.push(`${context.method} ${context.path} ${context.status}`);
    });
    const answer = provider.callback();
    server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((listening, failed) => {
      server.once('error', failed).listen(port, '127.0.0.1', listening);
    });
  }
  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  await listen();
  watchForLeaks(
    `oidc-provider at ${issuer}`,
    () => server.listening,
    () => void stop(),
  );
  return {
    issuer,
    answers,
    stop,
    async start(keys) {
      if (keys === 'new keys') key = await newKey();
      await listen();
    },
  };
}

/** A key takes tens of milliseconds to make, and tests open many servers. */
let firstKey: ReturnType<typeof newKey> | undefined;

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  // `oidc-provider` names the key by its content.
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' } as JWK;
}

function providerOf(issuer: string, key: JWK, options: OidcServerOptions): Provider {
  const { clients, resource = 'https://api.example', scopes = [], lifetimeSeconds = 300 } = options;
  const [granted] = scopes;
  return new Provider(issuer, {
    adapter: () => nothingIsStored,
    clients: clients.map((client) => clientOf(client, granted)),
    jwks: { keys: [key] },
    scopes,
    ttl: { ClientCredentials: lifetimeSeconds },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        getResourceServerInfo(_context, asked) {
          if (asked !== resource) throw new errors.InvalidTarget();
          return {
            scope: scopes.join(' '),
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: lifetimeSeconds,
            jwt: { sign: { alg: 'RS256' } },
          };
        },
      },
    },
  });
}

const clientOf = ({ id, secret, authentication }: OidcClient, scope: string | undefined): ClientMetadata => ({
  client_id: id,
  client_secret: secret,
  token_endpoint_auth_method: authentication === 'post' ? 'client_secret_post' : 'client_secret_basic',
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
  ...(scope !== undefined && { scope }),
});

/** JWTs of client credentials need no store. */
const nothingIsStored: Adapter = {
  upsert: () => Promise.resolve(),
  find: () => Promise.resolve(undefined),
  findByUserCode: () => Promise.resolve(undefined),
  findByUid: () => Promise.resolve(undefined),
  consume: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  revokeByGrantId: () => Promise.resolve(),
};
