import { spawnSync } from 'node:child_process';
import { readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Check } from '../../src/alerts/judgement.ts';
import { listDays } from '../../src/archive/keep.ts';
import { archivedAround } from '../../src/archive/nearest.ts';
import { moveDay } from '../../src/archive/move.ts';
import type { MoveStep, Moved } from '../../src/archive/move.ts';
import { archiveChecks } from '../../src/commands/actions/doctor-checks.ts';
import { pushedSeriesOf } from '../../src/ingest/pushed-series.ts';
import { binnedReadings, listSeries } from '../../src/ingest/binned-readings.ts';
import { withThawed } from '../../src/ingest/thaw.ts';
import type { Taken } from '../../src/ingest/window-readings.ts';
import { bucketsWithData, readingsByBucket } from '../../src/source/coverage-rows.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import type { Column, Segment } from '../../src/core/batch.ts';
import { DAY, HOUR, SECOND, formatInstant, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { moveDue } from '../../src/archive/due.ts';
import { commitPushes } from '../../src/ingest/pushed-commit.ts';
import { tryPush } from '../../src/ingest/pushed-trial.ts';
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

/** In the order in which they are read. */
const linesIn = (model: ReadonlyMap<string, Point>): string[] =>
  [...model.values()]
    .toSorted((one, other) => (one.sensor === other.sensor ? one.at - other.at : one.sensor < other.sensor ? -1 : 1))
    .map(lineOf);

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

/** Writes points as a window in covered time does. */
async function write(database: Database, projectId: number, points: readonly Point[]): Promise<Taken> {
  const prepared = await readingPreparer(database)(projectId, batchOf(columnsOf(points)));
  return await database.transaction((client) =>
    withThawed(database, client, prepared.columns, () =>
      writeMany(client, prepared, { streamId: 1, covered: [RANGE] }),
    ),
  );
}

async function moveAll(database: Database, before = RANGE.to): Promise<Moved['outcome'][]> {
  const outcomes: Moved['outcome'][] = [];
  for await (const { moved } of moveDue(database, { before })) outcomes.push(moved.outcome);
  return outcomes;
}

/** A project with an archive; the answer has the directory too. */
async function ground(): Promise<{ database: Database; projectId: number; directory: TempDirectory }> {
  const directory = await makeTempDirectory('archive');
  const database: Database = { ...(await databases.create()), archive: { directory: directory.path, after: DAY } };
  const { projectId } = await storeSource(database);
  return { database, projectId, directory };
}

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
        expect((bins ?? []).reduce((sum, { count }) => sum + count, 0)).toBe(own.length);
        if (own.length > 0) {
          expect(Math.min(...(bins ?? []).map(({ min }) => min))).toBe(Math.min(...own));
          expect(Math.max(...(bins ?? []).map(({ max }) => max))).toBe(Math.max(...own));
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
    { numRuns: 12 },
  );
});

/** Four sensors, each with a reading an hour on the first day and one on the second, which is its newest. */
const HISTORY: readonly Point[] = ['a', 'b', 'c', 'd'].flatMap((sensor) =>
  Array.from({ length: 25 }, (_, hour) => ({
    sensor,
    at: BEGIN + hour * HOUR,
    value: hour,
    precision: undefined,
    labels: hour % 2 === 0 ? [] : ['odd'],
  })),
);

const HISTORY_BY_KEY: ReadonlyMap<string, Point> = new Map(HISTORY.map((each) => [keyOf(each), each]));

/** How many readings are rows, and how many the manifest names; with what any DuckDB finds in the directory. */
async function placesOf(
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

it('keeps each reading exactly once when the process that moves it is killed at any step', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  const model = new Map(HISTORY_BY_KEY);
  const steps: readonly MoveStep[] = ['copied', 'written', 'renamed', 'deleted', 'noted', 'committed'];
  for (const [place, step] of [...steps, ...steps].entries()) {
    const mover = new URL('archive-mover.ts', import.meta.url).pathname;
    const { status, signal, stderr } = spawnSync(
      process.execPath,
      [mover, database.url, directory.path, String(projectId), String(BEGIN), step],
      { encoding: 'utf8' },
    );
    expect({ status, signal, stderr }).toEqual({ status: null, signal: 'SIGKILL', stderr: '' });
    expect(await linesOf(database, projectId)).toEqual(linesIn(model));
    const { rows, archived } = await placesOf(database, directory.path);
    // Behind the commit one late reading after the other is merged.
    expect(rows + archived).toBe(model.size);
    const late = { sensor: 'a', at: BEGIN + 1 + place, value: place, precision: undefined, labels: [] };
    await write(database, projectId, [late]);
    model.set(keyOf(late), late);
  }
  let outcome: Moved['outcome'] = 'busy';
  // PostgreSQL takes a moment to see that the killed process is gone.
  while (outcome === 'busy') ({ outcome } = await moveDay(database, { projectId, day: BEGIN }));
  expect(outcome).toBe('merged');
  // Only the newest reading of each sensor is a row, and other programs see each archived reading once.
  expect(await placesOf(database, directory.path)).toEqual({
    rows: 4,
    archived: model.size - 4,
    found: model.size - 4,
  });
  expect(await linesOf(database, projectId)).toEqual(linesIn(model));
  await directory.remove();
});

it('moves nothing that was changed meanwhile, leaves what came meanwhile, and lets one process move a day', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  const late = { sensor: 'a', at: BEGIN + 7, value: 7, precision: undefined, labels: [] };
  const revised = { ...(HISTORY[3] as Point), value: -1 };
  const day = { projectId, day: BEGIN };
  const changing = moveDay(database, day, {
    reached: async (step) => {
      if (step === 'written') await write(database, projectId, [late, revised]);
    },
  });
  expect(await changing).toEqual({ outcome: 'changed' });
  expect(await placesOf(database, directory.path)).toEqual({ rows: 101, archived: 0, found: 0 });
  const later = { ...late, at: BEGIN + 8 };
  const others: Moved[] = [];
  const moved = await moveDay(database, day, {
    reached: async (step) => {
      if (step === 'copied') others.push(await moveDay(database, day));
      if (step === 'renamed') await write(database, projectId, [later]);
    },
  });
  expect(others).toEqual([{ outcome: 'busy' }]);
  expect(moved).toMatchObject({ outcome: 'moved', rows: 97 });
  expect(await placesOf(database, directory.path)).toEqual({ rows: 5, archived: 97, found: 97 });
  const model = new Map([...HISTORY, late, revised, later].map((each) => [keyOf(each), each]));
  expect(await linesOf(database, projectId)).toEqual(linesIn(model));
  await directory.remove();
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

it('never takes a missing, cut or changed file for a day without readings', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  // As a backup from before the move would be restored.
  const before: Database = {
    ...(await databases.another({ url: await databases.createMigrated() })),
    archive: database.archive,
  };
  await moveAll(database);
  const [day] = await listDays(database);
  const path = join(directory.path, day?.path ?? '');
  const bytes = await readFile(path);
  const faults = async (): Promise<string[]> => {
    await expect(linesOf(database, projectId)).rejects.toMatchObject({
      code: 'config-invalid',
      remedy: expect.stringContaining('copy of the archive') as unknown,
    });
    const checks: Check[] = [];
    for await (const check of archiveChecks(database)) checks.push(check);
    expect(checks.map(({ state }) => state)).toEqual(['failed']);
    return checks.map(({ detail }) => detail);
  };
  expect(await linesOf(database, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
  await writeFile(path, bytes.subarray(0, 500));
  expect(await faults()).toEqual([expect.stringContaining('has a file of 500 bytes')]);
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(100) ^ 1, 100);
  await writeFile(path, changed);
  await utimes(path, new Date(Date.now() + 120_000), new Date(Date.now() + 120_000));
  expect(await faults()).toEqual([expect.stringContaining('was changed')]);
  await rm(path);
  expect(await faults()).toEqual([expect.stringContaining('is missing')]);
  await writeFile(path, bytes);
  expect(await linesOf(database, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
  // A file that no row knows is no data, also where it lies in the place of a day.
  expect(await linesOf(before, projectId)).toEqual([]);
  // Without the setting the rows that are left would look like all.
  const { archive: _, ...without } = database;
  await expect(linesOf({ ...without, archive: undefined }, projectId)).rejects.toMatchObject({
    fault: { path: 'DATABRIDGE_ARCHIVE' },
  });
  await directory.remove();
});

it('brings rows of an older backup and the file of their day together once', async () => {
  const { database, projectId, directory } = await ground();
  await write(database, projectId, HISTORY);
  await moveAll(database);
  const [day] = await listDays(database);
  // What the restore of a backup from before the move leaves: the rows, and a file that no row knows.
  await database.run('delete from archived_day');
  await write(database, projectId, HISTORY);
  expect(await linesOf(database, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
  const late = { sensor: 'a', at: BEGIN + 5, value: 5, precision: undefined, labels: [] };
  await write(database, projectId, [late]);
  expect(await moveAll(database)).toEqual(['moved']);
  expect(await placesOf(database, directory.path)).toEqual({ rows: 4, archived: 97, found: 97 });
  expect(await linesOf(database, projectId)).toEqual(linesIn(new Map([...HISTORY_BY_KEY, [keyOf(late), late]])));
  // The older file stays for a database that may know it, out of reach of other programs.
  const names = await readdir(join(directory.path, dirname(day?.path ?? '')));
  expect(names.filter((name) => name.endsWith('.unknown'))).toEqual([`${basename(day?.path ?? '')}.unknown`]);
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
  expect((await tryPush(database, { projectId, columns, waitMs: 10_000 })).counts).toEqual(counts);
  expect(await commitPushes(database, [prepared.columns], { ...prepared, fresh: true })).toEqual([counts]);
  expect((await tryPush(database, { projectId, columns, waitMs: 10_000 })).counts).toEqual({
    accepted: 0,
    duplicates: 3,
    revised: 0,
  });
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

it('moves nothing onto a full disk', async ({ skip }) => {
  const { database, projectId, directory } = await ground();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory.path]);
  if (mounted.status !== 0) {
    await directory.remove();
    skip('only root can make a small disk');
  }
  try {
    const many = Array.from({ length: 5_000 }, (_, second) => ({
      sensor: 'a',
      at: BEGIN + second * SECOND,
      value: Math.sin(second),
      precision: undefined,
      labels: [],
    }));
    await write(database, projectId, many);
    await expect(moveDay(database, { projectId, day: BEGIN })).rejects.toMatchObject({
      remedy: expect.stringContaining('free disk space') as unknown,
    });
    expect(await placesOf(database, directory.path)).toEqual({ rows: 5_000, archived: 0, found: 0 });
  } finally {
    spawnSync('umount', ['-l', directory.path]);
  }
  await directory.remove();
});
