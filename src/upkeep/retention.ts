import type { ClientBase } from 'pg';
import { DAY, MICROSECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';
import { BOUND, raiseBound } from './kept-bound.ts';
import type { RaisedBound } from './kept-bound.ts';

/** A project that does not keep all readings. */
export interface LimitedProject {
  readonly id: number;
  readonly organisation: string;
  readonly code: string;
}

/** What a run did to a project. `held`: it is on hold, so nothing; `empty`: it has no reading yet; `busy`: another process is at it. */
export type Trimmed = LimitedProject &
  (
    | { readonly outcome: 'held' | 'empty' | 'busy' }
    /** The bound rose, or stood already: archived days before it were given up. */
    | ({ readonly outcome: 'bound' } & RaisedBound)
    /** The rows of a day were removed. */
    | { readonly outcome: 'removed'; readonly day: Instant; readonly readings: number }
  );

/** Rows that a statement removes, and series that it looks at: some 50 ms of work for the database. */
const ROWS_AT_ONCE = 10_000;
const SERIES_AT_ONCE = 500;

/** Rows that were being written when the bound rose are found after this. A look takes a step in the key for each series and month. */
const TRIM_AGAIN = "interval '6 hours'";

const LIMITED = `
  select id, organisation_id as organisation, code from ml_project
  where ($1::int is null or id = $1) and (keep is not null or kept_from is not null) order by id`;

/** The projects that do not keep all readings, or of all projects this one. */
export const limitedProjects = (database: Database, projectId?: number): Promise<LimitedProject[]> =>
  database.rows<LimitedProject & Record<string, unknown>>(LIMITED, [projectId ?? null]);

/**
 * Removes the readings that are older than their projects keep them, of one project or of all, and tells each step. The bound rises first, and from
 * then on nobody sees what lies before it; its rows go by day, in short transactions of their own. A crash leaves rows that the next
 * run removes. A hold ends it before the next statement. A
 * project that fails holds up no other; the first error is thrown at the end.
 */
export async function* trimProjects(
  database: Database,
  {
    projectId,
    signal,
    often = false,
  }: {
    readonly projectId?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    /** The run comes every few minutes, so it looks for rows where the bound rose, and now and then. */
    readonly often?: boolean;
  } = {},
): AsyncGenerator<Trimmed> {
  const failures: unknown[] = [];
  for (const project of await limitedProjects(database, projectId)) {
    if (signal?.aborted === true) return;
    try {
      yield* trimProject(database, project, { signal, often });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function* trimProject(
  database: Database,
  project: LimitedProject,
  { signal, often }: { readonly signal: AbortSignal | undefined; readonly often: boolean },
): AsyncGenerator<Trimmed> {
  const client = await database.dedicated();
  // A connection that dies fails the statement under way.
  client.on('error', () => undefined);
  try {
    const [lock] = await rowsOf<{ free: boolean }>(client, 'select pg_try_advisory_lock($1, $2) as free', [
      LOCKS.retention,
      project.id,
    ]);
    if (lock?.free !== true) return yield { ...project, outcome: 'busy' };
    const raised = await raiseBound(database, project.id);
    if (typeof raised === 'string') return yield { ...project, outcome: raised };
    yield { ...project, outcome: 'bound', ...raised };
    const { bound, mayHaveRows } = raised;
    if (often && !mayHaveRows) return;
    for (let day = await firstDay(client, project.id, { bound }); day !== undefined;) {
      let readings = 0;
      const series = await seriesOn(client, project.id, day);
      let [first, begin] = [0, day];
      while (first < series.length) {
        if (signal?.aborted === true) return;
        const some = series.slice(first, first + SERIES_AT_ONCE);
        const done = await removeSome(client, project.id, { day, series: some, begin });
        if (done === undefined) return yield { ...project, outcome: 'held' };
        readings += done.removed;
        const hasMore = done.seen === ROWS_AT_ONCE && done.at !== null;
        first += hasMore ? done.place - 1 : some.length;
        begin = hasMore ? (done.at ?? day) + MICROSECOND : day;
      }
      yield { ...project, outcome: 'removed', day, readings };
      day = await firstDay(client, project.id, { from: day + DAY, bound });
    }
    await client.query(`update ml_project set trim_at = now() + ${TRIM_AGAIN} where id = $1`, [project.id]);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * The first day of which some series has a row, from `from` on and before the bound. Each look is one step in the key (series, at); without
 * `from` it would step through all rows that went before.
 */
async function firstDay(
  client: ClientBase,
  projectId: number,
  { from, bound }: { readonly from?: Instant; readonly bound: Instant },
): Promise<Instant | undefined> {
  const [row] = await rowsOf<{ at: Instant | null }>(
    client,
    `select instant_of(min(first.at)) as at from series cross join lateral (
       select at from reading where series = series.id and at >= coalesce(at_instant($3::bigint), '-infinity') and at < at_instant($2) order by at limit 1) as first
     where project_id = $1`,
    [projectId, bound, from ?? null],
  );
  return row === undefined || row.at === null ? undefined : Math.floor(row.at / DAY) * DAY;
}

const seriesOn = async (client: ClientBase, projectId: number, day: Instant): Promise<number[]> => {
  const rows = await rowsOf<{ id: number }>(
    client,
    `select id from series where project_id = $1 and exists (
       select from reading where series = series.id and at >= at_instant($2) and at < at_instant($3)) order by id`,
    [projectId, day, day + DAY],
  );
  return rows.map(({ id }) => id);
};

/**
 * Of each series the first rows of a day, that of the first one from `$4` on. A day lies in one partition, in which the place of a row is
 * its own. What follows is asked by instant, because the index holds the rows that went before until it is cleaned.
 */
const REMOVE = `
  with found as materialized (
    select place, one.at, spot from unnest($1::int[]) with ordinality as wanted (series, place) cross join lateral (
      select at, ctid as spot from reading
      where series = wanted.series and at >= at_instant($2) and at < at_instant($3) and (place > 1 or at >= at_instant($4))
      order by at limit ${ROWS_AT_ONCE}) as one
    limit ${ROWS_AT_ONCE}),
  removed as (
    delete from reading where at >= at_instant($2) and at < at_instant($3) and ctid = any(array(select spot from found)) returning at)
  select (select count(*)::int from removed) as removed, count(*)::int as seen, coalesce(max(place), 0)::int as place,
    instant_of((array_agg(at order by place desc, at desc))[1]) as at
  from found`;

/** What a statement removed; where it saw as many rows as it may, it ended at `at` of the series at `place`, from 1. */
interface Removed {
  readonly removed: number;
  readonly seen: number;
  readonly place: number;
  readonly at: Instant | null;
}

/** Removes some rows of a day. The order of a hold waits for this transaction. @returns undefined where the project is on hold */
async function removeSome(
  client: ClientBase,
  projectId: number,
  { day, series, begin }: { readonly day: Instant; readonly series: readonly number[]; readonly begin: Instant },
): Promise<Removed | undefined> {
  await client.query('begin');
  const free = await client.query('select from ml_project where id = $1 and hold_reason is null for key share', [
    projectId,
  ]);
  const values = [series, day, day + DAY, begin];
  const rows = free.rowCount === 0 ? [] : await rowsOf<Removed & Record<string, unknown>>(client, REMOVE, values);
  await client.query('commit');
  return rows[0];
}

/** What a run would take away. */
export interface OldReadings {
  /** Readings before it would go; null: none would. */
  readonly bound: Instant | null;
  readonly days: number;
  readonly rows: number;
  readonly archivedReadings: number;
  readonly archivedBytes: number;
}

/** What a run would take away of a project if it kept readings so long; `keep` undefined: as it does. It counts the rows, which takes a while. */
export async function oldReadings(database: Database, projectId: number, keep?: string | null): Promise<OldReadings> {
  const [found] = await database.rows<OldReadings & Record<string, unknown>>(
    `with bound as (
       select greatest(kept_from, case when hold_reason is null then ${BOUND} end) as at
       from (select id, kept_from, hold_reason, case when $2 then $3 else keep end as keep from ml_project where id = $1) as project),
     old as (
       select (one.at at time zone 'UTC')::date as day, count(*) as rows from bound, series cross join lateral (
         select at from reading where series = series.id and at < bound.at offset 0) as one
       where project_id = $1 group by 1),
     files as (
       select day, readings, bytes from archived_day, bound
       where project_id = $1 and replaced_at is null and day < (bound.at at time zone 'UTC')::date)
     select (select instant_of(at) from bound) as bound,
       (select count(*)::int from (select day from old union select day from files) as day) as days,
       (select coalesce(sum(rows), 0) from old) as rows,
       (select coalesce(sum(readings), 0) from files) as "archivedReadings", (select coalesce(sum(bytes), 0) from files) as "archivedBytes"`,
    [projectId, keep !== undefined, keep ?? null],
  );
  return found ?? { bound: null, days: 0, rows: 0, archivedReadings: 0, archivedBytes: 0 };
}
