import type { ReasonSum, RefusalChoice, RefusalSum, ShownRefusal } from '../core/kept-refusals.ts';
import { HOUR } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';

/** The refusals of a source that are asked for. */
export interface WantedRefusals extends RefusalChoice {
  readonly sourceId: number;
}

/** The refused points of a source that stand: they were refused when their time was asked for last. */
export interface StandingRefusals {
  /** By variable and reason, those with most points first. */
  readonly series: readonly RefusalSum[];
  /** By reason, over all variables; the most frequent one first. */
  readonly reasons: readonly ReasonSum[];
  /** Points that were counted without their instants: an earlier version kept few of them, and of very many the oldest go. */
  readonly undated: number;
}

const HALF_HOUR = HOUR / 2;

/** SQL: the wanted rows of `refused_hour`, each with the number and the first and last instant (µs) of its wanted points. */
const WANTED = `
  wanted as (
    select stream_id, hour, sensor, variable, reason, examples, part.refused, part.first, part.last
    from refused_hour join stream on stream.id = stream_id
    cross join lateral (select instant_of(hour) + ${HALF_HOUR} as middle) as its
    cross join lateral (select middle - ${HALF_HOUR} >= $4::bigint and middle + ${HALF_HOUR} <= $5::bigint as whole) as lies
    cross join lateral (
      select cardinality(points)::bigint as refused, middle + points[1] as first, middle + points[cardinality(points)] as last where whole
      union all
      select count(*), middle + min(point), middle + max(point) from unnest(points) as point
      where not whole and middle + point >= $4::bigint and middle + point < $5::bigint) as part
    where stream.source_id = $1 and retired_at is null and ($2::text is null or reason = $2) and ($3::text is null or sensor = $3)
      and hour > at_instant($4::bigint) - interval '1 hour' and hour < at_instant($5::bigint) and part.refused > 0)`;

/** Instants that PostgreSQL can subtract an hour from, and that hold every reading. */
const EARLIEST = -62_000_000_000_000_000;
const LATEST = 200_000_000_000_000_000;

const valuesOf = ({ sourceId, reason, sensor, from, to }: WantedRefusals): unknown[] => [
  sourceId,
  reason ?? null,
  sensor ?? null,
  Math.max(from ?? EARLIEST, EARLIEST),
  Math.min(to ?? LATEST, LATEST),
];

/** The begin of the first hour of which points of a source stand as refused; undefined where there is none. */
export async function firstRefusedHour(database: Database, sourceId: number): Promise<Instant | undefined> {
  const row = await database.row<{ first: Instant | null }>(
    `select instant_of(min(hour)) as first from refused_hour join stream on stream.id = stream_id
     where stream.source_id = $1 and retired_at is null and points <> '{}'`,
    [sourceId],
  );
  return row?.first ?? undefined;
}

/** The refused points that stand, at most `limit` variables of them, each with its first, its last and one other example. */
export const refusalsOf = async (
  database: Database,
  wanted: WantedRefusals,
  limit: number,
): Promise<StandingRefusals> => ({
  series: await seriesOf(database, wanted, limit),
  reasons: await reasonsOf(database, wanted),
  undated: await undatedOf(database, wanted),
});

const seriesOf = (database: Database, wanted: WantedRefusals, limit: number): Promise<RefusalSum[]> =>
  database.rows<RefusalSum & Record<string, unknown>>(
    `with ${WANTED}, summed as (
       select reason, sensor, variable, sum(refused)::bigint as refused, min(first) as first, max(last) as last
       from wanted group by 1, 2, 3
       having $7::bigint is null or (-sum(refused)::bigint, reason, sensor, variable) > (-$7::bigint, $8, $9, $10)
       order by refused desc, 1, 2, 3 limit $6),
     shown as (
       select reason, sensor, variable, at, raw, row_number() over each as place, count(*) over (partition by reason, sensor, variable) as number
       from wanted join summed using (reason, sensor, variable)
       cross join lateral (
         select instant_of(hour) + ${HALF_HOUR} + (example ->> 0)::int as at, example ->> 1 as raw from jsonb_array_elements(examples) as example) as one
       where at >= $4::bigint and at < $5::bigint window each as (partition by reason, sensor, variable order by at, raw)),
     chosen as (
       select reason, sensor, variable, jsonb_agg(jsonb_build_object('at', at, 'raw', raw) order by place) as examples from shown
       where place in (1, (number + 1) / 2, number) group by 1, 2, 3)
     select summed.*, coalesce(examples, '[]') as examples
     from summed left join chosen using (reason, sensor, variable) order by refused desc, reason, sensor, variable`,
    [...valuesOf(wanted), limit, ...(wanted.after?.toSpliced(1, 1) ?? [null, null, null, null])],
  );

/** The refused points of a source by reason, the most frequent reason first, each with examples of up to three variables. */
export async function refusalsByReason(
  database: Database,
  sourceId: number,
): Promise<(ReasonSum & { readonly examples: readonly ShownRefusal[] })[]> {
  const told = [];
  // One after the other, because a request must not take all connections of the operator API.
  for (const sum of await reasonsOf(database, { sourceId })) {
    const series = await seriesOf(database, { sourceId, reason: sum.reason }, EXAMPLES_PER_REASON);
    const examples = series.flatMap(({ sensor, variable, examples: [one] }) =>
      one === undefined ? [] : [{ sensor, variable, ...one }],
    );
    told.push({ ...sum, examples });
  }
  return told;
}

const EXAMPLES_PER_REASON = 3;

const reasonsOf = (database: Database, wanted: WantedRefusals): Promise<ReasonSum[]> =>
  database.rows<ReasonSum & Record<string, unknown>>(
    `with ${WANTED}
     select reason, sum(refused)::bigint as refused, count(distinct (sensor, variable)) as series, min(first) as first, max(last) as last
     from wanted group by 1 order by refused desc, 1`,
    valuesOf(wanted),
  );

async function undatedOf(database: Database, { sourceId, reason }: WantedRefusals): Promise<number> {
  const row = await database.row<{ undated: number }>(
    `select coalesce(sum(refused), 0)::bigint as undated from refusal_count join stream on stream.id = stream_id
     where source_id = $1 and retired_at is null and ($2::text is null or reason = $2)`,
    [sourceId, reason ?? null],
  );
  return row?.undated ?? 0;
}
