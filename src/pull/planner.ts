import type { Database } from '../database/database.ts';
import { hasRoom } from '../delivery/waiting.ts';
import type { Queue } from '../queue/queue.ts';
import { PROBES_ALONE_FROM } from './consequence.ts';
import { NEXT_DUE } from './due.ts';

/** At most this many sources are dispatched in one step; the others stay due and come with the next one. */
const STEP = 1_000;

/** A source is due again after this at the latest, because a lost queue loses its job. The claim of a job that begins sets the next due time on the grid. */
const LEASE = "interval '30 s'";

const DUE_SOURCES = `
  update source set next_due_at = least(${NEXT_DUE}, now() + ${LEASE})
  from (select id from source where state = 'active' and next_due_at <= now() and (held_until is null or held_until <= now())
          and ${hasRoom('project_id')}
        order by next_due_at limit ${STEP} for update skip locked) as due
  where source.id = due.id
  returning source.id`;

/** After a hold by the platform history waits for the next live poll, which finds out whether the platform answers again. */
const DUE_HISTORY = `
  update stream set history_due_at = now() + ${LEASE}
  from (select stream.id from stream join source on source.id = stream.source_id
        where history_due_at <= now() and retired_at is null and source.state = 'active' and discovered_at is not null
          and ${hasRoom('source.project_id')} and source.failures < ${PROBES_ALONE_FROM} and (held_until is null or held_until <= now() and (last_poll_at >= held_until or source.last_fault ? 'own'))
        order by history_due_at limit ${STEP} for update of stream skip locked) as due
  where stream.id = due.id
  returning stream.id`;

/** How old the planner's heartbeat may be before another process takes over. */
export const PLANNER_SILENCE_MS = 5_000;

/**
 * One step of the planner: dispatches the due sources and the due histories, each found with one statement. Any number of
 * processes may run it at a time. A source that could not be dispatched is due again at once.
 */
export async function planOnce(database: Database, queue: Queue): Promise<void> {
  const sources = await database.pool.query<{ id: number }>({ name: 'due-sources', text: DUE_SOURCES });
  await dispatch(
    sources.rows,
    (ids) => queue.add('poll', ids),
    'update source set next_due_at = now() where id = any($1)',
    database,
  );
  const streams = await database.pool.query<{ id: number }>({ name: 'due-history', text: DUE_HISTORY });
  const undo = 'update stream set history_due_at = now() where id = any($1)';
  await dispatch(streams.rows, (ids) => queue.add('history', ids), undo, database);
  await database.run(
    `insert into heartbeat (name, beat_at) values ('planner', now()) on conflict (name) do update set beat_at = now()
     where heartbeat.beat_at not between now() - interval '500 ms' and now()`,
  );
}

async function dispatch(
  rows: readonly { id: number }[],
  add: (ids: number[]) => Promise<void>,
  undo: string,
  database: Database,
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  try {
    await add(ids);
  } catch (error) {
    await database.run(undo, [ids]);
    throw error;
  }
}

/** Whether no process has planned for `PLANNER_SILENCE_MS`, so that this process has to. */
export async function isPlannerSilent(database: Database): Promise<boolean> {
  const row = await database.row<{ fresh: boolean }>(
    `select beat_at between now() - $1 * interval '1 millisecond' and now() + interval '1 second' as fresh from heartbeat where name = 'planner'`,
    [PLANNER_SILENCE_MS],
  );
  return row?.fresh !== true;
}
