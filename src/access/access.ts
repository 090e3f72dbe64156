import { DAY } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import type { Settings } from '../settings.ts';
import { accessTokensOf } from './access-tokens.ts';
import type { AccessTokens } from './access-tokens.ts';
import { revocationsOf } from './revocations.ts';
import type { Sealing } from './sealing.ts';
import { signingKeysOf } from './signing-keys.ts';
import type { SigningKeys } from './signing-keys.ts';
import { grantToken } from './token-endpoint.ts';
import type { GrantRefused, TokenAnswer, TokenRequest } from './token-endpoint.ts';
import { lifetimeFor } from '../core/token-lifetime.ts';

/** The part of this room that the `/v0` API uses. */
export interface Access {
  readonly grantToken: (request: TokenRequest) => Promise<TokenAnswer | GrantRefused>;
  readonly verifyAccessToken: AccessTokens['verifyAccessToken'];
  readonly jwks: SigningKeys['jwks'];
}

/** Called once in a process. `load` is how busy the service is, 0..1; the busier, the shorter new access tokens live. */
export function accessOf(given: {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly clock: SharedClock;
  readonly settings: Pick<
    Settings,
    'tokenMinSeconds' | 'tokenMaxSeconds' | 'refreshTokenDays' | 'refreshTokenMostDays' | 'tokenIssuer'
  >;
  readonly load: () => number;
}): Access {
  const { database, clock, settings, load } = given;
  const keys = signingKeysOf(given);
  const leastGeneration = revocationsOf(database, clock);
  const accessTokens = accessTokensOf({ keys, leastGeneration, clock, issuer: settings.tokenIssuer });
  const limits = { minSeconds: settings.tokenMinSeconds, maxSeconds: settings.tokenMaxSeconds };
  const parts = {
    database,
    accessTokens,
    clock,
    accessSeconds: () => lifetimeFor(load(), limits),
    refreshLifetimes: { unused: settings.refreshTokenDays * DAY, family: settings.refreshTokenMostDays * DAY },
  };
  return {
    grantToken: (request) => grantToken(parts, request),
    verifyAccessToken: (token) => accessTokens.verifyAccessToken(token),
    jwks: () => keys.jwks(),
  };
}
