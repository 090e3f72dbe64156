import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import type { Client } from 'pg';

const directory = fileURLToPath(new URL('migrations', import.meta.url));

/** Number of the advisory lock: the same in every databridge process. */
const MIGRATION_LOCK = 7_263_541;

/**
 * Brings the schema up to date. Any number of processes may start at once: the first does the work, the others wait for
 * the lock and then find nothing to do. The library's own lock is not used, because it throws instead of waiting.
 *
 * @returns the names of the migrations it ran
 */
export async function migrate(client: Client): Promise<string[]> {
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    const done = await runner({
      dbClient: client,
      dir: directory,
      direction: 'up',
      migrationsTable: 'migration',
      noLock: true,
      log: () => undefined,
      logger: { debug: silent, info: silent, warn: silent, error: silent },
    });
    return done.map((migration) => migration.name);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  }
}

const silent = (): undefined => undefined;
