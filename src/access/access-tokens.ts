import { randomUUID } from 'node:crypto';
import { SignJWT, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { CryptoKey } from 'jose';
import { z } from 'zod';
import { SECOND, toMillis } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import type { SigningKeys } from './signing-keys.ts';
import { ALGORITHM } from './stored-signing-keys.ts';

/** What may be done with an access token: push data. There is no other scope. */
export const SCOPE = 'data';

/** Who holds an access token and what it is good for. */
export interface AccessToken {
  readonly applicationId: string;
  readonly organisationId: string;
  readonly scope: typeof SCOPE;
  /** Codes of the only projects it may be used for; null: every project of its organisation. */
  readonly projects: readonly string[] | null;
  readonly expiresAt: Instant;
}

/** Why a token is not accepted. `expired`: it was good once, and the client should renew it (seed 7). */
export interface TokenRefused {
  readonly refused: 'expired' | 'invalid';
  /** For the client; never holds the token. */
  readonly message: string;
}

export interface AccessTokens {
  /** Throws where no token can be issued now: asked before a refresh token is used up for nothing. */
  assertCanIssue(): Promise<void>;
  /** A signed JWT that lives `lifetimeSeconds`, counted from the next whole second: never shorter than promised. */
  issueAccessToken(
    holder: Omit<AccessToken, 'scope' | 'expiresAt'>,
    lifetimeSeconds: number,
  ): Promise<{ readonly token: string; readonly expiresAt: Instant }>;
  /** Throws only where keys or revocations cannot be read from the database. */
  verifyAccessToken(token: string): Promise<AccessToken | TokenRefused>;
}

/** Longer ones were not issued here. */
const LONGEST_TOKEN = 8_192;

/** Signatures are checked once for each of as many tokens: that takes longer than everything else here together. */
const REMEMBERED = 2_000;

const claimsSchema = z.object({
  sub: z.string(),
  org: z.string(),
  scope: z.literal(SCOPE),
  projects: z.array(z.string()).optional(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string(),
});

const invalid = (message: string): TokenRefused => ({ refused: 'invalid', message });

/** Issues and checks access tokens. `issuer` is both `iss` and `aud`: who issues them is who accepts them. */
export function accessTokensOf(given: {
  readonly keys: SigningKeys;
  /** Ids of applications that were revoked lately. */
  readonly revoked: () => Promise<ReadonlySet<string>>;
  readonly clock: SharedClock;
  readonly issuer: string;
}): AccessTokens {
  const { keys, revoked, clock, issuer } = given;
  const remembered = new Map<string, { readonly kid: string; readonly holder: AccessToken }>();

  async function check(token: string, kid: string, key: CryptoKey): Promise<AccessToken | TokenRefused> {
    try {
      const currentDate = new Date(toMillis(clock.now()));
      const options = { algorithms: [ALGORITHM], issuer, audience: issuer, clockTolerance: 0, currentDate };
      const claims = claimsSchema.safeParse((await jwtVerify(token, key, options)).payload);
      if (!claims.success) return invalid('the token does not hold what a token of this service holds');
      const { sub, org, scope, projects, exp } = claims.data;
      const expiresAt = exp * SECOND;
      const holder = { applicationId: sub, organisationId: org, scope, projects: projects ?? null, expiresAt };
      if (remembered.size >= REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
      remembered.set(token, { kid, holder });
      return holder;
    } catch (error) {
      if (error instanceof errors.JWTExpired) return EXPIRED;
      if (error instanceof errors.JOSEError) return invalid('the token was not issued by this service, or was changed');
      throw error;
    }
  }

  return {
    async assertCanIssue() {
      await keys.signer();
    },

    async issueAccessToken({ applicationId, organisationId, projects }, lifetimeSeconds) {
      const now = clock.now() / SECOND;
      const exp = Math.ceil(now) + lifetimeSeconds;
      const { kid, key } = await keys.signer();
      const token = await new SignJWT({ org: organisationId, scope: SCOPE, ...(projects && { projects }) })
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(applicationId)
        .setIssuedAt(Math.floor(now))
        .setExpirationTime(exp)
        .setJti(randomUUID())
        .sign(key);
      return { token, expiresAt: exp * SECOND };
    },

    async verifyAccessToken(token) {
      const known = remembered.get(token);
      const kid = known?.kid ?? kidOf(token);
      const key = kid === undefined ? undefined : await keys.verifier(kid);
      if (kid === undefined || key === undefined) return invalid('the token was not signed by this service');
      const holder = known?.holder ?? (await check(token, kid, key));
      if ('refused' in holder) return holder;
      if (holder.expiresAt <= clock.now()) {
        remembered.delete(token);
        return EXPIRED;
      }
      if ((await revoked()).has(holder.applicationId)) return invalid('the application was revoked');
      return holder;
    },
  };
}

const EXPIRED: TokenRefused = { refused: 'expired', message: 'the token has expired; renew it or create a new one' };

/** The id of the key a token says it was signed with; undefined for what is no token of ours at first sight. */
function kidOf(token: string): string | undefined {
  if (token.length > LONGEST_TOKEN) return undefined;
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return alg === ALGORITHM && typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}
