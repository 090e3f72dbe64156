import type { ClientBase } from 'pg';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { FINISH_COVERED, IS_OPEN, WANTED } from './wishes.ts';

/** SQL: the begin of the day of `now` less the length `keep` of the row `ml_project`; null where that is for ever. */
export const BOUND = `date_trunc('day', now() - replace(keep, 'mo', 'mon')::interval, 'UTC')`;

/**
 * SQL: where the bound may stand now. A run that comes by itself raises one that stands by a day at most, because readings that a wrong clock
 * removes never come back: a clock that is years ahead for an hour takes six days, and not all of them.
 */
const RISEN = (often: boolean): string =>
  often ? `least(${BOUND}, coalesce(kept_from, ${BOUND}) + interval '1 day')` : BOUND;

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

/**
 * Takes readings of a project out of sight that are older than it keeps them: in one transaction the bound rises, archived days before it are
 * given up, and nothing asks for their time any more, neither polls nor looks nor backfills. It stays covered. What a late move
 * or write brought before the bound is given up as well. @returns undefined where all readings are kept, or the project is on hold
 */
export const raiseBound = (
  database: Database,
  projectId: number,
  { often }: { readonly often: boolean },
): Promise<RaisedBound | undefined> =>
  database.transaction(async (client) => {
    const risen = RISEN(often);
    await client.query(`set local lock_timeout = '${LOCK_WAIT}'`);
    // Sources are locked before projects, as where a source gives names; once a day, when the bound rises.
    await client.query(
      `select from source where project_id = $1 and exists (
         select from ml_project where id = $1 and hold_reason is null and ${risen} > coalesce(kept_from, '-infinity'))
       order by id for no key update`,
      [projectId],
    );
    const [raised] = await rowsOf<{ bound: Instant; rose: boolean; mayHaveRows: boolean }>(
      client,
      `update ml_project set kept_from = greatest(kept_from, ${risen}),
         trim_at = case when ${risen} > coalesce(kept_from, '-infinity') then now() else trim_at end
       where id = $1 and hold_reason is null and coalesce(kept_from, ${risen}) is not null
       returning instant_of(new.kept_from) as bound, new.kept_from is distinct from old.kept_from as rose, new.trim_at <= now() as "mayHaveRows"`,
      [projectId],
    );
    if (raised === undefined) return undefined;
    const { bound, rose, mayHaveRows } = raised;
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
