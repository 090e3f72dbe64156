import { SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';

/** A clock that was ahead and was set back. */
export interface SetBack {
  /** By the clock that was ahead: from this instant on, what was done may have been done too early. */
  readonly since: Instant;
  /** By how much too early at most. */
  readonly by: Microseconds;
}

/** A smaller change is the error of a measurement, or a clock that is slowed down or sped up. */
const STEP: Microseconds = 2 * SECOND;

/**
 * Finds out that a clock was set back, also where its time has passed the old one again. The witness is a clock that goes on
 * evenly, so a process sees only what happens while it runs. To be called with each new `offset` of the clock from the even one,
 * and the time `at` of the even one; the answer is undefined unless the clock was set back since the call before.
 */
export function setBackWatch(): (offset: Microseconds, at: Instant) => SetBack | undefined {
  /** The offsets since the start, each higher than the one before it, and the instant from which the clock may have had it. */
  const climbs: { offset: Microseconds; readonly since: Instant }[] = [];
  let lastAt: Instant | undefined;
  return (offset, at) => {
    const from = lastAt ?? at;
    lastAt = at;
    let back: SetBack | undefined;
    let top = climbs.at(-1);
    for (; top !== undefined && top.offset > offset + STEP; top = climbs.at(-1)) {
      back = { since: top.since, by: back?.by ?? top.offset - offset };
      climbs.pop();
    }
    if (top !== undefined && offset <= top.offset + STEP) top.offset = offset;
    else climbs.push({ offset, since: from + offset });
    return back;
  };
}
