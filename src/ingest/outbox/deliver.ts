import { PushError } from '../../client/index.ts';
import type { PushClient, RefusedReading } from '../../client/index.ts';
import type { Outgoing } from './head.ts';

/** A reading the remote service did not take, with its reason. */
export interface RefusedThere {
  readonly outgoing: Outgoing;
  readonly reason: string;
  readonly message: string;
}

/** What became of readings that were sent. */
export interface Delivered {
  readonly requests: number;
  readonly refused: readonly RefusedThere[];
  /** Readings a body may hold, as known now. */
  readonly batch: number;
}

/**
 * Sends readings in order, one body after the other. A body that is too large is halved, and the size that works is
 * kept. Where more were refused than the answer names, what lies behind the last named one is sent again, so that each
 * refusal is known; the good ones among them count as duplicates there.
 * Throws PushError where not all could be sent: all of them may be sent again.
 */
export async function deliver(
  client: PushClient,
  code: string,
  readings: readonly Outgoing[],
  batch: number,
): Promise<Delivered> {
  const refused: RefusedThere[] = [];
  let requests = 0;
  let size = batch;
  for (let from = 0; from < readings.length;) {
    const body = readings.slice(from, from + size);
    requests += 1;
    try {
      const answer = await client.push(
        code,
        body.map(({ reading }) => reading),
      );
      refused.push(...answer.refused.map((one) => refusedThere(body, one)));
      const last = answer.refused.at(-1);
      from += last !== undefined && answer.refusedCount > answer.refused.length ? last.index + 1 : body.length;
    } catch (error) {
      const halvable = error instanceof PushError && error.fault.code === 'too-large' && body.length > 1;
      if (!halvable) throw error;
      size = Math.ceil(body.length / 2);
    }
  }
  return { requests, refused, batch: size };
}

function refusedThere(body: readonly Outgoing[], { index, reason, message }: RefusedReading): RefusedThere {
  const outgoing = body[index];
  if (outgoing === undefined) throw new RangeError(`the remote service refused reading ${index} of ${body.length}`);
  return { outgoing, reason, message };
}
