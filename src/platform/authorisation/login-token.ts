import type { Authorisation, Credentials, Grant, Http, LoginContext } from '../contract.ts';

/** The login call of a platform. */
export interface LoginCall<O> {
  /** Trades the credentials for a token; throws `credentials-rejected` where the platform refuses them. */
  readonly login: (http: Http, credentials: Credentials, context: LoginContext<O>) => Promise<Grant>;
  /** Trades `grant.renewal` for a new token; undefined where the platform refuses it. Called only with a `renewal`. */
  readonly renew?: (http: Http, grant: Grant & { readonly renewal: string }) => Promise<Grant | undefined>;
  /** The headers that carry the token. */
  readonly header: (token: string) => Readonly<Record<string, string>>;
}

/** Authorisation of platforms that trade a user and a password for a token in a call of their own. */
export function loginToken<O = unknown>({ login, renew, header }: LoginCall<O>): Authorisation<O> {
  const signed = {
    sign: (_credentials: Credentials, token: string | undefined) => (token === undefined ? {} : header(token)),
    obtain: login,
  };
  if (renew === undefined) return signed;
  return {
    ...signed,
    renew: async (http, grant) => {
      const { renewal } = grant;
      return renewal === undefined ? undefined : await renew(http, { ...grant, renewal });
    },
  };
}
