import { SECOND } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';

/**
 * The claims of a JWT (RFC 7519), decoded but not verified, because the bridge only carries the token to the platform
 * that issued it. Empty where the text is not a JWT.
 */
export function jwtClaims(token: string): Readonly<Record<string, unknown>> {
  const payload = token.split('.')[1];
  if (payload === undefined) return {};
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? { ...claims } : {};
  } catch {
    return {};
  }
}

/** When a JWT expires by its `exp` (seconds since 1970); undefined where there is no valid `exp`. */
export function jwtExpiry(token: string): Instant | undefined {
  const { exp } = jwtClaims(token);
  const expiresAt = typeof exp === 'number' ? Math.floor(exp * SECOND) : undefined;
  return Number.isSafeInteger(expiresAt) ? expiresAt : undefined;
}
