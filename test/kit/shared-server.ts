import { statSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runMigrations } from 'bullmq';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/database.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/index.ts';
import { placeOf } from '../../src/database/embedded/place.ts';
import { programsFor } from '../../src/database/embedded/programs.ts';
import { freePort } from './free-port.ts';
import { startProcess } from './process.ts';
import type { RunningProcess } from './process.ts';
import { makeTempDirectory } from './temp-directory.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The PostgreSQL server of the run. `url`: of a database that nothing is stored in. `template`: the name of a database with
     * the schema of this version, which test databases are copies of.
     */
    readonly sharedServer: { readonly url: string; readonly template: string };
  }
}

const TEMPLATE = 'test_template';

/**
 * No data of the run have to outlive the machine, so the server does not wait for the disk: a commit and a new database cost a
 * fraction. Tests that kill a server or test its durability use the embedded server of a bridge, which has its own settings.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // A file uses up to a hundred connections (workers, pools, bridges), and several files run at a time.
  max_connections: '600',
  // The databases live for seconds, and there are hundreds of them.
  autovacuum: 'off',
  // Each helper of a statement is a process more, and so is each reader of files that are in memory.
  max_parallel_workers_per_gather: '0',
  io_method: 'sync',
  // A new database is a copy of some 200 files, which the kernel copies in half the time where it may share their blocks.
  file_copy_method: 'clone',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_destination: 'stderr',
  logging_collector: 'off',
};

/** Says, in the environment of this process, where the server of the run is. */
const MARK = 'DATABRIDGE_TEST_SERVER';

/**
 * Global set-up of the tests that need a database: the first project of the run starts the one server and makes the template,
 * and the others find it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const found = process.env[MARK];
  if (found !== undefined) {
    project.provide('sharedServer', { url: found, template: TEMPLATE });
    return () => Promise.resolve();
  }
  const { url, stop } = await startSharedServer();
  const template = new URL(url);
  template.pathname = TEMPLATE;
  await execute(url, `create database ${TEMPLATE}`);
  const database = await openDatabase({ url: template.href, poolSize: 1, applicationName: 'tests', patient: false });
  // A process would make the tables of its queue in every new database, for four times the price of the copy.
  const client = await database.dedicated();
  await runMigrations(client);
  await client.end();
  await database.close();
  project.provide('sharedServer', { url, template: TEMPLATE });
  process.env[MARK] = url;
  return async () => {
    delete process.env[MARK];
    await stop();
  };
}

/** Starts a server of that kind without a template. */
export async function startSharedServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const directory = await makeTempDirectory('server');
  // Under root the server runs as another user, which has to get in.
  await chmod(directory.path, 0o755);
  const made = await openEmbeddedDatabase({ directory: directory.path });
  await made.release();
  const url = new URL(made.url);
  url.port = String(await freePort());
  const access = join(directory.path, 'access.conf');
  // A password that is checked is a fifth of what a connection costs, and there are thousands.
  await writeFile(access, 'host all databridge 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n');
  const server = await startCluster(directory.path, { ...SETTINGS, hba_file: access, port: url.port }, url.href);
  return {
    url: url.href,
    async stop() {
      // SIGTERM would wait for connections that a failed test left open.
      process.kill(server.pid, 'SIGINT');
      await server.exited;
      await directory.remove();
    },
  };
}

/**
 * Starts a PostgreSQL on the cluster of an embedded database below `directory`, with these settings over those of the cluster.
 * `enter`: a command that starts it on another host. `under`: one that starts it, as its user, with another clock.
 */
export async function startCluster(
  directory: string,
  settings: Readonly<Record<string, string>>,
  url: string,
  enter: readonly string[] = [],
  under: readonly string[] = [],
): Promise<RunningProcess> {
  const place = placeOf(directory);
  const { postgres } = await programsFor(place, () => undefined);
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = [...under, postgres, '-D', place.data, ...given];
  const { uid, gid } = statSync(place.data);
  // The kernel drops the wish to end with the parent when a process changes its user, so this setpriv expresses it again.
  const as = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig=INT'];
  const [command = '', ...args] = [...enter, ...(process.getuid?.() === 0 ? ['setpriv', ...as] : []), ...program];
  return await startProcess({
    name: 'postgres',
    command,
    args,
    cwd: place.data,
    ready: () => execute(url, 'select').then(() => true),
  });
}

/** One statement over a connection of its own. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
