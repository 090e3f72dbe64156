import type { Client } from 'pg';

/** A stored reading as an SQL client sees it. `at` in µs since 1970. */
export interface StoredReading {
  readonly sensorId: string;
  readonly valueName: string;
  readonly at: number;
  readonly value: number;
}

const PAGE = 50_000;

/** Every stored reading, by sensorId, valueName and time. */
export async function* storedReadings(client: Client): AsyncGenerator<StoredReading> {
  await client.query('begin');
  await client.query(
    `declare stored cursor for select sensor_id as "sensorId", value_name as "valueName",
       (extract(epoch from at) * 1000000)::bigint::text as at, value
     from reading join series on series.id = reading.series order by 1, 2, reading.at`,
  );
  for (;;) {
    const { rows } = await client.query<StoredReading>(`fetch ${PAGE} from stored`);
    for (const row of rows) yield { ...row, at: Number(row.at) };
    if (rows.length < PAGE) break;
  }
  await client.query('commit');
}

/** Changes when any row was written, even with the same content: xmin is the transaction that wrote it. */
export async function fingerprintOf(client: Client): Promise<{ rows: number; print: string }> {
  const { rows } = await client.query<{ rows: string; print: string }>(
    `select count(*)::text as rows, coalesce(sum(hashtextextended(reading::text || xmin::text, 0)), 0)::text as print from reading`,
  );
  return { rows: Number(rows[0]?.rows), print: rows[0]?.print ?? '' };
}
