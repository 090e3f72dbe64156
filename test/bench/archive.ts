import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Column } from '../../src/core/batch.ts';
import { DAY, HOUR, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { demoPlants, pointsOf, signalsOf } from '../../src/demo/plants.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import { storedReadings } from '../../src/ingest/stored-readings.ts';
import { writeMany } from '../../src/ingest/window-readings.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { WrongData } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { LIVE_NOTE, startLive } from './live-beside.ts';
import { main, openRig } from './rig.ts';
import type { Room } from './rig.ts';
import { usageOf } from './usage.ts';

/** A day of the plants of the demo, as often as the number of readings wants. */
const DAY_BEGIN = parseInstant('2025-03-01T00:00:00Z') ?? 0;

/** What days of readings cost as rows and as files, and what a move costs. */
export async function archive(options: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const directory = await makeTempDirectory('bench-archive');
  stack.defer(() => directory.remove());
  const room = await rig.room();
  stack.defer(() => room.close());
  const { database } = room.context;
  options.say('writing a day of the plants of the demo, by the hour');
  const written = await writeDay(room, options.points);
  const [size] = await database.rows<{ heap: number; index: number }>(
    `select sum(pg_relation_size(inhrelid)) as heap, sum(pg_indexes_size(inhrelid)) as index from pg_inherits where inhparent = 'reading'::regclass`,
  );
  const { heap = 0, index = 0 } = size ?? {};
  const read = (archive: Database['archive']): Promise<number> =>
    scanned(written, async function* pages() {
      const range = { from: DAY_BEGIN, to: DAY_BEGIN + DAY };
      const wanted = { projectId: written.projectId, range, sensor: undefined };
      for await (const page of storedReadings({ ...database, archive }, wanted))
        yield { count: page.length, sum: page.reduce((sum, { value }) => sum + value, 0) };
    });
  options.say('reading the rows');
  const rows = await read(undefined);
  const { moved, alone, beside } = await movedBesidePolls(room, directory.path, options);
  options.say('reading the file');
  const union = await read({ directory: directory.path, after: DAY });
  const scan = await scanOutside(directory.path);
  options.say('merging a late reading');
  await database.run(`insert into reading (series, at, value) select min(id), at_instant($1), 0 from series`, [
    DAY_BEGIN + 1,
  ]);
  const merged = await moveAll(room, directory.path, 'merged');
  options.say('merging a late reading of each series');
  await database.run(`insert into reading (series, at, value) select id, at_instant($1), 0 from series`, [
    DAY_BEGIN + 2,
  ]);
  const mergedAll = await moveAll(room, directory.path, 'merged');
  const each = (what: string, value: number, more: Partial<Measure> = {}): Measure => ({
    what,
    value: value / written.readings,
    unit: 'bytes a reading',
    ...more,
  });
  return [
    each('rows: table', heap),
    each('rows: index', index),
    each('rows: WAL', written.wal, { note: 'by windows of an hour' }),
    each('Parquet', moved.bytes, { aim: { atMost: 6 } }),
    {
      what: 'scan of the file',
      value: scan,
      unit: 'readings/s',
      aim: { atLeast: 5_000_000 },
      note: 'count, mean, maximum; DuckDB with the threads that it takes',
    },
    { what: 'read in order, rows', value: rows, unit: 'readings/s', note: 'as `readings` prints them' },
    { what: 'read in order, file', value: union, unit: 'readings/s', note: 'the same after the move' },
    {
      what: 'move',
      value: moved.seconds,
      unit: 's',
      note: `${written.readings} readings of ${written.series} series, archive run`,
    },
    {
      what: 'move, readings',
      value: written.readings / moved.seconds,
      unit: 'readings/s',
      aim: { atLeast: 100_000_000 / 600 },
      note: '100 M in ten minutes',
    },
    { what: 'move, peak memory', value: moved.peakBytes / 1e6, unit: 'MB', aim: { atMost: 1_000 } },
    { what: 'lag of polls p99, alone', value: alone, unit: 'ms', note: LIVE_NOTE },
    { what: 'lag of polls p99, beside the move', value: beside, unit: 'ms', aim: { atMost: alone * 1.1 } },
    { what: 'merge', value: merged.seconds, unit: 's', note: 'one late reading into the same day' },
    { what: 'merge, peak memory', value: merged.peakBytes / 1e6, unit: 'MB', aim: { atMost: 1_000 } },
    { what: 'merge everywhere', value: mergedAll.seconds, unit: 's', note: 'a late reading of each series' },
    { what: 'merge everywhere, peak memory', value: mergedAll.peakBytes / 1e6, unit: 'MB', aim: { atMost: 1_000 } },
  ];
}

interface Written {
  readonly projectId: number;
  readonly readings: number;
  readonly series: number;
  readonly wal: number;
  readonly sum: number;
}

async function writeDay({ context: { database } }: Room, least: number): Promise<Written> {
  const project = await database.row<{ id: number }>('select id from ml_project limit 1');
  const projectId = project?.id ?? 0;
  const signals = demoPlants({ lies: false }).flatMap((plant) => signalsOf(plant).map((signal) => ({ plant, signal })));
  const prepare = readingPreparer(database);
  let readings = 0;
  let sum = 0;
  const names = new Set<string>();
  const lsn = async (): Promise<string> =>
    (await database.row<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn'))?.lsn ?? '';
  const hourOf = (hour: number): Column[] =>
    signals.flatMap(({ plant, signal }) => {
      const at: Instant[] = [];
      const value: number[] = [];
      const from = DAY_BEGIN + hour * HOUR;
      for (const point of pointsOf(plant, signal, { from, to: from + HOUR })) {
        if (typeof point.value !== 'number' || at.at(-1) === point.at) continue;
        at.push(point.at);
        value.push(point.value);
      }
      const { sensorId, valueName } = signal;
      return at.length === 0
        ? []
        : [{ sensorId, valueName, segments: [{ at, value, precision: undefined, labels: [] }] }];
    });
  const first = hourOf(0).reduce((count, { segments }) => count + (segments[0]?.at.length ?? 0), 0);
  const copies = Math.ceil(least / (first * 24));
  const begin = await lsn();
  for (let hour = 0; hour < 24; hour += 1) {
    const columns = hourOf(hour);
    for (let copy = 0; copy < copies; copy += 1) {
      const own = columns.map((column) => ({ ...column, sensorId: `plant-${copy}/${column.sensorId}` }));
      for (const { sensorId, valueName, segments } of own) {
        names.add(`${sensorId} ${valueName}`);
        readings += segments[0]?.at.length ?? 0;
        sum += segments[0]?.value.reduce((total, one) => total + one, 0) ?? 0;
      }
      const prepared = await prepare(projectId, { columns: own });
      await database.transaction((client) => writeMany(client, prepared, { streamId: 1, covered: [] }));
    }
  }
  const wal = await database.row<{ bytes: number }>('select pg_current_wal_lsn() - $1::pg_lsn as bytes', [begin]);
  // The newest reading of each series stays a row, so each has one of a later day.
  await database.run(`insert into reading (series, at, value) select id, at_instant($1), 0 from series`, [
    DAY_BEGIN + 2 * DAY,
  ]);
  return { projectId, readings, series: names.size, wal: wal?.bytes ?? 0, sum };
}

/** Moves the day while small sources are polled; how late their polls began, alone before and beside the move. */
async function movedBesidePolls(room: Room, directory: string, { seconds, say }: BenchOptions) {
  await using live = await startLive(room);
  say(`polling for ${seconds} s`);
  const { p99: alone } = await live.during(() => sleep(seconds * 1_000));
  say('moving the day beside polls');
  const { p99: beside, result: moved } = await live.during(() => moveAll(room, directory, 'moved'));
  return { moved, alone, beside };
}

/** Moves by the command, in a process of its own, whose peak memory counts. */
async function moveAll(
  room: Room,
  directory: string,
  outcome: 'moved' | 'merged',
): Promise<{ bytes: number; seconds: number; peakBytes: number }> {
  const environment = { ...room.environment, DATABRIDGE_ARCHIVE: directory };
  const begun = performance.now();
  const child = spawn(process.execPath, [main, 'archive', 'run', '--until', '2025-03-02T00:00:00Z', '--json'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let answer = '';
  child.stdout.on('data', (data: Buffer) => (answer += data.toString()));
  let peakBytes = 0;
  const watch = setInterval(() => {
    // A process that has just ended has no memory any more.
    peakBytes = Math.max(peakBytes, usageOf(child.pid ?? 0)?.peakRssBytes || 0);
  }, 50);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`archive run ended with ${String(code)}\n${answer}`);
  const { days } = JSON.parse(answer) as { days: { outcome: string; bytes: number }[] };
  if (days.length !== 1 || days[0]?.outcome !== outcome) throw new WrongData(answer);
  return { bytes: days[0].bytes, seconds: (performance.now() - begun) / 1000, peakBytes };
}

/** Readings a second. Throws `WrongData` where they are not those that were written. */
async function scanned(
  { readings, sum }: Written,
  read: () => AsyncGenerator<{ count: number; sum: number }>,
): Promise<number> {
  const begun = performance.now();
  const total = { count: 0, sum: 0 };
  for await (const page of read()) {
    total.count += page.count;
    total.sum += page.sum;
  }
  const seconds = (performance.now() - begun) / 1000;
  if (total.count !== readings || Math.abs(total.sum - sum) > 1e-6 * Math.abs(sum))
    throw new WrongData(`${total.count} of ${readings} readings came back`);
  return total.count / seconds;
}

/** A scan of the directory by a DuckDB that knows nothing of the bridge. */
async function scanOutside(directory: string): Promise<number> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const duck = await (await DuckDBInstance.create()).connect();
  const begun = performance.now();
  const rows = await duck.runAndReadAll(
    `select count(*)::double, avg(value), max(value) from read_parquet('${join(directory, '**/*.parquet')}')`,
  );
  const count = Number(rows.getRows()[0]?.[0]);
  duck.closeSync();
  return count / ((performance.now() - begun) / 1000);
}
