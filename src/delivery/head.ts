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

/** The oldest rows of an outbox, and the readings they hold in the order in which they were stored. */
export interface Head {
  readonly ids: readonly number[];
  readonly readings: readonly Outgoing[];
}

interface Row {
  readonly id: number;
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
  select head.id, stream_id as "streamId", series.id as series, sensor_id as "sensorId", value_name as "valueName",
    instant_of(row.at) as at, row.value, row.precision, label_set.labels
  from head cross join lateral unnest(head.series, head.at, head.value, head.precision, head.labels)
      with ordinality as row (series, at, value, precision, labels, place)
    join series on series.id = row.series left join label_set on label_set.id = row.labels
  order by head.id, row.place`;

/** The oldest rows that together hold `mostReadings`; the last row may bring more. */
export async function headOf(database: Database, projectId: number, mostReadings: number): Promise<Head> {
  // Planned anew each time, because a plan made for an empty outbox sorts all of a long one.
  const { rows } = await database.pool.query<Row>(HEAD, [projectId, mostReadings]);
  return { ids: [...new Set(rows.map(({ id }) => id))], readings: rows.map(outgoing) };
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
