import { BridgeError } from '../core/errors.ts';

/** The logins of this process, one after the other for each account. */
export interface LoginTurns {
  /**
   * Waits for the logins of an account that came before. `patient`: however many wait; a poll comes again at its time instead, so that
   * the sources of one account do not take the places of all others.
   * Throws `cancelled` where too many wait, where the logins stand still, and where `signal` is aborted.
   * @returns ends the turn
   */
  take(digest: string, how: { readonly patient: boolean; readonly signal: AbortSignal }): Promise<() => void>;
}

/** A poll waits behind so many logins at most. */
const MOST_WAITING = 100;

/** Where no login of an account ends for so long, ms, those that wait for it give up. */
const STANDS_STILL_MS = 5_000;

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: () => void;
}

interface Line {
  readonly waiting: Set<Waiting>;
  stall?: NodeJS.Timeout;
}

/**
 * Without turns hundreds of sources that share an account would ask its row in the database again and again, and hold up the
 * one of them that may log in.
 */
export function loginTurns(standsStillMs = STANDS_STILL_MS): LoginTurns {
  const lines = new Map<string, Line>();

  function watch(line: Line): void {
    clearTimeout(line.stall);
    line.stall = setTimeout(() => {
      for (const { giveUp } of line.waiting) giveUp();
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
    async take(digest, { patient, signal }) {
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
      if (signal.aborted || (!patient && line.waiting.size >= MOST_WAITING)) throw stopped();
      if (line.waiting.size === 0) watch(line);
      await new Promise<void>((resolve, reject) => {
        const end = (): void => signal.removeEventListener('abort', waiting.giveUp);
        const waiting: Waiting = {
          begin() {
            end();
            resolve();
          },
          giveUp() {
            end();
            line.waiting.delete(waiting);
            reject(stopped());
          },
        };
        line.waiting.add(waiting);
        signal.addEventListener('abort', waiting.giveUp, { once: true });
      });
      return turn(line);
    },
  };
}

const stopped = (): BridgeError =>
  new BridgeError({ code: 'cancelled' }, 'other sources with the same credentials log in before');
