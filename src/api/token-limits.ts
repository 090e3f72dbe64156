import { createHash } from 'node:crypto';
import type { ApiSettings } from '../settings-api.ts';
import { attemptsOf } from './attempts.ts';
import { newestKeys } from './newest-keys.ts';

/** A request to the token endpoint, before anything of it was checked. */
export interface TokenAttempt {
  /** The client's address, as `clientOf` gives it. */
  readonly address: string;
  /** Id and secret that the client sent. */
  readonly basic: { readonly id: string; readonly secret: string } | undefined;
}

/** How many requests the token endpoint takes from an address and from an application. Waits are in s, 0 for none. */
export interface TokenLimits {
  /** Counts a request. Returns the wait where it must be refused unseen. */
  request(attempt: TokenAttempt): number;
  /** Counts a request whose secret matched. Returns the wait where its application has asked too often. */
  matched(attempt: TokenAttempt): number;
  /** Counts a request that proved nothing. */
  failed(attempt: TokenAttempt): void;
}

/** Characters of an application id that are counted, because a client may send an id of any length. */
const LONGEST_KEY = 64;

/**
 * Whoever knows an application id must not stop the application. Therefore its budget is charged after its secret matched,
 * and failures count for the pair of address and application: thirty stop neither other applications behind that address
 * nor other addresses of that application. Both have ten times the limit, too. An address at which the application got a
 * token before is exempt from the limit of the application, and the secret that got it there from all limits of failures.
 */
export function tokenLimitsOf({
  tokensPerMinute,
  failuresPerMinute,
}: Pick<ApiSettings, 'tokensPerMinute' | 'failuresPerMinute'>): TokenLimits {
  const requests = attemptsOf(10 * tokensPerMinute);
  const tokens = attemptsOf(tokensPerMinute);
  const failures = attemptsOf(failuresPerMinute);
  const manyFailures = attemptsOf(10 * failuresPerMinute);
  /** Pairs of address and application that got a token. */
  const succeeded = newestKeys();
  /** The same with the hash of the secret. */
  const proved = newestKeys();

  return {
    request(attempt) {
      const { address, application, pair, proof } = keysOf(attempt);
      const wait = proved.has(proof)
        ? tokens.wait(application)
        : Math.max(
            failures.wait(pair),
            manyFailures.wait(address),
            succeeded.has(pair) ? 0 : manyFailures.wait(application),
          );
      return wait || requests.take(address);
    },
    matched(attempt) {
      const { application, pair, proof } = keysOf(attempt);
      succeeded.add(pair);
      proved.add(proof);
      return tokens.take(application);
    },
    failed(attempt) {
      const { address, application, pair, proof } = keysOf(attempt);
      proved.delete(proof);
      failures.take(pair);
      manyFailures.take(address);
      if (attempt.basic !== undefined) manyFailures.take(application);
    },
  };
}

/** The names under which an attempt is counted. `proof` holds no secret, only its hash. */
function keysOf({ address, basic }: TokenAttempt): {
  readonly address: string;
  readonly application: string;
  readonly pair: string;
  readonly proof: string;
} {
  const id = basic?.id.slice(0, LONGEST_KEY) ?? '';
  const pair = `${address} ${id}`;
  const hash = createHash('sha256')
    .update(basic?.secret ?? '')
    .digest('base64url');
  return { address: `address ${address}`, application: `application ${id}`, pair, proof: `${pair} ${hash}` };
}
