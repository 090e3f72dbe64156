import type { Coverage } from '../core/coverage.ts';
import type { Instant } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import { coverageFrom } from '../database/multirange.ts';
import type { Ranges } from '../database/multirange.ts';

/** A running backfill, seen from one of its streams. */
export interface Wish {
  readonly id: number;
  readonly range: Window;
  /** Covered time is asked again, too. Progress is then counted in `done`, otherwise in the stream's coverage. */
  readonly again: boolean;
  readonly done: Coverage;
}

/** The running backfills of a stream, the oldest first. */
export async function wishesOf(database: Database, streamId: number): Promise<Wish[]> {
  const rows = await database.rows<{
    id: number;
    from: Instant;
    to: Instant;
    again: boolean;
    done: Ranges;
  }>(
    `select backfill.id, instant_of(from_at) as from, instant_of(to_at) as to, again, instants_of(done) as done
     from backfill join backfill_stream on backfill_id = backfill.id
     where stream_id = $1 and state = 'running' order by backfill.id`,
    [streamId],
  );
  return rows.map(({ id, from, to, again, done }) => ({
    id,
    range: { from, to },
    again,
    done: coverageFrom(done),
  }));
}

/** SQL for the time a stream has done of a backfill. */
export const DONE_IN_STREAM = 'case when again then backfill_stream.done else stream.covered end';

/**
 * Marks the backfills of a source as done whose time every stream of the source has covered. None is done before the first complete
 * look, because a look stores streams while it goes on. Where a change of the source ended all streams, a backfill goes on with those of the next look.
 */
export const finishCovered = (database: Database, sourceId: number): Promise<number> =>
  database.run(
    `update backfill set state = 'done', finished_at = now()
     where source_id = $1 and state = 'running'
       and exists (select from source where source.id = source_id and discovered_at is not null)
       and exists (select from backfill_stream join stream on stream.id = stream_id where backfill_id = backfill.id and retired_at is null)
       and not exists (
       select from backfill_stream join stream on stream.id = stream_id
       where backfill_id = backfill.id and retired_at is null and not (tstzrange(from_at, to_at) <@ (${DONE_IN_STREAM})))`,
    [sourceId],
  );
