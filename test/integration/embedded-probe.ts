import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** The rows of one statement over a connection of its own. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const SETTINGS = [
  ['server_encoding', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'jit', 'TimeZone'],
  ['max_connections', 'shared_buffers', 'listen_addresses', 'is_superuser', 'wal_compression'],
].flat();

/** What matters of a server's settings; of `fsync` with the place it was set in. */
export async function settingsOf(url: string): Promise<Record<string, unknown>> {
  const [row = {}] = await query(
    url,
    `select ${SETTINGS.map((name) => `current_setting('${name}') as "${name}"`).join(', ')},
       (select setting || ' (' || source || ')' from pg_settings where name = 'fsync') as fsync,
       current_database() as database, (select datlocale from pg_database where datname = current_database()) as locale`,
  );
  return row;
}

/** Commits something that `recall` finds again, as 42. */
export const remember = (url: string): Promise<unknown> => query(url, 'create table kept as select 42 as answer');
export const recall = async (url: string): Promise<unknown> => (await query(url, 'select answer from kept'))[0]?.answer;

/** Asks again and again until the answer is something; an exception counts as "not yet". */
export async function until<T>(what: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const found = await Promise.resolve()
      .then(what)
      .catch(() => undefined);
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<T>;
    await sleep(50);
  }
}

/** PostgreSQL derives the key of its System V memory from the inode of the data directory. */
export const sharedMemory = (inode: number): string[] =>
  readFileSync('/proc/sysvipc/shm', 'utf8')
    .split('\n')
    .filter((line) => line.trim().startsWith(`${inode | 0} `));

/**
 * Ends the server a failed test left running; says which it was. Trusts nothing under test: the one process it signals must
 * name this very directory on its command line. Its children end with it.
 */
export async function endServerIn(data: string): Promise<number[]> {
  const note = join(data, 'postmaster.pid');
  if (!existsSync(note)) return [];
  const pid = Number(readFileSync(note, 'utf8').split('\n')[0]);
  const ours = (): boolean => {
    const file = `/proc/${pid}/cmdline`;
    return pid > 1 && existsSync(file) && readFileSync(file, 'utf8').split('\0').includes(data);
  };
  if (!ours()) return [];
  process.kill(pid, 'SIGQUIT');
  await until(() => !ours());
  return [pid];
}
