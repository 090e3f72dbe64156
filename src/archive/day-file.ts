import type { DuckDBConnection } from '@duckdb/node-api';
import type { Instant } from '../core/instant.ts';
import { duckRows, duckText, duckTexts } from './duck.ts';

/** What a file of a day has. */
export interface DayContent {
  readonly readings: number;
  readonly series: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/** The readings of a group of rows are decoded together: enough to be dense, little enough to be read for one series. */
const ROW_GROUP = 122_880;

/** So many readings of a file are sorted together with those of the other at most: 200 MB of memory, however large the day is. */
const SORTED = 500_000;

const COLUMNS = 'sensor_id, value_name, time, value, precision, labels';
const KEY = 'sensor_id, value_name, time';

/**
 * Makes the file `to` of the rows of a day, which PostgreSQL copied out to `${work}.csv` in the order of their series and instants, and
 * the names of the series to `${work}.series.csv`. Nothing is sorted, so memory grows with the series alone.
 */
export async function fileOfRows(duck: DuckDBConnection, work: string, to: string): Promise<DayContent | undefined> {
  await duck.run(`create or replace temp table series_moved as select * from read_csv(${duckText(`${work}.series.csv`)},
    header = false, auto_detect = false, quote = '"', escape = '"', allow_quoted_nulls = false, max_line_size = 1000000,
    columns = {'place': 'INTEGER', 'sensor_id': 'VARCHAR', 'value_name': 'VARCHAR'})`);
  // The names come by a subquery and not by a join. DuckDB may turn a join around: then it keeps all rows in memory, and loses their order.
  await write(
    duck,
    `select series.sensor_id, series.value_name, make_timestamptz(epoch_us("at")) as time, value, precision, from_json(labels, '["VARCHAR"]') as labels
     from (
       select *, (select {sensor_id: sensor_id, value_name: value_name} from series_moved where series_moved.place = one.place) as series
       from read_csv(${duckText(`${work}.csv`)}, header = false, auto_detect = false, quote = '"', escape = '"', max_line_size = 1000000,
         columns = {'place': 'INTEGER', 'at': 'TIMESTAMP', 'value': 'DOUBLE', 'precision': 'SMALLINT', 'labels': 'VARCHAR'}) as one)`,
    to,
  );
  return await contentOf(duck, to);
}

/** The first reading of a part of a day. */
type Cut = readonly [sensorId: string, valueName: string, at: Instant];

/** The readings of a day from one cut on and before the next. */
interface Part {
  readonly from: Cut | undefined;
  readonly to: Cut | undefined;
}

/**
 * Makes the file `to` of the readings of two files of a day, of which that of `rows` wins. Both are in the order of series and instants,
 * so the day is cut into parts with few readings of each file. A part with late readings is sorted alone, neighbours without any are copied
 * as they are, each into a file that begins with `work`; these are joined. Memory is that of a part, whatever the day has.
 */
export async function mergedFile(
  duck: DuckDBConnection,
  {
    rows,
    former,
    work,
    to,
  }: { readonly rows: string; readonly former: string; readonly work: string; readonly to: string },
  sorted = SORTED,
): Promise<DayContent | undefined> {
  const cuts = (await duckRows(
    duck,
    `select distinct sensor_id, value_name, epoch_us(time) from read_parquet(${duckTexts([rows, former])}, file_row_number = true)
     where file_row_number > 0 and file_row_number % ${sorted} = 0 order by all`,
  )) as unknown as Cut[];
  const parts: (Part & { readonly late: boolean })[] = [];
  for (const [place, from] of [undefined, ...cuts].entries()) {
    const part = { from, to: cuts[place] };
    const late = (await duckRows(duck, `select 1 from ${inPart(rows, part)} limit 1`)).length > 0;
    const before = parts.at(-1);
    if (late || before === undefined || before.late) parts.push({ ...part, late });
    else parts[parts.length - 1] = { ...before, to: part.to };
  }
  // Files, and not parts of one statement, because DuckDB does not keep the order of a union.
  const pieces: string[] = [];
  for (const [place, part] of parts.entries()) {
    const piece = `${work}.${place}.piece`;
    const old = `select ${COLUMNS} from ${inPart(former, part)}`;
    const merged = `select ${COLUMNS} from ${inPart(rows, part)} union all ${old} anti join ${inPart(rows, part)} as late using (${KEY}) order by ${KEY}`;
    await write(duck, part.late ? merged : old, piece);
    pieces.push(piece);
  }
  await write(duck, `select ${COLUMNS} from ${parquet(pieces)}`, to);
  return await contentOf(duck, to);
}

const parquet = (paths: readonly string[]): string => `read_parquet(${duckTexts(paths)})`;

/** DuckDB: the readings of a file in a part. What the cuts have in common is told apart, because only that spares groups of rows. */
function inPart(path: string, { from, to }: Part): string {
  const conditions: string[] = [];
  const fields = ['sensor_id', 'value_name', 'time'];
  for (const [place, field] of fields.entries()) {
    if (from !== undefined) conditions.push(`${field} >= ${cutText(from)[place]}`);
    if (to !== undefined) conditions.push(`${field} <= ${cutText(to)[place]}`);
    if (from === undefined || to === undefined || from[place] !== to[place]) break;
  }
  if (from !== undefined) conditions.push(`not ${isBefore(from)}`);
  if (to !== undefined) conditions.push(isBefore(to));
  return `(from ${parquet([path])}${conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`})`;
}

/** DuckDB: a reading is before a cut. Spelled out, because DuckDB has no range of records. */
function isBefore(cut: Cut): string {
  const [sensorId, valueName, time] = cutText(cut);
  return `(sensor_id < ${sensorId} or (sensor_id = ${sensorId} and (value_name < ${valueName} or (value_name = ${valueName} and time < ${time}))))`;
}

const cutText = ([sensorId, valueName, at]: Cut): string[] => [
  duckText(sensorId),
  duckText(valueName),
  `make_timestamptz(${at})`,
];

async function write(duck: DuckDBConnection, select: string, path: string): Promise<void> {
  await duck.run(
    `copy (${select}) to ${duckText(path)} (format parquet, compression zstd, row_group_size ${ROW_GROUP})`,
  );
}

/** What a file has; undefined: nothing. Throws where a reading is not behind the one before it, so none is in it twice. */
async function contentOf(duck: DuckDBConnection, path: string): Promise<DayContent | undefined> {
  const [[readings = 0, series = 0, firstAt = 0, lastAt = 0, astray = 0] = []] = (await duckRows(
    duck,
    `select count(*), count(*) filter (before is null or sensor_id <> before or value_name <> name_before), epoch_us(min(time)), epoch_us(max(time)),
       count(*) filter (sensor_id < before or (sensor_id = before and (value_name < name_before or (value_name = name_before and time <= time_before))))
     from (
       select sensor_id, value_name, time, lag(sensor_id) over () as before, lag(value_name) over () as name_before, lag(time) over () as time_before
       from ${parquet([path])})`,
  )) as number[][];
  if (astray > 0) throw new Error(`${astray} readings of a file are not in their order`);
  return readings === 0 ? undefined : { readings, series, firstAt, lastAt };
}
