import type { Moved } from '../../src/archive/move.ts';
import { withThawed } from '../../src/ingest/thaw.ts';
import type { Taken } from '../../src/ingest/window-readings.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import type { Column, Segment } from '../../src/core/batch.ts';
import { DAY, HOUR, formatInstant, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { moveDue } from '../../src/archive/due.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import type { PrepareReadings } from '../../src/ingest/prepare.ts';
import { storedReadings } from '../../src/ingest/stored-readings.ts';
import { writeMany } from '../../src/ingest/window-readings.ts';
import { batchOf, storeSource } from '../kit/stored-source.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TestDatabases } from '../kit/databases.ts';

/** Three days around the border of a month, so that rows lie in two partitions. */
export const BEGIN = parseInstant('2025-12-31T00:00:00Z') ?? 0;
export const DAYS = 3;
export const RANGE = { from: BEGIN, to: BEGIN + DAYS * DAY };

export interface Point {
  readonly sensor: string;
  readonly at: Instant;
  readonly value: number;
  readonly precision: number | undefined;
  readonly labels: readonly string[];
}

export const keyOf = ({ sensor, at }: Pick<Point, 'sensor' | 'at'>): string => `${sensor} ${formatInstant(at)}`;
export const lineOf = (point: Point): string =>
  `${keyOf(point)} ${point.value} ${point.precision ?? '-'} ${point.labels.join('|')}`;

/** In the order in which they are read. */
export const linesIn = (model: ReadonlyMap<string, Point>): string[] =>
  [...model.values()]
    .toSorted((one, other) => (one.sensor === other.sensor ? one.at - other.at : one.sensor < other.sensor ? -1 : 1))
    .map(lineOf);

export function columnsOf(points: readonly Point[]): Column[] {
  const last = new Map(points.map((one) => [keyOf(one), one]));
  const bySensor = Map.groupBy(
    [...last.values()].toSorted((one, other) => one.at - other.at),
    ({ sensor }) => sensor,
  );
  return [...bySensor].map(([sensorId, own]) => ({
    sensorId,
    valueName: 'value',
    segments: own.map(({ at, value, precision, labels }): Segment => ({
      at: [at],
      value: [value],
      precision: precision === undefined ? undefined : [precision],
      labels,
    })),
  }));
}

export async function linesOf(database: Database, projectId: number, sensor?: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const page of storedReadings(database, { projectId, range: RANGE, sensor })) {
    for (const { sensorId, at, value, precision, labels } of page)
      lines.push(lineOf({ sensor: sensorId, at, value, precision, labels }));
  }
  return lines;
}

const preparers = new WeakMap<object, PrepareReadings>();

/** Writes points as a window in covered time does. */
export async function write(database: Database, projectId: number, points: readonly Point[]): Promise<Taken> {
  // One for each database, because the first write of each announces its partitions to transactions under way.
  const prepare = preparers.get(database.pool) ?? readingPreparer(database);
  preparers.set(database.pool, prepare);
  const prepared = await prepare(projectId, batchOf(columnsOf(points)));
  return await database.transaction((client) =>
    withThawed(database, client, { columns: prepared.columns, now: Date.now() * 1000 }, () =>
      writeMany(client, prepared, { streamId: 1, covered: [RANGE] }),
    ),
  );
}

export async function moveAll(database: Database, before = RANGE.to): Promise<Moved['outcome'][]> {
  const outcomes: Moved['outcome'][] = [];
  for await (const { moved } of moveDue(database, { before })) outcomes.push(moved.outcome);
  return outcomes;
}

/** A project with an archive, in a directory of its own, which the test removes. */
export async function archiveGround(
  databases: Pick<TestDatabases, 'create'>,
): Promise<{ database: Database; projectId: number; directory: TempDirectory }> {
  const directory = await makeTempDirectory('archive');
  const database: Database = { ...(await databases.create()), archive: { directory: directory.path, after: DAY } };
  const { projectId } = await storeSource(database);
  return { database, projectId, directory };
}

/** Four sensors, each with a reading an hour on the first day and one on the second, which is its newest. */
export const HISTORY: readonly Point[] = ['a', 'b', 'c', 'd'].flatMap((sensor) =>
  Array.from({ length: 25 }, (_, hour) => ({
    sensor,
    at: BEGIN + hour * HOUR,
    value: hour,
    precision: undefined,
    labels: hour % 2 === 0 ? [] : ['odd'],
  })),
);

export const HISTORY_BY_KEY: ReadonlyMap<string, Point> = new Map(HISTORY.map((each) => [keyOf(each), each]));

/** How many readings are rows, and how many the manifest names; with what any DuckDB finds in the directory. */
export async function placesOf(
  database: Database,
  directory: string,
): Promise<{ rows: number; archived: number; found: number }> {
  const rows = (await database.row<{ count: number }>('select count(*) from reading'))?.count ?? 0;
  const archived = (
    await database.row<{ sum: number }>(
      'select coalesce(sum(readings), 0) as sum from archived_day where replaced_at is null',
    )
  )?.sum;
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const duck = await (await DuckDBInstance.create()).connect();
  const sql = `select count(*)::int from read_parquet('${directory}/**/*.parquet', hive_partitioning = true)`;
  const found = await duck.runAndReadAll(sql).then(
    (reader) => Number(reader.getRows()[0]?.[0]),
    () => 0,
  );
  duck.closeSync();
  return { rows, archived: archived ?? 0, found };
}
