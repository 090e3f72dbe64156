import type { Instant } from '../core/instant.ts';
import type { Http } from './http.ts';

/** The kind of credentials a customer hands over; `adapters/kinds` has the schema of each. */
export type KindName = 'user-credentials' | 'client-credentials' | 'separate-auth-server' | 'historian' | 'custom';

/** The `connection` block of a source by field (`url`, `username`, …), its secrets in clear. Never log or keep it. */
export type Credentials = Readonly<Record<string, string>>;

/** A token as the platform granted it. */
export interface Grant {
  readonly token: string;
  /** Undefined where the platform names no end: the token is then used until it is refused. */
  readonly expiresAt: Instant | undefined;
  /** How long the token lives from now on, where the platform says that instead: the bridge's clock decides when it ends. */
  readonly expiresInSeconds?: number;
  /** The refresh token, where the platform gives one. */
  readonly renewal?: string;
  readonly renewalExpiresAt?: Instant;
  /** Texts that the next login or renewal needs, such as the address of the token endpoint. Sealed and shared like the token. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** The part of a source that a login needs besides its credentials. */
export interface LoginContext<O> {
  readonly options: O;
  /** `keep` of the last grant, also where that has expired. */
  readonly kept: Readonly<Record<string, string>> | undefined;
}

/**
 * How the credentials of a kind sign a request. The bridge keeps the grant encrypted and shares it with all its hosts;
 * it replaces it before it expires and after one 401, by one `renew` or `obtain` at a time over all hosts.
 */
export interface Authorisation<O = unknown> {
  /** The headers that sign a request. `token` is undefined where there is no `obtain`, as with HTTP Basic. */
  readonly sign: (credentials: Credentials, token: string | undefined, options: O) => Readonly<Record<string, string>>;
  /** The fields that sign a request in its JSON body, for a platform that takes the token there. A request without one stays as it is. */
  readonly signBody?: (token: string) => Readonly<Record<string, string>>;
  /**
   * Whether an answer with status 200 refuses the token, for a platform that says so in the body. Such an answer counts as one
   * with 401. Each answer is read whole before the adapter gets it, also a stream.
   */
  readonly refusesToken?: (text: string) => boolean;
  /**
   * Logs in. Its `http` waits for the pace and signs nothing; an absolute address reaches another server, such as
   * `authUrl`. Throws `credentials-rejected` where the platform refuses the credentials.
   */
  readonly obtain?: (http: Http, credentials: Credentials, context: LoginContext<O>) => Promise<Grant>;
  /** Trades `grant.renewal` for a new grant. Undefined where the platform refuses: the bridge then calls `obtain`. */
  readonly renew?: (http: Http, grant: Grant, options: O) => Promise<Grant | undefined>;
  /**
   * Gives a token back, where tokens that are not used cost the customer something, such as a licence. Called for the token of a
   * check or a preview when that ends. The token of a registered source is shared by all hosts and stays for the next poll.
   */
  readonly revoke?: (http: Http, grant: Grant, options: O) => Promise<void>;
}
