import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { archiveFilesAt } from '../../src/archive/files-at.ts';
import type { ArchivePlace } from '../../src/database/archive-place.ts';
import type { Bucket } from '../kit/bucket.ts';
import { useDatabases } from '../kit/databases.ts';
import { archiveGround } from './archive-ground.ts';

const databases = useDatabases();

async function ground() {
  const made = await archiveGround(databases, 'bucket');
  return { ...made, bucket: made.lies.bucket as Bucket };
}

const SLOW = { status: 503, code: 'SlowDown' };

/** A file of three parts or more, as a move leaves one. */
async function largeFile(directory: string, bytes = 20_000_000) {
  await mkdir(directory, { recursive: true });
  const local = join(directory, 'large.part');
  const content = randomBytes(bytes);
  await writeFile(local, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const path = `project=1/day=2026-01-01/${sha256.slice(0, 32)}.parquet`;
  return { local, content, file: { path, sha256, bytes: content.length, madeAt: Number.MAX_SAFE_INTEGER } };
}

it('sends and brings a large file in parts, whatever breaks off', async () => {
  const { directory, bucket, lies, database } = await ground();
  const files = await archiveFilesAt(database.archive as ArchivePlace);
  const { local, content, file } = await largeFile(join(directory.path, '.work'), 60_000_000);
  bucket.fault({ on: 'UploadPart', resetUploadAfter: 1_000_000 });
  bucket.fault({ on: 'UploadPart', answerLost: true });
  bucket.fault({ on: 'UploadPart', answer: SLOW });
  await files.put(local, file, undefined);
  expect((await lies.read(file.path)).equals(content)).toBe(true);
  expect(bucket.uploads.size).toBe(0);
  await lies.forget();
  bucket.fault({ on: 'GetObject', key: /parquet/, resetDownloadAfter: 10_000_000 });
  bucket.fault({ on: 'GetObject', key: /parquet/, cutDownloadAfter: 15_000_000 });
  const opened = await files.open(file, { whole: false });
  expect((await readFile(opened.path)).equals(content)).toBe(true);
  await opened.release();
  // The work was done, and the answer says that it was not.
  const second = await largeFile(join(directory.path, '.work'));
  bucket.fault({ on: 'CompleteMultipartUpload', errorInside: 'InternalError' });
  await files.put(second.local, second.file, undefined);
  expect((await lies.read(second.file.path)).equals(second.content)).toBe(true);
  await directory.remove();
});

it('leaves nothing of an upload that breaks off for ever, or is stopped', async () => {
  const { directory, bucket, database } = await ground();
  const files = await archiveFilesAt(database.archive as ArchivePlace);
  const { local, file } = await largeFile(join(directory.path, '.work'));
  bucket.fault({ on: 'UploadPart', times: Infinity, resetUploadAfter: 1_000_000 });
  await expect(files.put(local, file, undefined)).rejects.toMatchObject({ code: 'unavailable' });
  expect([...bucket.objects.keys(), ...bucket.uploads.keys()]).toEqual([]);
  bucket.heal();
  let release: () => void = () => undefined;
  const waitFor = new Promise<void>((resolve) => (release = resolve));
  const stopping = new AbortController();
  bucket.fault({ on: 'UploadPart', waitFor });
  const stopped = files.put(local, file, stopping.signal);
  while (!bucket.requests.some(({ operation }) => operation === 'UploadPart')) await setImmediate();
  stopping.abort();
  release();
  await expect(stopped).rejects.toThrow();
  expect([...bucket.objects.keys()]).toEqual([]);
  await directory.remove();
});
