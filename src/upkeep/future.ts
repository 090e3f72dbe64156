import type { Microseconds } from '../core/instant.ts';
import { LONGEST_SILENCE } from '../core/retry-after.ts';
import { WAITS } from '../core/retry.ts';
import type { Database } from '../database/database.ts';
import type { SetBack } from '../database/set-back.ts';
import { LONGEST_RETRY_AFTER } from '../delivery/consequence.ts';
import { IS_OPEN } from '../pull/history/wishes.ts';

/** Clocks may differ by this much, and a statement may take this long, before a due time counts as impossible. */
const SLACK = "interval '1 minute'";

const lasting = (us: Microseconds): string => `${us} * interval '1 microsecond'`;

/** The longest waits that the poll path writes. */
const LONGEST_STREAM_WAIT = lasting(WAITS.stream.most);
const LONGEST_WAIT = `case work.kind when 'poll' then every_us when 'look' then ${WAITS.look.most}
  else ${WAITS.stream.most} + settle_us end * interval '1 microsecond'`;
const LONGEST_HOLD = lasting(LONGEST_SILENCE);
const LONGEST_DELIVERY_WAIT = lasting(LONGEST_RETRY_AFTER);
/** The longest lease of a probe (account.ts) and of a login (access/shared-grant.ts). */
const LONGEST_CLAIM = "interval '90 s'";

/**
 * Removes the windows of the log that `where` selects, uncovers their time, and takes it out of what running backfills have done.
 * @returns how many windows will be asked again
 */
async function uncover(database: Database, where: string, values: readonly unknown[] = []): Promise<number> {
  const row = await database.row<{ windows: number }>(
    `with early as (
       delete from window_log ${where} returning stream_id, from_at, to_at),
     asked as (select stream_id, range_agg(tstzrange(from_at, to_at)) as ranges from early group by stream_id),
     uncovered as (
       update stream set covered = covered - ranges from asked where id = stream_id),
     woken as (
       insert into work (kind, id, source_id, due_at)
       select 'history', stream.id, source_id, now() from asked join stream on stream.id = stream_id where retired_at is null
       on conflict do nothing),
     undone as (
       update backfill_stream set done = done - ranges from asked, backfill
       where backfill_stream.stream_id = asked.stream_id and backfill.id = backfill_id and ${IS_OPEN})
     select count(*) as windows from early`,
    values,
  );
  return row?.windows ?? 0;
}

/**
 * Uncovers the windows that were asked at an instant which has not come yet. The clock of the database was ahead then, so
 * they were asked before their time had settled, and their points came later.
 * @returns how many windows will be asked again
 */
export const uncoverFutureWindows = (database: Database): Promise<number> =>
  uncover(database, "where asked_at > now() + interval '2 seconds'");

/**
 * Uncovers the windows that were asked before their time had settled, because the clock of the database was ahead; the instants
 * at which they were asked may have passed since. No more than those of the last day, because a clock that was ahead for longer
 * can as well have been right and be behind now.
 * @returns how many windows will be asked again
 */
export const uncoverEarlyWindows = (database: Database, { since, by }: SetBack): Promise<number> =>
  uncover(
    database,
    `using source where source.id = source_id and asked_at >= greatest(at_instant($1), now() - interval '1 day')
       and to_at + (settle_us + $2) * interval '1 microsecond' > asked_at`,
    [since, by],
  );

/**
 * Moves due times and holds back that lie further in the future than anything the poll path writes. They stem from a clock
 * of the database that was ahead, and would leave sources alone until that time comes. A hold whose fault is noted at an
 * instant to come is one of them, however long it is. The silence that a platform asked for stands in the row of the pace, too
 * (core/pace.ts), so a hold that was right before loses nothing by it.
 * @returns how many rows were concerned
 */
export async function forgetImpossibleWaits(database: Database): Promise<number> {
  let count = 0;
  for (const forget of IMPOSSIBLE) count += await database.run(forget);
  return count;
}

/**
 * A stream with a turn in the future would come last until then. Probes of an account, logins, deliveries and counts of an
 * outbox wait for the end of another one's claim, which a killed process leaves.
 */
const IMPOSSIBLE = [
  `update source set held_until = null where held_until > now() + ${LONGEST_HOLD} + ${SLACK}
     or held_until > now() and (last_fault ->> 'at')::timestamptz > now() + ${SLACK}`,
  `update work set due_at = now() from source
   where source.id = source_id and due_at > greatest(now() + ${LONGEST_WAIT}, held_until) + ${SLACK}`,
  `update stream set retry_at = now() where retired_at is null and retry_at > now() + ${LONGEST_STREAM_WAIT} + ${SLACK}`,
  `update stream set turn_at = null where turn_at > now() + ${SLACK}`,
  `update account set probe = null, probe_until = null where probe_until > now() + ${LONGEST_CLAIM} + ${SLACK}`,
  `update token set replacing_until = null where replacing_until > now() + ${LONGEST_CLAIM} + ${SLACK}`,
  `update remote_token set replacing_until = null where replacing_until > now() + ${LONGEST_CLAIM} + ${SLACK}`,
  `update remote set held_until = null where held_until > now() + ${LONGEST_DELIVERY_WAIT} + ${SLACK}`,
  `update remote set counted_at = null where counted_at > now() + ${SLACK}`,
];
