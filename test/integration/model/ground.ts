import pg from 'pg';
import { HOUR } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Database } from '../../../src/database/database.ts';
import { partitionsOf } from '../../../src/database/partitions.ts';
import { timeInDatabase } from './time.ts';

/** When every history begins: the end of a month is near. */
export const BEGIN = Date.UTC(2026, 1, 28, 22, 30) * 1_000;

/** The model's own record of commits, with the sensors of their streams, and of states of the pace, in their order. */
const RECORDS = `
  create table committed (
    id bigint generated always as identity, source text, sensors jsonb, from_at timestamptz, to_at timestamptz, asked_at timestamptz, note int);
  create function note_window() returns trigger language plpgsql as $$ begin
    insert into committed (source, sensors, from_at, to_at, asked_at, note)
    select name, selection -> 'sensors', new.from_at, new.to_at, new.asked_at, (config #>> '{options,note}')::int
    from source join stream on stream.id = new.stream_id where source.id = new.source_id;
    return null; end $$;
  create trigger note_window after insert on window_log for each row execute function note_window();
  create table pace_once (id bigint generated always as identity, source text, source_id int, leases jsonb, note int, ahead bigint);
  create function note_pace() returns trigger language plpgsql as $$ begin
    insert into pace_once (source, source_id, leases, note, ahead)
    select name, id, new.leases, (config #>> '{options,note}')::int, ahead from source, simulated.clock where id = new.source_id;
    return null; end $$;
  create trigger note_pace after insert or update on pace for each row execute function note_pace();`;

/** Makes an empty database into one whose time is the model's, with the tables of the bridge and the records of the model. */
export async function prepareGround(url: string): Promise<Database> {
  const database = await openModelDatabase(url, { from: BEGIN - HOUR, to: BEGIN + 12 * HOUR });
  await database.pool.query(RECORDS);
  await database.run(
    `insert into ml_project (organisation_id, code, name) values ('default', 'hall', 'Hall') on conflict do nothing`,
  );
  return database;
}

/** Makes an empty database into one whose time is the model's, with the tables of the bridge, for readings of this span. */
export async function openModelDatabase(url: string, { from, to }: Window): Promise<Database> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(timeInDatabase(new URL(url).pathname.slice(1)));
  await client.end();
  const database = await openDatabase({ url, poolSize: 12, applicationName: 'model', patient: false });
  const partitions = partitionsOf(database);
  await partitions.ensure('window_log', from, to);
  await partitions.ensure('reading', from, to);
  return database;
}

/** The tables that a history fills, each after those that refer to it. */
const FILLED = `
  with recursive filled as (
    select oid, relname as name from pg_class where relnamespace = 'simulated'::regnamespace and relkind in ('r', 'p')
      and not relispartition and relname not in ('clock', 'organisation', 'ml_project', 'migration')),
  refers as (
    select distinct conrelid as child, confrelid as parent from pg_constraint
    where contype = 'f' and conparentid = 0 and conrelid <> confrelid),
  chain as (
    select oid, 0 as depth from filled
    union select parent, depth + 1 from chain join refers on child = chain.oid)
  select name from filled join chain using (oid) group by oid, name order by max(depth)`;

const NUMBERS_FROM_ONE = `
  select setval(seqrelid, 1, false) from pg_sequence join pg_class on pg_class.oid = seqrelid
  where relnamespace = 'simulated'::regnamespace and relname !~ '^(organisation|ml_project|migration)_'`;

let cleared = 0;

/**
 * Empties the database for the next history. Rows are deleted, not truncated: a truncated table is a new one to PostgreSQL,
 * so every connection would plan its statements anew in each history. Numbers begin at 1 again, so that a history runs
 * alike whatever ran before it.
 */
export async function clearGround(database: Database): Promise<void> {
  const tables = await database.rows<{ name: string }>(FILLED);
  await database.pool.query(tables.map(({ name }) => `delete from ${name}`).join(';'));
  await database.run(NUMBERS_FROM_ONE);
  cleared += 1;
  // The server of the tests never vacuums on its own.
  if (cleared % 20 === 0) await database.run('vacuum');
}
