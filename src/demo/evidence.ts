import { coverageOf } from '../core/coverage.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { seriesKey } from './judge.ts';
import type { Asked, CoveredStream, Evidence } from './judge.ts';
import { maxInSlidingSecond } from '../simulator/recorder.ts';
import type { RecordedRequest } from '../simulator/recorder.ts';

type Stored = Evidence['stored'];

const LEDGER = `
  select coalesce(sum(windows), 0) as windows, coalesce(sum(readings - duplicates - revised), 0) as fresh,
    coalesce(sum(revised), 0) as revised, coalesce(sum(late), 0) as late,
    (select coalesce(sum(cardinality(points)), 0) from refused_hour join stream on stream.id = stream_id
     where stream.source_id = source.id) as refused
  from source left join window_sum on source_id = source.id where source.name = $1 group by source.id`;

/** What the database holds of a source. `stored` may hold the readings of other sources too. */
export async function evidenceOf(database: Database, source: string, stored: Stored): Promise<Evidence> {
  const ledger = await database.row<Omit<Evidence, 'streams' | 'stored'>>(LEDGER, [source]);
  if (ledger === undefined) throw new Error(`source ${source} is gone`);
  return { ...ledger, streams: await streamsOf(database, source), stored };
}

async function streamsOf(database: Database, source: string): Promise<CoveredStream[]> {
  const rows = await database.rows<Omit<CoveredStream, 'covered'> & { covered: [from: Instant, to: Instant][] }>(
    `select coalesce(selection ->> 'group', '') as group, selection -> 'sensors' as sensors, instants_of(covered) as covered
     from stream join source on source.id = source_id where source.name = $1 and retired_at is null`,
    [source],
  );
  return rows.map((row) => ({ ...row, covered: coverageOf(row.covered.map(([from, to]) => ({ from, to }))) }));
}

/** Every reading, by series; straight from the table, because a view for operators may be wrong. */
export async function readingsBySeries(database: Database): Promise<Stored> {
  const stored = new Map<string, readonly { at: Instant; value: number }[]>();
  const series = await database.rows<{ id: number; sensorId: string; valueName: string }>(
    'select id, sensor_id as "sensorId", value_name as "valueName" from series',
  );
  for (const { id, ...names } of series) {
    const readings = await database.rows<{ at: Instant; value: number }>(
      'select instant_of(at) as at, value from reading where series = $1',
      [id],
    );
    if (readings.length > 0) stored.set(seriesKey(names), readings);
  }
  return stored;
}

/** The requests as the servers of the plant recorded them. The pace counts logins, too. */
export function askedOf(log: readonly RecordedRequest[]): Asked {
  const troubles = log.filter(({ status }) => status === null || status >= 400).length;
  return { requests: log.length, troubles, busiestSecond: maxInSlidingSecond(log.map(({ arrivedMs }) => arrivedMs)) };
}
