import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { listBackfills } from '../source/backfill/state.ts';
import type { BackfillState } from '../source/backfill/state.ts';
import { eventsAfter, presentPosition } from '../source/events.ts';
import type { BridgeEvent, EventPosition } from '../source/events.ts';

/** How often the database is asked for events, ms: a page shows a change within a second. */
const LOOK_MS = 250;
/** Between two looks at the progress of backfills, and between two positions that are told without an event, ms. */
const PROGRESS_MS = 5_000;
const ALIVE_MS = 15_000;
/** Without a stream for so long the events between are nobody's, ms. */
const IDLE_MS = 2_000;
const EVENTS_AT_ONCE = 200;
const MOST_BACKFILLS = 200;

/** What one look at the database found. */
export interface Look {
  /** One more than that of the look before. A jump says that there are events between that no look has. */
  readonly number: number;
  /** Those of all organisations behind the events of the look before, in their order. */
  readonly events: readonly BridgeEvent[];
  /** The running backfills; undefined between two looks at them. */
  readonly running: readonly BackfillState[] | undefined;
  /** Every event before it is in this look or an earlier one; undefined in most looks. */
  readonly horizon: EventPosition | undefined;
}

/** The looks at the events of all streams of a process, because each for itself would ask the database the same. */
export interface Feed {
  /** The number of the newest look. */
  readonly number: () => number;
  /** The next look. The database is asked only while streams wait for it. Rejects where it could not be asked. */
  next(): Promise<Look>;
}

/** A feed that has not looked yet. */
export function feedOf(database: Database): Feed {
  let number = 0;
  let position: EventPosition | undefined;
  let upcoming: Promise<Look> | undefined;
  let [lookedAt, runningAt, aliveAt] = [-IDLE_MS, -PROGRESS_MS, 0];
  async function look(): Promise<Look> {
    await sleep(LOOK_MS);
    const now = performance.now();
    const isDue = (at: number, everyMs: number): boolean => now - at >= everyMs;
    // Streams look for themselves at what lies before the beginning.
    if (position === undefined || isDue(lookedAt, IDLE_MS)) {
      position = await presentPosition(database);
      number += 1;
    }
    const horizon = isDue(aliveAt, ALIVE_MS) ? await presentPosition(database) : undefined;
    if (horizon) aliveAt = now;
    const events = await eventsAfter(database, position, { organisations: undefined, limit: EVENTS_AT_ONCE });
    // More than are read at once are left to the streams, each from where it is.
    position = events.length < EVENTS_AT_ONCE ? (events.at(-1)?.position ?? position) : undefined;
    const running = isDue(runningAt, PROGRESS_MS)
      ? await listBackfills(database, MOST_BACKFILLS, { state: 'running' })
      : undefined;
    if (running) runningAt = now;
    lookedAt = performance.now();
    number += 1;
    return { number, events, running, horizon };
  }
  return {
    number: () => number,
    next() {
      upcoming ??= look().finally(() => (upcoming = undefined));
      // The streams that wait for it may all have gone.
      upcoming.catch(() => undefined);
      return upcoming;
    },
  };
}
