import { attemptsOf } from '../api/attempts.ts';
import type { Attempts } from '../api/attempts.ts';
import { newestKeys } from '../api/newest-keys.ts';
import type { SharedAttempts } from '../api/shared-attempts.ts';

/** How often a password may be tried. */
export interface SignInLimits {
  /**
   * Counts a try, in a browser in which that operator signed in before (its id) or in any other one. @returns the wait in s where it
   * must be refused unseen, 0 for none
   */
  begin(address: string, name: string, browser?: string): number;
  /** Remembers that the operator signed in at the address. */
  succeeded(address: string, name: string): void;
}

/** Tries in each period: of one name at one address, and of all names at an address. */
const OF_PAIR = 20;
const OF_ADDRESS = 100;
const PERIOD_MS = 15 * 60_000;

/** Characters of a name that are counted, because a client may send a name of any length. */
const LONGEST_KEY = 100;

/**
 * Tries count for the pair of address and name, and for the address, never for the name alone: a stranger that knows a name cannot
 * lock it for other addresses. Tries in a browser that the operator used before count for that browser alone, so strangers behind its
 * address spend none of them. An operator that signed in at an address before is exempt from the limit of that address.
 */
export function signInLimitsOf(
  given: { readonly nowMs?: () => number; readonly by?: SharedAttempts | undefined } = {},
): SignInLimits {
  const { nowMs, by } = given;
  const limited = (most: number, name: string): Attempts =>
    attemptsOf(most, { nowMs, periodMs: PERIOD_MS, shared: by && { by, name } });
  const ofPair = limited(OF_PAIR, 'passwords of a name');
  const ofAddress = limited(OF_ADDRESS, 'passwords of an address');
  const known = newestKeys();
  const pairOf = (address: string, name: string): string => `${address} ${name.slice(0, LONGEST_KEY)}`;
  return {
    begin(address, name, browser) {
      if (browser !== undefined) return ofPair.take(`browser ${browser}`);
      const pair = pairOf(address, name);
      if (known.has(pair)) return ofPair.take(pair);
      // Both or none is counted.
      const wait = Math.max(ofPair.wait(pair), ofAddress.wait(address));
      if (wait > 0) return wait;
      ofPair.take(pair);
      return ofAddress.take(address);
    },
    succeeded: (address, name) => known.add(pairOf(address, name)),
  };
}
