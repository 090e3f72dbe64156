import type { Operation } from './operations.ts';

/** What goes wrong with a request, and with which. */
export interface Fault {
  /** The operation that meets it; default any. */
  readonly on?: Operation;
  /** Of which object; default any. */
  readonly key?: string | RegExp;
  /** How many requests meet it; default 1. */
  readonly times?: number;
  /** The answer in place of the work, such as 503 SlowDown. `retryAfter` in seconds. */
  readonly answer?: { readonly status: number; readonly code: string; readonly retryAfter?: number };
  /** The connection is reset when so many bytes of the upload have come in; nothing is stored. */
  readonly resetUploadAfter?: number;
  /** The connection is reset when so many bytes of the answer were sent. */
  readonly resetDownloadAfter?: number;
  /** The connection ends as if all was well after so many bytes of the answer, which has the length of the whole in its header. */
  readonly cutDownloadAfter?: number;
  /** The work is done, and the connection is reset in place of the answer. */
  readonly answerLost?: true;
  /** The answer is 200 and holds this error, as that of CompleteMultipartUpload may. */
  readonly errorInside?: string;
  /** The request is looked at when this is settled. */
  readonly waitFor?: Promise<unknown>;
}

export interface Faults {
  add(fault: Fault): void;
  /** Drops the faults that were not met yet. */
  heal(): void;
  /** The fault of this request, which it meets now. */
  next(operation: string, key: string): Fault | undefined;
}

/** Faults in the order in which they were added; a request meets the first that fits it. */
export function faultsOf(): Faults {
  let planned: { readonly fault: Fault; left: number }[] = [];
  return {
    add: (fault) => void planned.push({ fault, left: fault.times ?? 1 }),
    heal: () => (planned = []),
    next(operation, key) {
      const found = planned.find(
        ({ fault }) =>
          (fault.on ?? operation) === operation &&
          (typeof fault.key === 'string' ? fault.key === key : (fault.key?.test(key) ?? true)),
      );
      if (found === undefined) return undefined;
      found.left -= 1;
      if (found.left <= 0) planned = planned.filter((each) => each !== found);
      return found.fault;
    },
  };
}
