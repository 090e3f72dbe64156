import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { configInvalid } from '../core/errors.ts';
import { csvRecords } from './csv.ts';
import type { Heading } from './csv.ts';
import { jsonRecords } from './json.ts';
import { ndjsonRecords } from './ndjson.ts';
import type { FileRecord, FilePosition } from './record.ts';

export const FORMATS = ['ndjson', 'json', 'csv'] as const;

export type Format = (typeof FORMATS)[number];

/** What is read: a file, or what comes in by standard input. */
export interface Input {
  readonly name: string;
  readonly path: string | undefined;
  /** Bytes; undefined for standard input and other pipes. */
  readonly size: number | undefined;
}

const CHUNK_BYTES = 262_144;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const MARK_BYTES = BYTE_ORDER_MARK.length;

const EXTENSIONS: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
};

/** Throws `config-invalid` for a file that cannot be read. `-` is standard input. */
export async function inputOf(path: string): Promise<Input> {
  if (path === '-') return { name: 'standard input', path: undefined, size: undefined };
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a directory');
    // A pipe would wait here for its writer.
    if (found.isFile()) await access(path, constants.R_OK);
    return { name: path, path, size: found.isFile() ? found.size : undefined };
  } catch (error) {
    throw configInvalid(`${path} cannot be read: ${(error as Error).message}`, 'name a file, or - for standard input');
  }
}

/** The bytes from a place on; `stop` ends them with an AbortError. */
export function bytesOf({ path }: Input, from: FilePosition, stop: AbortSignal): AsyncIterable<Buffer> {
  const stream: Readable =
    path === undefined
      ? process.stdin
      : createReadStream(path, { highWaterMark: CHUNK_BYTES, ...(from.offset > 0 && { start: from.offset }) });
  return addAbortSignal(stop, stream) as AsyncIterable<Buffer>;
}

/** Looks at what comes first, without taking it away. Nothing at all is an empty buffer. */
export async function peeked(
  chunks: AsyncIterable<Buffer>,
): Promise<{ readonly first: Buffer; readonly chunks: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const found = await iterator.next();
  const first = found.done === true ? Buffer.alloc(0) : found.value;
  return {
    first,
    chunks: (async function* () {
      yield first;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
    })(),
  };
}

/** By the extension of the file, otherwise by its first byte that is no space. */
export function formatOf({ path }: Input, first: Buffer): Format {
  if (first[0] === 0x1f && first[1] === 0x8b) {
    throw configInvalid('the input is packed with gzip', 'gunzip -c FILE | databridge push - …');
  }
  if ((first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff)) {
    throw configInvalid('the input is UTF-16', 'save it as UTF-8');
  }
  const named = EXTENSIONS[extname(path ?? '').toLowerCase()];
  if (named !== undefined) return named;
  const [start] = /[^\s\uFEFF]/.exec(first.toString('utf8', 0, 4096)) ?? [];
  if (start === '[') return 'json';
  return start === '{' || start === undefined ? 'ndjson' : 'csv';
}

/** The records from a place on. At the very beginning there may be a mark that some editors put there. */
export function recordsOf(
  format: Format,
  { chunks, first }: { readonly chunks: AsyncIterable<Buffer>; readonly first: Buffer },
  from: FilePosition,
  heading: Heading,
): AsyncGenerator<readonly FileRecord[]> {
  const isMarked = from.offset === 0 && first.subarray(0, MARK_BYTES).equals(BYTE_ORDER_MARK);
  const bytes = isMarked ? withoutMark(chunks) : chunks;
  const place = isMarked ? { ...from, offset: MARK_BYTES } : from;
  if (format === 'csv') return csvRecords(bytes, place, heading);
  return format === 'json' ? jsonRecords(bytes, place, { isBegun: from.offset > 0 }) : ndjsonRecords(bytes, place);
}

async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst ? chunk.subarray(MARK_BYTES) : chunk;
    isFirst = false;
  }
}
