import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client, ClientBase } from 'pg';
import { VERSION } from '../version.ts';
import { FOUNDATION, assertNotNewer, isBeforeFoundation, ledgerOf, sinceFoundation } from './ledger.ts';
import { LOCKS } from './locks.ts';
import { endOtherUse } from './schema-use.ts';

const DIRECTORY = fileURLToPath(new URL('migrations', import.meta.url));

/** One migration of a database that holds a bridge already, as progress for the operator. */
export type MigrationStep =
  | { readonly step: 'waits' }
  | { readonly step: 'runs'; readonly name: string; readonly number: number; readonly of: number };

export interface MigrateOptions {
  /** A further connection to the same database, which `migrate` ends. */
  readonly another: () => Promise<Client>;
  readonly onStep?: ((step: MigrationStep) => void) | undefined;
  /** Where the migrations are; tests give a later version's. */
  readonly directory?: string;
  /** Of the databridge that runs them. */
  readonly version?: string;
}

/**
 * Brings the schema up to date. Any number of processes may start at once: the first does the work, the others wait for
 * the lock and then find nothing to do. The library's own lock is not used, because it throws instead of waiting. Processes of an
 * earlier version lose their connections before the first change, and get no new one (`schema-use.ts`). One transaction
 * holds all migrations, so a process that is killed meanwhile leaves the earlier schema.
 *
 * Throws `config-invalid` for a database of a newer version.
 * @returns the names of the migrations it ran
 */
export async function migrate(client: Client, options: MigrateOptions): Promise<string[]> {
  const { directory = DIRECTORY, version = VERSION, onStep = ignored } = options;
  const work = async (): Promise<string[]> => {
    const ledger = await ledgerOf(client);
    const names = namesIn(directory);
    assertNotNewer(ledger, names, version);
    const held = ledger.map(({ name }) => name);
    const founded = sinceFoundation(held, 'the database');
    if (JSON.stringify(held) === JSON.stringify(names)) return [];
    await client.query('begin');
    try {
      // A new database has no data, so its migrations take no time that an operator would notice.
      if (ledger.length > 0) await endOtherUse(client, options.another);
      // The forty migrations made the schema of the foundation, so only the ledger changes.
      if (isBeforeFoundation(held)) await client.query(BECOME_FOUNDATION, [FOUNDATION, version]);
      let number = 0;
      const of = names.length - founded.length;
      const begins = (name: string): void => {
        number += 1;
        if (ledger.length > 0) onStep({ step: 'runs', name, number, of });
      };
      const done = await migrateInside(client, { directory, begins });
      await client.query('update public.migration set version = $1 where name = any($2)', [version, done]);
      await client.query('commit');
      return done;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };
  return await withMigrationLock(client, work, () => onStep({ step: 'waits' }));
}

const BECOME_FOUNDATION = `
  with before as (delete from public.migration)
  insert into public.migration (name, run_on, version) values ($1, now(), $2)`;

/** Runs `work` while no other process migrates the database or begins to use it; `onWait` is called where one does so now. */
export async function withMigrationLock<T>(client: Client, work: () => Promise<T>, onWait = ignored): Promise<T> {
  const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [LOCKS.migration]);
  if (rows[0]?.got !== true) {
    onWait();
    await client.query('select pg_advisory_lock($1)', [LOCKS.migration]);
  }
  try {
    return await work();
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCKS.migration]);
  }
}

/** Whether the database has the schema of this version, neither an older nor a newer one. Changes nothing. */
export async function hasThisSchema(client: ClientBase): Promise<boolean> {
  const ledger = await ledgerOf(client);
  return JSON.stringify(ledger.map(({ name }) => name).toSorted()) === JSON.stringify(NAMES);
}

const namesIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => file.slice(0, -'.sql'.length));

/** Read once: an upgrade may replace the files under a running process, whose code stays as it is. */
const NAMES: readonly string[] = namesIn(DIRECTORY);

/** The names of all migrations in their order. */
export const migrationNames = (): readonly string[] => NAMES;

/**
 * Runs the next `count` migrations, by default all, as a part of the transaction that the caller began.
 *
 * @returns the names of the migrations it ran
 */
export async function migrateInside(
  client: ClientBase,
  given: { readonly count?: number; readonly directory?: string; readonly begins?: (name: string) => void } = {},
): Promise<string[]> {
  const { count, directory = DIRECTORY, begins = ignored } = given;
  // The library brackets the migrations by a transaction of its own, which would commit that of the caller.
  const inside = {
    query: async (text: string, values?: unknown[]) =>
      /^(?:begin|commit|rollback);?$/i.test(text) ? { rows: [] } : await client.query(text, values),
  };
  const info = (said: string): void => {
    const name = /^### MIGRATION (\S+) /.exec(said)?.[1];
    if (name !== undefined) begins(name);
  };
  // Loading the library takes longer than a look at the ledger.
  const { runner } = await import('node-pg-migrate');
  const done = await runner({
    dbClient: inside as unknown as ClientBase,
    dir: directory,
    direction: 'up',
    migrationsTable: 'migration',
    noLock: true,
    log: ignored,
    logger: { debug: ignored, info, warn: ignored, error: ignored },
    ...(count !== undefined && { count }),
  });
  return done.map((migration) => migration.name);
}

const ignored = (): void => undefined;
