import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { connect, openDatabase } from '../../src/database/database.ts';
import { migrate, migrationNames } from '../../src/database/migrate.ts';
import type { MigrationStep } from '../../src/database/migrate.ts';
import { VERSION } from '../../src/version.ts';
import { makeBridge } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { eventually } from './daemon-rig.ts';

const databases = useDatabases();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

const connection = (url: string) => connect({ url, applicationName: 'test', patient: false });

/** Notes every statement that writes after the migration. */
const WATCHED = `
  create table written (at timestamptz default clock_timestamp(), tab text);
  create function watch() returns trigger language plpgsql as $$ begin insert into written (tab) values (tg_table_name); return null; end $$;
  do $$ declare t text; begin
    for t in select relname from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition
      and relname not in ('written', 'migration') loop
      execute format('create trigger watch after insert or update or delete on %I for each statement execute function watch()', t);
    end loop; end $$;`;

/** Brings a database to a schema that a later version would have. */
async function upgrade(url: string, sql: string, onStep?: (step: MigrationStep) => void): Promise<string[]> {
  const directory = await makeTempDirectory('later');
  cleanups.push(() => directory.remove());
  await cp(join(import.meta.dirname, '../../src/database/migrations'), directory.path, { recursive: true });
  await writeFile(join(directory.path, '9999_later.sql'), sql);
  const client = await connection(url);
  try {
    const another = () => connection(url);
    return await migrate(client, { another, onStep, directory: directory.path, version: '9.9.9' });
  } finally {
    await client.end();
  }
}

const NEWER = /newer schema \(9999_later, made by databridge 9\.9\.9\) than this databridge \(.+\) knows/;

it('a database of a newer version is refused by every command, with the version to use', async () => {
  const url = await databases.createMigrated();
  expect(await upgrade(url, 'create table later ()')).toEqual(['9999_later']);
  await expect(openDatabase({ url, poolSize: 1, applicationName: 'test', patient: true })).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringMatching(NEWER) as string,
    remedy: expect.stringContaining('use databridge 9.9.9 or newer on every host') as string,
  });
  const bridge = await makeBridge({ DATABASE_URL: url });
  cleanups.push(() => bridge.remove());
  expect(await bridge.run('source', 'list')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/newer schema[^]*try: use databridge 9\.9\.9/) as string,
  });
  const { code, stdout } = await bridge.run('doctor');
  expect(code).toBe(1);
  expect(stdout).toMatch(NEWER);
});

it('a database of another line is refused', async () => {
  const url = await databases.createMigrated();
  await upgrade(url, 'create table later ()');
  const database = await connection(url);
  await database.query(`delete from migration where name <> '9999_later'`);
  await database.end();
  await expect(upgrade(url, 'create table later ()')).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining('another line') as string,
  });
});

it('a database of before the last migration that the foundation replaced is refused, with the way', async () => {
  const database = await databases.create();
  await database.run(`update migration set name = '0001_foundation'`);
  await database.run(`insert into migration (name, run_on) values ('0039_quiet_windows', now())`);
  await expect(databases.another(database)).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining('the database has the schema of 0039_quiet_windows') as string,
    remedy: expect.stringMatching(/bring it forward with the version of commit \w+ first/) as string,
  });
});

it('a process that runs while a later version migrates writes nothing after that, says so and ends', async () => {
  const url = await databases.createMigrated();
  const bridge = await makeBridge({ DATABASE_URL: url });
  cleanups.push(() => bridge.remove());
  const daemon = await bridge.up('worker');
  const database = await databases.another({ url });
  let writes = 0;
  const stop = new AbortController();
  const writing = (async () => {
    for (; !stop.signal.aborted; writes += 1) {
      await database
        .run(`insert into ml_project (organisation_id, code, name) values ('default', $1, 'P')`, [String(writes)])
        .catch(() => undefined);
    }
  })();
  try {
    await eventually('there are writers', () => Promise.resolve(writes > 20));
    await upgrade(url, WATCHED);
    await eventually('the writer is refused', () => Promise.resolve(database.outdated.aborted));
  } finally {
    stop.abort();
    await writing;
  }
  expect(database.outdated.reason).toMatchObject({ message: expect.stringMatching(NEWER) as string });
  await expect(database.run('delete from ml_project')).rejects.toMatchObject({ code: '57P03' });
  await expect(database.dedicated()).rejects.toMatchObject({ code: '57P03' });
  expect((await daemon.exited).code).toBe(2);
  expect(daemon.output()).toMatch(NEWER);
  expect(daemon.output()).toContain('use databridge 9.9.9 or newer');
  const client = await connection(url);
  const { rows } = await client.query('select * from written');
  await client.end();
  expect(rows).toEqual([]);
});

it('a migration that fails leaves the earlier schema, and the processes on it go on', async () => {
  const database = await databases.create();
  await database.run(`insert into ml_project (organisation_id, code, name) values ('default', 'p', 'P')`);
  await expect(upgrade(database.url, 'create table later (); select 1 / 0')).rejects.toThrow('division by zero');
  await eventually('the process is connected again', async () =>
    database.run(`update ml_project set name = 'Q'`).then(
      () => true,
      () => false,
    ),
  );
  expect(database.outdated.aborted).toBe(false);
  expect(await database.row(`select to_regclass('later') as later`)).toEqual({ later: null });
});

it('a process whose database is replaced by one with an earlier schema ends, too', async () => {
  const database = await databases.create();
  const other = await databases.another(database);
  await database.run('delete from migration where id = (select max(id) from migration)');
  // The connections to the replaced database end with it.
  await database.run(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await eventually('the process lost its connection', () => other.pool.totalCount === 0);
  await expect(other.row('select 1 as one')).rejects.toMatchObject({ code: '57P03' });
  expect(other.outdated.reason).toMatchObject({ remedy: expect.stringContaining('start the process again') as string });
});

it('a database of an earlier version is brought forward with its rows, step by step, and tells the version', async () => {
  const url = await databases.createMigrated();
  const client = await connection(url);
  await client.query(`insert into ml_project (organisation_id, code, name) values ('default', 'p', 'P')`);
  const steps: MigrationStep[] = [];
  await client.query('select pg_advisory_lock(7263541)');
  const upgraded = upgrade(url, 'alter table ml_project add column later int default 7', (step) => steps.push(step));
  await eventually('it waits for the other process', () => Promise.resolve(steps.length === 1));
  await client.query('select pg_advisory_unlock(7263541)');
  expect(await upgraded).toEqual(['9999_later']);
  expect(steps).toEqual([{ step: 'waits' }, { step: 'runs', name: '9999_later', number: 1, of: 1 }]);
  expect((await client.query('select code, later from ml_project')).rows).toEqual([{ code: 'p', later: 7 }]);
  const { rows } = await client.query('select name, version from migration order by id');
  expect(rows).toEqual([
    ...migrationNames().map((name) => ({ name, version: VERSION })),
    { name: '9999_later', version: '9.9.9' },
  ]);
  await client.end();
});
