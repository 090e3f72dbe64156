import { BACKUP_LOCK } from '../database/backup/tables.ts';
import type { Database } from '../database/database.ts';

/**
 * Forgets accounts that no source has had for a month: their secret was changed, or their sources were removed. A source has none
 * between a change and its next run, and a refusal must not be forgotten then.
 */
export const forgetAccounts = (database: Database): Promise<number> =>
  database.run(
    `delete from account where used_at < now() - interval '30 days'
       and not exists (select from pace where state ->> 'account' = digest)`,
  );

/** Drops the days of the window log, the refusals and their counts that are older than `days`. Hourly sums stay. */
export async function dropOldLogs(database: Database, days: number): Promise<void> {
  const old = await database.rows<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'window_log'::regclass
       and to_date(right(relname, 10), 'YYYY_MM_DD') < (now() at time zone 'UTC')::date - $1::int`,
    [days],
  );
  await database.transaction(async (client) => {
    // A drop waits for a backup under way, and every write to the log would wait for the drop.
    const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1) as free', [
      BACKUP_LOCK,
    ]);
    if (rows[0]?.free !== true) return;
    for (const { name } of old) await client.query(`drop table if exists ${name}`);
  });
  await database.run(`delete from refusal where noted_at < now() - $1 * interval '1 day'`, [days]);
  await database.run(`delete from refusal_count where hour < now() - $1 * interval '1 day'`, [days]);
}
