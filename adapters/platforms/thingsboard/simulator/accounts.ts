import type { AccountOptions } from './options.ts';
import { authenticationFailed, passwordExpired } from './replies.ts';

/** The logins of a user name, known or not. `failedLogins` only grows; a success sets `failedInARow` to 0. */
export interface LoginRecord {
  logins: number;
  failedLogins: number;
  failedInARow: number;
  locked: boolean;
}

/** The accounts. Wrong passwords in a row lock an account. */
export class Accounts {
  readonly #accounts: ReadonlyMap<string, AccountOptions>;
  readonly #lockAfter: number;
  readonly #records = new Map<string, LoginRecord>();

  constructor(accounts: readonly AccountOptions[], lockAfter: number) {
    this.#accounts = new Map(accounts.map((account) => [account.username, account]));
    this.#lockAfter = lockAfter;
  }

  /** Throws 401/10 on an unknown user and a wrong password; on a locked account, whatever the password is. */
  logIn(username: string, password: string): AccountOptions {
    const record = this.#records.get(username) ?? { logins: 0, failedLogins: 0, failedInARow: 0, locked: false };
    this.#records.set(username, record);
    const account = this.#accounts.get(username);
    if (account?.password !== password || record.locked) {
      record.failedLogins += 1;
      record.failedInARow += 1;
      record.locked ||= record.failedInARow >= this.#lockAfter;
      throw authenticationFailed(record.locked ? 'User account is locked' : 'Invalid username or password');
    }
    if (account.passwordExpired) throw passwordExpired();
    record.logins += 1;
    record.failedInARow = 0;
    return account;
  }

  /** The account of an API key, which is its password unless the options list keys. Throws 401/10 on an unknown one. */
  ofKey(key: string): AccountOptions {
    const account = [...this.#accounts.values()].find(({ password, apiKeys = [password] }) => apiKeys.includes(key));
    if (!account) throw authenticationFailed();
    return account;
  }

  /** The account of a user whose token was accepted. */
  of(username: string): AccountOptions {
    const account = this.#accounts.get(username);
    if (!account) throw authenticationFailed();
    return account;
  }

  /** Per user name. */
  state(): Record<string, LoginRecord> {
    return Object.fromEntries(this.#records);
  }
}
