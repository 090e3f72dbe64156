import { BridgeError } from '../core/errors.ts';
import { MILLISECOND } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';

/** Waits so many ms, as `setTimeout` of Node does. */
export type Sleep = (ms: number, value: undefined, options: { readonly signal: AbortSignal }) => Promise<unknown>;

/** Waits for a request slot or the end of a silence. Throws `cancelled` where `signal` is aborted meanwhile. */
export async function pause(sleep: Sleep, length: Microseconds, signal: AbortSignal): Promise<void> {
  if (length <= 0) return;
  try {
    await sleep(Math.ceil(length / MILLISECOND), undefined, { signal });
  } catch {
    throw stoppedWaiting();
  }
}

export const stoppedWaiting = (): BridgeError =>
  new BridgeError({ code: 'cancelled' }, 'stopped while waiting for a request slot');

/** Does one piece of work after the other, also where one fails. */
export function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
