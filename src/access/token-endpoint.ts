import { SECOND, formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { SCOPE } from './access-tokens.ts';
import type { AccessToken, AccessTokens } from './access-tokens.ts';
import { authenticateApplication } from './applications.ts';
import { createRefreshToken, renewRefreshToken } from './refresh-tokens.ts';
import type { RefreshLifetimes, RefreshToken, RenewalRefused } from './refresh-tokens.ts';

/** A request to the token endpoint, without HTTP. An empty field counts as a missing field (RFC 6749, 3.2). */
export interface TokenRequest {
  readonly grantType?: string | undefined;
  /** Credentials of HTTP Basic, decoded. */
  readonly basic?: { readonly id: string; readonly secret: string } | undefined;
  readonly refreshToken?: string | undefined;
  readonly scope?: string | undefined;
  /** Address of the client, for the audit. */
  readonly address: string;
  /** Called where id and secret are right, before a token is made. An error that it throws ends the request. */
  readonly onMatch?: () => void;
  /** Called with the application and the grant when a token was made, for the log. */
  readonly onIssued?: (applicationId: string, grant: 'client_credentials' | 'refresh_token') => void;
}

/** The seven fields of a token response, for a created and for a renewed token. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly expires_in: number;
  readonly expiration_date: string;
  readonly refresh_token: string;
  readonly refresh_token_expires_in: number;
  readonly refresh_token_expiration_date: string;
}

/** An error of RFC 6749, section 5.2, with the status and header it is sent with. */
export interface GrantRefused {
  readonly status: 400 | 401;
  readonly error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type' | 'invalid_scope';
  readonly error_description: string;
  readonly wwwAuthenticate?: string;
  /** The application of a refresh token that was refused, for the log. */
  readonly applicationId?: string | undefined;
  /** The fault of that refresh token, for the log. */
  readonly renewal?: RenewalRefused['refused'];
}

export interface TokenEndpointParts {
  readonly database: Database;
  readonly accessTokens: AccessTokens;
  readonly clock: SharedClock;
  /** Lifetime of an access token issued now, in seconds. */
  readonly accessSeconds: () => number;
  readonly refreshLifetimes: RefreshLifetimes;
}

const refuse = (error: GrantRefused['error'], error_description: string): GrantRefused => ({
  status: 400,
  error,
  error_description,
});

/** The same answer for every fault of the credentials, so that it does not tell which part is wrong. */
const INVALID_CLIENT: GrantRefused = {
  status: 401,
  error: 'invalid_client',
  error_description: 'application id or secret is missing or wrong; send both by HTTP Basic authentication',
  wwwAuthenticate: 'Basic realm="databridge", charset="UTF-8"',
};

/** Creates (`client_credentials`) or renews (`refresh_token`) a token. Throws only where the database fails or no key can sign. */
export async function grantToken(
  parts: TokenEndpointParts,
  request: TokenRequest,
): Promise<TokenAnswer | GrantRefused> {
  switch (request.grantType || undefined) {
    case 'client_credentials':
      return await create(parts, request);
    case 'refresh_token':
      return await renew(parts, request);
    case undefined:
      return refuse('invalid_request', 'grant_type is missing');
    default:
      return refuse('unsupported_grant_type', 'grant_type must be client_credentials or refresh_token');
  }
}

async function create(parts: TokenEndpointParts, request: TokenRequest): Promise<TokenAnswer | GrantRefused> {
  const { database, clock, refreshLifetimes: lifetimes } = parts;
  const { basic } = request;
  const application = basic && (await authenticateApplication(database, basic.id, basic.secret));
  if (!application) return INVALID_CLIENT;
  request.onMatch?.();
  if (isOtherScope(request)) return OTHER_SCOPE;
  await parts.accessTokens.assertCanIssue();
  const now = clock.now();
  const { applicationId, secretHash } = application;
  const refreshToken = await createRefreshToken(database, { applicationId, secretHash, now, lifetimes });
  const made = await answer(parts, application, refreshToken, now);
  request.onIssued?.(applicationId, 'client_credentials');
  return made;
}

/**
 * A renewal needs no credentials (interface spec 4.3), but OAuth libraries send them. Credentials that are sent must be
 * right, and the token must belong to their application. A mistake in either does not use up the token.
 */
async function renew(parts: TokenEndpointParts, request: TokenRequest): Promise<TokenAnswer | GrantRefused> {
  const { database, clock, refreshLifetimes: lifetimes } = parts;
  const { basic, refreshToken: token, address } = request;
  const application = basic && (await authenticateApplication(database, basic.id, basic.secret));
  if (basic && !application) return INVALID_CLIENT;
  if (application) request.onMatch?.();
  if (!token) return refuse('invalid_request', 'refresh_token is missing');
  if (isOtherScope(request)) return OTHER_SCOPE;
  await parts.accessTokens.assertCanIssue();
  const now = clock.now();
  const applicationId = application?.applicationId;
  const renewed = await renewRefreshToken(database, { token, now, lifetimes, address, applicationId });
  if (!('refused' in renewed)) {
    const made = await answer(parts, renewed, renewed, now);
    request.onIssued?.(renewed.applicationId, 'refresh_token');
    return made;
  }
  const { refused, applicationId: owner } = renewed;
  return { ...refuse('invalid_grant', REFUSALS[refused]), renewal: refused, applicationId: owner };
}

/** A missing scope means the only scope (RFC 6749, sections 3.3 and 6). */
const isOtherScope = ({ scope }: TokenRequest): boolean => Boolean(scope) && scope !== SCOPE;

const OTHER_SCOPE = refuse('invalid_scope', `scope must be ${SCOPE}`);

const NOT_VALID = 'the refresh token is not valid; create a new token';

const REFUSALS: Readonly<Record<RenewalRefused['refused'], string>> = {
  unknown: NOT_VALID,
  foreign: NOT_VALID,
  revoked: NOT_VALID,
  expired: 'the refresh token has expired; create a new token',
  reused:
    'the refresh token was used before, so it and all tokens that followed from it were revoked; create a new token',
};

async function answer(
  { accessTokens, accessSeconds }: TokenEndpointParts,
  holder: Omit<AccessToken, 'scope' | 'expiresAt'>,
  refreshToken: RefreshToken,
  now: Instant,
): Promise<TokenAnswer> {
  const lifetime = accessSeconds();
  const { token, expiresAt } = await accessTokens.issueAccessToken(holder, lifetime);
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: lifetime,
    expiration_date: formatInstant(expiresAt),
    refresh_token: refreshToken.token,
    refresh_token_expires_in: Math.floor((refreshToken.expiresAt - now) / SECOND),
    refresh_token_expiration_date: formatInstant(refreshToken.expiresAt),
  };
}
