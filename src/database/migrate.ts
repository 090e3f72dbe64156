import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import type { Client } from 'pg';

const directory = fileURLToPath(new URL('migrations', import.meta.url));

/** Any fixed number does; every databridge process asks for the same one. */
const LOCK = 7_263_541;

/**
 * Brings the schema up to date. Safe with any number of processes starting at once: the first does the work, the
 * others wait at the lock and then find nothing to do (the library's own lock would throw instead of waiting).
 *
 * @returns names of the migrations that were run
 */
export async function migrate(client: Client): Promise<string[]> {
  await client.query('select pg_advisory_lock($1)', [LOCK]);
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
    await client.query('select pg_advisory_unlock($1)', [LOCK]);
  }
}

const silent = (): undefined => undefined;
