import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '../../core/instant.ts';
import { cancelled, requestName } from './layer.ts';
import type { SlotLane } from '../../core/pace.ts';
import type { Quota } from '../../core/rate-limit.ts';
import type { Permit, PlatformRequest, RequestEnd, Send, Wire } from './layer.ts';

/** A request that may not leave yet asks again after this, ms, then each time after twice as long, and at most for this long. */
const ASK_AGAIN_MS = 200;
const LONGEST_WAIT_MS = 5_000;

/** The permission to have one request under way. */
export interface Slot {
  /** The platform may refuse the credentials of the source, so each request that carries them asks before it leaves. */
  readonly inDoubt: boolean;
  /** Gives the slot back. An `abandoned` request keeps its place until the platform can have ended it; an `unsent` one does not count. */
  release(ending?: RequestEnd): Promise<void> | void;
}

export interface AboutRequest {
  /** The conversation has sent a request already, and would lose its answer, so a longer wait is worth it. */
  readonly begun?: boolean;
  /** The request is about a token. */
  readonly login?: boolean;
  /** Where it goes, for the pace of the host. */
  readonly url?: URL;
}

/** What an answer says about the pace besides a silence. */
export type PlatformSign =
  | { readonly why: 'throttled' | 'unavailable' }
  | { readonly why: 'quota'; readonly quota: Quota };

/** Gives the request slots of one source, which all hosts share (law 3). */
export interface Pacer {
  /** Resolves when the request may be sent; throws `throttled` when the wait is too long, `cancelled` when aborted. */
  slot(lane: SlotLane, signal: AbortSignal, about?: AboutRequest): Promise<Slot>;
  /** No request gets a slot before `until`. `sign`: why the platform is to be asked more slowly afterwards. */
  hold(until: Instant, sign?: PlatformSign): Promise<void>;
}

/** The slots that a connection holds. */
export class HeldSlots {
  #held = 0;
  #settled: (() => void)[] | undefined;

  /** Returns the function that gives the slot back. */
  hold(slot: Slot): (ending: RequestEnd) => void {
    this.#held += 1;
    return (ending) => void this.#giveBack(slot, ending);
  }

  async #giveBack(slot: Slot, ending: RequestEnd): Promise<void> {
    try {
      await slot.release(ending);
    } catch {
      // A slot that cannot be given back does not fail a request that worked: its lease expires.
    }
    this.#held -= 1;
    if (this.areBack) for (const told of this.#settled?.splice(0) ?? []) told();
  }

  get areBack(): boolean {
    return this.#held === 0;
  }

  /** Resolves when every slot has been given back. */
  settled(): Promise<void> {
    return this.areBack ? Promise.resolve() : new Promise((resolve) => (this.#settled ??= []).push(resolve));
  }
}

/** Every request waits for a slot and holds it until its answer has been read, has failed or was given up. */
export function paced({ pacer, slots }: { readonly pacer: Pacer; readonly slots: HeldSlots }, wire: Wire): Send {
  async function slotFor(request: PlatformRequest): Promise<Slot> {
    const { lane, signal, meter, login = false } = request.conversation;
    const asked = performance.now();
    try {
      return await pacer.slot(lane, signal, { begun: meter.requests > 0, login, url: request.url });
    } catch (error) {
      throw signal.aborted ? cancelled(`${requestName(request)}: cancelled while waiting for its turn`) : error;
    } finally {
      meter.waitedMs += performance.now() - asked;
    }
  }

  /** Takes a slot with which the request may leave. Returns the function that gives it back. */
  async function permitted(request: PlatformRequest): Promise<(ending: RequestEnd) => void> {
    const { permit, conversation } = request;
    for (;;) {
      const slot = await slotFor(request);
      const release = slots.hold(slot);
      try {
        if (permit === undefined || (await permit.mayLeave(slot.inDoubt))) {
          await conversation.allow?.(conversation.login === true);
          return release;
        }
      } catch (error) {
        release('unsent');
        throw error;
      }
      release('unsent');
      // The wait needs no slot, because the request it waits for needs one.
      await untilReady(request, permit);
    }
  }

  return async (request) => {
    const { signal } = request.conversation;
    if (signal.aborted) throw cancelled(`${requestName(request)}: cancelled before it was sent`);
    const release = await permitted(request);
    if (signal.aborted) {
      release('unsent');
      throw cancelled(`${requestName(request)}: cancelled before it was sent`);
    }
    return await wire(request, release);
  };
}

/**
 * The account is asked less and less, because hundreds of sources may share one whose platform hangs.
 * Throws `cancelled` where another request takes long to find out whether the credentials work: nothing is counted then.
 */
async function untilReady(request: PlatformRequest, permit: Permit): Promise<void> {
  const { signal } = request.conversation;
  const until = performance.now() + LONGEST_WAIT_MS;
  for (let wait = ASK_AGAIN_MS; !signal.aborted && performance.now() < until; wait *= 2) {
    await sleep(wait, undefined, { signal }).catch(() => undefined);
    if (await permit.isReady()) return;
  }
  throw cancelled(`${requestName(request)}: another request finds out whether the credentials work`);
}
