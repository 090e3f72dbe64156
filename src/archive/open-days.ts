import type { DuckDBConnection } from '@duckdb/node-api';
import type { Database } from '../database/database.ts';
import { connectDuck, duckTexts } from './duck.ts';
import { archiveFilesAt } from './files-at.ts';
import type { OpenFile } from './files.ts';
import { archiveOf } from './manifest.ts';
import type { ArchivedDay } from './manifest.ts';

/** The files of archived days, for statements of DuckDB. */
export interface OpenDays {
  readonly duck: DuckDBConnection;
  /** DuckDB: the files as one table. */
  readonly table: string;
  /** To be called when nothing reads them any more. */
  readonly close: () => Promise<void>;
}

/** Files that are brought at a time. */
const AT_ONCE = 4;

/** Opens the files of days. Throws where one of them is missing, cut or changed, or cannot be had now. */
export async function openDays(database: Pick<Database, 'archive'>, days: readonly ArchivedDay[]): Promise<OpenDays> {
  const place = archiveOf(database, days.length);
  const files = await archiveFilesAt(place);
  const opened: OpenFile[] = [];
  const release = async (): Promise<void> => {
    for (const file of opened) await file.release();
  };
  try {
    for (let first = 0; first < days.length; first += AT_ONCE) {
      const some = await Promise.allSettled(
        days.slice(first, first + AT_ONCE).map((day) => files.open(day, { whole: false })),
      );
      for (const one of some) if (one.status === 'fulfilled') opened.push(one.value);
      for (const one of some) if (one.status === 'rejected') throw one.reason;
    }
    const duck = await connectDuck(place.directory);
    return {
      duck,
      table: `read_parquet(${duckTexts(opened.map(({ path }) => path))}, hive_partitioning = false)`,
      async close() {
        duck.closeSync();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}
