import { expect, it } from 'vitest';
import fc from 'fast-check';
import type { Column, Segment } from '../../src/core/batch.ts';
import { DAY, HOUR, formatInstant, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { moveDue } from '../../src/archive/due.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import { storedReadings } from '../../src/ingest/stored-readings.ts';
import { writeMany } from '../../src/ingest/window-readings.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf, storeSource } from '../kit/stored-source.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';

const databases = useDatabases();

/** Three days around the border of a month, so that rows lie in two partitions. */
const BEGIN = parseInstant('2025-12-31T00:00:00Z') ?? 0;
const DAYS = 3;
const RANGE = { from: BEGIN, to: BEGIN + DAYS * DAY };

interface Point {
  readonly sensor: string;
  readonly at: Instant;
  readonly value: number;
  readonly precision: number | undefined;
  readonly labels: readonly string[];
}

const point: fc.Arbitrary<Point> = fc.record({
  sensor: fc.constantFrom('a', 'b "quoted", ü', 'c'),
  at: fc.integer({ min: 0, max: DAYS * 4 - 1 }).map((quarter) => BEGIN + quarter * 6 * HOUR + 1),
  value: fc.constantFrom(0, 1, -1.5e-7, 0.1 + 0.2),
  precision: fc.constantFrom(undefined, 50),
  labels: fc.constantFrom<readonly string[]>([], ['x'], ['x', 'y "z"']),
});

const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(point, { minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: DAYS }) },
);

const keyOf = ({ sensor, at }: Pick<Point, 'sensor' | 'at'>): string => `${sensor} ${formatInstant(at)}`;
const lineOf = (point: Point): string =>
  `${keyOf(point)} ${point.value} ${point.precision ?? '-'} ${point.labels.join('|')}`;

function columnsOf(points: readonly Point[]): Column[] {
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

async function linesOf(database: Database, projectId: number, sensor?: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const page of storedReadings(database, { projectId, range: RANGE, sensor })) {
    for (const { sensorId, at, value, precision, labels } of page)
      lines.push(lineOf({ sensor: sensorId, at, value, precision, labels }));
  }
  return lines;
}

it('reads rows and files as one, whatever was written, revised and moved in which order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const directory = await makeTempDirectory('archive');
      const database: Database = { ...(await databases.create()), archive: { directory: directory.path, after: DAY } };
      const { projectId } = await storeSource(database);
      const prepare = readingPreparer(database);
      const model = new Map<string, Point>();
      for (const one of steps) {
        if (typeof one === 'number') {
          for await (const { moved } of moveDue(database, { before: BEGIN + one * DAY })) {
            expect(['moved', 'merged']).toContain(moved.outcome);
          }
        } else {
          const columns = columnsOf(one);
          const prepared = await prepare(projectId, batchOf(columns));
          await database.transaction((client) => writeMany(client, prepared, { streamId: 1, covered: [RANGE] }));
          for (const each of one) model.set(keyOf(each), each);
        }
        expect(await linesOf(database, projectId)).toEqual([...model.values()].map(lineOf).toSorted());
      }
      await directory.remove();
    }),
    { numRuns: 15 },
  );
});
