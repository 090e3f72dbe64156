import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { addAbortSignal, pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { configInvalid } from '../../core/errors.ts';
import { DIGEST_BYTES, END_MARK, cutShort, damaged, framesIn, headerIn, notABackup } from './format.ts';
import type { BackupHeader, Frame } from './format.ts';
import { fileFault } from './whole-file.ts';

/** A backup that is whole. */
export interface BackupFile {
  readonly path: string;
  readonly header: BackupHeader;
  readonly bytes: number;
  /** `onRead` is told the bytes of the file that were read so far. */
  frames(signal: AbortSignal, onRead: (bytes: number) => void): AsyncGenerator<Frame>;
}

const CHUNK = 1 << 20;
const LONGEST_HEADER = 64 << 20;

/** Reads the header of a backup and then all of it. Throws `config-invalid` where one bit of it is not as it was written. */
export async function openBackup(
  path: string,
  signal: AbortSignal,
  onRead: (read: number, whole: number) => void,
): Promise<BackupFile> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw configInvalid(`${path} is not a file`, 'name a file that databridge backup made');
    const { header, length } = await readHeader(path, found.size);
    await assertWhole(path, found.size, signal, (read) => onRead(read, found.size));
    const end = found.size - DIGEST_BYTES - END_MARK.length - 1;
    return {
      path,
      header,
      bytes: found.size,
      async *frames(stop, onFrame) {
        const file = addAbortSignal(stop, createReadStream(path, { start: length, end, highWaterMark: CHUNK }));
        const text = pipeline(file, createZstdDecompress(), () => undefined);
        for await (const frame of framesIn(text as AsyncIterable<Buffer>, path)) {
          onFrame(file.bytesRead);
          yield frame;
        }
      },
    };
  } catch (error) {
    throw fileFault(error, path, 'read');
  }
}

async function readHeader(path: string, size: number): Promise<{ header: BackupHeader; length: number }> {
  const file = await open(path, 'r');
  try {
    let text = Buffer.alloc(0);
    for (;;) {
      const found = text.length === 0 ? undefined : headerIn(text, path);
      if (found) return found;
      if (text.length >= Math.min(size, LONGEST_HEADER)) throw text.length === 0 ? notABackup(path) : cutShort(path);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, text.length);
      text = Buffer.concat([text, buffer.subarray(0, bytesRead)]);
    }
  } finally {
    await file.close();
  }
}

async function assertWhole(
  path: string,
  size: number,
  signal: AbortSignal,
  onRead: (read: number) => void,
): Promise<void> {
  const file = await open(path, 'r');
  const tail = Buffer.alloc(END_MARK.length + DIGEST_BYTES);
  try {
    await file.read(tail, 0, tail.length, Math.max(0, size - tail.length));
  } finally {
    await file.close();
  }
  if (!tail.subarray(0, END_MARK.length).equals(END_MARK)) throw cutShort(path);
  const digest = createHash('sha256');
  const content = createReadStream(path, { end: size - DIGEST_BYTES - 1, highWaterMark: CHUNK, signal });
  for await (const chunk of content as AsyncIterable<Buffer>) {
    digest.update(chunk);
    onRead(content.bytesRead);
  }
  if (!digest.digest().equals(tail.subarray(END_MARK.length))) throw damaged(path);
}
