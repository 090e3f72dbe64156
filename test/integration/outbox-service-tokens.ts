import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export const APPLICATION = 'app_outbox';
/** Holds characters that form-encoding has to change before the secret becomes Basic credentials. */
export const SECRET = 'se:cret &%+=ü-0123456789';

/** One call of the token endpoint. */
export interface TokenCall {
  readonly grant: string;
  status: number;
}

/** How the token endpoint departs from that of a bridge. */
export interface TokenManners {
  /** Seconds an access token lives. */
  lifetime: number;
  /** Answers without the lifetimes of the tokens. */
  silentAboutLifetime: boolean;
  refuseRefresh: boolean;
  /** Refuses the application. */
  refuseClient: boolean;
  /** The status of all answers, which then hold no token. */
  broken: number | undefined;
  delayMs: number;
}

/** The token endpoint, and the tokens that the data endpoint accepts. */
export interface ServiceTokens {
  readonly manners: TokenManners;
  readonly calls: readonly TokenCall[];
  /** The secret and all tokens, which must not appear in a table or log. */
  readonly secrets: () => string[];
  isGood(authorization: string | undefined): boolean;
  /** Ends all access tokens given so far. */
  expireAll(): void;
  /** Whether all access tokens are refused, also new ones. */
  refuseAll(refused: boolean): void;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export function tokensOfService(violations: string[]): ServiceTokens {
  const manners: TokenManners = {
    lifetime: 600,
    silentAboutLifetime: false,
    refuseRefresh: false,
    refuseClient: false,
    broken: undefined,
    delayMs: 0,
  };
  const calls: TokenCall[] = [];
  const access = new Map<string, number>();
  const refresh = new Set<string>();
  const given: string[] = [];
  let refusing = false;

  /** The error of RFC 6749; undefined where the request is right. */
  function errorOf(form: URLSearchParams, authorization: string | undefined): [number, string] | undefined {
    const grant = form.get('grant_type');
    if (grant === 'client_credentials') {
      const right = authorization === basicOf(APPLICATION, SECRET) && !manners.refuseClient;
      return right ? undefined : [401, 'invalid_client'];
    }
    if (grant !== 'refresh_token') return [400, 'unsupported_grant_type'];
    if (authorization !== undefined) violations.push('a renewal with credentials');
    if (form.get('scope') !== 'data') violations.push('a renewal without the scope data');
    // Good for one use, because a second use would mean that two processes renew at the same time.
    const right = refresh.delete(form.get('refresh_token') ?? '') && !manners.refuseRefresh;
    return right ? undefined : [400, 'invalid_grant'];
  }

  return {
    manners,
    calls,
    secrets: () => [SECRET, encodeURIComponent(SECRET), basicOf(APPLICATION, SECRET).slice(6), ...given],
    isGood: (authorization) =>
      !refusing && (access.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '') ?? 0) > Date.now(),
    expireAll: () => access.clear(),
    refuseAll: (refused) => (refusing = refused),
    async answer(request, response) {
      const form = new URLSearchParams(await text(request));
      const call: TokenCall = { grant: form.get('grant_type') ?? '', status: 0 };
      calls.push(call);
      if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') violations.push('form content type');
      if (manners.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, manners.delayMs));
      const say = (status: number, body: unknown): void => {
        call.status = status;
        const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
        response.writeHead(status, headers).end(JSON.stringify(body));
      };
      if (manners.broken !== undefined) {
        return say(manners.broken, { error: 'temporarily_unavailable', error_description: `busy: ${SECRET}` });
      }
      const error = errorOf(form, request.headers.authorization);
      if (error) return say(error[0], { error: error[1], error_description: `not with ${SECRET}` });
      const seconds = manners.lifetime;
      const expires = new Date(Date.now() + seconds * 1000);
      const token = jwtOf({ exp: Math.floor(expires.getTime() / 1000), jti: randomUUID() });
      const renewal = `refresh+/=${randomUUID()}`;
      access.set(token, expires.getTime());
      refresh.add(renewal);
      given.push(token, renewal);
      const lifetimes = {
        expires_in: seconds,
        expiration_date: expires.toISOString(),
        refresh_token_expires_in: 3_600,
        refresh_token_expiration_date: new Date(Date.now() + 3_600_000).toISOString(),
      };
      say(200, {
        access_token: token,
        token_type: 'bearer',
        refresh_token: renewal,
        ...(manners.silentAboutLifetime ? {} : lifetimes),
      });
    },
  };
}

/** RFC 6749, section 2.3.1: id and secret are form-encoded first. */
const basicOf = (id: string, secret: string): string => {
  const encoded = [id, secret].map((part) => new URLSearchParams([['', part]]).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
};

const jwtOf = (claims: object): string =>
  [{ alg: 'ES256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('c2lnbmF0dXJl')
    .join('.');
