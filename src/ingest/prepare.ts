import type { Batch } from '../core/batch.ts';
import { MICROSECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { Stamp } from '../database/memory.ts';
import { partitionsOf } from '../database/partitions.ts';
import type { Partitions } from '../database/partitions.ts';
import type { NumberedColumn } from './rows.ts';
import { numbering } from './series.ts';

/** Readings that can be written: series and labels have their numbers, and the partitions exist. */
export interface PreparedReadings {
  /** Sorted by series. */
  readonly columns: readonly NumberedColumn[];
  /** The partition that holds all of the readings, otherwise `reading`. */
  readonly table: string;
  /** The numbers and the table hold in a database that remembers this. */
  readonly stamp: Stamp;
}

/** Prepares readings of a project. Happens before the transaction that writes them, because it commits on its own. */
export type PrepareReadings = (projectId: number, batch: Pick<Batch, 'columns'>) => Promise<PreparedReadings>;

/** One for each process: it remembers numbers and partitions. */
export function readingPreparer(database: Database): PrepareReadings {
  const partitions = partitionsOf(database);
  const numbersOf = numbering(database);
  return async (projectId, batch) => {
    for (;;) {
      const { process } = database.memory.stamp();
      const columns = await numbersOf(projectId, batch);
      const table = await makePartitions(partitions, columns);
      const stamp = database.memory.stamp();
      // Where the process forgot everything meanwhile, some of the numbers may be those of another state of the database.
      if (stamp.process === process) return { columns, table, stamp };
    }
  };
}

/** Makes partitions only for months that hold a reading, because two readings may lie centuries apart. */
async function makePartitions(partitions: Partitions, columns: readonly NumberedColumn[]): Promise<string> {
  const instantByEnd = new Map<Instant, Instant>();
  let from = Infinity;
  let to = -Infinity;
  for (const { column } of columns) {
    for (const { at } of column.segments) {
      for (const instant of at) {
        if (instant >= from && instant < to) continue;
        from = instant;
        to = partitions.endOf('reading', instant);
        if (!instantByEnd.has(to)) instantByEnd.set(to, instant);
      }
    }
  }
  let table = 'reading';
  for (const [, instant] of [...instantByEnd].sort(([one], [other]) => one - other)) {
    table = await partitions.ensure('reading', instant, instant + MICROSECOND);
  }
  return instantByEnd.size === 1 ? table : 'reading';
}
