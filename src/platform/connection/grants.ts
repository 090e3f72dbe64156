import type { Authorisation, Credentials, Grant, Http } from '../contract.ts';
import { SECOND } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { phaseOf } from '../../core/schedule.ts';
import type { Attempt, Renewals } from './account.ts';
import type { Gate } from './gate.ts';
import { cancelled, hasCode } from './layer.ts';
import type { Conversation, Permit } from './layer.ts';
import type { Redactor } from './redaction.ts';
import type { GrantStore } from './tokens.ts';

/** A token is replaced at most this long before it expires. */
const LONGEST_MARGIN: Microseconds = 60 * SECOND;

/** The clock of a platform may be this far ahead of ours, the time on the network included. */
const LEEWAY: Microseconds = 5 * SECOND;

/** A caller takes over a login that another caller cancelled at most this often. */
const TAKE_OVERS = 3;

export interface Granting {
  /** The name of the source. Without one a token is renewed as late as it may be. */
  readonly source: string | undefined;
  readonly authorisation: Authorisation;
  readonly credentials: Credentials;
  /** The options of the source. */
  readonly options: unknown;
  readonly tokens: GrantStore;
  readonly redactor: Redactor;
  readonly gate: Gate;
  readonly now: () => Instant;
  /** A use of the secret by a login. */
  readonly attempt: () => Attempt;
  readonly renewals?: Renewals | undefined;
  /** An http that is paced but not signed. */
  readonly login: (conversation: Conversation, permit?: Permit) => Http;
}

/** The tokens of a connection. */
export interface ConnectionGrants {
  /** The kept token, or a new one where it is about to expire or there is none. */
  valid(conversation: Conversation): Promise<Grant>;
  /** A token in place of one the platform refused. */
  replace(stale: Grant | undefined, conversation: Conversation): Promise<Grant>;
  /** Gives the token back that no other process has, where the platform wants that. Never throws: such a token ends by itself, too. */
  giveBack(conversation: Conversation): Promise<void>;
  /** Whether a token has expired, or may have expired by the clock of the platform. */
  hasRunOut(grant: Grant): boolean;
}

export function grantsOf(given: Granting): ConnectionGrants {
  const { authorisation, credentials, options, tokens, redactor, gate, now } = given;
  let seen: { token: string; margin: Microseconds } | undefined;
  /** Refused, and not replaced yet, because other logins of the account come first: neither is sent again meanwhile. */
  let refused: { token?: string; renewal?: string } = {};

  /**
   * A token is renewed in the last fifth of its life, and at most in the last minute; earlier by a part of another fifth that follows from the
   * name of the source, the same in each process, so that sources whose tokens end together do not all log in at once. An unknown life begins
   * when this process first sees the token.
   */
  const marginOf = (life: Microseconds): Microseconds =>
    Math.min(LONGEST_MARGIN, life / 5) + (given.source === undefined ? 0 : phaseOf(given.source, life / 5));

  function isDue(grant: Grant): boolean {
    if (grant.expiresAt === undefined) return false;
    const left = grant.expiresAt - now();
    if (grant.expiresInSeconds !== undefined) return left <= marginOf(grant.expiresInSeconds * SECOND);
    if (seen?.token !== grant.token) seen = { token: grant.token, margin: marginOf(left) };
    return left <= seen.margin;
  }

  /** The end of a token whose life the platform gave in seconds, by the clock of the bridge. */
  function dated(grant: Grant): Grant {
    const { expiresInSeconds } = grant;
    return expiresInSeconds === undefined
      ? grant
      : { ...grant, expiresAt: now() + Math.floor(expiresInSeconds * SECOND) };
  }

  function learn(grant: Grant): Grant {
    redactor.learn(grant.token);
    redactor.learn(grant.renewal);
    return grant;
  }

  async function renewed(http: Http, previous: Grant | undefined): Promise<Grant | undefined> {
    if (previous?.renewal === undefined || authorisation.renew === undefined) return undefined;
    if (previous.renewalExpiresAt !== undefined && previous.renewalExpiresAt <= now()) return undefined;
    if (previous.renewal === refused.renewal || given.renewals?.areRefused() === true) return undefined;
    try {
      const grant = await authorisation.renew(http, previous, options);
      if (grant) return dated(keeping(grant, previous));
    } catch (error) {
      // A refused renewal does not mean that the credentials are refused, because they were not sent.
      if (!hasCode(error, 'credentials-rejected')) throw error;
      given.renewals?.refused();
    }
    refused = { ...refused, renewal: previous.renewal };
    return undefined;
  }

  async function fresh(previous: Grant | undefined, conversation: Conversation): Promise<Grant> {
    gate.pass();
    if (previous) learn(previous);
    const again = await renewed(given.login(conversation), previous);
    if (again) return learn(again);
    if (!authorisation.obtain) throw new TypeError('a token was asked for where there is no login');
    const attempt = given.attempt();
    try {
      await attempt.inTurn(conversation.signal);
      gate.pass();
      const login = given.login(conversation, attempt.permit);
      const context = { options, kept: previous?.keep };
      const grant = learn(dated(await authorisation.obtain(login, credentials, context)));
      await attempt.accepted();
      return grant;
    } catch (error) {
      if (!hasCode(error, 'credentials-rejected')) throw error;
      // Without a right the credentials are valid, so other sources with them go on.
      if (error.fault.code === 'credentials-rejected' && !error.fault.right) await attempt.refused(error.message);
      throw gate.close(error);
    } finally {
      await attempt.ended();
    }
  }

  async function replace(stale: Grant | undefined, conversation: Conversation): Promise<Grant> {
    if (stale) refused = { ...refused, token: stale.token };
    for (let takeOvers = 0; ; takeOvers += 1) {
      try {
        const grant = tokens.replace(stale, (previous) => fresh(previous, conversation));
        const got = learn(await orAborted(grant, conversation.signal));
        refused = {};
        return got;
      } catch (error) {
        // Another caller's login was cancelled, and this caller was not: it logs in itself.
        const cancelledElsewhere = hasCode(error, 'cancelled') && !conversation.signal.aborted;
        if (!cancelledElsewhere || takeOvers === TAKE_OVERS) throw error;
      }
    }
  }

  return {
    replace,
    hasRunOut: ({ expiresAt }) => expiresAt !== undefined && expiresAt <= now() + LEEWAY,
    async giveBack(conversation) {
      const grant = authorisation.revoke && tokens.drop?.();
      if (grant) await authorisation.revoke?.(given.login(conversation), learn(grant), options).catch(() => undefined);
    },
    async valid(conversation) {
      const kept = await tokens.current();
      const isUsable = kept !== undefined && kept.token !== refused.token && !isDue(kept);
      return isUsable ? learn(kept) : replace(kept, conversation);
    },
  };
}

/** A renewal answers with less than a login did, so the texts to keep stay where it names none. */
const keeping = (grant: Grant, { keep }: Grant): Grant =>
  grant.keep !== undefined || keep === undefined ? grant : { ...grant, keep };

/** Waits for a promise that callers share; throws `cancelled` as soon as this caller's signal is aborted. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(cancelled('cancelled while waiting for a login'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
