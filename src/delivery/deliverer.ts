import { setMaxListeners } from 'node:events';
import { claimable } from '../database/presence.ts';
import { drain } from './drain.ts';
import type { DelivererGround } from './drain.ts';
import { countWaiting } from './waiting.ts';

/** Hands over what stands in outboxes. */
export interface Deliverer {
  /** Begins with projects that have something to deliver and are in nobody else's hands. Does not wait for the end. */
  look(): Promise<void>;
  /** Finds out which outboxes are full. */
  count(): Promise<void>;
  /** Begins no new body; resolves when those under way are answered, or were broken off because that took too long. */
  stop(): Promise<void>;
}

/** Projects delivered at a time, each with a body or two in memory. */
const MOST_AT_ONCE = 16;

/** Of these, projects whose last delivery failed: they may hold their place until a time-out. */
const MOST_FAILING = 8;

/** How long a stop waits for answers, ms. What is broken off is sent again by whoever delivers next. */
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
  // Each delivery listens, which is no leak.
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
            // The claim is this process's own: it is taken up again at the next look.
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
      // A very long outbox takes long to count; then it is done more rarely.
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
