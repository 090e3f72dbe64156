import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { DAY, parseInstant } from '../../src/core/instant.ts';
import { isDatabaseAway } from '../../src/database/away.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { Database } from '../../src/database/database.ts';
import { migrationNames } from '../../src/database/migrate.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { dropOldLogs } from '../../src/upkeep/housekeeping.ts';
import { useDatabases } from '../kit/databases.ts';

const databases = useDatabases();

const at = (text: string): number => parseInstant(text) ?? expect.fail(`${text} is no instant`);

const open = (url: string, more: Partial<Parameters<typeof openDatabase>[0]> = {}): Promise<Database> =>
  openDatabase({ url, poolSize: 2, applicationName: 'test', patient: false, ...more });

async function partitionsIn(database: Database, table: string): Promise<string[]> {
  const rows = await database.rows<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

describe('migrations', () => {
  it('run once, even when many processes and connections start at the same time', async () => {
    const url = await databases.createEmpty();
    const program = join(import.meta.dirname, 'migrate-user.ts');
    const processes = Array.from({ length: 3 }, async () => {
      const child = spawn(process.execPath, [program, url], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      const [code] = (await once(child, 'close')) as [number];
      return { code, output };
    });
    const pools = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    const told = await Promise.all(processes);
    expect(told.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(new Set(told.map(({ output }) => output)).size).toBe(1);
    const [first] = pools;
    const rows = await first?.rows<{ name: string }>('select name from migration order by id');
    const files = readdirSync(join(import.meta.dirname, '../../src/database/migrations')).toSorted();
    expect(rows?.map(({ name }) => `${name}.sql`)).toEqual(files);
    const locks = await first?.row<{ held: number }>(
      `select count(*) as held from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(locks).toEqual({ held: 0 });
    for (const pool of pools) await pool.close();
  });

  it('have a number each', () => {
    const numbers = migrationNames().map((name) => /^\d{4}(?=_)/.exec(name)?.[0]);
    expect(numbers).not.toContain(undefined);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('do not run again when the database is opened again', async () => {
    const database = await databases.create();
    await database.run(`insert into ml_project (organisation_id, code, name) values ('default', 'p', 'P')`);
    const later = await databases.another(database);
    expect(await later.rows('select code from ml_project')).toEqual([{ code: 'p' }]);
  });
});

describe('opening', () => {
  it('refuses at once a fault that waiting cannot cure, and gives a remedy', async () => {
    const url = new URL(await databases.createEmpty());
    const wrongPassword = new URL(url);
    // The server of the tests asks this user for its password.
    wrongPassword.username = 'stranger';
    wrongPassword.password = 'wrong';
    const noDatabase = new URL(url);
    noDatabase.pathname = '/nowhere';
    for (const each of [wrongPassword, noDatabase]) {
      const error: unknown = await open(each.href, { patient: true }).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'config-invalid', remedy: expect.any(String) });
      expect(String(error)).not.toContain('wrong@');
    }
  });

  it('refuses a user that may not create tables', async () => {
    const url = new URL(await databases.createEmpty());
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    // The owner of the database takes the right from itself, so that the test needs no other user.
    await client.query('revoke create on schema public from public');
    await client.query('revoke all on database "' + url.pathname.slice(1) + '" from public');
    await client.query(`set role pg_database_owner`);
    await client.query(`revoke all on schema public from pg_database_owner`);
    await client.end();
    await expect(open(url.href)).rejects.toMatchObject({
      code: 'config-invalid',
      remedy: expect.stringContaining('right to create'),
    });
  });

  it('waits for a server that is away until its signal is aborted', async () => {
    const stop = new AbortController();
    const reasons: string[] = [];
    const opening = open('postgres://nobody@127.0.0.1:1/none', {
      patient: true,
      signal: stop.signal,
      onWaiting(reason) {
        reasons.push(reason);
        if (reasons.length === 2) stop.abort();
      },
    });
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
    expect(reasons).toHaveLength(2);
    await expect(open('postgres://nobody@127.0.0.1:1/none')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a transaction', () => {
  it('whose work throws changes no row, and its connection stays usable', async () => {
    const database = await databases.create();
    const failing = database.transaction(async (client) => {
      await client.query(`insert into ml_project (organisation_id, code, name) values ('default', 'p', 'P')`);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.rows('select * from ml_project')).toEqual([]);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });

  it('whose connection dies fails as "away", and neither the process nor the pool goes with it', async () => {
    const database = await databases.create();
    const other = await databases.another(database);
    const dying = database.transaction(async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      // No statement is under way, so only an event tells that the connection has died. The event may come before the test
      // waits for it, and it is an error.
      const ended = once(client, 'end').catch(() => undefined);
      await other.run('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
      await client.query('select 1');
    });
    const error: unknown = await dying.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(isDatabaseAway(error)).toBe(true);
    expect(await database.rows('select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('instants in PostgreSQL', () => {
  it('are the same µs when they are read back, long before 1970 and long after', async () => {
    const database = await databases.create();
    const instants = [
      0,
      -1,
      1,
      at('1999-12-31T23:59:59.999999Z'),
      at('1723-05-06T07:08:09.000001Z'),
      9_007_199_254_740_991,
    ];
    for (const instant of instants) {
      expect(await database.row('select instant_of(at_instant($1)) as back', [instant])).toEqual({ back: instant });
    }
  });
});

describe('partitions', () => {
  it('are made once by processes that need them at the same time, and take readings', async () => {
    const database = await databases.create();
    const hosts = [database, await databases.another(database), await databases.another(database)];
    const from = at('2025-11-30T23:59:59.999999Z');
    const to = at('2026-02-01T00:00:00.000001Z');
    const tables = await Promise.all(
      hosts.flatMap((host) => [1, 2].map(() => partitionsOf(host).ensure('reading', from, to))),
    );
    expect(new Set(tables)).toEqual(new Set(['reading']));
    expect(await partitionsIn(database, 'reading')).toEqual([
      'reading_2025_11',
      'reading_2025_12',
      'reading_2026_01',
      'reading_2026_02',
    ]);
    await database.run(
      'insert into reading (series, at, value) values (1, at_instant($1), 1), (1, at_instant($2), 2)',
      [from, to - 1],
    );
  });

  it('end where the next partition begins: half-open to the µs', async () => {
    const database = await databases.create();
    const partitions = partitionsOf(database);
    const border = at('2026-01-01T00:00:00Z');
    expect(await partitions.ensure('reading', border - 1, border)).toBe('reading_2025_12');
    expect(await partitionsIn(database, 'reading')).toEqual(['reading_2025_12']);
    expect(await partitions.ensure('reading', border, border + 1)).toBe('reading_2026_01');
    expect(await partitions.ensure('reading', border - 1, border + 1)).toBe('reading');
    expect(await partitions.ensure('reading', at('1969-12-31T23:59:59.999999Z'), 0)).toBe('reading_1969_12');
  });

  it('of the window log are dropped when they are too old, by several hosts at once', async () => {
    const database = await databases.create();
    const hosts = [database, await databases.another(database), await databases.another(database)];
    const startOfToday = async (): Promise<number> =>
      (await database.row<{ today: number }>(`select instant_of(date_trunc('day', now(), 'UTC')) as today`))?.today ??
      0;
    const today = await startOfToday();
    for (const ago of [0, 1, 2, 3, 30]) {
      await partitionsOf(database).ensure('window_log', today - ago * DAY, today - ago * DAY + 1);
    }
    await partitionsOf(database).ensure('reading', today - 400 * DAY, today - 400 * DAY + 1);
    await Promise.all(hosts.map((host) => dropOldLogs(host, 2)));
    // A midnight during the test makes the oldest one too old.
    const left = (await startOfToday()) === today ? [3] : [2, 3];
    expect(left).toContain((await partitionsIn(database, 'window_log')).length);
    expect(await partitionsIn(database, 'reading')).toHaveLength(1);
  });
});
