import { MINUTE } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { REQUEST_KINDS } from '../core/request-counts.ts';
import type { Database } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';

/** A request may be counted as failed so long after it was counted. */
const ENDED = 10 * MINUTE;

/** The fields of a minute in the text of core/request-counts.ts, in their order. */
const FIELDS = [...REQUEST_KINDS, 'failed'] as const;

const ALL = REQUEST_KINDS.join(' + ');
const each = (sqlOf: (field: string, place: number) => string): string =>
  FIELDS.map((field, place) => sqlOf(field, place + 1)).join(', ');

/** A row knows up to where it was counted, so that each minute is counted once, also after a restore. */
const COUNT = `
  with minute as (
    select source_id, to_timestamp(60 * (split_part(requests, '|', 1)::bigint - (cardinality(rows) - place))) as at, row
    from pace cross join lateral (select string_to_array(split_part(requests, '|', 2), ';') as rows) as text
    cross join lateral unnest(rows) with ordinality as each (row, place)
    where row <> ''),
  counted as (
    select minute.source_id, date_trunc('hour', at, 'UTC') as hour, at,
      ${each((field, place) => `coalesce(nullif(split_part(row, ',', ${place}), '')::int, 0) as ${field}`)},
      nullif(split_part(row, ',', ${FIELDS.length + 1}), '')::int as second
    from minute where at < at_instant($1)),
  fresh as (
    select counted.* from counted left join request_hour as known using (source_id, hour)
    where known.counted_to is null or counted.at >= known.counted_to)
  insert into request_hour as known (source_id, hour, ${FIELDS.join(', ')}, fullest, fullest_at, fullest_second, fullest_second_at, counted_to)
  select source_id, hour, ${each((field) => `sum(${field})`)}, max(${ALL}), (array_agg(at order by ${ALL} desc, at))[1],
    max(second), (array_agg(at order by second desc nulls last, at) filter (where second is not null))[1], at_instant($1)
  from fresh group by 1, 2 order by 1, 2
  on conflict (source_id, hour) do update set ${each((field) => `${field} = known.${field} + excluded.${field}`)},
    fullest = greatest(known.fullest, excluded.fullest),
    fullest_at = case when excluded.fullest > known.fullest then excluded.fullest_at else known.fullest_at end,
    fullest_second = greatest(known.fullest_second, excluded.fullest_second),
    fullest_second_at = case when excluded.fullest_second > coalesce(known.fullest_second, 0) then excluded.fullest_second_at else known.fullest_second_at end,
    counted_to = excluded.counted_to`;

/** Adds the minutes that have ended to the requests by hour. One process does it at a time. */
export async function countRequestHours(database: Pick<Database, 'transaction'>, now: Instant): Promise<void> {
  await database.transaction(async (client) => {
    const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1) as free', [
      LOCKS.requestHours,
    ]);
    if (rows[0]?.free === true) await client.query(COUNT, [Math.floor((now - ENDED) / MINUTE) * MINUTE]);
  });
}
