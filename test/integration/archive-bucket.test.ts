import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { damagedDays, listDays, sweep, unknownFiles } from '../../src/archive/keep.ts';
import { moveDay } from '../../src/archive/move.ts';
import { openDays } from '../../src/archive/open-days.ts';
import { assertArchivePlace, unlessAway } from '../../src/archive/place.ts';
import { archiveChecks } from '../../src/commands/actions/doctor-checks.ts';
import { DAY } from '../../src/core/instant.ts';
import type { ArchiveBucket, ArchivePlace } from '../../src/database/archive-place.ts';
import type { Database } from '../../src/database/database.ts';
import type { Bucket, BucketOptions } from '../kit/bucket.ts';
import { makeCertificate } from '../kit/certificate.ts';
import { useDatabases } from '../kit/databases.ts';
import { MAIN } from '../kit/joined-program.ts';
import { modulesLoadedBy } from '../kit/loaded-modules.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import {
  BEGIN,
  HISTORY,
  HISTORY_BY_KEY,
  archiveGround,
  keyAt,
  linesIn,
  linesOf,
  moveAll,
  placesOf,
  reached,
  write,
} from './archive-ground.ts';

const databases = useDatabases();

async function ground(options: BucketOptions & { readonly cacheBytes?: number } = {}) {
  const made = await archiveGround(databases, 'bucket', options);
  const bucket = made.lies.bucket as Bucket;
  const day = { projectId: made.projectId, day: BEGIN };
  await write(made.database, made.projectId, HISTORY);
  return { ...made, bucket, day };
}

const ALL = linesIn(HISTORY_BY_KEY);
const UNMOVED = { rows: 100, archived: 0, found: 0 };
const MOVED = { rows: 4, archived: 96, found: 96 };

/** The same bridge on a host with other settings of the bucket, and no copies. */
function otherHost(database: Database, directory: string, more: Partial<ArchiveBucket> = {}): Database {
  const bucket = { ...(database.archive?.bucket as ArchiveBucket), ...more };
  return { ...database, archive: { directory, after: DAY, bucket } };
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const SLOW = { status: 503, code: 'SlowDown' };

it('gets through a time of 503, resets of uploads and downloads, answers that are lost, and downloads that are cut', async () => {
  const { database, projectId, directory, bucket, lies } = await ground();
  bucket.fault({ on: 'PutObject', key: /parquet/, times: 2, answer: SLOW });
  bucket.fault({ on: 'PutObject', key: /parquet/, resetUploadAfter: 1 });
  bucket.fault({ on: 'PutObject', key: /parquet/, answerLost: true });
  expect(await moveAll(database)).toEqual(['moved']);
  expect(await placesOf(database, lies)).toEqual(MOVED);
  for (const fault of [
    { answer: SLOW, times: 2 },
    { resetDownloadAfter: 100 },
    { cutDownloadAfter: 100 },
    { answerLost: true as const },
  ]) {
    await lies.forget();
    bucket.fault({ on: 'GetObject', ...fault });
    expect(await linesOf(database, projectId)).toEqual(ALL);
  }
  // What was read lies on the local disk.
  await bucket.down();
  expect(await linesOf(database, projectId)).toEqual(ALL);
  await expect(assertArchivePlace(database)).rejects.toMatchObject({ code: 'unavailable' });
  await unlessAway(assertArchivePlace(database));
  await bucket.up();
  await directory.remove();
});

it('moves nothing and reads nothing while the bucket answers 503 for ever, and says which object', async () => {
  const { database, projectId, directory, bucket, lies, day } = await ground();
  await assertArchivePlace(database);
  bucket.fault({ on: 'PutObject', key: /parquet/, times: Infinity, answer: SLOW });
  await expect(moveDay(database, day)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/writing s3:\/\/readings\/plants\/one\/project=.*parquet: 503 SlowDown/) as unknown,
    remedy: expect.stringContaining('the next run tries again') as unknown,
  });
  expect(await placesOf(database, lies)).toEqual(UNMOVED);
  bucket.heal();
  expect(await moveAll(database)).toEqual(['moved']);
  await lies.forget();
  const asked = (): number =>
    bucket.requests.filter(({ operation, key }) => operation === 'GetObject' && /parquet/.test(key)).length;
  for (const fault of [{ answer: SLOW }, { resetDownloadAfter: 100 }, { answerLost: true as const }]) {
    const before = asked();
    bucket.fault({ on: 'GetObject', key: /parquet/, times: Infinity, ...fault });
    await expect(linesOf(database, projectId)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/reading s3:.*parquet: /) as unknown,
    });
    expect(asked() - before).toBe(5);
    bucket.heal();
  }
  expect(await linesOf(database, projectId)).toEqual(ALL);
  await directory.remove();
});

it.each(['kept', 'not implemented', 'ignored'] as const)(
  'puts what is there already, or was there and differs, where conditions of writes are %s',
  async (conditionalWrites) => {
    const { database, projectId, directory, bucket, lies, day } = await ground({ conditionalWrites });
    const stop = (): never => {
      throw new Error('stopped');
    };
    const stopped = moveDay(database, day, { reached: (step) => void (step === 'renamed' && stop()) });
    await expect(stopped).rejects.toThrow('stopped');
    const [key = ''] = [...bucket.objects.keys()].filter((each) => each.endsWith('.parquet'));
    expect(await unknownFiles(database)).toEqual([`s3://readings/${key}`]);
    bucket.change(key, (bytes) => bytes.fill(0, 100, 200));
    expect(await moveAll(database)).toEqual(['moved']);
    expect(await unknownFiles(database)).toEqual([]);
    await lies.forget();
    expect(await linesOf(database, projectId)).toEqual(ALL);
    await directory.remove();
  },
);

it('takes an object that is there and equal for done', async () => {
  const { database, directory, bucket, day, lies } = await ground();
  await moveDay(database, day, {
    reached: (step) => {
      if (step === 'renamed') throw new Error('stopped');
    },
  }).catch(() => undefined);
  const [key = ''] = [...bucket.objects.keys()].filter((each) => each.endsWith('.parquet'));
  const modified = bucket.objects.get(key)?.modified;
  expect(await moveAll(database)).toEqual(['moved']);
  expect(bucket.objects.get(key)?.modified).toBe(modified);
  expect(await placesOf(database, lies)).toEqual(MOVED);
  await directory.remove();
});

it('believes the manifest and no list, and removes replaced objects after 30 days', async () => {
  const { database, projectId, directory, bucket, lies } = await ground();
  bucket.freezeLists();
  expect(await moveAll(database)).toEqual(['moved']);
  const [day] = await listDays(database);
  await lies.forget();
  expect(await linesOf(database, projectId)).toEqual(ALL);
  expect(await unknownFiles(database)).toEqual([]);
  await write(database, projectId, [{ sensor: 'a', at: BEGIN + 7, value: 7, precision: undefined, labels: [] }]);
  expect(await moveAll(database)).toEqual(['merged']);
  await sweep(database);
  expect(bucket.objects.has(keyAt(day?.path ?? ''))).toBe(true);
  await database.run(`update archived_day set replaced_at = now() - interval '31 days' where replaced_at is not null`);
  await sweep(database);
  expect(bucket.objects.has(keyAt(day?.path ?? ''))).toBe(false);
  expect([...bucket.objects.keys()].filter((each) => each.endsWith('.parquet'))).toHaveLength(1);
  await directory.remove();
});

it('says what to correct: secret, bucket, region, authority, marker', async () => {
  const { database, directory, bucket } = await ground();
  await moveAll(database);
  const local = await makeTempDirectory('local');
  const cases: [Partial<ArchiveBucket>, string, string][] = [
    [{ secret: () => Promise.resolve('wrong') }, 'SignatureDoesNotMatch', 'DATABRIDGE_ARCHIVE_SECRET'],
    [{ keyId: 'AKIDOTHER' }, 'InvalidAccessKeyId', 'DATABRIDGE_ARCHIVE_KEY_ID'],
    [{ name: 'other' }, 'NoSuchBucket', 'make the bucket'],
    [{ region: 'us-east-1' }, 'AuthorizationHeaderMalformed', 'DATABRIDGE_ARCHIVE_REGION'],
    [{ prefix: 'plants/two' }, 'has no file databridge-archive', 'correct DATABRIDGE_ARCHIVE'],
  ];
  for (const [more, message, remedy] of cases) {
    const host = otherHost(database, local.path, more);
    await expect(unlessAway(assertArchivePlace(host))).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining(message) as unknown,
      remedy: expect.stringContaining(remedy) as unknown,
    });
    const checks = await allOf(archiveChecks(host));
    expect(checks).toMatchObject([{ state: 'failed', detail: expect.stringContaining(message) as unknown }]);
  }
  // Those were no violations of the client.
  (bucket.violations as string[]).length = 0;
  await Promise.all([local.remove(), directory.remove()]);
});

it('calls no day damaged while the bucket does not say how its file is', async () => {
  const { database, directory, bucket } = await ground();
  await moveAll(database);
  const days = await listDays(database);
  const damaged = async () => await allOf(damagedDays(database, days, { whole: false }));
  bucket.fault({ on: 'HeadObject', times: Infinity, answer: SLOW });
  await expect(damaged()).rejects.toMatchObject({ code: 'unavailable' });
  const checks = await allOf(archiveChecks(database));
  expect(checks).toMatchObject([
    {
      state: 'failed',
      detail: expect.stringMatching(/looking at s3:.*parquet: 503/) as unknown,
      remedy: expect.stringContaining('whether the store of DATABRIDGE_ARCHIVE answers') as unknown,
    },
  ]);
  bucket.heal();
  expect(await damaged()).toEqual([]);
  await directory.remove();
});

it('trusts the authority of its file alone', async () => {
  const local = await makeTempDirectory('local');
  const tls = await makeCertificate(local.path);
  const { database, directory, bucket } = await ground({ tls });
  await expect(moveAll(database)).rejects.toMatchObject({
    code: 'config-invalid',
    remedy: expect.stringContaining('authority') as unknown,
  });
  expect(bucket.objects.size).toBe(0);
  expect(await moveAll(otherHost(database, local.path, { caFile: tls.certificatePath }))).toEqual(['moved']);
  await Promise.all([local.remove(), directory.remove()]);
});

it('keeps copies of the files that were read last, and each file while it is read', async () => {
  const { database, projectId, directory, lies } = await ground({ cacheBytes: 1 });
  await moveAll(database);
  const days = await listDays(database);
  const copies = async (): Promise<string[]> =>
    (await readdir(directory.path, { recursive: true })).filter((name) => name.endsWith('.parquet'));
  expect(await copies()).toEqual([]);
  await lies.forget();
  const host = {
    ...database,
    archive: { ...(database.archive as ArchivePlace), bucket: reached(lies.bucket as Bucket) },
  };
  expect(await linesOf(host, projectId)).toEqual(ALL);
  expect(await copies()).toEqual(days.map(({ path }) => path));
  const used = async (): Promise<string[]> =>
    (await readdir(join(directory.path, '.work'))).filter((name) => name.endsWith('.used'));
  const opened = await openDays(host, days);
  await lies.forget();
  expect(await used()).toHaveLength(1);
  const rows = await opened.duck.runAndReadAll(`select count(*)::int from ${opened.table}`);
  expect(rows.getRows()).toEqual([[96]]);
  await opened.close();
  expect(await used()).toEqual([]);
  await directory.remove();
});

it('lets two hosts move a day at once, each with its own disk', async () => {
  const { database, projectId, directory, lies, day } = await ground();
  const local = await makeTempDirectory('local');
  const other = otherHost(database, local.path);
  const outcomes: string[] = [];
  const moved = await moveDay(database, day, {
    reached: async (step) => {
      if (step === 'renamed') outcomes.push((await moveDay(other, day)).outcome);
    },
  });
  expect([...outcomes, moved.outcome]).toEqual(['busy', 'moved']);
  await write(other, projectId, [{ sensor: 'a', at: BEGIN + 7, value: 7, precision: undefined, labels: [] }]);
  expect(await moveAll(other)).toEqual(['merged']);
  expect(await placesOf(database, lies)).toEqual({ rows: 4, archived: 97, found: 97 });
  expect(await linesOf(database, projectId)).toEqual(await linesOf(other, projectId));
  await Promise.all([local.remove(), directory.remove()]);
});

it('is what commands use by their settings, with the secret in a file, and loads its client for nothing else', async () => {
  const { database, directory, bucket } = await ground();
  const secret = join(directory.path, 'secret');
  await writeFile(secret, `${bucket.keys[0]?.secretAccessKey}\n`);
  const environment = {
    DATABASE_URL: database.url,
    DATABRIDGE_HOME: directory.path,
    DATABRIDGE_ARCHIVE: `s3://${bucket.name}/plants/one`,
    DATABRIDGE_ARCHIVE_ENDPOINT: bucket.url,
    DATABRIDGE_ARCHIVE_REGION: bucket.region,
    DATABRIDGE_ARCHIVE_KEY_ID: bucket.keys[0]?.accessKeyId,
    DATABRIDGE_ARCHIVE_SECRET: `\${file:${secret}}`,
  };
  const run = promisify(execFile);
  const command = async (...args: string[]) =>
    (await run(process.execPath, [MAIN, ...args], { env: { ...process.env, ...environment } })).stdout;
  expect(await command('archive', 'run')).toContain('2025-12-31: moved, 96 rows');
  expect(await command('archive', 'check')).toBe('1 archived day, 0 damaged\n');
  const listed = modulesLoadedBy(['archive', 'list'], environment);
  expect(listed.stdout).toContain('2025-12-31');
  expect(listed.packages).toContain('pg');
  expect(listed.packages.filter((name) => /^@(?:aws|smithy)/.test(name))).toEqual([]);
  await directory.remove();
});
