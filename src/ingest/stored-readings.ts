import { MICROSECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { StoredReading } from '../core/reading.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';

/** Which readings of a project are wanted. `sensor` is a pattern with `*` (any text) and `?` (any character). */
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

/** At most this many series are looked up at a time. */
const SERIES_PER_LOOK_UP = 5_000;
/** A page holds at most this many readings, of at most `PAGE_SERIES` series. */
const PAGE_READINGS = 5_000;
const PAGE_SERIES = 500;

const NEXT_SERIES = `
  select id, sensor_id as "sensorId", value_name as "valueName" from series
  where project_id = $1 and ($2::text is null or sensor_id like $2)
    and ($3::text is null or (sensor_id collate "C", value_name collate "C") > ($3, $4))
  order by sensor_id collate "C", value_name collate "C" limit ${SERIES_PER_LOOK_UP}`;

/** The first series continues from $2, the others begin at $3. The order is that of the places in $1. */
const PAGE_OF = `
  select place, instant_of(at) as at, value, precision, label_set.labels
  from unnest($1::int4[]) with ordinality as wanted (series, place)
  cross join lateral (
    select at, value, precision, labels from reading
    where reading.series = wanted.series and at >= at_instant(case when place = 1 then $2::bigint else $3::bigint end)
      and at < at_instant($4)
    order by at limit ${PAGE_READINGS}) as found
  left join label_set on label_set.id = found.labels
  order by place, at limit ${PAGE_READINGS}`;

/**
 * The readings of a project page by page, ordered by sensorId, valueName (both by code point) and instant. Each page is
 * asked for when the one before is read, so memory stays flat and no transaction stays open. Readings that are written
 * meanwhile may or may not be among them.
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
    if (series.length < SERIES_PER_LOOK_UP) return;
  }
}

async function* readingsOf(
  database: Database,
  series: readonly Series[],
  { from, to }: Window,
): AsyncGenerator<readonly StoredReading[]> {
  let first = 0;
  let begin = from;
  // A dense series fills a page alone and is asked for alone; sparse series are asked for by the hundred.
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
    if (rows.length === PAGE_READINGS && last !== undefined) {
      // The series in which the page ended is the first of the next page.
      first += last.place - 1;
      begin = last.at + MICROSECOND;
      atOnce = Math.max(1, last.place - 1);
    } else {
      first += asked.length;
      begin = from;
      atOnce = Math.min(PAGE_SERIES, atOnce * 4);
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

/** Translates a pattern with `*` and `?` into one of LIKE; the special characters of LIKE are escaped. */
export const toLike = (glob: string): string =>
  glob
    .replaceAll(/[\\%_]/g, String.raw`\$&`)
    .replaceAll('*', '%')
    .replaceAll('?', '_');
