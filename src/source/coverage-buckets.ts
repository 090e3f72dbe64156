import { archivedSums } from '../archive/cold-sums.ts';
import { KEPT_FROM } from '../archive/kept.ts';
import { inSnapshot } from '../archive/manifest.ts';
import type { Instant } from '../core/instant.ts';
import type { Asks, Database } from '../database/database.ts';

/** Buckets of streams or sources, and the series of these. The buckets are given by their places in `edges`. */
export interface WantedBuckets {
  readonly edges: readonly Instant[];
  readonly held: ReadonlyMap<number, string>;
  readonly ids: readonly number[];
  readonly buckets: readonly number[];
}

/** The places in `ids` whose bucket holds a reading. The inner limit keeps each look one step in the key (series, at). */
export async function bucketsWithData(
  database: Database,
  { edges, held, ids, buckets }: WantedBuckets,
): Promise<ReadonlySet<number>> {
  const holders = [...new Set(ids)].filter((id) => held.has(id));
  if (holders.length === 0) return new Set();
  return await inSnapshot(database, async (asks) => {
    const rows = await asks.rows<{ place: number }>(
      `with series as materialized (
       select id, array(select one::int from jsonb_array_elements_text(series::jsonb) as one) as all,
         (select ${KEPT_FROM} from series as own join ml_project on ml_project.id = project_id where own.id = (held.series::jsonb ->> 0)::int) as kept
       from unnest($4::int[], $5::text[]) as held (id, series))
     select (place - 1)::int as place
     from unnest($2::int[], $3::int[]) with ordinality as wanted (id, bucket, place) join series using (id)
     cross join lateral (select at_instant(($1::bigint[])[bucket + 1]) as begin, at_instant(($1::bigint[])[bucket + 2]) as end offset 0) as span
     where exists (
       select from unnest(series.all) as one (id) cross join lateral (
         select from reading where reading.series = one.id and at >= greatest(span.begin, kept) and at < span.end limit 1) as found)`,
      [edges, ids, buckets, holders, holders.map((id) => held.get(id))],
    );
    const found = new Set(rows.map(({ place }) => place));
    if (database.archive !== undefined)
      for (const place of await placesWithFiles(asks, { edges, held, ids, buckets }, found)) found.add(place);
    return found;
  });
}

/** The same for the archive, besides those that were `found`. */
async function placesWithFiles(
  database: Asks,
  { edges, held, ids, buckets }: WantedBuckets,
  found: ReadonlySet<number>,
): Promise<number[]> {
  const open = ids.flatMap((id, place) => (held.has(id) && !found.has(place) ? [{ id, place }] : []));
  if (open.length === 0) return [];
  const seriesOf = new Map(
    [...new Set(open.map(({ id }) => id))].map((id) => [id, JSON.parse(held.get(id) ?? '[]') as number[]]),
  );
  const sums = await archivedSums(database, [...new Set([...seriesOf.values()].flat())], edges);
  return open
    .filter(({ id, place }) => seriesOf.get(id)?.some((series) => sums.get(series)?.has(buckets[place] ?? -1)))
    .map(({ place }) => place);
}

/** The number of readings of some series in each bucket. */
export async function readingsByBucket(
  database: Database,
  series: readonly number[],
  edges: readonly Instant[],
): Promise<readonly number[]> {
  return await inSnapshot(database, async (asks) => {
    const rows = await asks.rows<{ bucket: number; readings: number }>(
      `select width_bucket(instant_of(at), $2::bigint[]) - 1 as bucket, count(*) as readings from reading
     where series = any($1::int[]) and at < at_instant($4) and at >= greatest(at_instant($3),
       (select max(${KEPT_FROM}) from series join ml_project on ml_project.id = project_id where series.id = any($1))) group by 1`,
      [series, edges, edges[0], edges.at(-1)],
    );
    const counts = Array.from({ length: edges.length - 1 }, () => 0);
    for (const { bucket, readings } of rows) counts[bucket] = readings;
    if (database.archive === undefined) return counts;
    for (const sums of (await archivedSums(asks, series, edges)).values())
      for (const [bucket, { count }] of sums) counts[bucket] = (counts[bucket] ?? 0) + count;
    return counts;
  });
}
