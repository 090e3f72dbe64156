import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { archivedAround } from '../../src/archive/nearest.ts';
import { pushedSeriesOf } from '../../src/ingest/pushed-series.ts';
import { binnedReadings, listSeries } from '../../src/ingest/binned-readings.ts';
import { bucketsWithData, readingsByBucket } from '../../src/source/coverage-buckets.ts';
import { DAY, HOUR } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { commitPushes } from '../../src/ingest/pushed-commit.ts';
import { tryPush } from '../../src/ingest/pushed-trial.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import { storedReadings } from '../../src/ingest/stored-readings.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf } from '../kit/stored-source.ts';
import {
  BEGIN,
  DAYS,
  RANGE,
  keyOf,
  lineOf,
  linesIn,
  columnsOf,
  linesOf,
  write,
  moveAll,
  PLACES,
  archiveGround,
  HISTORY,
  HISTORY_BY_KEY,
} from './archive-ground.ts';
import type { Point } from './archive-ground.ts';

const databases = useDatabases();
describe.each(PLACES)('in a %s', (kind) => {
  const ground = () => archiveGround(databases, kind);

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

  it('reads rows and files as one, and counts as without files, whatever was written, revised and moved in which order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const { database, projectId, directory } = await ground();
        const model = new Map<string, Point>();
        for (const one of steps) {
          if (typeof one === 'number') {
            for (const outcome of await moveAll(database, BEGIN + one * DAY))
              expect(['moved', 'merged']).toContain(outcome);
          } else {
            const points = [...new Map(one.map((each) => [keyOf(each), each])).values()];
            const known = points.flatMap((each) => model.get(keyOf(each)) ?? []);
            const duplicates = points.filter((each) => {
              const before = model.get(keyOf(each));
              return before !== undefined && lineOf(before) === lineOf(each);
            });
            expect(await write(database, projectId, points)).toMatchObject({
              fresh: points.length - known.length,
              duplicates: duplicates.length,
              revised: known.length - duplicates.length,
            });
            for (const each of points) model.set(keyOf(each), each);
          }
          const points = [...model.values()];
          expect(await linesOf(database, projectId)).toEqual(linesIn(model));
          const own = points.filter(({ sensor }) => sensor === 'a').map(({ value }) => value);
          const bins = await binnedReadings(database, projectId, {
            sensorId: 'a',
            valueName: 'value',
            range: RANGE,
            bins: 7,
          });
          expect((bins?.bins ?? []).reduce((sum, { count }) => sum + count, 0)).toBe(own.length);
          if (own.length > 0) {
            expect(Math.min(...(bins?.bins ?? []).map(({ min }) => min))).toBe(Math.min(...own));
            expect(Math.max(...(bins?.bins ?? []).map(({ max }) => max))).toBe(Math.max(...own));
          }
          const [series] = await database.rows<{ id: number }>(`select id from series where sensor_id = 'a'`);
          const edges = [BEGIN, BEGIN + DAY, RANGE.to];
          if (series !== undefined)
            expect(await readingsByBucket(database, [series.id], edges)).toEqual(
              [0, 1].map(
                (place) =>
                  points.filter(({ sensor, at }) => sensor === 'a' && at >= BEGIN && at < BEGIN + DAY === (place === 0))
                    .length,
              ),
            );
        }
        await directory.remove();
      }),
      { numRuns: 8 },
    );
  });

  it('reads days that are moved and merged while it reads', async () => {
    const { database, projectId, directory } = await ground();
    await write(database, projectId, HISTORY);
    const lines: string[] = [];
    // A statement of the read is followed by a move, so that its page and its files are of two states.
    let turns = 0;
    const meddling: Database = {
      ...database,
      async rows(text, values) {
        const rows = await database.rows(text, values);
        if (text.includes('as wanted (series, place)') && turns < 2) {
          turns += 1;
          await database.transaction((client) =>
            client.query(`update reading set value = value where series = (select min(id) from series)`),
          );
          expect(await moveAll(database)).toEqual([turns === 1 ? 'moved' : 'merged']);
          await write(database, projectId, [{ ...(HISTORY[0] as Point) }]);
        }
        return rows as never;
      },
    };
    for await (const page of storedReadings(meddling, { projectId, range: RANGE, sensor: undefined }))
      for (const { sensorId, ...one } of page) lines.push(lineOf({ sensor: sensorId, ...one }));
    expect(turns).toBe(2);
    expect(lines).toEqual(linesIn(HISTORY_BY_KEY));
    await directory.remove();
  });

  it('ends a read of a process without the setting with an error where days are moved meanwhile', async () => {
    const { database, projectId, directory } = await ground();
    await write(database, projectId, HISTORY);
    const without: Database = { ...database, archive: undefined };
    expect(await linesOf(without, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
    const unknown = { code: 'config-invalid', fault: { path: 'DATABRIDGE_ARCHIVE' } };
    const seen: string[] = [];
    const reading = (async () => {
      for await (const page of storedReadings(without, { projectId, range: RANGE, sensor: undefined })) {
        if (seen.length === 0) expect(await moveAll(database)).toEqual(['moved']);
        for (const { sensorId, ...one } of page) seen.push(lineOf({ sensor: sensorId, ...one }));
      }
    })();
    await expect(reading).rejects.toMatchObject(unknown);
    // What it gave until then is right, and it is not all.
    expect(linesIn(HISTORY_BY_KEY).slice(0, seen.length)).toEqual(seen);
    expect(seen.length).toBeLessThan(HISTORY.length);
    // Other days of the project are read as ever.
    const elsewhere = { from: BEGIN + DAY, to: RANGE.to };
    for await (const page of storedReadings(without, { projectId, range: elsewhere, sensor: 'a' }))
      expect(page.map(({ at }) => at)).toEqual([BEGIN + DAY]);
    await directory.remove();
  });

  it('goes on where a merge takes the file of a day away between two looks at it', async () => {
    const { database, projectId, directory } = await ground();
    const many = ['a', 'b', 'c'].flatMap((sensor) =>
      Array.from({ length: 4_001 }, (_, place) => ({
        sensor,
        at: place === 4_000 ? BEGIN + DAY : BEGIN + place,
        value: place,
        precision: undefined,
        labels: [],
      })),
    );
    await write(database, projectId, many);
    await moveAll(database);
    // So many readings a series that each is asked for alone.
    await database.run('update archived_day set readings = 10000000');
    const lines: string[] = [];
    for await (const page of storedReadings(database, { projectId, range: RANGE, sensor: undefined })) {
      if (lines.length === 0) {
        await write(database, projectId, [{ ...(many[0] as Point), value: -1 }]);
        await database.run('update archived_day set readings = 12000');
        expect(await moveAll(database)).toEqual(['merged']);
      }
      for (const { sensorId, ...one } of page) lines.push(lineOf({ sensor: sensorId, ...one }));
    }
    expect(lines).toEqual(many.map(lineOf));
    await directory.remove();
  });

  it('counts a push of archived readings as one of rows, also where it is only tried', async () => {
    const { database, projectId, directory } = await ground();
    await write(database, projectId, HISTORY);
    await moveAll(database);
    const [first, second] = HISTORY as [Point, Point];
    const pushed = [first, { ...second, labels: ['even'] }, { ...first, at: BEGIN + 3 }];
    const columns = columnsOf(pushed);
    const prepared = await readingPreparer(database)(projectId, batchOf(columns));
    const counts = { accepted: 1, duplicates: 1, revised: 1 };
    expect((await tryPush(database, { projectId, columns, waitMs: 10_000, now: Date.now() * 1000 })).counts).toEqual(
      counts,
    );
    expect(
      await commitPushes(database, [prepared.columns], { ...prepared, fresh: true, now: Date.now() * 1000 }),
    ).toEqual([counts]);
    expect((await tryPush(database, { projectId, columns, waitMs: 10_000, now: Date.now() * 1000 })).counts).toEqual({
      accepted: 0,
      duplicates: 3,
      revised: 0,
    });
    await directory.remove();
  });

  it('hands over each archived reading once, and not before it is delivered', async () => {
    const { database, projectId, directory } = await ground();
    await database.run(
      `insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting)
     values ($1, 'http://127.0.0.1:1', 'o', 'c', 'a', 's', 1000000)`,
      [projectId],
    );
    const noted = async (): Promise<number> =>
      (await database.row<{ sum: number }>('select coalesce(sum(readings), 0) as sum from outbox'))?.sum ?? -1;
    await write(database, projectId, HISTORY);
    expect(await noted()).toBe(100);
    expect(await moveAll(database)).toEqual(['undelivered']);
    await database.run('delete from outbox');
    expect(await moveAll(database)).toEqual(['moved']);
    expect(await write(database, projectId, HISTORY)).toMatchObject({ fresh: 0, duplicates: 100, revised: 0 });
    expect(await noted()).toBe(0);
    await write(database, projectId, [{ ...(HISTORY[1] as Point), value: -1 }]);
    expect(await noted()).toBe(1);
    await directory.remove();
  });

  it('is seen by each look at readings: buckets, neighbours, pushed series, and the newest, which stays a row', async () => {
    const { database, projectId, directory } = await ground();
    await write(database, projectId, HISTORY);
    await database.run(`update series set owner = ''`);
    const series = (await database.row<{ id: number }>(`select id from series where sensor_id = 'a'`))?.id ?? 0;
    const edges = [BEGIN - HOUR, BEGIN, BEGIN + HOUR, BEGIN + DAY];
    const looks = async () => ({
      buckets: await bucketsWithData(database, {
        edges,
        held: new Map([[1, JSON.stringify([series])]]),
        ids: [1, 1, 1],
        buckets: [0, 1, 2],
      }),
      pushed: await pushedSeriesOf(
        database,
        { projectId, range: { from: BEGIN, to: BEGIN + 10 * HOUR }, sensor: undefined, after: undefined, limit: 2 },
        10_000,
      ),
      listed: await listSeries(database, projectId, { limit: 2 }),
    });
    const before = await looks();
    expect([...before.buckets]).toEqual([1, 2]);
    expect(before.pushed).toEqual(
      ['a', 'b'].map((sensorId) => ({ sensorId, valueName: 'value', newest: BEGIN + DAY, count: 10 })),
    );
    await moveAll(database);
    expect(await looks()).toEqual(before);
    const at = BEGIN + 5 * HOUR;
    const names = { sensorId: 'a', valueName: 'value' };
    expect(await archivedAround(database, [series], { at, before: null, after: BEGIN + DAY })).toEqual({
      at: [{ ...names, series, value: 5 }],
      before: at - HOUR,
      after: at + HOUR,
    });
    await directory.remove();
  });
});
