import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Moved } from '../../src/archive/move.ts';
import { withThawed } from '../../src/ingest/thaw.ts';
import type { Taken } from '../../src/ingest/window-readings.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import type { Column, Segment } from '../../src/core/batch.ts';
import { DAY, HOUR, formatInstant, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { ArchiveBucket, ArchivePlace } from '../../src/database/archive-place.ts';
import type { Database } from '../../src/database/database.ts';
import { startBucket } from '../kit/bucket.ts';
import type { Bucket, BucketOptions } from '../kit/bucket.ts';
import type { RealBucket } from '../kit/real-bucket.ts';
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
  const prepare = preparers.get(database.memory) ?? readingPreparer(database);
  preparers.set(database.memory, prepare);
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

/** The kinds of places that an archive may have. */
export const PLACES = ['directory', 'bucket'] as const;

/** The files of an archive, as somebody who is not the bridge meets them. Paths are those of the manifest. */
export interface Lies {
  readonly bucket: Bucket | undefined;
  read(path: string): Promise<Buffer>;
  /** Also as a change of what is there; it has the time of two minutes later. */
  write(path: string, bytes: Buffer): Promise<void>;
  remove(path: string): Promise<void>;
  /** Removes the local copies of a host. */
  forget(): Promise<void>;
  /** Where DuckDB finds the files that other programs are to read. */
  shown(database: Database): Promise<string>;
}

/** A project with an archive, in a directory of its own, which the test removes, and the bucket with it. */
export async function archiveGround(
  databases: Pick<TestDatabases, 'create'>,
  kind: (typeof PLACES)[number] = 'directory',
  options: BucketOptions & { readonly cacheBytes?: number } = {},
): Promise<{ database: Database; projectId: number; directory: TempDirectory; lies: Lies }> {
  const directory = await makeTempDirectory('archive');
  const bucket = kind === 'bucket' ? await startBucket(options) : undefined;
  const archive: ArchivePlace = {
    directory: directory.path,
    after: DAY,
    bucket: bucket && reached(bucket, options.cacheBytes),
  };
  const database: Database = { ...(await databases.create()), archive };
  const { projectId } = await storeSource(database);
  const remove = async (): Promise<void> => {
    expect(bucket?.violations ?? []).toEqual([]);
    await bucket?.close();
    await directory.remove();
  };
  const lies = bucket === undefined ? inDirectory(directory.path) : inBucket(bucket, directory.path);
  return { database, projectId, directory: { ...directory, remove }, lies };
}

const PREFIX = 'plants/one';

/** How a bridge reaches a simulated bucket. */
export const reached = (
  { url, name, region, keys }: Pick<RealBucket, 'url' | 'name' | 'region' | 'keys'>,
  cacheBytes = 1_000_000_000,
): ArchiveBucket => ({
  name,
  prefix: PREFIX,
  endpoint: url,
  region,
  keyId: keys[0]?.accessKeyId ?? '',
  secret: () => Promise.resolve(keys[0]?.secretAccessKey ?? ''),
  caFile: undefined,
  cacheBytes,
});

const inDirectory = (directory: string): Lies => ({
  bucket: undefined,
  read: async (path) => await readFile(join(directory, path)),
  async write(path, bytes) {
    await writeFile(join(directory, path), bytes);
    const later = new Date(Date.now() + 120_000);
    await utimes(join(directory, path), later, later);
  },
  remove: async (path) => await rm(join(directory, path)),
  forget: () => Promise.resolve(),
  shown: () => Promise.resolve(directory),
});

export const keyAt = (path: string): string => `${PREFIX}/${path}`;

function inBucket(bucket: Bucket, directory: string): Lies {
  return {
    bucket,
    read: (path) => Promise.resolve(bucket.objects.get(keyAt(path))?.bytes ?? Buffer.alloc(0)),
    write(path, bytes) {
      const known = bucket.objects.get(keyAt(path));
      const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
      const modified = Date.now() + 120_000;
      bucket.objects.set(keyAt(path), { headers: new Map(), checksum: undefined, ...known, bytes, etag, modified });
      return Promise.resolve();
    },
    remove: (path) => Promise.resolve(void bucket.objects.delete(keyAt(path))),
    async forget() {
      for (const name of await readdir(directory))
        if (name.startsWith('project=')) await rm(join(directory, name), { recursive: true });
    },
    async shown(database) {
      const shown = join(directory, '.shown');
      await rm(shown, { recursive: true, force: true });
      await mkdir(shown);
      const days = await database.rows<{ path: string }>('select path from archived_day where replaced_at is null');
      for (const { path } of days)
        await writeFile(join(shown, path.replaceAll('/', '+')), bucket.objects.get(keyAt(path))?.bytes ?? '');
      return shown;
    },
  };
}

/** Starts a process that moves a day and kills itself at a step. It gets the place as a text. */
export async function killedMover(
  { url, archive }: Database,
  { projectId, step }: { readonly projectId: number; readonly step: string },
): Promise<{ status: number | null; signal: string | null; stderr: string }> {
  const mover = new URL('archive-mover.ts', import.meta.url).pathname;
  const place = { ...archive, bucket: archive?.bucket && { ...archive.bucket, secret: await archive.bucket.secret() } };
  const child = spawn(process.execPath, [mover, url, JSON.stringify(place), String(projectId), String(BEGIN), step], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { status, signal, stderr };
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

/** How many readings are rows, and how many the manifest names; with what any DuckDB finds where other programs are to look. */
export async function placesOf(
  database: Database,
  place: string | Lies,
): Promise<{ rows: number; archived: number; found: number }> {
  const rows = (await database.row<{ count: number }>('select count(*) from reading'))?.count ?? 0;
  const archived = (
    await database.row<{ sum: number }>(
      'select coalesce(sum(readings), 0) as sum from archived_day where replaced_at is null',
    )
  )?.sum;
  const directory = typeof place === 'string' ? place : await place.shown(database);
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
