import type { Reading } from '../client/index.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';

/** A reading to be sent, with the keys of its row. */
export interface Outgoing {
  readonly reading: Reading;
  readonly streamId: number | null;
  readonly series: number;
  readonly at: Instant;
}

/** A row of the outbox. A restored database gives its number anew, so the instant of its note belongs to it. */
export interface NotedRow {
  readonly id: number;
  readonly notedAt: Instant;
}

/** The oldest rows of an outbox, and the readings to send for them in the order in which they were stored. */
export interface Head {
  readonly rows: readonly NotedRow[];
  /** Each reading once, with its newest value: the service would refuse an older one of the same body. */
  readonly readings: readonly Outgoing[];
  /** How many readings the rows hold, older values included. */
  readonly noted: number;
}

interface Row extends NotedRow {
  readonly streamId: number | null;
  readonly series: number;
  readonly sensorId: string;
  readonly valueName: string;
  readonly at: Instant;
  readonly value: number;
  readonly precision: number | null;
  readonly labels: string[] | null;
}

/** At most this many rows are looked at. Most rows hold the few readings of one poll. */
const MOST_ROWS = 2_000;

const HEAD = `
  with head as (
    select * from (
      select *, sum(readings) over (order by id) - readings as before
      from (select * from outbox where project_id = $1 order by id limit ${MOST_ROWS}) as oldest) as counted
    where before < $2)
  select head.id, instant_of(noted_at) as "notedAt", stream_id as "streamId", series.id as series, sensor_id as "sensorId", value_name as "valueName",
    instant_of(row.at) as at, row.value, row.precision, label_set.labels
  from head cross join lateral unnest(head.series, head.at, head.value, head.precision, head.labels)
      with ordinality as row (series, at, value, precision, labels, place)
    join series on series.id = row.series left join label_set on label_set.id = row.labels
  order by head.id, row.place`;

/** The oldest rows that together hold `mostReadings`; the last row may bring more. */
export async function headOf(database: Database, projectId: number, mostReadings: number): Promise<Head> {
  // Planned anew each time, because a plan made for an empty outbox sorts all of a long one.
  const { rows } = await database.pool.query<Row>(HEAD, [projectId, mostReadings]);
  const newest = newestOf(rows);
  return {
    rows: rows.filter(({ id }, place) => id !== rows[place - 1]?.id),
    readings: newest.map(outgoing),
    noted: rows.length,
  };
}

/** The last row of each reading. */
function newestOf(rows: readonly Row[]): readonly Row[] {
  const last = new Map(rows.map((row) => [`${row.series} ${row.at}`, row]));
  return last.size === rows.length ? rows : rows.filter((row) => last.get(`${row.series} ${row.at}`) === row);
}

const outgoing = (row: Row): Outgoing => ({
  reading: {
    sensorId: row.sensorId,
    valueName: row.valueName,
    date: formatInstant(row.at),
    value: row.value,
    ...(row.precision === null ? {} : { precision: row.precision }),
    ...(row.labels === null ? {} : { labels: row.labels }),
  },
  streamId: row.streamId,
  series: row.series,
  at: row.at,
});
