import { setTimeout } from 'node:timers/promises';
import { DateTime } from 'luxon';
import { MILLISECOND, toMillis } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { ClientBase } from 'pg';
import type { Database } from './database.ts';

/** The tables that are partitioned by time, and the length of a partition. */
const PERIOD = { reading: 'month', window_log: 'day' } as const;
type Partitioned = keyof typeof PERIOD;

export const isPartitioned = (table: string): table is Partitioned => Object.hasOwn(PERIOD, table);

/**
 * Readings from before 1960 share one partition, because senders may write any date, and three centuries of wrong dates
 * must not become thousands of tables.
 */
const EARLY = DateTime.utc(1960);

export interface Partitions {
  /**
   * Makes sure that partitions exist for all instants in `[from, to)` and returns the table to write to: the one
   * partition that holds the whole range, otherwise the parent.
   */
  ensure(table: Partitioned, from: Instant, to: Instant): Promise<string>;
  /** The first instant after the partition that holds this instant. */
  endOf(table: Partitioned, instant: Instant): Instant;
}

/** One partition; without `from` it has no lower bound. */
interface Part {
  readonly name: string;
  readonly from: DateTime | undefined;
  readonly to: DateTime;
}

/** A partition with its bounds as instants, kept because most calls ask for the same partition and calendars are slow. */
interface BoundedPart extends Part {
  readonly begin: Instant;
  readonly end: Instant;
}

const lastPart: Partial<Record<Partitioned, BoundedPart>> = {};

function partOf(table: Partitioned, instant: Instant): BoundedPart {
  const last = lastPart[table];
  if (last !== undefined && instant >= last.begin && instant < last.end) return last;
  const part = calculatePart(table, instant);
  const begin = part.from === undefined ? -Infinity : part.from.toMillis() * MILLISECOND;
  return (lastPart[table] = { ...part, begin, end: part.to.toMillis() * MILLISECOND });
}

function calculatePart(table: Partitioned, instant: Instant): Part {
  const at = DateTime.fromMillis(toMillis(instant), { zone: 'utc' });
  if (table === 'reading' && at < EARLY) return { name: 'reading_early', from: undefined, to: EARLY };
  const from = at.startOf(PERIOD[table]);
  const name = `${table}_${from.toFormat(PERIOD[table] === 'month' ? 'yyyy_MM' : 'yyyy_MM_dd')}`;
  return { name, from, to: from.plus({ [PERIOD[table]]: 1 }) };
}

/** Creates partitions on demand. A process remembers the partitions it has seen and does not look them up again. */
export function partitionsOf(database: Database): Partitions {
  const known = new Set<string>();
  /**
   * Tables with a new partition that some connection may not see yet. A process may have been killed between making one and
   * announcing it, so the first write to each table announces as well.
   */
  const unannounced = new Set<Partitioned>(['reading', 'window_log']);
  database.memory.onForget(() => known.clear());
  const turns: Partial<Record<Partitioned, Promise<unknown>>> = {};

  /** One after the other for each table, as `create` locks them; those that wait need no connection. */
  async function make(table: Partitioned, part: Part): Promise<void> {
    const before = turns[table]?.catch(() => undefined);
    const made = Promise.resolve(before).then(async () => {
      if (known.has(part.name)) return;
      await database.memory.learn(async (client) => {
        if (await create(client, table, part)) unannounced.add(table);
      });
      if (unannounced.has(table)) await announce(database, table);
      unannounced.delete(table);
      known.add(part.name);
    });
    turns[table] = made;
    await made;
  }

  return {
    async ensure(table, from, to) {
      const names: string[] = [];
      for (let begin = from; begin < to;) {
        const part = partOf(table, begin);
        if (!known.has(part.name)) await make(table, part);
        names.push(part.name);
        begin = part.end;
      }
      const [only, more] = names;
      return only !== undefined && more === undefined ? only : table;
    },
    endOf: (table, instant) => partOf(table, instant).end,
  };
}

/** Makes the partitions for `[from, to)`, which may have no begin, in the transaction of `client`. */
export async function makePartitions(
  client: ClientBase,
  table: Partitioned,
  from: Instant | undefined,
  to: Instant,
): Promise<void> {
  for (let begin = from ?? to - 1; begin < to;) {
    const part = partOf(table, begin);
    await create(client, table, part);
    begin = part.end;
  }
}

/**
 * Creates the partition as a separate table and attaches it, because attaching locks the parent against schema changes
 * only, so reads and writes go on. The advisory lock makes processes that need the same partition take turns.
 * @returns false where the partition was there
 */
async function create(client: ClientBase, table: string, { name, from, to }: Part): Promise<boolean> {
  const begin = from === undefined ? 'minvalue' : `'${from.toISO()}'`;
  await client.query('select pg_advisory_xact_lock(hashtext($1))', [`partition ${table}`]);
  const { rows } = await client.query('select to_regclass($1) as found', [name]);
  if ((rows[0] as { found: string | null }).found !== null) return false;
  await client.query(`create table ${name} (like ${table} including defaults including constraints including indexes)`);
  await client.query(`alter table ${table} attach partition ${name} for values from (${begin}) to ('${to.toISO()}')`);
  return true;
}

/** A connection collects the list of partitions in milliseconds. Only a backup or a long report holds its lock for longer. */
const LONGEST_LOOK_MS = 5_000;

/**
 * Makes every connection see the partitions of `table`. PostgreSQL (18.4) has a race: a connection that collects the list of
 * partitions while another one is attached may take note of the change before its list is complete, and then it keeps the old
 * list until the next change of the table, which may be a month away. It refuses rows of the new partition, and its queries
 * leave them out. So the table is changed once more, after every transaction that may have been collecting has ended.
 */
async function announce(database: Database, table: Partitioned): Promise<void> {
  const untilMs = performance.now() + LONGEST_LOOK_MS;
  const holders = (await database.row<{ holders: string[] | null }>(HOLDERS, [table]))?.holders ?? [];
  for (let waitMs = 1; holders.length > 0 && performance.now() < untilMs; waitMs *= 2) {
    const row = await database.row(`${HOLDERS} where virtualtransaction = any($2) having count(*) > 0`, [
      table,
      holders,
    ]);
    if (row === undefined) break;
    await setTimeout(waitMs);
  }
  // It changes nothing but the version of the table.
  await database.run(`alter table only ${table} alter column ${ANY_COLUMN[table]} set statistics -1`);
}

const ANY_COLUMN = { reading: 'series', window_log: 'stream_id' } as const;

/** Transactions that hold a lock on a table. Two databases of a server may have tables of one number. */
const HOLDERS = `
  select array_agg(virtualtransaction) as holders from (
    select distinct virtualtransaction from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and relation = to_regclass($1) and pid <> pg_backend_pid()) as holder`;
