import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { LIVES } from '../database/presence.ts';
import { hasRoom } from '../delivery/waiting.ts';
import type { Queue } from '../queue/queue.ts';
import { PROBES_ALONE_FROM } from './consequence.ts';
import { DISPATCHED_FOR } from './due.ts';
import type { PullMeters } from './meters.ts';

/** At most this many sources are dispatched in one step; the others stay due and come with the next one. */
const STEP = 1_000;

/** No living worker has it: the work that is under way is followed by the next as soon as it ends. */
const isFree = (column: string): string =>
  `(${column} is null or not exists (select from worker where id = ${column} and ${LIVES}))`;

const DUE_SOURCES = `
  update source set next_due_at = now() + ${DISPATCHED_FOR}
  from (select id from source where state = 'active' and not awaits_look and next_due_at <= now() and (held_until is null or held_until <= now())
          and (failures = 0 or $2) and ${isFree('claimed_by')} and ${hasRoom('project_id')}
        order by next_due_at limit $1 for no key update skip locked) as due
  where source.id = due.id
  returning source.id, failures > 0 as troubled`;

/** After a hold by the platform history waits for the next live poll, which finds out whether the platform answers again. */
const DUE_HISTORY = `
  update stream set history_due_at = now() + ${DISPATCHED_FOR}
  from (select stream.id from stream join source on source.id = stream.source_id
        where history_due_at <= now() and (history_failures = 0 or $2) and ${isFree('history_claimed_by')} and retired_at is null and source.state = 'active' and not awaits_look
          and ${hasRoom('source.project_id')} and source.failures < ${PROBES_ALONE_FROM} and (held_until is null or held_until <= now() and (last_poll_at >= held_until or source.last_fault ? 'own'))
        order by history_due_at limit $1 for no key update of stream skip locked) as due
  where stream.id = due.id
  returning stream.id, history_failures > 0 as troubled`;

/** No look while the source is held. Its known streams need none, so that a look that fails does not keep them waiting. */
const DUE_LOOKS = `
  update source set look_due_at = now() + ${DISPATCHED_FOR}
  from (select id from source where state = 'active' and look_due_at <= now() and (held_until is null or held_until <= now())
          and (failures + look_failures = 0 or $2) and ${isFree('look_claimed_by')} and ${hasRoom('project_id')}
        order by look_due_at limit $1 for no key update skip locked) as due
  where source.id = due.id
  returning source.id, failures + look_failures > 0 as troubled`;

/** How old the planner's heartbeat may be before another process takes over. */
export const PLANNER_SILENCE_MS = 5_000;

/**
 * One step of the planner: dispatches the due sources, looks for sensors and histories, each found with one statement. Any
 * number of processes may run it at a time. What could not be dispatched is due again at once.
 */
export async function planOnce(database: Database, queue: Queue, meters?: PullMeters): Promise<void> {
  const begun = performance.now();
  const room = await queue.room();
  for (const { work, due, undo } of STEPS) {
    const most = Math.min(STEP, room[work]);
    if (most === 0) continue;
    const { rows } = await database.pool.query<DueRow>({
      name: `due-${work}`,
      text: due,
      values: [most, room.troubled > 0],
    });
    try {
      await queue.add(work, idsOf(rows, false));
      await queue.add(work, idsOf(rows, true), true);
    } catch (error) {
      await database.run(undo, [rows.map(({ id }) => id)]);
      throw error;
    }
    meters?.planned(work, rows.length);
  }
  await database.run(
    `insert into heartbeat (name, beat_at) values ('planner', now()) on conflict (name) do update set beat_at = now()
     where heartbeat.beat_at not between now() - interval '500 ms' and now()`,
  );
  meters?.step((performance.now() - begun) / 1000);
}

/** `troubled`: its last job of this kind failed, so it gets one of the few places for sources and streams in trouble. */
interface DueRow {
  readonly id: number;
  readonly troubled: boolean;
}

const idsOf = (rows: readonly DueRow[], troubled: boolean): number[] =>
  rows.filter((row) => row.troubled === troubled).map(({ id }) => id);

const STEPS = [
  { work: 'poll', due: DUE_SOURCES, undo: 'update source set next_due_at = now() where id = any($1)' },
  { work: 'look', due: DUE_LOOKS, undo: 'update source set look_due_at = now() where id = any($1)' },
  { work: 'history', due: DUE_HISTORY, undo: 'update stream set history_due_at = now() where id = any($1)' },
] as const;

/** Whether no process has planned for `PLANNER_SILENCE_MS`, so that this process has to. */
export const isPlannerSilent = async (database: Database): Promise<boolean> =>
  (await plannerSilence(database)) !== undefined;

/** Since when no process plans, null where none ever has; undefined where one has planned within `PLANNER_SILENCE_MS`. */
export async function plannerSilence(database: Database): Promise<{ readonly since: Instant | null } | undefined> {
  const row = await database.row<{ fresh: boolean; since: Instant }>(
    `select beat_at between now() - $1 * interval '1 millisecond' and now() + interval '1 second' as fresh, instant_of(beat_at) as since
     from heartbeat where name = 'planner'`,
    [PLANNER_SILENCE_MS],
  );
  return row?.fresh === true ? undefined : { since: row?.since ?? null };
}
