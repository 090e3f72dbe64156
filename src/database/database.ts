import pg from 'pg';
import type { Client, ClientBase, Pool, PoolClient, QueryResultRow } from 'pg';
import { BridgeError } from '../core/errors.ts';
import type { ArchivePlace } from './archive-place.ts';
import { memoryOf } from './memory.ts';
import type { Memory } from './memory.ts';
import { migrate, migrationNames } from './migrate.ts';
import type { MigrationStep } from './migrate.ts';
import { beginUse } from './schema-use.ts';
import { serversOf } from './servers.ts';

/** What a server gets to answer a new connection, ms. */
const CONNECTING_MS = 10_000;

const INT8 = 20;
const NUMERIC = 1700;
const INT8_ARRAY = 1016;

/** Big integers are read as numbers, because all of them are microseconds or counts below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8 || oid === NUMERIC) return Number;
    if (oid === INT8_ARRAY) return (text: string) => text.slice(1, -1).split(',').filter(Boolean).map(Number);
    return pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

/** PostgreSQL, as the rooms above use it. */
export interface Database {
  readonly url: string;
  /** Where the readings of days that have settled lie as files; undefined: this process knows no such place. */
  readonly archive: ArchivePlace | undefined;
  readonly pool: Pool;
  /** What this process remembers of the database. */
  readonly memory: Memory;
  rows<R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
  /** The only row; undefined where there is none. */
  row<R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R | undefined>;
  /** Number of rows a statement changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
  /** One short transaction, rolled back where `work` throws. `work` must not send requests to a platform. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
  /**
   * The same database over a pool of its own, which the caller closes, so that its work keeps no other work waiting for a connection.
   * PostgreSQL gives a statement up that takes longer than `statementMs`.
   */
  beside(options: { readonly poolSize: number; readonly statementMs: number }): Database;
  /** A new connection outside the pool, for LISTEN and the like; the caller ends it. */
  dedicated(): Promise<Client>;
  /**
   * Aborted once a databridge of another version has changed the schema. The reason is a `BridgeError` with a remedy. From then on
   * no statement reaches the database, as if it were away, and the process has to end.
   */
  readonly outdated: AbortSignal;
  close(): Promise<void>;
}

/** What asks the database, or a transaction of it, and knows the archive. */
export type Asks = Pick<Database, 'archive' | 'rows'>;

/** One statement on a client inside a transaction, typed like `Database.rows`. */
export const rowsOf = async <R extends QueryResultRow>(
  client: ClientBase,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> => (await client.query<R>(text, values as unknown[])).rows;

export interface OpenOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly applicationName: string;
  readonly archive?: ArchivePlace | undefined;
  /** Called after each failed attempt to connect, while `patient` waits for the server. */
  readonly onWaiting?: (reason: string) => void;
  /** Called while a database that holds a bridge is brought forward, here or by another process. */
  readonly onMigration?: (step: MigrationStep) => void;
  readonly signal?: AbortSignal;
  /** True: wait for a server that is away, however long (daemons). False: fail at once (commands a person waits for). */
  readonly patient: boolean;
}

/** A connection to a database that may be empty, in which nothing is made; the caller ends it. */
export const connect = (options: Omit<OpenOptions, 'poolSize'>): Promise<Client> =>
  untilConnected(async () => {
    const client = new (serversOf(options.url).Client)({
      ...configurationOf(options),
      connectionTimeoutMillis: CONNECTING_MS,
    });
    client.on('error', ignored);
    try {
      await client.connect();
      await assertUsable(client);
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }, options);

const configurationOf = ({ url, applicationName }: Omit<OpenOptions, 'poolSize'>): pg.ClientConfig => ({
  ...serversOf(url).config,
  application_name: applicationName,
  types,
});

/**
 * Connects, migrates and opens the pool. Throws `config-invalid` for a fault that waiting cannot cure, and for a database that a
 * newer databridge made.
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const configuration = configurationOf(options);
  const outdated = new AbortController();
  const begin = (client: ClientBase): Promise<void> =>
    beginUse(client, migrationNames(), (reason) => outdated.abort(reason));
  const poolOf = (max: number, onConnect: (client: ClientBase) => Promise<void>): Pool => {
    const pool = new pg.Pool({
      ...configuration,
      Client: serversOf(options.url).Client,
      // The pool waits for it, which its types do not say.
      onConnect: onConnect as (client: ClientBase) => void,
      max,
      connectionTimeoutMillis: CONNECTING_MS,
      idleTimeoutMillis: 60_000,
    });
    // A connection that dies while idle is replaced at the next use; without a listener it would end the process.
    pool.on('error', ignored);
    return pool;
  };
  let isForward = false;
  const pool = poolOf(options.poolSize, (client) => (isForward ? begin(client) : assertUsable(client)));
  // A new connection costs the server more than all statements of a command, so the pool keeps the one that migrates.
  const bringForward = async (client: PoolClient): Promise<void> => {
    client.on('error', ignored);
    try {
      await migrate(client, { another: () => connect({ ...options, patient: false }), onStep: options.onMigration });
      await begin(client);
      isForward = true;
    } finally {
      client.off('error', ignored);
      client.release(!isForward);
    }
  };
  try {
    await bringForward(await untilConnected(() => pool.connect(), options));
  } catch (error) {
    await pool.end();
    throw outdated.signal.aborted ? outdated.signal.reason : error;
  }
  const dedicated = async (): Promise<Client> => {
    const client = new (serversOf(options.url).Client)({
      ...configuration,
      connectionTimeoutMillis: CONNECTING_MS,
    });
    await client.connect();
    await begin(client).catch(async (error: unknown) => {
      await client.end();
      throw error;
    });
    return client;
  };
  const shared = {
    archive: options.archive,
    dedicated,
    outdated: outdated.signal,
    beside: ({ poolSize, statementMs }: Parameters<Database['beside']>[0]) =>
      databaseOf(
        options.url,
        poolOf(poolSize, async (client) => {
          await begin(client);
          await client.query(`set statement_timeout = ${Math.round(statementMs)}`);
        }),
        shared,
      ),
  };
  return databaseOf(options.url, pool, shared);
}

function databaseOf(
  url: string,
  pool: Pool,
  { archive, dedicated, outdated, beside }: Pick<Database, 'archive' | 'dedicated' | 'outdated' | 'beside'>,
): Database {
  const rows = async <R extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
    (await pool.query<R>(text, values as unknown[])).rows;
  const row = async <R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R | undefined> =>
    (await rows<R>(text, values))[0];
  const database: Omit<Database, 'memory'> = {
    url,
    archive,
    pool,
    rows,
    row,
    run: async (text, values = []) => (await pool.query(text, values as unknown[])).rowCount ?? 0,
    async transaction(work) {
      const client = await pool.connect();
      // The pool listens to idle connections only. A connection that dies in here fails its statements, not the process.
      client.on('error', ignored);
      let broken: Error | undefined;
      try {
        await client.query('begin');
        const result = await work(client);
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch((lost: unknown) => {
          broken = lost instanceof Error ? lost : new Error(String(lost));
        });
        throw error;
      } finally {
        client.off('error', ignored);
        client.release(broken);
      }
    },
    dedicated,
    outdated,
    beside,
    close: () => pool.end(),
  };
  return { ...database, memory: memoryOf(database) };
}

const ignored = (): undefined => undefined;

/** Faults that waiting cannot cure: 28P01 and 28000 wrong password or user, 3D000 no such database. */
const REMEDIES: Readonly<Record<string, string>> = {
  '28P01': 'check user and password in DATABASE_URL',
  '28000': 'check user and authentication method in DATABASE_URL',
  '3D000': 'create the database first: CREATE DATABASE …',
};

/** Opens a connection, again and again where the caller is patient. */
async function untilConnected<C>(open: () => Promise<C>, options: Omit<OpenOptions, 'poolSize'>): Promise<C> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      if (error instanceof BridgeError) throw error;
      const { code, message } = error as { code?: string; message: string };
      const reason = message || code || 'no answer';
      const remedy = code === undefined ? undefined : REMEDIES[code];
      if (remedy !== undefined) throw new BridgeError({ code: 'config-invalid' }, `database: ${reason}`, { remedy });
      // Each attempt asks the next server.
      if (!options.patient && attempt + 1 < serversOf(options.url).count) continue;
      if (!options.patient) {
        const start = 'start PostgreSQL, or correct DATABASE_URL';
        throw new BridgeError({ code: 'unavailable', why: 'refused' }, `database: ${reason}`, { remedy: start });
      }
      options.onWaiting?.(reason);
      await pause(Math.min(250 * 2 ** attempt, 5_000), options.signal);
    }
  }
}

async function assertUsable(client: ClientBase): Promise<void> {
  await client.query(`set time zone 'UTC'`);
  const { rows } = await client.query<{ version: string; may: boolean | null }>(
    `select current_setting('server_version_num') as version, has_schema_privilege(current_schema(), 'create') as may`,
  );
  const version = Number(rows[0]?.version);
  if (version < 180_000) {
    const found = Math.floor(version / 10_000);
    throw new BridgeError({ code: 'config-invalid' }, `database: PostgreSQL ${found} is too old`, {
      remedy: 'use PostgreSQL 18 or newer, or leave DATABASE_URL out to use the embedded one',
    });
  }
  if (rows[0]?.may === true) return;
  throw new BridgeError({ code: 'config-invalid' }, 'database: the user may not create tables', {
    remedy: 'give the user the right to create tables in the database: GRANT CREATE ON SCHEMA public TO …',
  });
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new BridgeError({ code: 'cancelled' }, 'stopped while waiting for the database'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
