import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column, Segment } from '../../src/core/batch.ts';
import { intersect, union } from '../../src/core/coverage.ts';
import type { Coverage } from '../../src/core/coverage.ts';
import { parseInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import type { PrepareReadings } from '../../src/ingest/prepare.ts';
import { numbering } from '../../src/ingest/series.ts';
import { writeMany } from '../../src/ingest/window-readings.ts';
import type { Taken } from '../../src/ingest/window-readings.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf, columnOf, readingsIn, storeSource } from '../kit/stored-source.ts';

const databases = useDatabases();

/** The end of a month: readings on both sides of it lie in two partitions. */
const BORDER = parseInstant('2026-01-01T00:00:00Z') ?? 0;

/** Writes columns as a window does, in a transaction of their own. */
async function write(
  database: Database,
  prepare: PrepareReadings,
  projectId: number,
  columns: readonly Column[],
  covered: Coverage,
): Promise<Taken> {
  const prepared = await prepare(projectId, batchOf(columns));
  return await database.transaction((client) => writeMany(client, prepared, { streamId: 1, covered }));
}

/** A point of the model: the stored content of a series at an instant. */
interface Point {
  readonly sensor: string;
  readonly at: number;
  readonly value: number;
  readonly precision: number | undefined;
  readonly labels: readonly string[];
}

const point: fc.Arbitrary<Point> = fc.record({
  sensor: fc.constantFrom('a', 'b'),
  at: fc.integer({ min: -12, max: 12 }).map((offset) => BORDER + offset),
  value: fc.constantFrom(0, 1),
  precision: fc.constantFrom(undefined, 50),
  labels: fc.constantFrom<readonly string[]>([], ['x'], ['x', 'y']),
});

/** One window: its points, and a point that a client pushes before it, inside the window or not. */
const step = fc.record({
  from: fc.integer({ min: -12, max: 6 }).map((offset) => BORDER + offset),
  points: fc.uniqueArray(point, { maxLength: 12, selector: ({ sensor, at }) => `${sensor} ${at}` }),
  pushed: fc.array(point, { maxLength: 1 }),
});

const LENGTH = 7;

function columnsOf(points: readonly Point[]): Column[] {
  const bySensor = Map.groupBy(
    points.toSorted((one, other) => one.at - other.at),
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

const lineOf = ({ sensor, at, value, precision, labels }: Point): string =>
  `${sensor} ${at} ${value} ${precision ?? '-'}${labels.length > 0 ? ` {${labels.join(',')}}` : ''}`;

describe('writing many readings', () => {
  it('counts fresh, duplicate, revised and late ones exactly, whatever was stored before', async () => {
    const database = await databases.create();
    const prepare = readingPreparer(database);
    const { projectId } = await storeSource(database);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        await database.run('truncate reading');
        const stored = new Map<string, Point>();
        const keyOf = ({ sensor, at }: Point): string => `${sensor} ${at}`;
        let coverage: Coverage = [];
        for (const { from, points, pushed } of steps) {
          const window = { from, to: from + LENGTH };
          await write(database, prepare, projectId, columnsOf(pushed), [window]);
          for (const each of pushed) stored.set(keyOf(each), each);
          const own = points.filter(({ at }) => at >= window.from && at < window.to);
          const covered = intersect(coverage, window);
          const isCovered = ({ at }: Point): boolean => covered.some((part) => part.from <= at && at < part.to);
          const fresh = own.filter((each) => !stored.has(keyOf(each)));
          const known = own.filter((each) => stored.has(keyOf(each)));
          const revised = known.filter((each) => lineOf(each) !== lineOf(stored.get(keyOf(each)) ?? each));
          const late = fresh.filter(isCovered);
          const news = [...late, ...revised.filter(isCovered)];
          const taken = await write(database, prepare, projectId, columnsOf(own), covered);
          expect(taken).toEqual({
            fresh: fresh.length,
            duplicates: known.length - revised.length,
            revised: revised.length,
            late: late.length,
            oldestNews: news.length === 0 ? null : Math.min(...news.map(({ at }) => at)),
          });
          for (const each of own) stored.set(keyOf(each), each);
          coverage = union(coverage, [window]);
        }
        const expected = [...stored.values()].toSorted((one, other) =>
          one.sensor === other.sensor ? one.at - other.at : one.sensor < other.sensor ? -1 : 1,
        );
        expect(await readingsIn(database)).toEqual(expected.map(lineOf));
      }),
      { numRuns: 40 },
    );
  });

  it('does not touch a row with the same content', async () => {
    const database = await databases.create();
    const prepare = readingPreparer(database);
    const { projectId } = await storeSource(database);
    const window = { from: BORDER, to: BORDER + 10 };
    const columns = [columnOf('a', { at: [BORDER, BORDER + 1], value: [1, 2] })];
    await write(database, prepare, projectId, columns, []);
    const written = await database.rows('select at, xmin::text from reading order by at');
    await write(database, prepare, projectId, columns, [window]);
    expect(await database.rows('select at, xmin::text from reading order by at')).toEqual(written);
  });

  it('loses nothing where COPY meets a reading that is stored already', async () => {
    const database = await databases.create();
    const prepare = readingPreparer(database);
    const { projectId } = await storeSource(database);
    const at = Array.from({ length: 30_000 }, (_, index) => BORDER - 15_000 + index);
    const columns = ['a', 'b'].map((sensor) => columnOf(sensor, { at }));
    await write(database, prepare, projectId, [columnOf('b', { at: [BORDER + 14_999], value: [7] })], []);
    const taken = await write(database, prepare, projectId, columns, []);
    expect(taken).toEqual({ fresh: 59_999, duplicates: 0, revised: 1, late: 0, oldestNews: null });
    expect(await database.row('select count(*) as n, sum(value)::float8 as sum from reading')).toEqual({
      n: 60_000,
      sum: 60_000,
    });
    expect(await database.row(`select count(*) as n from only reading_2026_01`)).toEqual({ n: 30_000 });
  });

  it('passes any other error on and stores nothing', async () => {
    const database = await databases.create();
    const prepare = readingPreparer(database);
    const { projectId } = await storeSource(database);
    await database.run('alter table reading add constraint positive check (value > 0)');
    const columns = [columnOf('a', { at: [BORDER, BORDER + 1], value: [1, -1] })];
    await expect(write(database, prepare, projectId, columns, [])).rejects.toMatchObject({ code: '23514' });
    expect(await readingsIn(database)).toEqual([]);
    expect(await database.row('select 1 as one')).toEqual({ one: 1 });
  });
});

describe('numbers of series and label sets', () => {
  it('are the same for all hosts that ask at the same time', async () => {
    const database = await databases.create();
    const { projectId } = await storeSource(database);
    const hosts = [database, await databases.another(database), await databases.another(database)];
    const columns = Array.from({ length: 50 }, (_, index) =>
      columnOf(`sensor ${index}`, { at: [BORDER], labels: [`label ${index % 7}`] }),
    );
    const numbered = await Promise.all(hosts.map((host) => numbering(host)(projectId, batchOf(columns))));
    expect(numbered[1]).toEqual(numbered[0]);
    expect(numbered[2]).toEqual(numbered[0]);
    const numbers = numbered[0]?.map(({ series }) => series) ?? [];
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(await database.row('select count(*) as n from label_set')).toEqual({ n: 7 });
  });

  it('belong to a project: the same sensor in two projects has two numbers', async () => {
    const database = await databases.create();
    const { projectId } = await storeSource(database);
    const other = await database.row<{ id: number }>(
      `insert into ml_project (organisation_id, code, name) values ('default', 'other', 'Other') returning id`,
    );
    const numbersOf = numbering(database);
    const batch = batchOf([columnOf('a', { at: [BORDER] })]);
    const [one] = await numbersOf(projectId, batch);
    const [two] = await numbersOf(other?.id ?? 0, batch);
    expect(one?.series).not.toBe(two?.series);
    expect((await numbersOf(projectId, batch))[0]?.series).toBe(one?.series);
  });

  it('are still right when there are more than a process remembers', async () => {
    const database = await databases.create();
    const { projectId } = await storeSource(database);
    const numbersOf = numbering(database);
    const known = columnOf('known', { at: [BORDER], labels: ['known'] });
    const [first] = await numbersOf(projectId, batchOf([known]));
    const crowd = Array.from({ length: 200_000 }, (_, index) => columnOf(`crowd ${index}`, { at: [BORDER] }));
    const [, again] = await Promise.all([
      numbersOf(projectId, batchOf(crowd)),
      numbersOf(projectId, batchOf([known, columnOf('new', { at: [BORDER], labels: ['known'] })])),
    ]);
    const mixed = await numbersOf(projectId, batchOf([known, columnOf('one more', { at: [BORDER] })]));
    for (const numbered of [again, mixed]) {
      const found = numbered.find(({ column }) => column.sensorId === 'known');
      expect(found).toMatchObject({ series: first?.series, labelSets: first?.labelSets });
      expect(numbered.every(({ series }) => Number.isInteger(series) && series > 0)).toBe(true);
    }
  });

  it('are given to the longest set of labels that is allowed', async () => {
    const database = await databases.create();
    const { projectId } = await storeSource(database);
    const labels = Array.from({ length: 32 }, () => randomBytes(64).toString('hex')).toSorted();
    const batch = batchOf([columnOf('a', { at: [BORDER], labels })]);
    const [numbered] = await numbering(database)(projectId, batch);
    expect(numbered?.labelSets[0]).toEqual(expect.any(Number));
  });
});
