import type { Instant } from '../../core/instant.ts';
import { cancelled, requestName } from './layer.ts';
import type { Lane } from '../../core/plan.ts';
import type { PlatformRequest, Send } from './layer.ts';

/** The permission to have one request under way. */
interface Slot {
  release(): Promise<void> | void;
}

/** Gives the request slots of one source, which all hosts share (law 3). */
export interface Pacer {
  /** Resolves when the request may be sent; throws `throttled` when the wait is too long, `cancelled` when aborted. */
  slot(lane: Lane, signal: AbortSignal): Promise<Slot>;
  /** No request gets a slot before `until`. */
  hold(until: Instant): Promise<void>;
}

export interface Pacing {
  readonly send: Send;
  /** Resolves when every slot has been given back. */
  settled(): Promise<void>;
}

/** Every request waits for a slot and holds it until its answer has been read, has failed or was given up. */
export function paced(pacer: Pacer, send: Send): Pacing {
  const held = new Set<Promise<void>>();

  /** Returns the function that gives the slot back. */
  function hold(slot: Slot): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.add(promise);
    return () => {
      // A slot that cannot be given back does not fail a request that worked: its lease expires.
      const released = (async () => slot.release())().catch(() => undefined);
      void released.then(() => {
        held.delete(promise);
        resolve();
      });
    };
  }

  async function slotFor(request: PlatformRequest): Promise<Slot> {
    const { lane, signal, meter } = request.conversation;
    const asked = performance.now();
    try {
      return await pacer.slot(lane, signal);
    } catch (error) {
      throw signal.aborted ? cancelled(`${requestName(request)}: cancelled while waiting for its turn`) : error;
    } finally {
      meter.waitedMs += performance.now() - asked;
    }
  }

  return {
    async send(request) {
      const { signal } = request.conversation;
      if (signal.aborted) throw cancelled(`${requestName(request)}: cancelled before it was sent`);
      const release = hold(await slotFor(request));
      try {
        if (signal.aborted) throw cancelled(`${requestName(request)}: cancelled before it was sent`);
        const answer = await send(request);
        if (answer.body.closed) release();
        else answer.body.once('close', release);
        return answer;
      } catch (error) {
        release();
        throw error;
      }
    },
    async settled() {
      await Promise.all(held);
    },
  };
}
