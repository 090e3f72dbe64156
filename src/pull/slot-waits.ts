import { MILLISECOND, MINUTE, SECOND } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';

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
export const LONGEST_REST: Microseconds = MINUTE;

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
