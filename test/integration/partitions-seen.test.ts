import pg from 'pg';
import { expect, it } from 'vitest';
import { MICROSECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { makePartitions, partitionsOf } from '../../src/database/partitions.ts';
import { useDatabases } from '../kit/databases.ts';

const databases = useDatabases();

const MONTHS = 60;
const WRITERS = 4;
const PROCESSES = 2;

it('a partition takes rows over every connection once its maker goes on, while other partitions are made', async () => {
  const database = await databases.create();
  const processes = [database, ...(await Promise.all(others(database, PROCESSES - 1)))];
  const made: Date[] = [];
  let next = 0;
  let making = processes.length;

  async function make(of: typeof database): Promise<void> {
    const partitions = partitionsOf(of);
    while (next < MONTHS) {
      const month = new Date(Date.UTC(1970, next, 1));
      next += 1;
      const at = month.getTime() * 1_000;
      await partitions.ensure('reading', at, at + MICROSECOND);
      made.push(month);
    }
    making -= 1;
  }

  let written = 0;
  /** Each connection collects the list of partitions at its first statement, most likely while another one is attached. */
  async function write(): Promise<void> {
    while (making > 0) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      try {
        for (let row = 0; row < 4; row += 1) {
          const newest = made.at(-1);
          if (newest === undefined) await client.query('select from reading');
          else {
            await client.query('insert into reading (series, at, value) values ($1, $2, 1)', [(written += 1), newest]);
          }
        }
      } finally {
        await client.end();
      }
    }
  }

  await Promise.all([...processes.map(make), ...Array.from({ length: WRITERS }, write)]);
  expect(made).toHaveLength(MONTHS);
  expect(await database.row('select count(*) as rows from reading')).toEqual({ rows: written });
});

it('a partition that a killed process did not announce is announced by the next process that writes', async () => {
  const database = await databases.create();
  const month = Date.UTC(1970, 0, 1) * 1_000;
  await database.transaction((client) => makePartitions(client, 'reading', month, month + MICROSECOND));
  const [killed, next, later] = [await version(database), partitionsOf(database), partitionsOf(database)];
  await next.ensure('reading', month, month + MICROSECOND);
  const announced = await version(database);
  expect(announced).not.toBe(killed);
  await next.ensure('reading', month, month + MICROSECOND);
  expect(await version(database)).toBe(announced);
  await later.ensure('reading', month, month + MICROSECOND);
  expect(await version(database)).not.toBe(announced);
});

/** Changes with each change of the table, after which every connection reads its list of partitions anew. */
const version = async (database: Database): Promise<string | undefined> =>
  (
    await database.row<{ version: string }>(
      `select xmin::text as version from pg_attribute where attrelid = 'reading'::regclass and attname = 'series'`,
    )
  )?.version;

const others = (database: { url: string }, count: number) =>
  Array.from({ length: count }, () => databases.another(database));
