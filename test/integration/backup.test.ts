import { spawnSync } from 'node:child_process';
import { cp, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { backUp } from '../../src/database/backup/back-up.ts';
import { openBackup } from '../../src/database/backup/backup-file.ts';
import { restore } from '../../src/database/backup/restore.ts';
import { BACKED_UP } from '../../src/database/backup/tables.ts';
import { connect } from '../../src/database/database.ts';
import { migrate, migrationNames } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { eventually } from './daemon-rig.ts';

const databases = useDatabases();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

const VERSION = '7.7.7';
const { signal } = new AbortController();

async function directory(): Promise<string> {
  const made = await makeTempDirectory('backup');
  cleanups.push(() => made.remove());
  return made.path;
}

const back = (database: Pick<Database, 'dedicated'>, file: string) =>
  backUp(database, {
    file,
    version: VERSION,
    key: { digest: 'digest', place: 'the safe' },
    signal,
    onProgress: () => undefined,
  });

async function restoreInto(url: string, path: string) {
  const file = await openBackup(path, signal, () => undefined);
  const client = await connect({ url, applicationName: 'test', patient: false });
  try {
    return await restore(client, file, {
      version: '0.0.1',
      signal,
      onProgress: () => undefined,
      finish: () => Promise.resolve(),
    });
  } finally {
    await client.end();
  }
}

/** What a database holds, table by table. */
async function contents(url: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const held: Record<string, unknown> = {};
  for (const table of BACKED_UP) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${table} as t order by 1`);
    held[table] = rows.map(({ row }) => row);
  }
  const { rows: partitions } = await client.query(
    `select inhparent::regclass::text, inhrelid::regclass::text, pg_get_expr(relpartbound, inhrelid)
     from pg_inherits join pg_class on pg_class.oid = inhrelid where relkind = 'r' order by 2`,
  );
  await client.end();
  return { ...held, partitions };
}

async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

const tablesIn = async (url: string): Promise<number | null> =>
  (await query(url, `select from pg_class where relnamespace = 'public'::regnamespace`)).rowCount;

/** Values that a copy could spoil, claims of processes, and rows that are gone. */
const FILL = `
  insert into ml_project (organisation_id, code, name) values ('default', 'hall', E'tab\\t line\\nfeed back\\\\slash \\\\N ü 漢 🙂');
  insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us)
    values ('s', 1, 'k', 'p', '{"a": "\\t\\"\\\\"}', '2026-11-01', 1, 1, 1);
  insert into stream (source_id, key, selection, sensors, covered)
    values (1, 'k', '[]', '[]', '{[2026-11-01,2026-11-02),[2026-11-03,2026-11-04)}');
  insert into pace (source_id, state) values (1, '{"next": 5, "holdUntil": 7, "leases": [{"id": "x"}]}');
  insert into account (digest, refused, probe, probe_until) values ('d', 1, gen_random_uuid(), now());
  insert into worker (id, host, pid, version) values (gen_random_uuid(), 'h', 1, 'v');
  insert into series (project_id, sensor_id, value_name) select 1, 'sensor ' || n, '' from generate_series(1, 3) as n;
  insert into label_set (labels) values ('{"a,b","\\"",NULL}');
  create table reading_early (like reading including defaults including constraints including indexes);
  alter table reading attach partition reading_early for values from (minvalue) to ('1960-01-01Z');
  create table reading_2026_11 (like reading including defaults including constraints including indexes);
  alter table reading attach partition reading_2026_11 for values from ('2026-11-01Z') to ('2026-12-01Z');
  insert into reading (series, at, value, precision, labels) values (1, '0044-03-15 BC', 'NaN', null, null), (1, '1959-12-31T23:59:59.999999Z', 0.1, 3, 1),
    (2, '2026-11-01Z', '-Infinity', null, null), (3, '2026-11-30T23:59:59.999999Z', 5e-324, null, null);
  insert into reading (series, at, value) select 1, timestamptz '2026-11-02Z' + n * interval '1 second', sin(n) from generate_series(1, 5000) as n;
  insert into audit (actor, action, subject, detail) values ('a', 'b', 'c', '{}');
  insert into application (id, organisation_id, name, secret_hash) values ('app', 'default', 'n', '\\x00ff0a5c');
  insert into outbox (project_id, readings, series, at, value, precision, labels) values (1, 0, '{}', '{}', '{}', '{}', '{}');
  delete from outbox`;

describe('a backup', () => {
  it('holds every value exactly and no claim, and numbers go on after those that were given', async () => {
    const database = await databases.create();
    await database.run(FILL);
    await database.run(`update pace set next = 5, leases = '[{"id": "x"}]'`);
    await database.run(
      `insert into work (kind, id, source_id, due_at, sent_at, claimed_by) values ('look', 1, 1, now(), now(), gen_random_uuid())`,
    );
    const file = join(await directory(), 'x.backup');
    const made = await back(database, file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(made).toMatchObject({ tables: BACKED_UP.length, bytes: (await stat(file)).size });
    const target = await databases.createEmpty();
    expect(await restoreInto(target, file)).toEqual({ ...made, migrated: [] });
    const rows = await database.rows<{ workers: number }>('select count(*) as workers from worker');
    expect(rows).toEqual([{ workers: 1 }]);
    await database.run(`update work set claimed_by = null, sent_at = null; update account set probe = null, probe_until = null;
      update pace set leases = '[]'`);
    expect(await contents(target)).toEqual(await contents(database.url));
    const restored = await databases.another({ url: target });
    expect(await restored.row('select (select count(*) from worker) + (select count(*) from memory) as held')).toEqual({
      held: 0,
    });
    const next = `insert into outbox (project_id, readings, series, at, value, precision, labels)
      values (1, 0, '{}', '{}', '{}', '{}', '{}') returning id`;
    expect(await restored.rows(next)).toEqual([{ id: 2 }]);
  });

  it('is of one instant, while others write', async () => {
    const database = await databases.create();
    await database.run(FILL);
    const before = await contents(database.url);
    const file = join(await directory(), 'x.backup');
    const making = await database.transaction(async (client) => {
      await client.query('lock table organisation in access exclusive mode');
      const under = back(database, file);
      await eventually('the backup waits', async () => {
        const waiting = await database.row<{ many: number }>(
          `select count(*) as many from pg_locks join pg_database on pg_database.oid = database
           where not granted and relation = 'organisation'::regclass and datname = current_database()`,
        );
        return waiting?.many === 1;
      });
      await client.query(`insert into organisation (id, name) values ('late', 'late')`);
      await client.query(`insert into audit (actor, action, subject, detail) values ('late', 'b', 'c', '{}')`);
      await client.query(`delete from reading where series = 1`);
      return { under };
    });
    await making.under;
    const target = await databases.createEmpty();
    await restoreInto(target, file);
    const { source, stream, pace, account, ...rest } = before;
    expect(source && stream && pace && account).toBeDefined();
    expect(await contents(target)).toMatchObject(rest);
  });

  it('of before the foundation is restored, and one that lacks some of those migrations is refused', async () => {
    const url = await databases.createEmpty();
    const foundation = await directory();
    await cp(
      join(import.meta.dirname, '../../src/database/migrations/0100_foundation.sql'),
      join(foundation, '0100_foundation.sql'),
    );
    const another = () => connect({ url, applicationName: 'test', patient: false });
    const client = await another();
    await migrate(client, { another, directory: foundation });
    await client.end();
    await query(url, FILL);
    await query(url, `update migration set name = '0001_foundation'`);
    await query(url, `insert into migration (name, run_on) values ('0040_work', now())`);
    const file = join(await directory(), 'x.backup');
    const source = { dedicated: another };
    await back(source, file);
    const target = await databases.createEmpty();
    expect(await restoreInto(target, file)).toMatchObject({ migrated: migrationNames().slice(1) });
    const restored = await databases.another({ url: target });
    const readings = 'select md5(string_agg(r::text, $$ $$ order by series, at)) as print from reading as r';
    expect(await restored.rows(readings)).toEqual((await query(url, readings)).rows);
    await query(url, `delete from migration where name = '0040_work'`);
    await back(source, file);
    await expect(restoreInto(await databases.createEmpty(), file)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('has the schema of 0001_foundation'),
      remedy: expect.stringContaining('bring it forward'),
    });
  });

  it('that is cut short, changed in one bit, of another program or newer is refused before anything is written', async () => {
    const database = await databases.create();
    await database.run(FILL);
    const place = await directory();
    const file = join(place, 'x.backup');
    await back(database, file);
    const whole = await readFile(file);
    const target = await databases.createEmpty();
    const refused = async (bytes: Buffer, message: RegExp): Promise<void> => {
      await writeFile(file, bytes);
      await expect(restoreInto(target, file)).rejects.toMatchObject({
        code: 'config-invalid',
        message: expect.stringMatching(message),
        remedy: expect.stringMatching(/./),
      });
    };
    for (const length of [1, 19, 21, 300, whole.length >> 1, whole.length - 33, whole.length - 1])
      await refused(whole.subarray(0, length), /is cut short/);
    await refused(Buffer.alloc(0), /is no backup/);
    await refused(Buffer.from('PGDMP and so on'), /is no backup/);
    const body = whole.indexOf('\n', 20) + 1;
    for (const at of [25, body, body + 5, whole.length >> 1, whole.length - 60, whole.length - 1]) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 4;
      await refused(changed, /is damaged/);
    }
    await refused(Buffer.from(whole.toString('latin1').replace('backup 1', 'backup 2'), 'latin1'), /has format 2/);
    await database.run(`insert into migration (name, run_on) values ('9999_future', now())`);
    await back({ dedicated: () => connect({ url: database.url, applicationName: 'test', patient: false }) }, file);
    await refused(await readFile(file), /made by databridge 7\.7\.7 with a newer database/);
    expect(await tablesIn(target)).toBe(0);
  });

  it('is not restored over anything, and leaves nothing when the restore fails half-way', async () => {
    const database = await databases.create();
    await database.run(FILL);
    const file = join(await directory(), 'x.backup');
    await back(database, file);
    const held = await databases.createMigrated();
    await expect(restoreInto(held, file)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('is not empty'),
      remedy: expect.stringContaining('CREATE DATABASE'),
    });
    const target = await databases.createEmpty();
    const client = await connect({ url: target, applicationName: 'test', patient: false });
    const opened = await openBackup(file, signal, () => undefined);
    const given = { version: VERSION, signal, onProgress: () => undefined };
    const failing = restore(client, opened, { ...given, finish: () => Promise.reject(new Error('no')) });
    await expect(failing).rejects.toThrow('no');
    const stop = new AbortController();
    const stopped = restore(client, opened, {
      ...given,
      signal: stop.signal,
      onProgress: () => stop.abort(),
      finish: () => Promise.resolve(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    expect(await tablesIn(target)).toBe(0);
    await restore(client, opened, { ...given, finish: () => Promise.resolve() });
    await client.end();
  });

  it('removes what an earlier one of that name left when it was killed, and nothing that may still be written', async () => {
    const database = await databases.create();
    const place = await directory();
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const parts = [`${hostname()}-${dead}`, `${hostname()}-${process.ppid}`, `other-${dead}`];
    for (const part of parts) await writeFile(join(place, `x.backup.${part}.part`), 'half');
    await writeFile(join(place, `y.backup.${parts[0]}.part`), 'half');
    await back(database, join(place, 'x.backup'));
    const left = [`x.backup.${parts[1]}.part`, `x.backup.${parts[2]}.part`, `y.backup.${parts[0]}.part`];
    expect((await readdir(place)).toSorted()).toEqual(['x.backup', ...left].toSorted());
  });

  it('that cannot be written leaves the earlier one, and says why', async () => {
    const database = await databases.create();
    const place = await directory();
    const file = join(place, 'x.backup');
    await back(database, file);
    const before = await readFile(file);
    await expect(back(database, '/dev/full')).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('the disk is full'),
      remedy: expect.stringContaining('free disk space'),
    });
    await expect(back(database, join(place, 'none/x'))).rejects.toMatchObject({ code: 'config-invalid' });
    await expect(back(database, place)).rejects.toMatchObject({ code: 'config-invalid' });
    const stop = new AbortController();
    const key = { digest: '', place: '' };
    const stopped = backUp(database, {
      file,
      version: VERSION,
      key,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    expect(await readdir(place)).toEqual(['x.backup']);
    expect(await readFile(file)).toEqual(before);
  });
});
