import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import type { Database } from '../../src/database/database.ts';
import { assertNothingLeaked } from './leaks.ts';
import { usedDatabase } from './used-database.ts';
import type { UsedDatabase } from './used-database.ts';

/**
 * Databases of one test file on the PostgreSQL server of the run. A database that is made in a test or in a `beforeEach` lasts
 * until that test ends; one that is made in a `beforeAll` lasts until the file ends. The pools on it end with it.
 */
export interface TestDatabases {
  /** A database with the schema of this version and nothing else, and a pool on it: a new one, or that of an earlier test. */
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

const POOL = { poolSize: 8, applicationName: 'tests', patient: false };

/** The pools and databases that were made since a test, or the file, began. */
interface Scope {
  readonly pools: Set<Pick<Database, 'close'>>;
  readonly names: Set<string>;
  /** Databases that may serve another test. */
  readonly used: Map<string, UsedDatabase>;
}

/**
 * The only set-up a test file needs for a database. To be called first in the file, because it registers the hooks that
 * remove all databases after those of the file, and then assert that nothing of the kit was left behind. With `concurrent`
 * every database lasts until the file ends, because tests run beside each other.
 */
export function useDatabases({ concurrent = false }: { readonly concurrent?: boolean } = {}): TestDatabases {
  const ofFile: Scope = { pools: new Set(), names: new Set(), used: new Map() };
  const ofTest: Scope = { pools: new Set(), names: new Set(), used: new Map() };
  const spare = new Map<string, UsedDatabase>();
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
    for (const [name, one] of spare) {
      ofFile.names.add(name);
      ofFile.pools.add(one);
    }
    await clear(ofFile);
    await maker.end();
    assertNothingLeaked();
  });

  async function clear({ pools, names, used }: Scope): Promise<void> {
    for (const pool of pools) await pool.close();
    for (const [name, one] of used) {
      if (await one.renew()) {
        spare.set(name, one);
        names.delete(name);
      } else await one.close();
    }
    used.clear();
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
    const database = await openDatabase({ ...POOL, url });
    scope.pools.add(database);
    return database;
  }

  /** In a test: one of an earlier test, or a new one that a later test may use. */
  async function ofAnyTest(): Promise<Database> {
    const [found] = spare;
    if (found !== undefined) {
      spare.delete(found[0]);
      scope.names.add(found[0]);
      scope.used.set(...found);
      return found[1].lend();
    }
    const url = await createMigrated();
    const one = await usedDatabase(await openDatabase({ ...POOL, url }));
    scope.used.set(new URL(url).pathname.slice(1), one);
    return one.lend();
  }

  // A copy of the files takes half the time of a copy through the log, because the shared server does not log it.
  const copy = (url: string): Promise<string> => make(`template ${new URL(url).pathname.slice(1)} strategy file_copy`);
  const createEmpty = (): Promise<string> => make('strategy file_copy');
  const createMigrated = (): Promise<string> => make(`template ${server.template} strategy file_copy`);
  return {
    create: async () => (scope === ofTest ? await ofAnyTest() : await open(await createMigrated())),
    createMigrated,
    createEmpty,
    copy,
    another: async ({ url }) => await open(url),
  };
}
