import { retryAfterHeader } from '../api/problem.ts';
import { OperatorProblem } from './problem.ts';

/** How much work of a kind runs at the same time, and how much may wait for it. */
export interface ShareLimits {
  /** At the same time in this process, and of one operator. */
  readonly running: { readonly all: number; readonly each: number };
  /** In the queue of this process, and of one operator. */
  readonly waiting: { readonly all: number; readonly each: number };
  /** The longest wait, ms. */
  readonly waitMs: number;
  /** While it says true, one piece of work runs at a time in this process. */
  readonly isBusy?: () => boolean;
}

/** A share of the process for a kind of work of operators. */
export interface Share {
  /**
   * Runs the work when it is its turn: operators take turns, whoever has sent more requests. Throws 429 where the operator, and 503
   * where all operators together, have too much waiting, or where the turn does not come in time. Work whose `signal` aborts leaves the queue.
   */
  run<T>(operator: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly operator: number;
  readonly begin: () => void;
}

/** Seconds after which a request that found no room is worth another try. */
const AGAIN_SECONDS = 2;

export function shareOf({ running, waiting, waitMs, isBusy = () => false }: ShareLimits): Share {
  const queue: Waiting[] = [];
  const runs = new Map<number, number>();
  let all = 0;
  /** The operators in the order in which they began last. */
  const turns = new Map<number, number>();
  let turn = 0;

  const runsOf = (operator: number): number => runs.get(operator) ?? 0;

  const hasRoom = (): boolean => all < (isBusy() ? 1 : running.all);

  function beginNext(): void {
    while (hasRoom()) {
      const ready = queue.filter(({ operator }) => runsOf(operator) < running.each);
      const [first] = ready.toSorted((one, other) => (turns.get(one.operator) ?? 0) - (turns.get(other.operator) ?? 0));
      if (first === undefined) return;
      queue.splice(queue.indexOf(first), 1);
      first.begin();
    }
  }

  function enter(operator: number): void {
    all += 1;
    runs.set(operator, runsOf(operator) + 1);
    turns.set(operator, (turn += 1));
  }

  function leave(operator: number): void {
    all -= 1;
    const left = runsOf(operator) - 1;
    if (left > 0) runs.set(operator, left);
    else runs.delete(operator);
    if (left === 0 && !queue.some((one) => one.operator === operator)) turns.delete(operator);
    // What the process was asked meanwhile, such as a poll, comes before the next piece of work.
    setImmediate(beginNext);
  }

  function assertRoom(operator: number): void {
    const own = queue.filter((one) => one.operator === operator).length;
    if (own >= waiting.each) {
      throw new OperatorProblem('too-many-requests', `You have ${own} requests waiting, of at most ${waiting.each}.`, {
        remedy: 'Send the next one when one of them was answered.',
        headers: retryAfterHeader(AGAIN_SECONDS),
      });
    }
    if (queue.length >= waiting.all) throw busy();
  }

  function wait(operator: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(busy());
      const entry: Waiting = {
        operator,
        begin() {
          stop();
          enter(operator);
          resolve();
        },
      };
      const giveUp = (): void => {
        stop();
        queue.splice(queue.indexOf(entry), 1);
        reject(busy());
      };
      const timer = setTimeout(giveUp, waitMs);
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      queue.push(entry);
      beginNext();
    });
  }

  return {
    async run(operator, signal, work) {
      if (hasRoom() && runsOf(operator) < running.each && queue.length === 0) enter(operator);
      else {
        assertRoom(operator);
        await wait(operator, signal);
      }
      try {
        return await work();
      } finally {
        leave(operator);
      }
    },
  };
}

const busy = (): OperatorProblem =>
  new OperatorProblem('unavailable', 'Too many requests of operators wait for their turn.', {
    remedy: 'Send the same request again.',
    headers: retryAfterHeader(AGAIN_SECONDS),
  });
