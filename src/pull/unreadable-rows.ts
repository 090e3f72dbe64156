/** SQL: the row `unreadable` of the row `stream` is asked for again. Before `source.start_at` only a running backfill asks. */
export const IS_RETRIED = `(unreadable.to_at > source.start_at or exists (select from backfill join backfill_stream on backfill_id = backfill.id
  where backfill_stream.stream_id = stream.id and state = 'running' and unreadable.from_at < backfill.to_at and unreadable.to_at > backfill.from_at))`;

/** SQL: lets history ask for all unreadable time of the sources `$1` at once, because an operator acted. */
export const RETRY_UNREADABLE =
  'update unreadable set tries = 0, retry_at = now() from stream where stream.id = stream_id and source_id = any($1::int[])';
