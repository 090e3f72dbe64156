import type { ClientBase } from 'pg';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { FINISH_COVERED, IS_OPEN, WANTED } from '../pull/history/wishes.ts';

/** SQL: the length `keep` as an interval; null where that is for ever. */
export const KEPT_LENGTH = `replace(keep, 'mo', 'mon')::interval`;

/**
 * SQL: the bound of the row `project` of `ml_project`: the begin of the day of its newest reading, that of now at most, less the length `keep`.
 * A clock that is ahead raises it no further, because readings that were removed never come back. Null where the project keeps
 * all, where it has no reading, and where the bound would be lower than the one that stands. It takes a step in the key for each series and
 * month since the reading that would raise it.
 */
export const BOUND = `(
  select date_trunc('day', max(newest.at) - ${KEPT_LENGTH}, 'UTC') from series cross join lateral (
    select at from reading where reading.series = series.id and at <= now()
      and at >= coalesce(project.kept_from + ${KEPT_LENGTH} - interval '1 day', '-infinity') order by at desc limit 1) as newest
  where project.keep is not null and series.project_id = project.id)`;

/** A wait for a lock, so that a run keeps nobody waiting who waits behind it. */
const LOCK_WAIT = '2s';

/** What a bound took out of sight. */
export interface RaisedBound {
  /** Readings before it are not kept. */
  readonly bound: Instant;
  /** The bound rose, or it is time to look again for rows that came late. */
  readonly mayHaveRows: boolean;
  /** Of days that were given up with their files. */
  readonly archivedDays: number;
  readonly archivedReadings: number;
  readonly archivedBytes: number;
}

/** The length that a project keeps its readings, and the bound that a run would raise; null where it would raise none. Undefined on hold. */
export const nextBound = (
  database: Database,
  projectId: number,
): Promise<{ readonly keep: string | null; readonly at: Instant | null } | undefined> =>
  database.row<{ keep: string | null; at: Instant | null }>(
    `select keep, instant_of(case when at > coalesce(kept_from, '-infinity') then at end) as at
     from (select keep, kept_from, ${BOUND} as at from ml_project as project where id = $1 and hold_reason is null offset 0) as project`,
    [projectId],
  );

/**
 * Takes readings of a project out of sight that are older than it keeps them: in one transaction the bound rises, archived days before it are
 * given up, and nothing asks for their time any more, neither polls nor looks nor backfills. It stays covered. What a late move
 * or write brought before the bound is given up as well. @returns `empty` where it has no bound yet, because it has no reading or keeps all
 */
export async function raiseBound(database: Database, projectId: number): Promise<RaisedBound | 'held' | 'empty'> {
  // Before any lock, because it looks at all series.
  const wanted = await nextBound(database, projectId);
  return await database.transaction(async (client) => {
    await client.query(`set local lock_timeout = '${LOCK_WAIT}'`);
    const values = [projectId, wanted?.at ?? null];
    // Sources are locked before projects, as where a source gives names; once a day, when the bound rises.
    await client.query(
      `select from source where project_id = $1 and exists (
         select from ml_project where id = $1 and at_instant($2::bigint) > coalesce(kept_from, '-infinity'))
       order by id for no key update`,
      values,
    );
    const [raised] = await rowsOf<{ bound: Instant | null; rose: boolean; mayHaveRows: boolean }>(
      client,
      // Where somebody set another length meanwhile, the next run raises the bound.
      `update ml_project set kept_from = greatest(kept_from, wanted.at),
         trim_at = case when wanted.at > coalesce(kept_from, '-infinity') then now() else trim_at end
       from (select case when keep = $3 then at_instant($2::bigint) end as at from ml_project where id = $1) as wanted
       where id = $1 and hold_reason is null
       returning instant_of(new.kept_from) as bound, new.kept_from is distinct from old.kept_from as rose, new.trim_at <= now() as "mayHaveRows"`,
      [...values, wanted?.keep ?? null],
    );
    if (raised === undefined) return 'held';
    if (raised.bound === null) return 'empty';
    const { bound, rose, mayHaveRows } = { ...raised, bound: raised.bound };
    if (rose) await askNoMore(client, projectId, bound);
    const [given] = await rowsOf<Omit<RaisedBound, 'bound' | 'mayHaveRows'> & Record<string, unknown>>(
      client,
      `with given as (
         update archived_day set replaced_at = now()
         where project_id = $1 and replaced_at is null and day < (at_instant($2) at time zone 'UTC')::date returning readings, bytes)
       select count(*)::int as "archivedDays", coalesce(sum(readings), 0) as "archivedReadings", coalesce(sum(bytes), 0) as "archivedBytes" from given`,
      [projectId, bound],
    );
    return { bound, mayHaveRows, archivedDays: 0, archivedReadings: 0, archivedBytes: 0, ...given };
  });
}

/** Time before the bound is as time before the start of a source. */
async function askNoMore(client: ClientBase, projectId: number, bound: Instant): Promise<void> {
  const values = [projectId, bound];
  await client.query(
    'update source set start_at = at_instant($2) where project_id = $1 and start_at < at_instant($2)',
    values,
  );
  const before = `from source where source.id = stream.source_id and project_id = $1`;
  const gone = 'tstzmultirange(tstzrange(null, at_instant($2)))';
  await client.query(`update stream set look_again = look_again - ${gone} ${before} and look_again && ${gone}`, values);
  const ofProject =
    'stream_id in (select stream.id from stream join source on source.id = source_id where project_id = $1)';
  await client.query(`delete from unreadable where ${ofProject} and to_at <= at_instant($2)`, values);
  await client.query(
    `delete from refused_hour where ${ofProject} and hour < date_trunc('hour', at_instant($2), 'UTC')`,
    values,
  );
  const open = `backfill.source_id in (select id from source where project_id = $1) and ${IS_OPEN} and from_at < at_instant($2)`;
  const sources = await rowsOf<{ id: number }>(
    client,
    `select distinct source_id as id from backfill where ${open}`,
    values,
  );
  await client.query(
    `update backfill_stream set wanted = ${WANTED} - ${gone} from backfill where backfill.id = backfill_id and ${open}`,
    values,
  );
  await client.query(`update backfill set from_at = at_instant($2) where ${open} and to_at > at_instant($2)`, values);
  for (const { id } of sources) await client.query(FINISH_COVERED, [id]);
}
