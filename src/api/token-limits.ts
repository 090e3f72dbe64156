import { createHash } from 'node:crypto';
import type { ApiSettings } from '../settings-api.ts';
import { attemptsOf } from './attempts.ts';
import type { Attempts } from './attempts.ts';
import { newestKeys } from './newest-keys.ts';
import type { SharedAttempts } from './shared-attempts.ts';

/** A request to the token endpoint, before anything of it was checked. */
export interface TokenAttempt {
  /** The client's address, as `clientOf` gives it. */
  readonly address: string;
  /** Id and secret that the client sent. */
  readonly basic: { readonly id: string; readonly secret: string } | undefined;
  readonly refreshToken: string | undefined;
}

/** How many requests the token endpoint takes from an address and from an application. Waits are in s, 0 for none. */
export interface TokenLimits {
  /** Counts a request. Returns the wait where it must be refused unseen. */
  request(attempt: TokenAttempt): number;
  /** Counts a request whose secret matched. Returns the wait where its application has asked too often. */
  matched(attempt: TokenAttempt): number;
  /** Remembers a refresh token that an address got. */
  issued(address: string, refreshToken: string): void;
  /** Counts a request that proved nothing. */
  failed(attempt: TokenAttempt): void;
}

/** Characters of an application id that are counted, because a client may send an id of any length. */
const LONGEST_KEY = 64;

/**
 * A client that knows no secret must stop no other client. Therefore the budget of an application is charged after its
 * secret matched, and failures count for the pair of address and application, or of address and refresh token: thirty of
 * them stop neither neighbours behind that address nor other addresses of that application. An address and an application
 * have ten times that limit. An address at which the application got a token before is exempt from the limit of the
 * application. A secret that matched there, and a refresh token that was given there, are exempt from all limits of
 * failures until they fail.
 */
export function tokenLimitsOf(
  { tokensPerMinute, failuresPerMinute }: Pick<ApiSettings, 'tokensPerMinute' | 'failuresPerMinute'>,
  by: SharedAttempts,
): TokenLimits {
  const requests = attemptsOf(10 * tokensPerMinute, { shared: { by, name: 'token requests' } });
  const tokens = attemptsOf(tokensPerMinute, { shared: { by, name: 'tokens' } });
  const failures = attemptsOf(failuresPerMinute, { shared: { by, name: 'token failures' } });
  const manyFailures = attemptsOf(10 * failuresPerMinute, { shared: { by, name: 'many token failures' } });
  /** Pairs of address and application that got a token. */
  const succeeded = newestKeys();
  /** Pairs with the hash of a secret that matched, or of a refresh token that was given. */
  const proved = newestKeys();

  return {
    request(attempt) {
      const { address, application, pair, proof } = keysOf(attempt);
      const wait = proved.has(proof)
        ? waitOf(tokens, application)
        : Math.max(
            failures.wait(pair),
            manyFailures.wait(address),
            succeeded.has(pair) ? 0 : waitOf(manyFailures, application),
          );
      return wait || requests.take(address);
    },
    matched(attempt) {
      const { application, pair, proof } = keysOf(attempt);
      succeeded.add(pair);
      proved.add(proof);
      return application === undefined ? 0 : tokens.take(application);
    },
    issued(address, refreshToken) {
      proved.add(keysOf({ address, basic: undefined, refreshToken }).proof);
    },
    failed(attempt) {
      const { address, application, pair, proof } = keysOf(attempt);
      proved.delete(proof);
      failures.take(pair);
      manyFailures.take(address);
      if (application !== undefined) manyFailures.take(application);
    },
  };
}

const waitOf = (attempts: Attempts, key: string | undefined): number => (key === undefined ? 0 : attempts.wait(key));

interface Keys {
  readonly address: string;
  /** Undefined where the client named none. */
  readonly application: string | undefined;
  readonly pair: string;
  readonly proof: string;
}

/** The names under which an attempt is counted. They hold no secret, only its hash. */
function keysOf({ address, basic, refreshToken }: TokenAttempt): Keys {
  if (basic !== undefined) {
    const id = basic.id.slice(0, LONGEST_KEY);
    const pair = `${address} ${id}`;
    return {
      address: `address ${address}`,
      application: `application ${id}`,
      pair,
      proof: `${pair} ${hashOf(basic.secret)}`,
    };
  }
  const pair = refreshToken ? `${address} token ${hashOf(refreshToken)}` : `${address} `;
  return { address: `address ${address}`, application: undefined, pair, proof: pair };
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
