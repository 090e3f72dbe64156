import { z } from 'zod';
import type { Account } from './credentials.ts';
import { Refused } from './route.ts';
import type { CredentialCheck } from './route.ts';

/** The schema of the option `accounts` of a simulator. */
export const accountsField = z.array(z.strictObject({ username: z.string(), password: z.string() }));

/** The clients that have an account here, of those that `check` accepts; all of them without `accounts`. The others get a 403. */
export function clientsOnly(check: CredentialCheck, accounts: readonly Account[] | undefined): CredentialCheck {
  return async (request) => {
    const user = await check(request);
    if (accounts?.every(({ username }) => username !== user)) throw new Refused(403, `${user} has no rights here`);
    return user;
  };
}
