import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/database/database.ts';
import { memoryOf } from '../../src/database/memory.ts';

/**
 * A database that goes from test to test. A new one costs more than most tests do: a connection takes 40 ms of CPU to begin, and
 * learns the catalogue with the first statements that it runs.
 */
export interface UsedDatabase {
  /** The database for the next test. It remembers nothing of the last one, and takes no statement once it is renewed. */
  lend(): Database;
  /** Makes the database as it was. @returns false where that cannot be done, and another one has to be made */
  renew(): Promise<boolean>;
  readonly close: () => Promise<void>;
}

const OWN = `(select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')`;

/** Changes with each statement that changes the schema, except for new tables. */
const SHAPE = [
  // A new partition is announced by a change of its parent that changes nothing (database/partitions.ts).
  `(select xmin from pg_attribute where attrelid <> all (array(select oid from pg_class where relkind = 'p'))) as attribute`,
  `(select 0::text::xid as xmin from pg_attribute) as every_attribute`,
  'pg_proc',
  'pg_trigger',
  'pg_constraint',
  'pg_index',
  'pg_namespace',
  '(select xmin from pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database())) as setting',
]
  .map((catalogue) => `(select concat(count(*), '/', max(xmin::text::bigint)) from ${catalogue})`)
  .join(` || ' ' || `);

/** Tables of the first schema that were written to, each after those that refer to it; `$1`: the newest of them. */
const WRITTEN = `
  with recursive written as (
    select oid from pg_class where relkind = 'r' and relnamespace in ${OWN} and oid <= $1 and pg_relation_size(oid) > 0),
  refers as (select distinct conrelid as child, confrelid as parent from pg_constraint where contype = 'f' and conrelid <> confrelid),
  chain as (
    select oid, 0 as depth from written
    union select parent, depth + 1 from chain join refers on child = chain.oid)
  select oid::regclass::text as name from written join chain using (oid) group by oid order by max(depth)`;

interface Met {
  readonly added: readonly string[];
  readonly connections: number;
}

/** Takes over a database that has just been made, with its pool. */
export async function usedDatabase(database: Database): Promise<UsedDatabase> {
  const { pool, rows } = database;
  const { newest = 0 } =
    (await database.row<{ newest: number }>('select max(oid)::int8 as newest from pg_class')) ?? {};
  const shapeNow = async (): Promise<string | undefined> =>
    (await database.row<{ shape: string }>(`select ${SHAPE} as shape`))?.shape;
  const look = async (): Promise<Met> =>
    (
      await rows<Met & Record<string, unknown>>(
        `select array(select oid::regclass::text from pg_class
           where oid > $1 and relkind in ('r', 'p') and relnamespace in ${OWN} and not (relispartition and relkind = 'p')) as added,
           (select count(*)::int from pg_stat_activity
            where datname = current_database() and backend_type = 'client backend') as connections`,
        [newest],
      )
    )[0] as Met;
  const written = async (): Promise<string[]> =>
    (await rows<{ name: string }>(WRITTEN, [newest])).map(({ name }) => name);
  const textOf = async (table: string): Promise<string | null | undefined> =>
    (
      await database.row<{ text: string | null }>(
        `select jsonb_agg(to_jsonb(one) order by one::text)::text as text from ${table} as one`,
      )
    )?.text;
  const shape = await shapeNow();
  const seeded = new Map<string, string>();
  for (const table of await written()) {
    const text = await textOf(table);
    if (typeof text === 'string') seeded.set(table, text);
  }
  const numbers = await rows<{ name: string }>(
    `select seqrelid::regclass::text as name from pg_sequence where pg_sequence_last_value(seqrelid) is null`,
  );
  const toStart = `select setval(seqrelid, seqstart, false) from pg_sequence
    where seqrelid::regclass::text = any('{${numbers.map(({ name }) => name).join(',')}}')
      and pg_sequence_last_value(seqrelid) is not null`;
  let end = (): void => undefined;

  async function renew(): Promise<boolean> {
    end();
    const isBusy = (): boolean => pool.totalCount > pool.idleCount || pool.waitingCount > 0;
    if (pool.ended || isBusy()) return false;
    let { added, connections } = await look();
    // A connection that has just been closed is there for a moment.
    for (let again = 0; connections !== pool.totalCount && again < 20; again += 1) {
      await sleep(5);
      ({ added, connections } = await look());
    }
    if (connections !== pool.totalCount) return false;
    if (added.length > 0) await pool.query(`drop table ${added.join(', ')}`);
    const tables = await written();
    // Deleted, not truncated: a truncated table is a new one to PostgreSQL, and every statement is planned anew.
    await pool.query(
      [...tables.filter((table) => !seeded.has(table)).map((table) => `delete from ${table}`), toStart].join(';'),
    );
    for (const [table, text] of seeded) {
      if ((await textOf(table)) === text) continue;
      await pool.query(`delete from ${table}`);
      await pool.query(
        `insert into ${table} overriding system value select * from jsonb_populate_recordset(null::${table}, $1)`,
        [text],
      );
    }
    return (await shapeNow()) === shape && !isBusy();
  }

  return {
    lend() {
      let isOver = false;
      end = () => (isOver = true);
      const until =
        <A extends unknown[], R>(use: (...given: A) => R): ((...given: A) => R) =>
        (...given) => {
          if (isOver) throw new Error('the test that used this database is over');
          return use(...given);
        };
      const lent = {
        ...database,
        rows: until(database.rows),
        row: until(database.row),
        run: until(database.run),
        transaction: until(database.transaction),
        beside: until(database.beside),
        dedicated: until(database.dedicated),
      } as Database;
      return Object.assign(lent, { memory: memoryOf(lent) });
    },
    renew: () => renew().catch(() => false),
    close: () => database.close(),
  };
}
