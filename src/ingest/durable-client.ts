import type { PoolClient } from 'pg';
import type { Database } from '../database/database.ts';

/** A connection on which a commit is unanswered for this long is given up. */
const PATIENCE_MS = 60_000;

/**
 * Lends a connection for one commit, which is on disk when it is answered. A connection that hangs is closed; its
 * commit is then stored wholly or not at all.
 */
export async function withDurableClient<T>(database: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  let broken: Error | undefined;
  let released = false;
  const release = (): void => {
    if (released) return;
    released = true;
    client.release(broken);
  };
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  const patience = setTimeout(() => {
    broken = new Error('no answer to a commit');
    release();
  }, PATIENCE_MS);
  try {
    await makeDurable(client);
    return await work(client);
  } finally {
    clearTimeout(patience);
    release();
    client.off('error', onError);
  }
}

const durable = new WeakSet<PoolClient>();

/** Lets a connection answer a commit only when it is on disk, also where the database is set to answer earlier. */
async function makeDurable(client: PoolClient): Promise<void> {
  if (durable.has(client)) return;
  await client.query(
    `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  );
  durable.add(client);
}
