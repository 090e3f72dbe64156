import { MILLISECOND, MINUTE, SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Reservation, SlotLane } from '../core/pace.ts';
import { retryDelay } from '../core/retry.ts';

/**
 * A request waits at most this long for its slot. For a longer wait it fails with `throttled`, and the planner takes over. A
 * window that has begun waits for the slots of its further requests, because what it has read would be thrown away.
 */
export const LONGEST_WAIT: Microseconds = 5 * SECOND;

/**
 * History waits for little longer than `LONGEST_WAIT` in all. Live may take every slot of a source for ever, and a run that
 * waits keeps the history of other sources waiting. A run that gave up rests, longer each time that no history of the source got
 * a slot, but at most for about this long, so that it finds a slot that comes free.
 */
const LONGEST_REST: Microseconds = MINUTE;

/** How far ahead a slot may be reserved. History's horizon is short, because live has to wait for every slot it reserves. */
export const HORIZON = { live: LONGEST_WAIT, history: 100 * MILLISECOND };

/** A slot of a host lies at one instant, and that of the source has to lie there, too. */
export const AT_ONCE = { live: 0, history: 0 };

/** A request of a begun window, or the first one of history, waits so many slots longer, because others may take some of them. */
export const SLOTS_AWAITED = { begun: 10, first: 2 };

/** A request that waits for another one to end looks again this often. */
export const LOOK_AGAIN: Microseconds = 100 * MILLISECOND;

/** While all leases are taken, the pacer looks this often for leases of silent workers. */
export const ASK_FOR_SILENT: Microseconds = SECOND;

/** A request that missed its slot by more than this takes a new one, because other requests went on meanwhile. */
export const LATE: Microseconds = SECOND;

interface Waiting {
  readonly lane: SlotLane;
  readonly begun: boolean;
}

/** The first request of a window of history waits for so long and no longer in all. */
export const isBounded = ({ lane, begun }: Waiting): boolean => lane === 'history' && !begun;

/**
 * How long history rests that waited for a slot in vain: by chance, so that streams which give up at a time do not always come back
 * when another one has the place.
 */
export function restAfter(waited: Microseconds): Microseconds {
  const most = Math.min(LONGEST_REST, Math.max(LONGEST_WAIT, waited));
  return LONGEST_WAIT + retryDelay({ first: most, most }, 1, Math.random());
}

/** Until when a request without a slot waits before it asks again; or, where it does not wait, when it may come again at the earliest. */
export function waitFor(
  { askAgainAt, why }: Extract<Reservation, { kind: 'wait' }>,
  asking: Waiting & { readonly at: Instant; readonly givesUpAt: Instant },
): { readonly until: Instant; readonly waits: boolean; readonly inVain: boolean } {
  const { lane, begun, at, givesUpAt } = asking;
  const until = why === 'concurrency' ? Math.min(askAgainAt, at + LOOK_AGAIN) : askAgainAt;
  // Where the platform asked for silence, the next live request finds out whether it has ended (law 4).
  if (lane !== 'live' && why === 'hold') return { until, waits: false, inVain: false };
  const hasTime = why === 'live' || ((why === 'pace' || why === 'host') && begun);
  const isSoon = hasTime ? until <= givesUpAt : until - at <= LONGEST_WAIT;
  const inVain = isSoon && isBounded(asking) && until > givesUpAt;
  return { until, waits: isSoon && !inVain, inVain };
}
