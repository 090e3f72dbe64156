import pg from 'pg';

/**
 * Puts an older state in place of a database under the processes that use it, as an operator does who restores a backup:
 * connections end, and the same address leads to the old state.
 */
export interface Backup {
  /** `change` gets a client of the old state before any process can connect to it again. */
  restore(change?: (client: pg.Client) => Promise<unknown>): Promise<void>;
}

/** Takes a backup of the database at `url`. `copy` makes a copy of a database that no process is connected to. */
export async function backUp(url: string, copy: (url: string) => Promise<string>): Promise<Backup> {
  const name = nameOf(url);
  const copied = await alone(url, () => copy(url));
  return {
    async restore(change) {
      const old = new pg.Client({ connectionString: copied });
      await old.connect();
      await change?.(old);
      await old.end();
      await alone(url, async (client) => {
        await client.query(`alter database ${name} rename to ${name}_away`);
        await client.query(`alter database ${nameOf(copied)} rename to ${name}`);
        await client.query(`alter database ${name}_away rename to ${nameOf(copied)}`);
      });
    },
  };
}

/** Runs `work` while no process can connect to the database. */
async function alone<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const server = new URL(url);
  server.pathname = 'postgres';
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  const name = nameOf(url);
  const allow = (allowed: boolean): Promise<unknown> =>
    client.query(`alter database ${name} with allow_connections ${allowed}`);
  try {
    await allow(false);
    const ended = `select count(pg_terminate_backend(pid, 10000)) as ended from pg_stat_activity where datname = $1`;
    for (let left = 1; left > 0;) left = Number((await client.query<{ ended: string }>(ended, [name])).rows[0]?.ended);
    return await work(client);
  } finally {
    await allow(true);
    await client.end();
  }
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
