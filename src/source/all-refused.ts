import { REFUSALS } from '../core/reading.ts';
import type { RefusalReason } from '../core/reading.ts';
import { remedyOf } from '../core/refusal-remedies.ts';

/** SQL: the reason of the newest refused point of a row of `source`. The reason of a remote service is none: such readings are stored here. */
const NEWEST_REASON = `(
  select newest.reason from stream cross join lateral (
    select refused_hour.hour, noted_at, reason from refused_hour
    where stream_id = stream.id and cardinality(points) > 0 and reason <> 'refused-there' order by refused_hour.hour desc, noted_at desc limit 1) as newest
  where source_id = source.id and retired_at is null order by newest.hour desc, newest.noted_at desc limit 1)`;

/**
 * SQL: where a row of `source` got points in the last 24 hours and stored no reading of them, the reason of its newest refused
 * point; null otherwise. A refused point that was repaired since stands no more.
 */
export const ALL_REFUSED = `
  case when not exists (select from window_sum where source_id = source.id and window_sum.hour > now() - interval '24 hours' and readings > 0)
    and exists (select from window_sum where source_id = source.id and window_sum.hour > now() - interval '24 hours' and refused > 0)
  then ${NEWEST_REASON} end`;

/** SQL: the same, where the row of `SUMS` of the source is `sums`. */
export const ALL_REFUSED_OF_SUMS = `case when sums.has_refused and not sums.has_points then ${NEWEST_REASON} end`;

/** In one line, that every point of a source was refused. */
export const allRefusedInWords = (reason: RefusalReason): string => `every point of 24h was refused: ${reason}`;

/** The reason as a JSON document, with its meaning and remedy. */
export const allRefusedDocument = (reason: RefusalReason | null) =>
  reason === null ? null : { reason, meaning: REFUSALS[reason], remedy: remedyOf(reason, 'operator') };
