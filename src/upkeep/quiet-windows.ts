import { HOUR, MINUTE, SECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';

/** The newest windows of a stream stand alone, because they tell why its readings are as old as they are. */
const STAND_ALONE = 10 * MINUTE;

/** Sources that are polled less often have no two windows in a minute. */
const OFTEN = 30 * SECOND;

/** A process that starts looks so far back for windows that nobody put together. */
const FIRST = 24 * HOUR;

/** A window that took longer than this, ms, keeps its row. */
const SLOW_MS = 1_000;

const TOOK = 'waited_ms + http_ms + normalise_ms + store_ms';

const QUIET = `lane = 'live' and revised = 0 and refused = 0 and late = 0 and ${TOOK} <= ${SLOW_MS}`;

/** The rows are found by source, because the log has no index by time alone. */
const PUT_TOGETHER = `
  with quiet as (
    delete from window_log using (
      select stream_id, window_log.source_id, date_trunc('minute', asked_at) as minute
      from source join window_log on window_log.source_id = source.id
      where every_us < ${OFTEN} and asked_at >= at_instant($1) and asked_at < at_instant($2) and ${QUIET}
      group by 1, 2, 3 having count(*) > 1) as many
    where window_log.source_id = many.source_id and window_log.stream_id = many.stream_id
      and asked_at >= minute and asked_at < minute + interval '1 minute' and ${QUIET}
    returning window_log.*)
  insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, windows, requests, bytes, readings, duplicates,
    revised, refused, repeats, outside, late, waited_ms, http_ms, normalise_ms, store_ms, slowest_ms)
  select stream_id, source_id, lane, min(from_at), max(to_at), min(asked_at), sum(windows), sum(requests), sum(bytes), sum(readings),
    sum(duplicates), 0, 0, sum(repeats), sum(outside), 0, sum(waited_ms * windows) / sum(windows), sum(http_ms * windows) / sum(windows),
    sum(normalise_ms * windows) / sum(windows), sum(store_ms * windows) / sum(windows), max(coalesce(slowest_ms, ${TOOK}))
  from quiet group by stream_id, source_id, lane, date_trunc('minute', asked_at)`;

/**
 * Puts the quiet live windows of each stream and minute into one row of the log. Those with a fault, late, revised or refused points,
 * and slow ones keep their rows, and so do those of history, whose readings are counted by backfill. A clock that is set back finds
 * every window by its row: the row has the first instant of asking and the last instant that was asked for (future.ts).
 */
export function quietWindows(
  database: Pick<Database, 'transaction'>,
  now: () => Instant,
): { putTogether(): Promise<void> } {
  let from: Instant | undefined;
  return {
    async putTogether() {
      // Whole minutes, so that none is put together in two parts.
      const until = Math.floor((now() - STAND_ALONE) / MINUTE) * MINUTE;
      const begin = from ?? until - FIRST;
      if (begin >= until) return;
      const done = await database.transaction(async (client) => {
        const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1) as free', [
          LOCKS.quietWindows,
        ]);
        if (rows[0]?.free !== true) return false;
        await client.query(PUT_TOGETHER, [begin, until]);
        return true;
      });
      // A minute is looked at twice, because a slow window may be logged after it has passed.
      if (done) from = until - MINUTE;
    },
  };
}
