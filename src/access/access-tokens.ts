import { randomUUID } from 'node:crypto';
import { SignJWT, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { CryptoKey } from 'jose';
import { z } from 'zod';
import { SECOND, toMillis } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import { REVOKED } from './revocations.ts';
import type { SigningKeys } from './signing-keys.ts';
import { ALGORITHM } from './stored-signing-keys.ts';

/** The only scope: the holder of an access token may push data. */
export const SCOPE = 'data';

/** The holder of an access token, and the scope and projects it is valid for. */
export interface AccessToken {
  readonly applicationId: string;
  readonly organisationId: string;
  readonly scope: typeof SCOPE;
  /** Codes of the only projects it may be used for; null: every project of its organisation. */
  readonly projects: readonly string[] | null;
  /** The number that access tokens of the application had when it was made. */
  readonly generation: number;
  readonly expiresAt: Instant;
}

/** A refused token. `expired`: it was valid before, so the client should renew it (interface spec 7). */
export interface TokenRefused {
  readonly refused: 'expired' | 'invalid';
  /** For the client; never holds the token. */
  readonly message: string;
  /** For the log. `revoked`: the application was revoked. `withdrawn`: tokens made until some instant were ended. */
  readonly reason: 'expired' | 'invalid' | 'revoked' | 'withdrawn';
  /** The application of a token that this service issued; undefined for any other text. */
  readonly applicationId?: string;
}

export interface AccessTokens {
  /** Throws where no token can be issued now. Called before a refresh token is used, because a failure would waste it. */
  assertCanIssue(): Promise<void>;
  /** A signed JWT. `lifetimeSeconds` count from the next whole second, so the token never lives shorter than promised. */
  issueAccessToken(
    holder: Omit<AccessToken, 'scope' | 'expiresAt'>,
    lifetimeSeconds: number,
  ): Promise<{ readonly token: string; readonly expiresAt: Instant }>;
  /** Throws only where the keys or revocations cannot be read from the database. */
  verifyAccessToken(token: string): Promise<AccessToken | TokenRefused>;
}

/** This service never issues a longer token. */
const LONGEST_TOKEN_CHARACTERS = 8_192;

/** At most this many verified tokens are kept, because checking a signature takes longer than all other checks together. */
const MOST_VERIFIED_TOKENS = 2_000;

const claimsSchema = z.object({
  sub: z.string(),
  org: z.string(),
  scope: z.literal(SCOPE),
  projects: z.array(z.string()).optional(),
  // Tokens of earlier versions have none.
  gen: z.int().default(0),
  iat: z.int(),
  exp: z.int(),
  jti: z.string(),
});

const invalid = (message: string): TokenRefused => ({ refused: 'invalid', reason: 'invalid', message });

/** Issues and checks access tokens. `issuer` is both `iss` and `aud`, because the same service issues and accepts them. */
export function accessTokensOf(given: {
  readonly keys: SigningKeys;
  /** Applications whose tokens were ended recently, with the least generation that is valid. */
  readonly leastGeneration: () => Promise<ReadonlyMap<string, number>>;
  readonly clock: SharedClock;
  readonly issuer: string;
}): AccessTokens {
  const { keys, leastGeneration, clock, issuer } = given;
  const verified = new Map<string, { readonly kid: string; readonly holder: AccessToken }>();

  async function check(token: string, kid: string, key: CryptoKey): Promise<AccessToken | TokenRefused> {
    try {
      const currentDate = new Date(toMillis(clock.now()));
      const options = { algorithms: [ALGORITHM], issuer, audience: issuer, clockTolerance: 0, currentDate };
      const claims = claimsSchema.safeParse((await jwtVerify(token, key, options)).payload);
      if (!claims.success) return invalid('the claims of the token are not those of a token of this service');
      const { sub, org, scope, projects, gen: generation, exp } = claims.data;
      const expiresAt = exp * SECOND;
      const holder = {
        applicationId: sub,
        organisationId: org,
        scope,
        projects: projects ?? null,
        generation,
        expiresAt,
      };
      if (verified.size >= MOST_VERIFIED_TOKENS) verified.delete(verified.keys().next().value ?? '');
      verified.set(token, { kid, holder });
      return holder;
    } catch (error) {
      // The signature is checked before the expiry, so its application is known.
      if (error instanceof errors.JWTExpired) return expired(error.payload.sub);
      if (error instanceof errors.JOSEError) return invalid('the token was not issued by this service, or was changed');
      throw error;
    }
  }

  return {
    async assertCanIssue() {
      await keys.signer();
    },

    async issueAccessToken({ applicationId, organisationId, projects, generation }, lifetimeSeconds) {
      const now = clock.now() / SECOND;
      const exp = Math.ceil(now) + lifetimeSeconds;
      const { kid, key } = await keys.signer();
      const token = await new SignJWT({
        org: organisationId,
        scope: SCOPE,
        gen: generation,
        ...(projects && { projects }),
      })
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
      const known = verified.get(token);
      const kid = known?.kid ?? kidOf(token);
      const key = kid === undefined ? undefined : await keys.verifier(kid);
      if (kid === undefined || key === undefined) return invalid('the token was not signed by this service');
      const holder = known?.holder ?? (await check(token, kid, key));
      if ('refused' in holder) return holder;
      if (holder.expiresAt <= clock.now()) {
        verified.delete(token);
        return expired(holder.applicationId);
      }
      const least = (await leastGeneration()).get(holder.applicationId) ?? 0;
      const { applicationId } = holder;
      if (least === REVOKED) return { ...invalid('the application was revoked'), reason: 'revoked', applicationId };
      if (holder.generation < least) {
        return { ...invalid('the token was withdrawn; create a new one'), reason: 'withdrawn', applicationId };
      }
      return holder;
    },
  };
}

const expired = (applicationId: string | undefined): TokenRefused => ({
  refused: 'expired',
  reason: 'expired',
  message: 'the token has expired; renew it or create a new one',
  ...(applicationId !== undefined && { applicationId }),
});

/** The key id in the header of a token; undefined where its length, form or algorithm shows that it was not issued here. */
function kidOf(token: string): string | undefined {
  if (token.length > LONGEST_TOKEN_CHARACTERS) return undefined;
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return alg === ALGORITHM && typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}
