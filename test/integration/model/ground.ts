import pg from 'pg';
import { HOUR } from '../../../src/core/instant.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Database } from '../../../src/database/database.ts';
import { partitionsOf } from '../../../src/database/partitions.ts';
import { timeInDatabase } from './time.ts';

/** When every history begins: the end of a month is near. */
export const BEGIN = Date.UTC(2026, 1, 28, 22, 30) * 1_000;

/** The model's own record of commits, in their order, and of the streams that ever were. */
const RECORDS = `
  create table committed (
    id bigint generated always as identity, stream_id int, from_at timestamptz, to_at timestamptz, asked_at timestamptz, note int);
  create function note_window() returns trigger language plpgsql as $$ begin
    insert into committed (stream_id, from_at, to_at, asked_at, note)
    select new.stream_id, new.from_at, new.to_at, new.asked_at, (config #>> '{options,note}')::int from source where id = new.source_id;
    return null; end $$;
  create trigger note_window after insert on window_log for each row execute function note_window();
  create table stream_once (id int, source_id int, selection jsonb);
  create function note_stream() returns trigger language plpgsql as $$ begin
    insert into stream_once values (new.id, new.source_id, new.selection); return null; end $$;
  create trigger note_stream after insert on stream for each row execute function note_stream();
  create table pace_once (id bigint generated always as identity, source_id int, state jsonb);
  create function note_pace() returns trigger language plpgsql as $$ begin
    insert into pace_once (source_id, state) values (new.source_id, new.state); return null; end $$;
  create trigger note_pace after insert or update on pace for each row execute function note_pace();`;

/** Makes an empty database into one whose time is the model's, with the tables of the bridge and the records of the model. */
export async function prepareGround(url: string): Promise<Database> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(timeInDatabase(new URL(url).pathname.slice(1)));
  await client.end();
  const database = await openDatabase({ url, poolSize: 12, applicationName: 'model', patient: false });
  await database.pool.query(RECORDS);
  const partitions = partitionsOf(database);
  await partitions.ensure('window_log', BEGIN - HOUR, BEGIN + 12 * HOUR);
  await partitions.ensure('reading', BEGIN - HOUR, BEGIN + 12 * HOUR);
  await database.run(
    `insert into ml_project (organisation_id, code, name) values ('default', 'hall', 'Hall') on conflict do nothing`,
  );
  return database;
}

/** Empties the database for the next history. */
export async function clearGround(database: Database): Promise<void> {
  const rows = await database.rows<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'simulated'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname not in ('clock', 'organisation', 'ml_project', 'migration')`,
  );
  await database.run(`truncate ${rows.map(({ name }) => name).join(', ')} restart identity cascade`);
}
