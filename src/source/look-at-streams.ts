import type { Batch } from '../core/batch.ts';
import { asBridgeError, isUnanswered } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { MINUTE } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { PlannedStream } from '../pull/sensors/stream-plan.ts';
import type { Trial, TrialRead } from './trial.ts';

/** An operator waits, so a trial looks at no more streams than these, and begins no further one after a minute. */
export const MOST_STREAMS = 20;
const LONGEST_LOOK = MINUTE;

/** After this many streams that cannot be read the others are left alone. */
const MOST_UNREADABLE = 3;

export interface StreamLook extends TrialRead {
  readonly stream: PlannedStream;
}

export interface LooksAtStreams {
  readonly looks: readonly StreamLook[];
  readonly unreadable: readonly { readonly stream: PlannedStream; readonly error: BridgeError }[];
  /** Streams that were not looked at. */
  readonly left: readonly PlannedStream[];
}

/**
 * Reads one window of each stream, in their order. A fault of one stream is kept, and the others are looked at all the same.
 * Throws the faults that are those of the whole platform.
 */
export async function lookAtStreams(
  trial: Trial,
  streams: readonly PlannedStream[],
  given: {
    readonly window: Window;
    readonly keep: 'newest' | 'oldest';
    readonly maxReadings: number;
    readonly now: () => Instant;
  },
): Promise<LooksAtStreams> {
  const looks: StreamLook[] = [];
  const unreadable: { stream: PlannedStream; error: BridgeError }[] = [];
  const begun = given.now();
  for (const [index, stream] of streams.entries()) {
    const enough = index >= MOST_STREAMS || given.now() - begun > LONGEST_LOOK || unreadable.length >= MOST_UNREADABLE;
    if (enough) return { looks, unreadable, left: streams.slice(index) };
    try {
      looks.push({ stream, ...(await trial.read(stream, given.window, given.keep, given.maxReadings)) });
    } catch (caught) {
      const error = asBridgeError(caught);
      if (!isOfStream(error)) throw error;
      unreadable.push({ stream, error });
    }
  }
  return { looks, unreadable, left: [] };
}

/** Whether other streams may be answered all the same. */
const isOfStream = (error: BridgeError): boolean =>
  isUnanswered(error) ||
  error.code === 'too-much' ||
  error.code === 'contract-broken' ||
  error.code === 'too-costly' ||
  (error.fault.code === 'credentials-rejected' && error.fault.right);

/** The counts of several batches by reason. */
export function refusedByReason(batches: readonly Batch[]): Batch['refused'] {
  const refused = new Map<Parameters<Batch['refused']['get']>[0], number>();
  for (const batch of batches)
    for (const [reason, count] of batch.refused) refused.set(reason, (refused.get(reason) ?? 0) + count);
  return refused;
}
