import type { Logger } from 'pino';
import { clientOf } from './attempts.ts';
import type { ApiMeters } from './meters.ts';

/** An authentication, or a request without the right to it, that was refused. Nothing in it is a secret. */
export interface RefusedAuthentication {
  readonly requestId: string;
  /** Address of the client. */
  readonly address: string;
  /** Few different words, such as `expired-token`. */
  readonly reason: string;
  /** The application, where it is known; of a wrong secret, the application that the client named. */
  readonly application?: string | undefined;
  /** The operator, where it signed in and may not do this. */
  readonly operator?: string | undefined;
  /** Method and path of the route, where the request was refused for another reason than its credential. */
  readonly route?: string | undefined;
}

/** The log of refused authentications. */
export interface RefusedAuthentications {
  note(refused: RefusedAuthentication): void;
  /** Logs how many lines were left out since the last call. Called once a minute, and at the end. */
  readonly sum: () => void;
}

/** At most this many pairs of address and reason have lines in a minute; all others together have one. */
const MOST_PAIRS = 500;

/**
 * One line for the first refusal of an address and reason in a minute; the others of that minute are counted and told in
 * one line at its end. So neither a client with an old token nor an attacker fills the log.
 */
export function refusedAuthenticationsOf(log: Logger, meters?: ApiMeters): RefusedAuthentications {
  const pairs = new Map<
    string,
    { readonly address: string; readonly reason: string; readonly what: string; suppressed: number }
  >();
  let others = 0;
  return {
    note({ requestId, address, reason, application, operator, route }) {
      if (route === undefined) meters?.unauthenticated(reason);
      const key = `${clientOf(address)} ${reason}`;
      const known = pairs.get(key);
      if (known !== undefined) known.suppressed += 1;
      else if (pairs.size >= MOST_PAIRS) others += 1;
      else {
        const what = route === undefined ? 'authentications' : 'requests';
        pairs.set(key, { address: clientOf(address), reason, what, suppressed: 0 });
        // A token expires in the normal course of things, and its client renews it.
        log[reason === 'expired-token' ? 'info' : 'warn'](
          { requestId, address, reason, application, operator, route },
          route === undefined ? 'an authentication was refused' : 'a request was refused',
        );
      }
    },
    sum() {
      for (const { address, reason, what, suppressed } of pairs.values()) {
        if (suppressed > 0) log.info({ address, reason, suppressed }, `more ${what} were refused`);
      }
      if (others > 0) log.warn({ suppressed: others }, 'authentications of very many addresses were refused');
      pairs.clear();
      others = 0;
    },
  };
}
