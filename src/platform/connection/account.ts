import { randomUUID } from 'node:crypto';
import { credentialsRejected } from '../../core/errors.ts';
import type { Permit } from './layer.ts';
import { CHECK_CREDENTIALS } from './statuses.ts';

/** After this many refused requests no request carries the secret any more, because platforms lock accounts after three. */
export const MOST_REFUSED = 2;

/**
 * Whether an attempt may send the secret. `probe`: it alone may, until it ends. `proven`: the credentials work, so any
 * number may. `wait`: another attempt finds out whether they work. `rejected`: they were refused `MOST_REFUSED` times.
 */
export type Admission = 'probe' | 'proven' | 'wait' | 'rejected';

/**
 * One account at a platform: an address, a user or client, and its secret. All sources and hosts with the same three
 * share it. A new account and one that was refused are in doubt: their secret goes with one request at a time, the probe.
 */
export interface AccountStore {
  /** Waits for logins of this process that came before; see `Attempt.inTurn`. @returns ends the turn */
  turn?(signal: AbortSignal): Promise<() => void>;
  /** What this process knows of renewals of its tokens. */
  readonly renewals?: Renewals;
  /**
   * `alone`: only as a probe, also where the credentials work. `hasSlot`: the attempt holds a slot of the pace. After a refusal
   * a probe is admitted without one first, when no request that left before the refusal is under way any more: it may be
   * refused as well. A second call of the probe keeps its place.
   */
  admit(attempt: string, how: { readonly alone: boolean; readonly hasSlot: boolean }): Promise<Admission>;
  /**
   * Counts a refused request, or more where one refusal says enough.
   * @returns how many were refused since the last success. `right`: this source was refused before, and the platform has accepted
   * the credentials from another one since, so they are valid and what is missing is a right on the path of this source
   */
  refuse(attempt: string, requests: number, said?: string): Promise<number | 'right'>;
  /** Keeps what the platform said at a refusal that is counted already. */
  explain(said: string): Promise<void>;
  /** What it said last; undefined where nobody has read it yet. */
  lastRefusal(): Promise<string | undefined>;
  /** The probe was answered, so the credentials work. */
  prove(attempt: string): Promise<void>;
  /** The probe ended without an answer to its question. */
  leave(attempt: string): Promise<void>;
}

/**
 * Renewals of the tokens of one account. A new password or key ends all tokens at once: once one source has learned that, the others
 * log in and do not find it out one by one.
 */
export interface Renewals {
  /** Whether one was refused a moment ago. */
  areRefused(): boolean;
  /** One was refused. */
  refused(): void;
}

/** One use of the secret: a request with its redirects and repeats, or a login. */
export interface Attempt {
  /**
   * Waits until the logins of the account that began earlier in this process have ended. The caller takes a slot of the pace only after
   * that. Throws `throttled` where that takes long, and `cancelled` where `signal` is aborted.
   */
  inTurn(signal: AbortSignal): Promise<void>;
  readonly permit: Permit;
  /**
   * `said`: undefined where the answer is not read yet, because its slot is held until the refusal is counted.
   * @returns what is at fault where no further attempt makes sense
   */
  refused(said?: string): Promise<'credentials' | 'right' | undefined>;
  /** The answer to a refused attempt is read. */
  explained(said: string): Promise<void>;
  accepted(): Promise<void>;
  /** Call it last, whatever happened. */
  ended(): Promise<void>;
}

/**
 * An attempt of a request that carries the secret, or of a login. Logins of an account go one after the other, and one
 * refusal of them is final: they are rare, and a login has no other reason to be refused than its credentials. `redact` takes
 * the secrets out of what the platform said (law 8), because adapters put its words into their own.
 */
export function attemptOf(store: AccountStore, kind: 'request' | 'login', redact: (text: string) => string): Attempt {
  const id = randomUUID();
  const isLogin = kind === 'login';
  let left = false;
  let probing = false;
  let refusals = 0;
  let endTurn: (() => void) | undefined;

  async function isAdmitted(hasSlot: boolean): Promise<boolean> {
    const admission = await store.admit(id, { alone: isLogin, hasSlot });
    if (admission === 'rejected') {
      const said = await store.lastRefusal();
      throw credentialsRejected(
        `the platform refused these credentials${inBrackets(said)}, so no further request carries them`,
        CHECK_CREDENTIALS,
      );
    }
    probing = admission === 'probe';
    return admission !== 'wait';
  }

  return {
    async inTurn(signal) {
      endTurn = await store.turn?.(signal);
    },
    permit: {
      async mayLeave(inDoubt) {
        const may = (!inDoubt && !isLogin) || (await isAdmitted(true));
        left ||= may;
        return may;
      },
      isReady: () => isAdmitted(false),
    },
    async refused(said) {
      if (!left) return 'credentials';
      left = false;
      probing = false;
      refusals += 1;
      const all = await store.refuse(id, isLogin ? MOST_REFUSED : 1, said && redact(said));
      if (all === 'right') return 'right';
      return all >= MOST_REFUSED || refusals >= MOST_REFUSED ? 'credentials' : undefined;
    },
    async explained(said) {
      // The refusal itself is counted, and the caller tells it.
      await store.explain(redact(said)).catch(() => undefined);
    },
    async accepted() {
      if (!probing) return;
      probing = false;
      await store.prove(id);
    },
    async ended() {
      // A probe that cannot be given back ends after a while all the same.
      if (probing) await store.leave(id).catch(() => undefined);
      endTurn?.();
    },
  };
}

/** The words of a refusal, for the middle of a sentence. */
export const inBrackets = (said: string | undefined): string => (said === undefined ? '' : ` (${said})`);

/** The account of one process alone: for checks of a source, each of which may try anew, and for tests. */
export function memoryAccount(): AccountStore & { readonly refusedRequests: () => number } {
  let proven = false;
  let refusedRequests = 0;
  let refused = 0;
  let probe: string | undefined;
  let last: string | undefined;
  const end = (attempt: string): void => {
    if (probe === attempt) probe = undefined;
  };
  return {
    refusedRequests: () => refusedRequests,
    async admit(attempt, { alone }) {
      if (refused >= MOST_REFUSED) return 'rejected';
      if (proven && !alone) return 'proven';
      probe ??= attempt;
      return probe === attempt ? 'probe' : 'wait';
    },
    async refuse(attempt, requests, said) {
      end(attempt);
      last = said ?? last;
      proven = false;
      refusedRequests += 1;
      return (refused += requests);
    },
    async explain(said) {
      last = said;
    },
    lastRefusal: () => Promise.resolve(last),
    async prove(attempt) {
      end(attempt);
      proven = true;
      refused = 0;
      last = undefined;
    },
    async leave(attempt) {
      end(attempt);
    },
  };
}
