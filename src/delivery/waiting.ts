import type { Database } from '../database/database.ts';

/** SQL condition: the outbox of the project in `column` is not full. */
export const hasRoom = (column: string): string =>
  `not exists (select from remote where remote.project_id = ${column} and remote.full_since is not null)`;

/** An outbox that became full, or has room again. */
export interface OutboxChange {
  readonly project: string;
  readonly full: boolean;
  readonly waiting: number;
}

/** An outbox is counted at most this often, by one process at a time. */
const COUNT_EVERY = "interval '900 ms'";

const COUNT = `
  with due as (
    select project_id, full_since is not null as was_full from remote
    where counted_at is null or counted_at < now() - ${COUNT_EVERY} for no key update skip locked),
  -- Materialized, because it is read three times below and counting is slow.
  held as materialized (
    select due.project_id, was_full, (select coalesce(sum(readings), 0) from outbox where outbox.project_id = due.project_id) as waiting
    from due)
  update remote set waiting = held.waiting, counted_at = now(),
    full_since = case when held.waiting >= most_waiting then coalesce(full_since, now())
      when held.waiting <= most_waiting / 2 then null else full_since end
  from held join ml_project on ml_project.id = held.project_id where remote.project_id = held.project_id
  returning ml_project.code as project, full_since is not null as full, was_full, remote.waiting`;

/**
 * Counts the readings in each outbox. An outbox is full at its limit and has room again at half of it, so that sources are
 * not asked in fits and starts. @returns the outboxes that became full or have room again
 */
export async function countWaiting(database: Database): Promise<OutboxChange[]> {
  const rows = await database.rows<OutboxChange & { was_full: boolean } & Record<string, unknown>>(COUNT);
  return rows
    .filter((row) => row.full !== row.was_full)
    .map(({ project, full, waiting }) => ({ project, full, waiting }));
}

/** Projects whose outbox is full. */
export const fullProjects = async (database: Database): Promise<ReadonlySet<number>> =>
  new Set(
    (await database.rows<{ id: number }>('select project_id as id from remote where full_since is not null')).map(
      ({ id }) => id,
    ),
  );

/** Whether the outbox of a project is full. */
export const isFull = async (database: Database, projectId: number): Promise<boolean> =>
  (await database.row('select from remote where project_id = $1 and full_since is not null', [projectId])) !==
  undefined;

/** Those of these sources that are not asked because the outbox of their project is full. */
export const sourcesKeptWaiting = async (
  database: Database,
  sourceIds: readonly number[],
): Promise<ReadonlySet<number>> =>
  new Set(
    (
      await database.rows<{ id: number }>(
        'select source.id from source join remote using (project_id) where source.id = any($1::int[]) and full_since is not null',
        [sourceIds],
      )
    ).map(({ id }) => id),
  );
