import type { Coverage } from '../core/coverage.ts';
import type { Instant } from '../core/instant.ts';
import type { Unreadable } from '../core/unreadable.ts';
import type { Database } from '../database/database.ts';
import { coverageFrom } from '../database/multirange.ts';
import type { Ranges } from '../database/multirange.ts';

/** SQL: the unreadable stretches of the row `stream`, as JSON (`UnreadableRow`). */
export const UNREADABLE = `(select coalesce(jsonb_agg(jsonb_build_array(instant_of(from_at), instant_of(to_at), tries, instant_of(retry_at)) order by from_at), '[]')
  from unreadable where stream_id = stream.id)`;

/** SQL: the row `unreadable` of the row `stream` is asked for again. Before `source.start_at` only a running backfill asks. */
export const IS_RETRIED = `(unreadable.to_at > source.start_at or exists (select from backfill join backfill_stream on backfill_id = backfill.id
  where backfill_stream.stream_id = stream.id and state = 'running' and unreadable.from_at < backfill.to_at and unreadable.to_at > backfill.from_at))`;

export type UnreadableRow = readonly [from: Instant, to: Instant, tries: number, retryAt: Instant];

export const unreadableOf = (rows: readonly UnreadableRow[]): Unreadable[] =>
  rows.map(([from, to, tries, retryAt]) => ({ from, to, tries, retryAt }));

/** What a stream is asked for once more, as it stands now. */
export async function askedLater(
  database: Database,
  streamId: number,
): Promise<{
  readonly unreadable: readonly Unreadable[];
  readonly lookAgain: Coverage;
  readonly looksNoted: number;
}> {
  const row = await database.row<{ unreadable: UnreadableRow[]; again: Ranges; noted: number }>(
    `select ${UNREADABLE} as unreadable, instants_of(look_again) as again, looks_noted as noted from stream where id = $1`,
    [streamId],
  );
  return {
    unreadable: unreadableOf(row?.unreadable ?? []),
    lookAgain: coverageFrom(row?.again ?? []),
    looksNoted: row?.noted ?? 0,
  };
}

/** SQL: lets history ask for all unreadable time of the sources `$1` at once, because an operator acted. */
export const RETRY_UNREADABLE =
  'update unreadable set tries = 0, retry_at = now() from stream where stream.id = stream_id and source_id = any($1::int[])';
