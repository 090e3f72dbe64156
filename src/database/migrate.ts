import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client, ClientBase } from 'pg';

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
  return await withMigrationLock(client, async () => ((await isUpToDate(client)) ? [] : await run(client)));
}

/** Runs `work` while no other process migrates the database or begins to use it. */
export async function withMigrationLock<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    return await work();
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  }
}

/** The names of all migrations in their order. */
export const migrationNames = (): string[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => file.slice(0, -'.sql'.length));

/**
 * Runs the next `count` migrations, by default all, as a part of the transaction that the caller began.
 *
 * @returns the names of the migrations it ran
 */
export async function migrateInside(client: ClientBase, count?: number): Promise<string[]> {
  // The library brackets the migrations by a transaction of its own, which would commit that of the caller.
  const inside = {
    query: async (text: string, values?: unknown[]) =>
      /^(?:begin|commit|rollback);?$/i.test(text) ? { rows: [] } : await client.query(text, values),
  };
  return await run(inside as unknown as ClientBase, count);
}

/** Whether every migration of this version has run, and no other. To be asked under the lock; loading the library takes longer. */
async function isUpToDate(client: ClientBase): Promise<boolean> {
  const { rows: tables } = await client.query<{ found: string | null }>(
    `select to_regclass('public.migration') as found`,
  );
  if (typeof tables[0]?.found !== 'string') return false;
  const { rows } = await client.query<{ name: string }>('select name from public.migration order by run_on, id');
  const names = migrationNames();
  return rows.length === names.length && rows.every(({ name }, at) => name === names[at]);
}

async function run(dbClient: ClientBase, count?: number): Promise<string[]> {
  const { runner } = await import('node-pg-migrate');
  const done = await runner({
    dbClient,
    dir: directory,
    direction: 'up',
    migrationsTable: 'migration',
    noLock: true,
    log: () => undefined,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    ...(count !== undefined && { count }),
  });
  return done.map((migration) => migration.name);
}

const silent = (): undefined => undefined;
