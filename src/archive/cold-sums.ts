import { DAY } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Asks } from '../database/database.ts';
import { wantedSeries } from './cold-readings.ts';
import type { NamedSeries } from './cold-readings.ts';
import { duckColumns, numberList } from './duck.ts';
import { DAY_COLUMNS } from './manifest.ts';
import type { ArchivedDay } from './manifest.ts';
import { openDays } from './open-days.ts';

/** The readings of a series in a bucket, summed. */
export interface Sum {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
}

/** A series with its number in the database. */
type KnownSeries = NamedSeries & { readonly id: number; readonly projectId: number };

/**
 * The archived readings of series of which there is no row, summed by bucket: a map for each series that has some. The buckets lie between
 * neighbours of `edges`, which ascend. To be called inside `inSnapshot`, by whose connection the rows are counted.
 */
export async function archivedSums(
  database: Asks,
  ids: readonly number[],
  edges: readonly Instant[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, Sum>>> {
  const sums = new Map<number, Map<number, Sum>>();
  const from = edges[0] ?? 0;
  const to = edges.at(-1) ?? 0;
  const series = await database.rows<KnownSeries & Record<string, unknown>>(
    `select id, project_id as "projectId", sensor_id as "sensorId", value_name as "valueName" from series where id = any($1::int[])`,
    [ids],
  );
  for (const [projectId, own] of Map.groupBy(series, (one) => one.projectId)) {
    const days = await database.rows<ArchivedDay & Record<string, unknown>>(
      `select ${DAY_COLUMNS} from archived_day where project_id = $1 and replaced_at is null
         and last_at >= at_instant($2) and first_at < at_instant($3)
         and day >= (select coalesce(kept_from at time zone 'UTC', '-infinity')::date from ml_project where id = $1) order by day`,
      [projectId, from, to],
    );
    for await (const { some, rows } of daysWithRows(database, own, days)) {
      for await (const [place, bucket, ...sum] of summed(database, some, { series: own, edges, rows })) {
        const { id } = own[place as number] as KnownSeries;
        const known = sums.get(id) ?? new Map<number, Sum>();
        const [count = 0, min = 0, max = 0, total = 0] = sum;
        sums.set(
          id,
          known.set(bucket as number, together({ count, min, max, sum: total }, known.get(bucket as number))),
        );
      }
    }
  }
  return sums;
}

/** Two sums of a bucket as one. */
export const together = (one: Sum, other: Sum | undefined): Sum =>
  other === undefined
    ? one
    : {
        min: Math.min(one.min, other.min),
        max: Math.max(one.max, other.max),
        sum: one.sum + other.sum,
        count: one.count + other.count,
      };

/** A reading by the place of its series. */
interface Key {
  readonly place: number;
  readonly at: Instant;
}

/** Days whose rows are held at a time: so many days at most, and so many rows where they are several. */
const DAYS_AT_ONCE = 64;
const ROWS_AT_ONCE = 50_000;

/** Days with the rows of series on them, some days at a time, so that memory does not grow with the range. */
async function* daysWithRows(
  database: Asks,
  series: readonly KnownSeries[],
  days: readonly ArchivedDay[],
): AsyncGenerator<{ readonly some: readonly ArchivedDay[]; readonly rows: readonly Key[] }> {
  let atOnce = DAYS_AT_ONCE;
  for (let first = 0; first < days.length;) {
    const some = days.slice(first, first + atOnce);
    const rows = await rowsOnDays(database, series, { days: some, most: some.length === 1 ? null : ROWS_AT_ONCE });
    if (rows.length < ROWS_AT_ONCE || some.length === 1) {
      yield { some, rows };
      first += some.length;
      atOnce = Math.min(DAYS_AT_ONCE, atOnce * 2);
    } else atOnce = Math.ceil(some.length / 4);
  }
}

/** At most `most` rows of series on archived days: those that came since, or are their newest. */
const rowsOnDays = (
  database: Asks,
  series: readonly KnownSeries[],
  { days, most }: { readonly days: readonly ArchivedDay[]; readonly most: number | null },
): Promise<(Key & Record<string, unknown>)[]> =>
  database.rows<Key & Record<string, unknown>>(
    `select (place - 1)::int as place, instant_of(at) as at
     from unnest($1::int[]) with ordinality as wanted (series, place) cross join unnest($2::bigint[]) as day
     cross join lateral (
       select at from reading where reading.series = wanted.series and at >= at_instant(day) and at < at_instant(day + ${DAY}) offset 0) as found
     limit $3`,
    [series.map(({ id }) => id), days.map(({ day }) => day), most],
  );

async function* summed(
  database: Asks,
  days: readonly ArchivedDay[],
  {
    series,
    edges,
    rows,
  }: { readonly series: readonly NamedSeries[]; readonly edges: readonly Instant[]; readonly rows: readonly Key[] },
): AsyncGenerator<number[]> {
  const { duck, table: files, close } = await openDays(database, days);
  const buckets = edges.slice(0, -1);
  const sql = `
    with cold as (
      select k.place, epoch_us(f.time) as us, f.value from ${files} f join ${wantedSeries(series)} using (sensor_id, value_name)
      where f.time >= make_timestamptz(${edges[0]}) and f.time < make_timestamptz(${edges.at(-1)})),
    alone as (
      select * from cold anti join (
        select unnest(${numberList(rows.map(({ place }) => place))}) as place, unnest(${numberList(rows.map(({ at }) => at))}) as us) as hot
      using (place, us))
    select place::double, bucket::double, count(*)::double, min(value), max(value), sum(value)
    from alone asof join (select unnest(${numberList(buckets)}) as begin, unnest(range(${buckets.length})) as bucket) as edge on us >= begin
    group by place, bucket`;
  try {
    for await (const columns of duckColumns(duck, sql)) {
      for (const row of (columns[0] ?? []).keys()) yield columns.map((column) => column[row] as number);
    }
  } finally {
    await close();
  }
}
