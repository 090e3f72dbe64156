import type { Instant } from '../core/instant.ts';
import { isDatabaseAway, isRolledBack } from '../database/away.ts';
import type { Database } from '../database/database.ts';
import { DatabaseSlow, inTime } from '../database/patience.ts';

import type { PrepareReadings } from './prepare.ts';
import type { Stamp } from '../database/memory.ts';
import { OtherDatabase, commitPushes } from './pushed-commit.ts';
import type { PushCounts } from './pushed-commit.ts';
import { pushedQueue } from './pushed-queue.ts';
import type { Waiting } from './pushed-queue.ts';
import type { Pushed } from './pushed-readings.ts';
import { pushedRefusals } from './pushed-refusals.ts';

/** Takes pushed readings to the database. */
export interface Intake {
  /**
   * Stores the readings of one push, all or none, and counts its refused readings. The readings are durable when it returns.
   * Readings repeated inside the push count as duplicates. Throws `DatabaseSlow` where it takes longer than `waitMs` (the readings may be stored all the
   * same), and the errors of the database.
   */
  push(applicationId: string, projectId: number, pushed: Pushed): Promise<PushCounts>;
  /** Resolves when no push waits any more. */
  idle(): Promise<void>;
}

/** A commit takes at most this many readings of waiting pushes: some 20 ms of work for the database. */
const MOST_READINGS = 20_000;

/** Where another process writes the same readings in another order, PostgreSQL ends one of the two, which begins again. */
const ROLLED_BACK_TRIES = 3;

interface Push extends Waiting {
  /** The table to write to: one partition, or `reading`. */
  readonly table: string;
  /** The numbers of its series hold in a database that remembers this. */
  readonly stamp: Stamp;
  readonly done: (counts: PushCounts) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Runs one commit at a time; the pushes that arrive meanwhile share the next one. A push alone waits for nothing, and a
 * thousand pushes need two commits instead of a thousand.
 */
export function intakeOf({
  database,
  prepareReadings,
  waitMs,
  now,
}: {
  readonly database: Database;
  readonly prepareReadings: PrepareReadings;
  /** How long a push may wait for its answer, ms. */
  readonly waitMs: number;
  /** By the clock of the database. */
  readonly now: () => Instant;
}): Intake {
  const queue = pushedQueue<Push>();
  const keepRefusals = pushedRefusals(database);
  /** Applications whose last push held a reading that was stored before. COPY is not tried for them, because it would fail. */
  const repeating = new Set<string>();
  let running: Promise<void> | undefined;

  async function commit(group: readonly Push[]): Promise<PushCounts[]> {
    const fresh = group.every(({ applicationId }) => !repeating.has(applicationId));
    const columns = group.map((push) => push.columns);
    const tables = new Set(group.map((push) => push.table));
    const [table = 'reading'] = tables.size === 1 ? tables : [];
    const stamp = newestOf(group);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await commitPushes(database, columns, { table, fresh, stamp, now: now() });
      } catch (error) {
        if (attempt === ROLLED_BACK_TRIES || !isRolledBack(error)) throw error;
      }
    }
  }

  async function settle(group: readonly Push[]): Promise<void> {
    try {
      for (const [place, counts] of (await commit(group)).entries()) {
        const push = group[place] as Push;
        if (counts.accepted === push.readings) repeating.delete(push.applicationId);
        else remember(repeating, push.applicationId);
        push.done(counts);
      }
    } catch (error) {
      const [only, more] = group;
      // Each push is committed alone now, so that only the push that cannot be stored fails.
      if (isTemporary(error) || more === undefined) for (const push of group) push.failed(error);
      else if (only) for (const push of group) await settle([push]);
    }
  }

  async function run(): Promise<void> {
    for (let group = queue.next(MOST_READINGS); group.length > 0; group = queue.next(MOST_READINGS)) {
      await settle(group);
    }
    running = undefined;
  }

  function wait(ms: number, waiting: Omit<Push, 'done' | 'failed'>): Promise<PushCounts> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<PushCounts>();
    const push = { ...waiting, done, failed };
    queue.add(push);
    const patience = setTimeout(() => {
      queue.remove(push);
      failed(new DatabaseSlow());
    }, ms);
    running ??= run();
    return promise.finally(() => {
      clearTimeout(patience);
    });
  }

  /** Stores readings by `untilMs`, an instant of `performance.now()`. */
  async function store(applicationId: string, projectId: number, pushed: Pushed, untilMs: number): Promise<PushCounts> {
    const { readings, repeats } = pushed;
    if (readings === 0) return { accepted: 0, duplicates: 0, revised: 0 };
    for (;;) {
      // Prepared before it joins the queue, so that its new sensors and months keep no other push waiting.
      const prepared = await inTime(untilMs - performance.now(), prepareReadings(projectId, pushed));
      try {
        const counts = await wait(untilMs - performance.now(), { applicationId, readings, ...prepared });
        return { ...counts, duplicates: counts.duplicates + repeats };
      } catch (error) {
        if (!(error instanceof OtherDatabase)) throw error;
        await inTime(untilMs - performance.now(), database.memory.review());
      }
    }
  }

  return {
    async push(applicationId, projectId, pushed) {
      const untilMs = performance.now() + waitMs;
      const counts = await store(applicationId, projectId, pushed, untilMs);
      const { refused, refusedCount, examples } = pushed;
      // After the readings: a client that gets no answer sends all of them again, and then they count once.
      if (refusedCount > 0) {
        await inTime(untilMs - performance.now(), keepRefusals({ applicationId, projectId, refused, examples }));
      }
      return counts;
    },
    async idle() {
      while (running) await running;
    },
  };
}

/** One stamp for all pushes of a commit. Throws where one of them was prepared before the process forgot everything. */
function newestOf(group: readonly Push[]): Stamp {
  const processes = new Set(group.map(({ stamp }) => stamp.process));
  const newest = group.map(({ stamp }) => stamp).reduce((one, other) => (other.mark > one.mark ? other : one));
  if (processes.size > 1) throw new OtherDatabase();
  return newest;
}

/** Full disk, out of memory, read-only after a failover, cancelled: errors that no push causes. */
const TEMPORARY = /^(?:53...|25006|57014|55P03)$/;

/** Whether an error of the database will pass, so that the same push can work later. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof DatabaseSlow ||
  isDatabaseAway(error) ||
  (error instanceof Error && 'code' in error && typeof error.code === 'string' && TEMPORARY.test(error.code));

const MOST_REPEATING = 10_000;

function remember(repeating: Set<string>, applicationId: string): void {
  if (repeating.size >= MOST_REPEATING) repeating.clear();
  repeating.add(applicationId);
}
