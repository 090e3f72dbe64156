import { PushError } from '../client/index.ts';
import type { PushAnswer, PushClient } from '../client/index.ts';
import type { Outgoing } from './head.ts';

/** A reading that the remote service refused, with its reason. */
export interface RefusedThere {
  readonly outgoing: Outgoing;
  readonly reason: string;
  readonly message: string;
}

/** How many readings a body holds. */
export interface BodySize {
  readonly size: number;
  /** Bodies of this size that the service took since the size changed. */
  readonly good: number;
}

/** The result of sending readings. */
export interface DeliveredReadings {
  readonly requests: number;
  readonly refused: readonly RefusedThere[];
  /** The size for the next body. */
  readonly batch: BodySize;
}

/** A body holds at most this many readings: enough for speed, about a megabyte of JSON. */
export const BODY_READINGS = 10_000;

/** After this many good bodies a larger one is tried. */
const GROW_AFTER = 50;

/** Where readings are sent. `push` sends one body. */
export interface DeliveryTarget {
  readonly client: Pick<PushClient, 'push'>;
  readonly code: string;
  /** Aborting it breaks off the body under way. */
  readonly signal: AbortSignal;
  /** Called before each body; throws where no further body may be sent. */
  readonly assertGoing: () => void;
}

/**
 * Sends readings in order, one body after the other.
 *
 * - A body that is too large is halved. The size that works is kept, and grown after `GROW_AFTER` good bodies.
 * - Where the service refused more readings than its answer names, all readings after the last named one are sent again,
 *   so that each refusal is known; the good ones among them count as duplicates there.
 * - A reading that is too large by itself is refused, so that it does not hold up the others. Where each reading is too
 *   large, the fault is the service's and is thrown.
 *
 * Throws PushError where not all readings could be sent; all of them may be sent again.
 */
export async function deliverReadings(
  { client, code, signal, assertGoing }: DeliveryTarget,
  readings: readonly Outgoing[],
  batch: BodySize,
): Promise<DeliveredReadings> {
  const refused: RefusedThere[] = [];
  let requests = 0;
  let { size, good } = batch;
  let tooLarge = 0;
  for (let from = 0; from < readings.length;) {
    const body = readings.slice(from, from + size);
    assertGoing();
    requests += 1;
    try {
      const answer = await client.push(
        code,
        body.map(({ reading }) => reading),
        { signal },
      );
      const { named, seen } = refusalsOf(answer, body);
      refused.push(...named);
      from += seen;
      if (body.length === size) good += 1;
      if (good >= GROW_AFTER) [size, good] = [Math.min(2 * size, BODY_READINGS), 0];
    } catch (error) {
      if (!(error instanceof PushError) || error.fault.code !== 'too-large') throw error;
      const [only, more] = body;
      if (only !== undefined && more === undefined) {
        tooLarge += 1;
        if (tooLarge === readings.length) throw error;
        refused.push({ outgoing: only, reason: error.fault.code, message: error.message });
        from += 1;
        size = batch.size;
      } else [size, good] = [Math.ceil(body.length / 2), 0];
    }
  }
  return { requests, refused, batch: { size, good } };
}

/** The refusals that an answer names, and of how many readings of the body (`seen`) the result is known. */
function refusalsOf(
  { refused, refusedCount }: PushAnswer,
  body: readonly Outgoing[],
): { readonly named: RefusedThere[]; readonly seen: number } {
  const named = refused.map(({ index, reason, message }) => {
    const outgoing = body[index];
    if (outgoing === undefined) throw new RangeError(`the remote service refused reading ${index} of ${body.length}`);
    return { outgoing, reason, message };
  });
  const last = refused.at(-1);
  return { named, seen: last !== undefined && refusedCount > refused.length ? last.index + 1 : body.length };
}
