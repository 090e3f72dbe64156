import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import type { Database } from '../../src/database/database.ts';
import { assertNothingLeaked } from './leaks.ts';

/**
 * Databases of one test file on the PostgreSQL server of the run. A database that is made in a test or in a `beforeEach` lasts
 * until that test ends; one that is made in a `beforeAll` lasts until the file ends. The pools on it end with it.
 */
export interface TestDatabases {
  /** Makes a database with the schema of this version and opens a pool on it. */
  create(): Promise<Database>;
  /** Makes a database with the schema of this version; the answer is its address. */
  createMigrated(): Promise<string>;
  /** Makes an empty database, without any table; the answer is its address. */
  createEmpty(): Promise<string>;
  /** Makes a copy of a database that no process is connected to; the answer is its address. */
  copy(url: string): Promise<string>;
  /** Another pool on a database, as another host would have. */
  another(database: Pick<Database, 'url'>): Promise<Database>;
}

/** The pools and databases that were made since a test, or the file, began. */
interface Scope {
  readonly pools: Set<Database>;
  readonly names: Set<string>;
}

/**
 * The only set-up a test file needs for a database. To be called first in the file, because it registers the hooks that
 * remove all databases after those of the file, and then assert that nothing of the kit was left behind. With `concurrent`
 * every database lasts until the file ends, because tests run beside each other.
 */
export function useDatabases({ concurrent = false }: { readonly concurrent?: boolean } = {}): TestDatabases {
  const ofFile: Scope = { pools: new Set(), names: new Set() };
  const ofTest: Scope = { pools: new Set(), names: new Set() };
  const server = inject('sharedServer');
  const token = randomBytes(5).toString('hex');
  let scope = ofFile;
  let maker: pg.Pool;
  let made = 0;

  beforeAll(() => {
    maker = new pg.Pool({ connectionString: server.url, max: 4 });
  });
  if (!concurrent) {
    beforeEach(() => {
      scope = ofTest;
    });
    afterEach(async () => {
      await clear(ofTest);
      scope = ofFile;
    });
  }
  afterAll(async () => {
    await clear(ofFile);
    await maker.end();
    assertNothingLeaked();
  });

  async function clear({ pools, names }: Scope): Promise<void> {
    for (const pool of pools) await pool.close();
    // A process that a failed test left running may still be connected.
    for (const name of names) await maker.query(`drop database if exists ${name} with (force)`);
    pools.clear();
    names.clear();
  }

  async function make(more: string): Promise<string> {
    made += 1;
    const name = `test_${token}_${made}`;
    await maker.query(`create database ${name} ${more}`);
    scope.names.add(name);
    const url = new URL(server.url);
    url.pathname = name;
    return url.href;
  }

  async function open(url: string): Promise<Database> {
    const database = await openDatabase({ url, poolSize: 8, applicationName: 'tests', patient: false });
    scope.pools.add(database);
    return database;
  }

  // A copy of the files takes half the time of a copy through the log, because the shared server does not log it.
  const copy = (url: string): Promise<string> => make(`template ${new URL(url).pathname.slice(1)} strategy file_copy`);
  const createEmpty = (): Promise<string> => make('strategy file_copy');
  const createMigrated = (): Promise<string> => make(`template ${server.template} strategy file_copy`);
  return {
    create: async () => await open(await createMigrated()),
    createMigrated,
    createEmpty,
    copy,
    another: async ({ url }) => await open(url),
  };
}
