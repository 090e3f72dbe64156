import { MICROSECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { StoredReading } from '../core/reading.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';

/** Which readings of a project; `sensor` is a pattern with `*` (any text) and `?` (any character). */
export interface Wanted {
  readonly projectId: number;
  readonly range: Window;
  readonly sensor: string | undefined;
}

interface Series {
  readonly id: number;
  readonly sensorId: string;
  readonly valueName: string;
}

interface Row {
  readonly place: number;
  readonly at: Instant;
  readonly value: number;
  readonly precision: number | null;
  readonly labels: readonly string[] | null;
}

/** Series looked up at a time, and readings. */
const SERIES = 5_000;
const PAGE = 5_000;
const MOST_SERIES_A_PAGE = 500;

const NEXT_SERIES = `
  select id, sensor_id as "sensorId", value_name as "valueName" from series
  where project_id = $1 and ($2::text is null or sensor_id like $2)
    and ($3::text is null or (sensor_id collate "C", value_name collate "C") > ($3, $4))
  order by sensor_id collate "C", value_name collate "C" limit ${SERIES}`;

/** The first series goes on behind what was read of it, the others begin. The order is that of the places. */
const PAGE_OF = `
  select place, instant_of(at) as at, value, precision, label_set.labels
  from unnest($1::int4[]) with ordinality as wanted (series, place)
  cross join lateral (
    select at, value, precision, labels from reading
    where reading.series = wanted.series and at >= at_instant(case when place = 1 then $2::bigint else $3::bigint end)
      and at < at_instant($4)
    order by at limit ${PAGE}) as found
  left join label_set on label_set.id = found.labels
  order by place, at limit ${PAGE}`;

/**
 * The readings of a project page by page, ordered by sensorId, valueName (both by code point) and instant. Pages are
 * asked for one after the other, so memory stays flat and no transaction stays open however long the reader takes;
 * what is written meanwhile may or may not be among them.
 */
export async function* storedReadings(database: Database, wanted: Wanted): AsyncGenerator<readonly StoredReading[]> {
  let after: Series | undefined;
  for (;;) {
    const series = await database.rows<Series & Record<string, unknown>>(NEXT_SERIES, [
      wanted.projectId,
      wanted.sensor === undefined ? null : toLike(wanted.sensor),
      after?.sensorId ?? null,
      after?.valueName ?? null,
    ]);
    yield* readingsOf(database, series, wanted.range);
    after = series.at(-1);
    if (series.length < SERIES) return;
  }
}

async function* readingsOf(
  database: Database,
  series: readonly Series[],
  { from, to }: Window,
): AsyncGenerator<readonly StoredReading[]> {
  let first = 0;
  let begin = from;
  // Dense series fill pages alone and are asked for one at a time, sparse ones by the hundred.
  let atOnce = 1;
  while (first < series.length) {
    const asked = series.slice(first, first + atOnce);
    const rows = await database.rows<Row & Record<string, unknown>>(PAGE_OF, [
      asked.map(({ id }) => id),
      begin,
      from,
      to,
    ]);
    if (rows.length > 0) yield rows.map((row) => readingOf(row, asked[row.place - 1] as Series));
    const last = rows.at(-1);
    if (rows.length === PAGE && last !== undefined) {
      // The series the page broke off in is the first of the next one.
      first += last.place - 1;
      begin = last.at + MICROSECOND;
      atOnce = Math.max(1, last.place - 1);
    } else {
      first += asked.length;
      begin = from;
      atOnce = Math.min(MOST_SERIES_A_PAGE, atOnce * 4);
    }
  }
}

const readingOf = ({ at, value, precision, labels }: Row, { sensorId, valueName }: Series): StoredReading => ({
  sensorId,
  valueName,
  at,
  value,
  precision: precision ?? undefined,
  labels: labels ?? [],
});

/** A pattern with `*` and `?` as one of LIKE; what LIKE takes for special stands for itself. */
export const toLike = (glob: string): string =>
  glob
    .replaceAll(/[\\%_]/g, String.raw`\$&`)
    .replaceAll('*', '%')
    .replaceAll('?', '_');
