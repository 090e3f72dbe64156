import type { PushFetch, PushGrant, Remote } from './contract.ts';
import { exchange } from './exchange.ts';
import type { Answered } from './exchange.ts';
import { PushError, notABridge } from './fault.ts';
import { pushErrorOf, isPage, oauthErrorOf, parsedObject } from './statuses.ts';

export interface TokenClientParts {
  readonly remote: Remote;
  /** Address of the token endpoint. */
  readonly url: URL;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly fetch: PushFetch;
  readonly nowMs: () => number;
}

/**
 * A new grant: renewed where the previous grant has a refresh token that the service accepts, otherwise created with the
 * credentials of the application. Throws PushError.
 */
export async function obtainGrant(parts: TokenClientParts, previous: PushGrant | undefined): Promise<PushGrant> {
  const refreshToken = usableRefreshToken(previous, parts.nowMs());
  return (refreshToken === undefined ? undefined : await renew(parts, refreshToken)) ?? (await create(parts));
}

function usableRefreshToken(grant: PushGrant | undefined, nowMs: number): string | undefined {
  const isPast = grant?.refreshExpiresAtMs !== undefined && grant.refreshExpiresAtMs <= nowMs;
  return isPast || grant?.refreshToken === '' ? undefined : grant?.refreshToken;
}

/** Renews without the application's credentials; undefined where the service refuses the refresh token. */
async function renew(parts: TokenClientParts, refreshToken: string): Promise<PushGrant | undefined> {
  const answered = await post(parts, { grant_type: 'refresh_token', scope: 'data', refresh_token: refreshToken });
  const isRefused = (answered.status === 400 || answered.status === 401) && oauthErrorOf(answered) !== undefined;
  return isRefused ? undefined : grantOf(parts, answered, [refreshToken]);
}

async function create(parts: TokenClientParts): Promise<PushGrant> {
  const { applicationId, applicationSecret } = parts.remote;
  const basic = Buffer.from(`${formEncoded(applicationId)}:${formEncoded(applicationSecret)}`).toString('base64');
  const answered = await post(parts, { grant_type: 'client_credentials' }, { authorization: `Basic ${basic}` });
  const secrets = [applicationSecret, formEncoded(applicationSecret), basic];
  if (answered.status >= 400 && !isPage(answered) && oauthErrorOf(answered)?.error === 'invalid_client') {
    const message = `${parts.url.origin} does not accept the id and secret of the application`;
    throw new PushError({ code: 'credentials-rejected' }, message);
  }
  return grantOf(parts, answered, secrets);
}

/** RFC 6749, section 2.3.1: id and secret are form-encoded before they become Basic credentials. */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

const post = (
  { url, userAgent, timeoutMs, fetch }: TokenClientParts,
  form: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Answered> =>
  exchange(
    {
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'user-agent': userAgent,
        ...more,
      },
      body: new URLSearchParams(form).toString(),
    },
    { fetch, timeoutMs },
  );

function grantOf({ url, nowMs }: TokenClientParts, answered: Answered, secrets: readonly string[]): PushGrant {
  const now = nowMs();
  if (answered.status !== 200) throw pushErrorOf(answered, { url, nowMs: now, secrets });
  const found = parsedObject(answered.text) ?? {};
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken } = found;
  if (!isToken(accessToken) || (typeof type === 'string' && type.toLowerCase() !== 'bearer')) {
    throw notABridge(`${url.origin} answers 200 to a token request, but without a token`);
  }
  return {
    accessToken,
    expiresAtMs: instantOf(found['expires_in'], now) ?? expiryOf(accessToken, now),
    ...(typeof refreshToken === 'string' && refreshToken !== ''
      ? { refreshToken, refreshExpiresAtMs: instantOf(found['refresh_token_expires_in'], now) }
      : {}),
  };
}

/** Whether a value may stand in a header; the error of fetch would quote any other value. */
export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);

/** A lifetime counts from the arrival of the answer, so that the clocks of the two hosts may differ. */
const instantOf = (seconds: unknown, now: number): number | undefined =>
  typeof seconds === 'number' && seconds > 0 && seconds < 1e10 ? now + seconds * 1000 : undefined;

/**
 * `exp` of a JWT in ms since 1970. The signature is not verified, because the service does that. Undefined where `exp` has
 * passed, because then the clocks of the two hosts differ, and only a 401 can tell that the token has expired.
 */
function expiryOf(token: string, now: number): number | undefined {
  const [, claims = ''] = token.split('.');
  const { exp } = parsedObject(Buffer.from(claims, 'base64url').toString('utf8')) ?? {};
  return typeof exp === 'number' && exp * 1000 > now ? exp * 1000 : undefined;
}
