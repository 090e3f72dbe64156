import { chmod } from 'node:fs/promises';
import pg from 'pg';
import { openDatabase } from '../../src/database/database.ts';
import type { Database } from '../../src/database/database.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/index.ts';
import { watchForLeaks } from './leaks.ts';
import { makeTempDirectory } from './temp-directory.ts';

/** A real PostgreSQL for one test file, with an empty database for each test. */
export interface DatabaseServer {
  /** Makes an empty database, without any table; the answer is its address. */
  createEmpty(): Promise<string>;
  /** Makes a database and brings its schema up to date. */
  create(): Promise<Database>;
  /** Another pool on a database, as another host would have. */
  another(database: Database): Promise<Database>;
  /** For `afterEach`: closes every pool that was opened since. */
  closeAll(): Promise<void>;
  /** For `afterAll`: ends the server and removes what it wrote. */
  stop(): Promise<void>;
}

/** Starts the embedded PostgreSQL in a temporary directory. */
export async function startDatabaseServer(name: string): Promise<DatabaseServer> {
  const directory = await makeTempDirectory(name);
  // Under root the server runs as another user, who has to get in.
  await chmod(directory.path, 0o755);
  const server = await openEmbeddedDatabase({ directory: directory.path });
  let running = true;
  const forget = watchForLeaks(
    `PostgreSQL in ${directory.path}`,
    () => running,
    () => void server.release(),
  );
  const open = new Set<Database>();
  let made = 0;

  async function createEmpty(): Promise<string> {
    made += 1;
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`create database test_${made}`);
    await client.end();
    const url = new URL(server.url);
    url.pathname = `test_${made}`;
    return url.href;
  }

  async function openAt(url: string): Promise<Database> {
    const database = await openDatabase({ url, poolSize: 8, applicationName: name, patient: false });
    open.add(database);
    return database;
  }

  return {
    createEmpty,
    create: async () => await openAt(await createEmpty()),
    another: async ({ url }) => await openAt(url),
    async closeAll() {
      for (const database of open) await database.close();
      open.clear();
    },
    async stop() {
      await server.release();
      running = false;
      forget();
      await directory.remove();
    },
  };
}
