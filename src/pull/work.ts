import { LIVES, claimable } from '../database/presence.ts';
import { hasRoom } from '../delivery/waiting.ts';
import type { Work } from '../queue/queue.ts';

/*
 * SQL on rows of `work`: who may do what now. The planner finds what is due, a claim takes it for one process, a report gives it back.
 */

/**
 * The next due instant of the polls of `source`. It lies on the source's own grid (phase + n × every), so that due times
 * stay spread over the interval and a single poll follows any number of missed ones. core/schedule.ts has the same
 * arithmetic and its tests.
 */
export const NEXT_DUE = `at_instant(((instant_of(now()) - source.phase_us) / source.every_us + 1) * source.every_us + source.phase_us)`;

/** How long work is left to the queue. */
const SENT_FOR = "interval '15 s'";

/**
 * The queue has the row. Another planner may have sent it in a transaction that began a moment after this one; an instant further to
 * come stems from a clock that was ahead.
 */
export const IS_SENT = `sent_at between now() - ${SENT_FOR} and now() + interval '1 second'`;

/** No living process has the row. */
export const IS_FREE = `(work.claimed_by is null or not exists (select from worker where worker.id = work.claimed_by and ${LIVES}))`;

/** `source` is not held: the platform asked for no silence, and no failure in a row keeps it waiting. */
export const NOT_HELD = '(source.held_until is null or source.held_until <= now())';

/** Work of this kind may be done for `source`. Until a look has read the new sensors, the streams are those of another configuration. */
export const mayRun = (kind: Work): string =>
  `source.state = 'active' and ${NOT_HELD} and ${hasRoom('source.project_id')}${kind === 'look' ? '' : ' and not source.awaits_look'}${
    kind === 'history' ? ' and exists (select from stream where stream.id = work.id and retired_at is null)' : ''
  }`;

/** What a claim by the parameters `me` and `dispatched` (only what the queue was given) demands of a row. */
export const mayClaim = (me: string, dispatched: string): string =>
  `(not ${dispatched} or work.sent_at is not null or work.claimed_by is not null) and ${claimable('work.claimed_by', me)}`;

/** Work is due at once, also where it is under way. */
export const DUE_NOW = 'due_at = now(), sent_at = null, asked = true';

/** The polls of the sources `$1` are due at once, where they have one. */
export const POLLS_NOW = `update work set ${DUE_NOW} where kind = 'poll' and id = any($1::int[])`;

/** The source `$1` has streams, and is polled at once. */
export const POLL_NEW = `insert into work (kind, id, source_id, due_at) values ('poll', $1, $1, now()) on conflict (kind, id) do update set ${DUE_NOW}`;

/** The sensors of the sources `$1` are looked up at once, and what failed before counts no more. */
export const LOOKS_NOW = `insert into work (kind, id, source_id, due_at) select 'look', id, id, now() from unnest($1::int[]) as id
  on conflict (kind, id) do update set ${DUE_NOW}, failures = 0`;

/** Histories of the sources `$1` that wait are due at once, because an operator acted. */
export const HISTORIES_NOW = `update work set ${DUE_NOW} where kind = 'history' and source_id = any($1::int[])`;

/** The history of each stream that `streams` selects is due at once, whatever failed: an operator asked. */
export const askHistories = (streams: string): string => `
  insert into work (kind, id, source_id, due_at) select 'history', stream.id, stream.source_id, now() ${streams}
  on conflict (kind, id) do update set ${DUE_NOW}`;

/** The history of each stream that `streams` selects has more to ask for: it is due at once, except where it waits because windows failed. */
export const wakeHistories = (streams: string): string => `
  insert into work (kind, id, source_id, due_at) select 'history', stream.id, stream.source_id, now() ${streams}
  on conflict (kind, id) do update set asked = work.asked or work.failures = 0,
    due_at = case when work.failures > 0 then work.due_at else least(work.due_at, now()) end`;

/** Failures in a row of the history of `stream`. */
export const HISTORY_FAILURES = `coalesce((select work.failures from work where kind = 'history' and work.id = stream.id), 0)`;
