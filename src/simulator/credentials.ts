import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SimulatedClock } from './clock.ts';
import type { SimulatedRequest } from './contract.ts';
import { Refused, route } from './route.ts';
import type { CredentialCheck, Route } from './route.ts';

/** A user with a password, or a client with a secret. */
export interface Account {
  readonly username: string;
  readonly password: string;
}

/** HTTP Basic. */
export function basicCheck(accounts: readonly Account[]): CredentialCheck {
  return ({ headers }) => {
    const account = basicOf(headers.authorization, accounts);
    if (account === undefined) throw new Refused(401, 'wrong user or password', { 'www-authenticate': 'Basic' });
    return account.username;
  };
}

/** A key in a header of its own; the password of an account is its key. `prefix` stands before the key, as in `Token `. */
export function keyCheck(header: string, accounts: readonly Account[], prefix = ''): CredentialCheck {
  return ({ headers }) => {
    const account = accounts.find(({ password }) => headers[header.toLowerCase()] === `${prefix}${password}`);
    if (account === undefined) throw new Refused(401, 'wrong key');
    return account.username;
  };
}

type Use = 'access' | 'refresh';

/** The tokens that a simulator issues. They end by its clock, by `invalidate`, or when a restart makes it `forget` them. */
export class SimulatedTokens {
  readonly #clock: SimulatedClock;
  readonly #seconds: Readonly<Record<Use, number>>;
  readonly #issued = new Map<string, { readonly user: string; readonly use: Use; readonly endMs: number }>();

  constructor(clock: SimulatedClock, { access = 3600, refresh = 86_400 }: Partial<Record<Use, number>> = {}) {
    this.#clock = clock;
    this.#seconds = { access, refresh };
  }

  issue(user: string, use: Use = 'access'): { readonly token: string; readonly expiresInSeconds: number } {
    const token = randomBytes(24).toString('base64url');
    const seconds = this.#seconds[use];
    this.#issued.set(token, { user, use, endMs: this.#clock.nowMs() + seconds * 1000 });
    return { token, expiresInSeconds: seconds };
  }

  /** The user of a token; undefined where it was never issued for `use`, has ended or was revoked. */
  userOf(token: string, use: Use = 'access'): string | undefined {
    const issued = this.#issued.get(token);
    return issued?.use === use && this.#clock.nowMs() < issued.endMs ? issued.user : undefined;
  }

  /** Whether the token was there to be revoked. */
  revoke(token: string): boolean {
    return this.#issued.delete(token);
  }

  invalidate(which: 'all' | 'access'): void {
    for (const [token, { use }] of this.#issued) if (which === 'all' || use === which) this.#issued.delete(token);
  }

  forget(): void {
    this.#issued.clear();
  }

  /** Tokens that still work, for products whose tokens hold a licence. */
  count(use: Use = 'access'): number {
    return [...this.#issued.keys()].filter((token) => this.userOf(token, use) !== undefined).length;
  }
}

/** `Authorization: Bearer TOKEN`, or another header and prefix. */
export function tokenCheck(tokens: SimulatedTokens, header = 'authorization', prefix = 'Bearer '): CredentialCheck {
  return ({ headers }) => {
    const sent = String(headers[header] ?? '');
    const user = sent.startsWith(prefix) ? tokens.userOf(sent.slice(prefix.length)) : undefined;
    if (user === undefined) throw new Refused(401, 'no valid token', { 'www-authenticate': 'Bearer' });
    return user;
  };
}

export interface TokenEndpoint {
  readonly accounts: readonly Account[];
  readonly grant: (client: string, form: TokenForm) => unknown;
  /** How the client shows its secret; `either` unless told. */
  readonly clientAuthentication?: 'basic' | 'post' | 'either';
}

const tokenForm = z.strictObject({
  grant_type: z.string(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  scope: z.string().optional(),
  audience: z.string().optional(),
  resource: z.string().optional(),
});

export type TokenForm = z.output<typeof tokenForm>;

/** OAuth2 client credentials (RFC 6749, section 4.4). `grant` gives the body of the answer. */
export function tokenEndpoint({ accounts, grant, clientAuthentication = 'either' }: TokenEndpoint): Route {
  return route({
    open: true,
    body: tokenForm,
    async answer({ body, request }) {
      const byHeader = basicOf(request.headers.authorization, accounts, decodeURIComponent);
      const byBody = accounts.find((one) => one.username === body.client_id && one.password === body.client_secret);
      // RFC 6749, section 2.3: a client must not use more than one way in a request.
      const twoWays = request.headers.authorization !== undefined && body.client_secret !== undefined;
      const client =
        clientAuthentication === 'basic' ? byHeader : clientAuthentication === 'post' ? byBody : (byHeader ?? byBody);
      if (client === undefined) return oauthError(401, 'invalid_client');
      if (twoWays) return oauthError(400, 'invalid_request');
      if (body.grant_type !== 'client_credentials') return oauthError(400, 'unsupported_grant_type');
      const granted = JSON.stringify(await grant(client.username, body));
      return { status: 200, body: granted, headers: { 'cache-control': 'no-store' } };
    },
  });
}

/** The error of a token endpoint (RFC 6749, section 5.2). */
export const oauthError = (status: number, error: string) => ({ status, body: JSON.stringify({ error }) });

function basicOf(
  header: SimulatedRequest['headers']['authorization'],
  accounts: readonly Account[],
  decode: (text: string) => string = (text) => text,
): Account | undefined {
  const text = Buffer.from(/^Basic (\S+)$/.exec(header ?? '')?.[1] ?? '', 'base64').toString('utf8');
  const [name = '', ...rest] = text.split(':');
  return accounts.find(({ username, password }) => username === decode(name) && password === decode(rest.join(':')));
}
