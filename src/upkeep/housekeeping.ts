import type { Database } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';

/**
 * Forgets accounts that no source has had for a month: their secret was changed, or their sources were removed. A source has none
 * between a change and its next run, and a refusal must not be forgotten then.
 */
export const forgetAccounts = (database: Database): Promise<number> =>
  database.run(
    `delete from account where used_at < now() - interval '30 days'
       and not exists (select from pace where state ->> 'account' = digest)`,
  );

/**
 * Forgets held names that came from applications at most `days` ago, and those of sources of which no refused point stands any more,
 * such as after the mapping was corrected. A name that comes again is listed again.
 */
export const dropOldHeldNames = (database: Database, days: number): Promise<number> =>
  database.run(
    `delete from held_name where last_seen < now() - case when source_id is null then $1 else 1 end * interval '1 day'
       and not exists (
         select from refused_hour join stream on stream.id = stream_id
         where stream.source_id = held_name.source_id and retired_at is null and reason = 'name-held-back' and points <> '{}'
           and sensor = held_name.holder::jsonb ->> 0 and variable = held_name.holder::jsonb ->> 1)`,
    [days],
  );

/** A row of a window under way stays until the next time, so that the two never wait for each other in a ring. */
const DROP_REFUSED = `
  delete from refused_hour where ctid = any(array(
    select ctid from refused_hour where noted_at < now() - $1 * interval '1 day' or points = '{}' for update skip locked))`;

/** Ours: a source keeps at most this many rows of refused points, each of a variable, reason and hour: some 100 MB. */
const MOST_REFUSED_HOURS = 500_000;

/** Of very many refused points the oldest ones are counted only. */
const BOUND_REFUSED = `
  with many as (
    select source_id from refused_hour join stream on stream.id = stream_id group by 1 having count(*) > $1),
  ranked as (
    select refused_hour.ctid as place, row_number() over (partition by source_id order by noted_at desc, hour desc) as number
    from refused_hour join stream on stream.id = stream_id join many using (source_id)),
  gone as (
    delete from refused_hour where ctid = any(array(
      select refused_hour.ctid from refused_hour join ranked on place = refused_hour.ctid where number > $1 for update of refused_hour skip locked))
    returning stream_id, reason, points)
  insert into refusal_count as known (stream_id, reason, hour, refused, kept)
  select stream_id, reason, date_trunc('hour', now(), 'UTC'), sum(cardinality(points)), 0 from gone where points <> '{}' group by 1, 2 order by 1, 2
  on conflict (stream_id, reason, hour) do update set refused = known.refused + excluded.refused`;

/** Drops the days of the window log, the refusals and their counts that are older than `days`. Hourly sums stay. */
export async function dropOldLogs(
  database: Database,
  days: number,
  mostRefusedHours = MOST_REFUSED_HOURS,
): Promise<void> {
  const old = await database.rows<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'window_log'::regclass
       and to_date(right(relname, 10), 'YYYY_MM_DD') < (now() at time zone 'UTC')::date - $1::int`,
    [days],
  );
  await database.transaction(async (client) => {
    // A drop waits for a backup under way, and every write to the log would wait for the drop.
    const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1) as free', [
      LOCKS.backup,
    ]);
    if (rows[0]?.free !== true) return;
    for (const { name } of old) await client.query(`drop table if exists ${name}`);
  });
  await database.run(`delete from refusal where noted_at < now() - $1 * interval '1 day'`, [days]);
  await database.run(DROP_REFUSED, [days]);
  await database.run(BOUND_REFUSED, [mostRefusedHours]);
  await database.run(`delete from refusal_count where hour < now() - $1 * interval '1 day'`, [days]);
}
