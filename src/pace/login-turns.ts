import { BridgeError } from '../core/errors.ts';
import { MINUTE, SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { retryDelay } from '../core/retry.ts';
import type { Renewals } from '../platform/connection/index.ts';
import { stoppedWaiting } from './pause.ts';

/** The logins of this process, one after the other for each account. */
export interface LoginTurns {
  /**
   * Waits for the logins of an account that came before.
   * Throws `throttled` where too many wait or the logins stand still, so that the sources of one account do not take the places of all
   * others, and `cancelled` where `signal` is aborted.
   * @returns ends the turn
   */
  take(digest: string, signal: AbortSignal): Promise<() => void>;
  /** The renewals of the tokens of an account. */
  renewalsOf(digest: string): Renewals;
}

/** So long the sources of an account whose renewal was refused log in without a try to renew. */
const RENEWALS_REST: Microseconds = MINUTE;

/** At most so many sources wait, about ten seconds. */
const MOST_WAITING = 100;

/** Where no login of an account ends for so long, ms, those that wait for it give up. */
const STANDS_STILL_MS = 5_000;

/** A source that gave up comes again after this. */
const COMES_AGAIN = { first: 20 * SECOND, most: 20 * SECOND } as const;

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: (why: Error) => void;
}

interface Line {
  readonly waiting: Set<Waiting>;
  stall?: NodeJS.Timeout;
}

/**
 * Without turns hundreds of sources that share an account would ask its row in the database again and again, and hold up the
 * one of them that may log in.
 */
export function loginTurns(now: () => Instant, standsStillMs = STANDS_STILL_MS): LoginTurns {
  const lines = new Map<string, Line>();
  /** When the last renewal of each account was refused; only those of the last minute. */
  const refusedAt = new Map<string, Instant>();
  const restsAt = (at: Instant | undefined): boolean => at !== undefined && at <= now() && now() < at + RENEWALS_REST;
  const later = (): BridgeError =>
    new BridgeError(
      { code: 'throttled', retryAt: now() + retryDelay(COMES_AGAIN, 1, Math.random()), stated: true, own: true },
      'other sources with the same credentials log in before, one after the other',
      { remedy: 'nothing to do: the source logs in when it is its turn; sources with a user of their own do not wait' },
    );

  function watch(line: Line): void {
    clearTimeout(line.stall);
    line.stall = setTimeout(() => {
      for (const { giveUp } of line.waiting) giveUp(later());
    }, standsStillMs).unref();
  }

  function next(digest: string, line: Line): void {
    const [first] = line.waiting;
    if (first === undefined) {
      clearTimeout(line.stall);
      lines.delete(digest);
      return;
    }
    line.waiting.delete(first);
    watch(line);
    first.begin();
  }

  return {
    renewalsOf: (digest) => ({
      areRefused: () => restsAt(refusedAt.get(digest)),
      refused() {
        for (const [other, at] of refusedAt) if (!restsAt(at)) refusedAt.delete(other);
        refusedAt.set(digest, now());
      },
    }),
    async take(digest, signal) {
      const line = lines.get(digest);
      const turn = (of: Line): (() => void) => {
        let ended = false;
        return () => {
          if (!ended) next(digest, of);
          ended = true;
        };
      };
      if (line === undefined) {
        const begun: Line = { waiting: new Set() };
        lines.set(digest, begun);
        return turn(begun);
      }
      if (signal.aborted) throw stoppedWaiting();
      if (line.waiting.size >= MOST_WAITING) throw later();
      if (line.waiting.size === 0) watch(line);
      await new Promise<void>((resolve, reject) => {
        const aborted = (): void => waiting.giveUp(stoppedWaiting());
        const end = (): void => signal.removeEventListener('abort', aborted);
        const waiting: Waiting = {
          begin() {
            end();
            resolve();
          },
          giveUp(why) {
            end();
            line.waiting.delete(waiting);
            reject(why);
          },
        };
        line.waiting.add(waiting);
        signal.addEventListener('abort', aborted, { once: true });
      });
      return turn(line);
    },
  };
}
