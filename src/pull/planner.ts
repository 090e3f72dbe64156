import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { Queue, Work } from '../queue/queue.ts';
import { PROBES_ALONE_FROM } from './consequence.ts';
import type { PullMeters } from './meters.ts';
import { IS_FREE, IS_SENT, mayRun } from './work.ts';

/** At most this much work of a kind is dispatched in one step; the rest stays due and comes with the next one. */
const STEP = 1_000;

/** After a hold by the platform history waits for the next live poll, which finds out whether the platform answers again. */
const AFTER_PROBE = `source.failures < ${PROBES_ALONE_FROM} and (source.held_until is null or source.last_fault ? 'own'
  or exists (select from work as probe where probe.kind = 'poll' and probe.id = source.id and probe.ended_at >= source.held_until))`;

/** Its last run failed, so it gets one of the few places for sources and streams in trouble. */
const TROUBLED: Readonly<Record<Work, string>> = {
  poll: 'source.failures > 0',
  look: 'source.failures + work.failures > 0',
  history: 'work.failures > 0',
};

/** What is under way with a living worker is followed by the next as soon as it ends. Its parameters: how much, and whether also what is in trouble. */
const due = (kind: Work): string => `
  update work set sent_at = now()
  from (select work.id, ${TROUBLED[kind]} as troubled
        from work join source on source.id = source_id
        where work.kind = '${kind}' and due_at <= now() and ${IS_SENT} is not true
          and ${IS_FREE} and ${mayRun(kind)} ${kind === 'history' ? `and ${AFTER_PROBE}` : ''} and ($2 or not ${TROUBLED[kind]})
        order by due_at limit $1 for no key update of work skip locked) as due
  where work.kind = '${kind}' and work.id = due.id
  returning work.id, troubled`;

/** The kinds of work of which something may be due. A planner without work is to cost little. */
const DUE_KINDS = `
  select kind from (values ('poll'), ('look'), ('history')) as each (kind)
  where exists (select from work where work.kind = each.kind and due_at <= now() and ${IS_SENT} is not true)`;

/** How old the planner's heartbeat may be before operators are told that nothing plans. */
export const PLANNER_SILENCE_MS = 5_000;

/** A process leaves a step to the one that planned less than this ago. It is shorter than the time between two steps of one process. */
const TURN_MS = 200;

/**
 * One step of the planner, unless another process has just planned. All processes that share a bridge call it all the time, so
 * the work of one that is killed or stands still is done by the others from their next step on.
 */
export async function planInTurn(database: Database, queue: Queue, meters?: PullMeters): Promise<void> {
  if (await plannerSilence(database, TURN_MS)) await planOnce(database, queue, meters);
}

/**
 * One step of the planner: dispatches the polls, looks and histories that are due. Any number of processes may run it at a time.
 * What could not be dispatched is due again at once.
 */
export async function planOnce(database: Database, queue: Queue, meters?: PullMeters): Promise<void> {
  const begun = performance.now();
  const kinds = (await database.rows<{ kind: Work }>(DUE_KINDS)).map(({ kind }) => kind);
  const room = kinds.length > 0 ? await queue.room() : undefined;
  for (const kind of kinds) {
    const most = Math.min(STEP, room?.[kind] ?? 0);
    if (most === 0) continue;
    // Planned anew each time, because the number of rows that are due changes by orders of magnitude.
    const rows = await database.rows<DueRow & Record<string, unknown>>(due(kind), [most, (room?.troubled ?? 0) > 0]);
    try {
      await queue.add(kind, idsOf(rows, false));
      await queue.add(kind, idsOf(rows, true), true);
    } catch (error) {
      await database.run('update work set sent_at = null where kind = $1 and id = any($2)', [
        kind,
        rows.map(({ id }) => id),
      ]);
      throw error;
    }
    meters?.planned(kind, rows.length);
  }
  // Steps without work are as good as none, so they need no turns, and half of them leave no row.
  const beatMs = kinds.length > 0 ? TURN_MS / 2 : 500;
  await database.run(
    `insert into heartbeat (name, beat_at) values ('planner', now()) on conflict (name) do update set beat_at = now()
     where heartbeat.beat_at not between now() - $1 * interval '1 millisecond' and now()`,
    [beatMs],
  );
  meters?.step((performance.now() - begun) / 1000);
}

interface DueRow {
  readonly id: number;
  readonly troubled: boolean;
}

const idsOf = (rows: readonly DueRow[], troubled: boolean): number[] =>
  rows.filter((row) => row.troubled === troubled).map(({ id }) => id);

/** Since when no process plans, null where none ever has; undefined where one has planned within `ms`. */
export async function plannerSilence(
  database: Database,
  ms = PLANNER_SILENCE_MS,
): Promise<{ readonly since: Instant | null } | undefined> {
  const row = await database.row<{ fresh: boolean; since: Instant }>(
    `select beat_at between now() - $1 * interval '1 millisecond' and now() + interval '1 second' as fresh, instant_of(beat_at) as since
     from heartbeat where name = 'planner'`,
    [ms],
  );
  return row?.fresh === true ? undefined : { since: row?.since ?? null };
}
