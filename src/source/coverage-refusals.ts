import type { Instant } from '../core/instant.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { Database } from '../database/database.ts';

/** SQL: the refused points of the streams `$1` and the sensors `$2` (null: all) inside the edges `$3`. */
const REFUSED = `
  from (select source_id, stream_id, reason, hour, points, examples from refused_hour join stream on stream.id = stream_id
    where stream_id = any($1::int[]) and ($2::text[] is null or sensor = any($2))
      and hour > at_instant(($3::bigint[])[1]) - interval '1 hour' and hour < at_instant(($3::bigint[])[cardinality($3::bigint[])])) as hours
  cross join lateral (select instant_of(hour) + 1800000000 + point as at, point from unnest(points) as point) as one
  where at >= ($3::bigint[])[1] and at < ($3::bigint[])[cardinality($3::bigint[])]`;

interface WantedRefusals {
  readonly streams: readonly number[];
  /** As the platform calls them; undefined: all. */
  readonly sensors: readonly string[] | undefined;
  readonly edges: readonly Instant[];
}

/** How many points were refused in each bucket of each stream or source that has any. */
export async function refusalsByBucket(
  database: Database,
  { streams, sensors, edges, of }: WantedRefusals & { readonly of: 'stream_id' | 'source_id' },
): Promise<ReadonlyMap<number, ReadonlyMap<number, number>>> {
  const rows = await database.rows<{ id: number; buckets: readonly (readonly [number, number])[] }>(
    `select id, jsonb_agg(jsonb_build_array(bucket, refused)) as buckets
     from (select ${of} as id, width_bucket(at, $3::bigint[]) - 1 as bucket, count(*) as refused ${REFUSED} group by 1, 2) as one group by id`,
    [streams, sensors ?? null, edges],
  );
  return new Map(rows.map(({ id, buckets }) => [id, new Map(buckets)]));
}

/** The refused points of one reason. */
export interface ReasonRefusals {
  readonly reason: RefusalReason;
  readonly refused: number;
  readonly first: Instant;
  readonly last: Instant;
  /** The value of the last one whose value is kept, as the platform sent it; null where that of none is. */
  readonly raw: string | null;
}

/** The refused points inside a range, by reason. */
export const reasonsInRange = (
  database: Database,
  { streams, sensors, edges }: WantedRefusals,
): Promise<readonly ReasonRefusals[]> =>
  database.rows<ReasonRefusals & Record<string, unknown>>(
    `select reason, count(*) as refused, min(at) as first, max(at) as last, (array_agg(raw order by at desc) filter (where raw is not null))[1] as raw
     from (select reason, at, (select example ->> 1 from jsonb_array_elements(examples) as example where (example ->> 0)::int = point limit 1) as raw ${REFUSED}) as one
     group by reason order by reason`,
    [streams, sensors ?? null, edges],
  );

/** How many refusals of some streams were counted and not kept, so that their instants are not known. */
export async function unkeptRefusals(database: Database, streams: readonly number[]): Promise<number> {
  const row = await database.row<{ unkept: number }>(
    'select coalesce(sum(refused), 0) as unkept from refusal_count where stream_id = any($1::int[])',
    [streams],
  );
  return row?.unkept ?? 0;
}
