import { setMaxListeners } from 'node:events';
import { claimable } from '../database/presence.ts';
import { drain } from './drain.ts';
import type { DelivererGround } from './drain.ts';
import { countWaiting } from './waiting.ts';

/** Delivers the readings of all outboxes. */
export interface Deliverer {
  /** Begins to deliver projects that have readings to deliver and that no other process has claimed. Does not wait for the end. */
  look(): Promise<void>;
  /** Finds out which outboxes are full. */
  count(): Promise<void>;
  /** Begins no new body. Resolves when the bodies under way are answered, or broken off after `STOP_MS`. */
  stop(): Promise<void>;
}

/** At most this many projects are delivered at a time, each with a body or two in memory. */
const MOST_AT_ONCE = 16;

/** At most this many of them may be projects whose last delivery failed, because those may hold their place until a time-out. */
const MOST_FAILING = 8;

/** How long a stop waits for answers, ms. A body that is broken off is sent again by the process that delivers next. */
const STOP_MS = 5_000;

const DUE = `
  select project_id as id, failures > 0 as failing from remote
  where state = 'active' and (held_until is null or held_until <= now()) and ${claimable('claimed_by', '$1')}
    and exists (select from outbox where outbox.project_id = remote.project_id)
  order by failures > 0, last_delivery_at nulls first`;

export function delivererOf(ground: DelivererGround): Deliverer {
  const { database, workerId, log } = ground;
  const running = new Map<number, { readonly failing: boolean; readonly done: Promise<void> }>();
  const ending = { stopping: false, abort: new AbortController() };
  // Each delivery adds a listener; without this Node would warn of a leak.
  setMaxListeners(0, ending.abort.signal);
  let countsAgainAt = 0;

  const hasPlace = (failing: boolean): boolean =>
    running.size < MOST_AT_ONCE &&
    (!failing || [...running.values()].filter((other) => other.failing).length < MOST_FAILING);

  return {
    async look() {
      if (ending.stopping) return;
      for (const { id, failing } of await database.rows<{ id: number; failing: boolean }>(DUE, [workerId])) {
        if (running.has(id) || !hasPlace(failing)) continue;
        const done = drain(ground, id, { stopping: () => ending.stopping, signal: ending.abort.signal })
          .catch((error: unknown) => {
            // The claim stays with this process, which delivers the project again at its next look.
            log.debug({ err: error }, 'delivery broke off');
          })
          .finally(() => running.delete(id));
        running.set(id, { failing, done });
      }
    },
    async count() {
      const began = performance.now();
      if (began < countsAgainAt) return;
      for (const { project, full, waiting } of await countWaiting(database)) {
        if (full)
          log.warn({ project, waiting }, 'the outbox is full: sources of this project are not asked until it has room');
        else log.info({ project, waiting }, 'the outbox has room again');
      }
      // A very long outbox takes long to count, and is therefore counted more rarely.
      countsAgainAt = performance.now() + 20 * (performance.now() - began);
    },
    async stop() {
      ending.stopping = true;
      const patience = setTimeout(() => ending.abort.abort(), STOP_MS);
      await Promise.all([...running.values()].map(({ done }) => done));
      clearTimeout(patience);
    },
  };
}
