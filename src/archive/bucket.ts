import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NoSuchUpload,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { BridgeError, configInvalid } from '../core/errors.ts';
import type { ArchiveBucket } from '../database/archive-place.ts';
import { ATTEMPTS, bucketError, bucketClient, statusOf } from './bucket-client.ts';
import { workDirectory } from './duck.ts';
import { fileCache } from './file-cache.ts';
import { bucketName, damagedFile } from './files.ts';
import type { ArchiveFiles, KnownFile } from './files.ts';

/** An upload holds so many parts of so many bytes in memory. A day of more than 10,000 parts is none that one process could write. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;

const FIRST_WAIT_MS = 200;

/** A marker is some bytes; what is more is none. */
const MOST_TEXT = 1024;

/** Files as objects of a bucket, and copies of those that are read in a local directory. */
export async function bucketFiles(bucket: ArchiveBucket, directory: string): Promise<ArchiveFiles> {
  const client = await bucketClient(bucket);
  const cache = fileCache(directory, bucket.cacheBytes);
  const coming = new Map<string, Promise<void>>();
  const nameOf = (path?: string): string => bucketName(bucket, path);
  const at = (path: string) => ({ Bucket: bucket.name, Key: [bucket.prefix, path].filter(Boolean).join('/') });

  const asked = async <T>(work: string, path: string | undefined, request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      throw bucketError(error, `${work} ${nameOf(path)}`);
    }
  };

  /**
   * The content of an object by pieces; false where there is none. The client tries again until the answer begins; one that breaks off
   * is asked for again here, whole, and `use` begins anew.
   */
  async function get(path: string, use: (content: Readable) => Promise<void>): Promise<boolean> {
    return await asked('reading', path, async () => {
      for (let attempt = 1; ; attempt += 1) {
        const content = await begun(path);
        if (content === undefined) return false;
        try {
          await use(content);
          return true;
        } catch (error) {
          if (!isUnavailable(bucketError(error, '')) || attempt >= ATTEMPTS) throw error;
          await setTimeout(FIRST_WAIT_MS * 2 ** (attempt - 1));
        }
      }
    });
  }

  async function begun(path: string): Promise<Readable | undefined> {
    try {
      return (await client.send(new GetObjectCommand(at(path)))).Body as Readable;
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  /** The size and the checksum of an object, which `to` gets where it is given; undefined where there is none. */
  async function contentOf(path: string, to?: string): Promise<{ bytes: number; sha256: string } | undefined> {
    let bytes = 0;
    let digest = createHash('sha256');
    const isThere = await get(path, async (content) => {
      bytes = 0;
      digest = createHash('sha256');
      const measured = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const piece of pieces) {
          bytes += piece.length;
          digest.update(piece);
          yield piece;
        }
      };
      if (to === undefined) for await (const _ of measured(content));
      else await pipeline(content, measured, createWriteStream(to));
    });
    return isThere ? { bytes, sha256: digest.digest('hex') } : undefined;
  }

  /** Makes a copy. Throws as `checkFile`. */
  async function bring(file: KnownFile): Promise<void> {
    const local = join(workDirectory(directory), `${randomUUID()}.part`);
    await mkdir(workDirectory(directory), { recursive: true });
    try {
      const found = await contentOf(file.path, local);
      if (found === undefined) throw damagedFile(files, file, 'missing');
      if (found.bytes !== file.bytes) throw damagedFile(files, file, found.bytes);
      if (found.sha256 !== file.sha256) throw damagedFile(files, file, 'changed');
      await cache.keep(local, file.path);
    } finally {
      await rm(local, { force: true });
    }
  }

  /** Large files go in parts. `ifNone`: only where there is no object of the name. */
  async function upload(
    local: string,
    path: string,
    { ifNone, signal }: { readonly ifNone: boolean; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    signal?.throwIfAborted();
    const sending = new Upload({
      client,
      params: {
        ...at(path),
        Body: createReadStream(local),
        ContentType: 'application/vnd.apache.parquet',
        ChecksumAlgorithm: 'CRC32',
        ...(ifNone && { IfNoneMatch: '*' }),
      },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    });
    const stop = (): void => void sending.abort();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await sending.done();
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  const files: ArchiveFiles = {
    nameOf,
    find: async (path) =>
      await asked('looking at', path, async () => {
        try {
          const found = await client.send(new HeadObjectCommand(at(path)));
          const changedAt = found.LastModified?.getTime() ?? Infinity;
          const bytes = found.ContentLength ?? -1;
          return { bytes, changedAt, mark: `${nameOf(path)} ${found.ETag} ${changedAt} ${bytes}` };
        } catch (error) {
          if (statusOf(error) === 404) return undefined;
          throw error;
        }
      }),
    checksumOf: async (path) => (await contentOf(path))?.sha256 ?? '',
    async open(file, how) {
      let opened = await cache.open(file, how);
      if (opened !== undefined) return opened;
      do {
        const under = coming.get(file.path) ?? bring(file).finally(() => coming.delete(file.path));
        coming.set(file.path, under);
        await under;
        // Who makes room, here or in another process, may have removed the copy before it got its name.
        opened = await cache.open(file, { whole: false });
      } while (opened === undefined);
      await cache.makeRoom();
      return opened;
    },
    async put(local, { path, bytes, sha256 }, signal) {
      await asked('writing', path, async () => {
        try {
          await upload(local, path, { ifNone: true, signal });
        } catch (error) {
          // It may be there, from a move that did not end, or from a request whose answer was lost. One that differs was changed.
          const mayBeThere = statusOf(error) === 412 || error instanceof NoSuchUpload;
          if (mayBeThere && (await contentOf(path))?.sha256 === sha256) return;
          // Some stores do not know the condition.
          if (!mayBeThere && statusOf(error) !== 501 && statusOf(error) !== 400) throw error;
          await upload(local, path, { ifNone: false, signal });
        }
      });
      const found = await files.find(path);
      if (found?.bytes !== bytes)
        throw new BridgeError(
          { code: 'unavailable', why: 'status' },
          `writing ${nameOf(path)}: it has ${found?.bytes ?? 'no'} bytes instead of ${bytes}`,
          { remedy: 'see whether the store of DATABRIDGE_ARCHIVE is well; no reading was moved' },
        );
      await cache.keep(local, path);
      await cache.makeRoom();
    },
    async remove(path) {
      await asked('removing', path, () => client.send(new DeleteObjectCommand(at(path))));
      await cache.remove(path);
    },
    async read(path) {
      let text = '';
      const isThere = await get(path, async (content) => {
        text = '';
        for await (const piece of content as AsyncIterable<Buffer>) {
          text += piece.toString();
          if (text.length > MOST_TEXT)
            throw configInvalid(
              `${nameOf(path)} is no file of an archive`,
              'correct DATABRIDGE_ARCHIVE',
              'DATABRIDGE_ARCHIVE',
            );
        }
      });
      return isThere ? text : undefined;
    },
    async write(path, text) {
      await asked('writing', path, () => client.send(new PutObjectCommand({ ...at(path), Body: Buffer.from(text) })));
    },
    // Objects get no endings: to rename one is to write it anew.
    tidy: () => Promise.resolve(),
    async *listed() {
      const prefix = bucket.prefix === '' ? '' : `${bucket.prefix}/`;
      try {
        for await (const { Contents = [] } of paginateListObjectsV2(
          { client },
          { Bucket: bucket.name, Prefix: `${prefix}project=` },
        )) {
          for (const { Key = '' } of Contents) {
            const path = Key.slice(prefix.length);
            if (/^project=\d+\/day=[\d-]{10}\/[\da-f]{32}\.parquet$/.test(path)) yield path;
          }
        }
      } catch (error) {
        throw bucketError(error, `listing ${nameOf()}`);
      }
    },
  };
  return files;
}

const isUnavailable = (error: unknown): boolean => error instanceof BridgeError && error.code === 'unavailable';
