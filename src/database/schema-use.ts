import type { Client, ClientBase, QueryResult } from 'pg';
import { BridgeError } from '../core/errors.ts';
import { VERSION } from '../version.ts';
import { isBeforeFoundation, newerSchema } from './ledger.ts';
import { LOCKS } from './locks.ts';

// Every connection that uses the schema holds a lock, shared. A migration takes it alone: it ends the connections that hold it,
// and new ones wait until it is over and then compare the schema. So no statement of an earlier version meets a later schema.

/** How often a migration ends the connections that are in its way, ms. */
const AGAIN_MS = 100;

/** How long a migration waits for connections that it cannot end, ms. */
const PATIENCE_MS = 30_000;

/**
 * Begins the use of the schema on a new connection: it counts in UTC and compiles nothing, and the schema is the one whose migrations are `known`.
 * Throws the code of a server that is not ready, which processes wait for; `onOther` gets the true reason before.
 */
export async function beginUse(
  client: ClientBase,
  known: readonly string[],
  onOther: (reason: BridgeError) => void,
): Promise<void> {
  // A database or a user may have a time zone of its own. In one with daylight saving `interval '1 day'` lasts 23 hours once a
  // year, and instants are written with its offset. Statements over all sources seem dear enough to be compiled, which takes longer than
  // they do.
  const results = (await client.query(
    `set time zone 'UTC'; set jit = off; select pg_advisory_lock_shared(${LOCKS.schemaUse});
     select name, to_jsonb(migration) ->> 'version' as version from public.migration order by run_on, id`,
  )) as unknown as readonly QueryResult<{ name: string; version: string | null }>[];
  const ledger = results[3]?.rows ?? [];
  const other = ledger.find(({ name }, place) => known[place] !== name);
  if (other === undefined && ledger.length === known.length) return;
  const older = other === undefined || isBeforeFoundation(ledger.map(({ name }) => name));
  const reason = older ? olderSchema(ledger.at(-1)?.name) : newerSchema(ledger.at(-1) ?? other, VERSION);
  onOther(reason);
  throw Object.assign(new Error(reason.message, { cause: reason }), { code: '57P03' });
}

const olderSchema = (name = 'empty'): BridgeError =>
  new BridgeError({ code: 'config-invalid' }, `the database was replaced by one with an earlier schema (${name})`, {
    remedy: 'start the process again: it brings the database forward',
  });

/**
 * Takes the schema for the transaction of `client` alone: the connections of all others end, and new ones wait.
 * Throws `config-invalid` where one of them cannot be ended.
 */
export async function endOtherUse(client: Client, another: () => Promise<Client>): Promise<void> {
  await client.query(`set local lock_timeout = ${PATIENCE_MS}`);
  const helper = await another();
  let taken = false;
  // The lock is asked for first, so that new connections wait behind it instead of coming in again.
  const taking = client.query('select pg_advisory_xact_lock($1)', [LOCKS.schemaUse]).finally(() => {
    taken = true;
  });
  const ended = taking.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    while (!taken) {
      await helper.query(END_HOLDERS, [LOCKS.schemaUse]);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, AGAIN_MS))]);
    }
  } finally {
    await helper.end();
  }
  const failed = await ended;
  if (failed === undefined) {
    await client.query('set local lock_timeout = 0');
    return;
  }
  if ((failed as { code?: string }).code !== '55P03') throw failed;
  throw new BridgeError(
    { code: 'config-invalid' },
    'other processes use the database, and this user may not end their connections',
    {
      remedy: 'stop the bridge on every host, then start the new version',
    },
  );
}

/** Only those that this user may end, because one that it may not end would fail the statement for all. */
const END_HOLDERS = `
  select pg_terminate_backend(pg_locks.pid) from pg_locks join pg_stat_activity on pg_stat_activity.pid = pg_locks.pid
  where locktype = 'advisory' and granted and objid = $1 and mode = 'ShareLock' and pg_has_role(usesysid, 'member')
    and database = (select oid from pg_database where datname = current_database())`;
