import { coldReadings } from '../archive/cold-readings.ts';
import { shelfOf, shelfStamp } from '../archive/manifest.ts';
import type { Shelf } from '../archive/manifest.ts';
import { MICROSECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { StoredReading } from '../core/reading.ts';
import type { Window } from '../core/window.ts';
import type { Database } from '../database/database.ts';
import { mergedReadings } from './merged-readings.ts';
import type { PlacedReading } from './merged-readings.ts';

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

type Row = Omit<PlacedReading, 'labels'> & { readonly labels: readonly string[] | null };

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
  select (place - 1)::int as place, instant_of(at) as at, value, precision, label_set.labels
  from unnest($1::int4[]) with ordinality as wanted (series, place)
  cross join lateral (
    select at, value, precision, labels from reading
    where reading.series = wanted.series and at >= at_instant(case when place = 1 then $2::bigint else $3::bigint end)
      and at < at_instant($4)
    order by at limit ${PAGE_READINGS}) as found
  left join label_set on label_set.id = found.labels
  order by place, at limit ${PAGE_READINGS}`;

/** Where a read goes on. */
interface Position {
  /** The place of the series. */
  place: number;
  begin: Instant;
}

/** Days were moved while their rows were being read. */
class MovedMeanwhile extends Error {}

/**
 * The readings of a project page by page, those of the database and of the archive, ordered by sensorId, valueName (both by code point)
 * and instant. Each page is asked for when the one before is read, so memory stays flat and no transaction stays open. Readings that
 * are written meanwhile may or may not be among them; days that are moved meanwhile are. Throws `config-invalid` where the file of an
 * archived day is not as it was written.
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
    yield* readingsOf(database, series, wanted);
    after = series.at(-1);
    if (series.length < SERIES_PER_LOOK_UP) return;
  }
}

async function* readingsOf(
  database: Database,
  series: readonly Series[],
  { projectId, range: wanted }: Wanted,
): AsyncGenerator<readonly StoredReading[]> {
  const position: Position = { place: 0, begin: wanted.from };
  while (position.place < series.length) {
    const shelf = await shelfOf(database, projectId, wanted);
    const { range } = shelf;
    const rest = series.slice(position.place);
    const stretch = { series: rest, range, begin: Math.max(range.from, position.begin) };
    try {
      const hot = hotReadings(database, stretch, async () => {
        if ((await shelfStamp(database, projectId, wanted)) !== shelf.stamp) throw new MovedMeanwhile();
      });
      const from = position.place;
      for await (const page of shelf.days.length === 0 ? hot : merged(database, shelf, stretch, hot)) {
        yield page.map((reading) => readingOf(reading, rest[reading.place] as Series));
        const last = page.at(-1) as PlacedReading;
        position.place = from + last.place;
        position.begin = last.at + MICROSECOND;
      }
      return;
    } catch (error) {
      // A merge takes the file of a day away from a read that has not opened it yet.
      if (!(error instanceof MovedMeanwhile) && (await shelfStamp(database, projectId, wanted)) === shelf.stamp)
        throw error;
    }
  }
}

interface Stretch {
  readonly series: readonly Series[];
  readonly range: Window;
  /** Where the first series begins. */
  readonly begin: Instant;
}

const merged = (
  database: Database,
  { days }: Shelf,
  stretch: Stretch,
  hot: AsyncGenerator<readonly PlacedReading[]>,
): AsyncGenerator<readonly PlacedReading[]> =>
  mergedReadings(hot, coldReadings(database, days, stretch), PAGE_READINGS);

/** The rows of series. `checked` is called after each page, also the last and empty one, before it is used. */
async function* hotReadings(
  database: Database,
  { series, range, begin: start }: Stretch,
  checked: () => Promise<void>,
): AsyncGenerator<readonly PlacedReading[]> {
  let first = 0;
  let begin = start;
  // A dense series fills a page alone and is asked for alone; sparse series are asked for by the hundred.
  let atOnce = 1;
  while (first < series.length) {
    const asked = series.slice(first, first + atOnce);
    const rows = await database.rows<Row & Record<string, unknown>>(PAGE_OF, [
      asked.map(({ id }) => id),
      begin,
      range.from,
      range.to,
    ]);
    await checked();
    const before = first;
    const last = rows.at(-1);
    if (rows.length === PAGE_READINGS && last !== undefined) {
      // The series in which the page ended is the first of the next page.
      first += last.place;
      begin = last.at + MICROSECOND;
      atOnce = Math.max(1, last.place);
    } else {
      first += asked.length;
      begin = range.from;
      atOnce = Math.min(PAGE_SERIES, atOnce * 4);
    }
    if (rows.length > 0) yield rows.map((row) => ({ ...row, place: before + row.place, labels: row.labels ?? [] }));
  }
}

const readingOf = (
  { at, value, precision, labels }: PlacedReading,
  { sensorId, valueName }: Series,
): StoredReading => ({
  sensorId,
  valueName,
  at,
  value,
  precision: precision ?? undefined,
  labels,
});

/** Translates a pattern with `*` and `?` into one of LIKE; the special characters of LIKE are escaped. */
export const toLike = (glob: string): string =>
  glob
    .replaceAll(/[\\%_]/g, String.raw`\$&`)
    .replaceAll('*', '%')
    .replaceAll('?', '_');
