import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { configInvalid } from '../core/errors.ts';
import { csvReader } from './csv.ts';
import type { Format } from './format.ts';
import { isFilled, linesOf } from './lines.ts';
import type { Line } from './lines.ts';
import { ndjsonReader } from './ndjson.ts';
import type { FileRecord } from './record.ts';

/** A file of readings, or standard input. */
export interface Input {
  readonly name: string;
  /** Undefined for standard input. */
  readonly path: string | undefined;
  /** Bytes; undefined for standard input and other pipes. */
  readonly size: number | undefined;
}

/** Which records of a file are read, and how. */
export interface UploadSelection {
  /** Without it the format follows from the name of the file, and otherwise from its first character. */
  readonly format: Format | undefined;
  /** Records that begin before this line are left out; the heading of CSV is read all the same. */
  readonly fromLine: number;
}

const CHUNK_BYTES = 262_144;

const FORMATS_BY_EXTENSION: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

const READERS = { ndjson: ndjsonReader, csv: csvReader } as const;

/** Throws `config-invalid` for a file that cannot be read. `-` is standard input. */
export async function inputOf(path: string): Promise<Input> {
  if (path === '-') return { name: 'standard input', path: undefined, size: undefined };
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a directory');
    // Opening a pipe would wait for its writer.
    if (found.isFile()) await access(path, constants.R_OK);
    return { name: path, path, size: found.isFile() ? found.size : undefined };
  } catch (error) {
    throw configInvalid(`${path} cannot be read: ${(error as Error).message}`, 'name a file, or - for standard input');
  }
}

/** The bytes of an input; `stop` ends them with an AbortError. */
export function bytesOf({ path }: Input, stop: AbortSignal): AsyncIterable<Buffer> {
  const stream: Readable = path === undefined ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES });
  return addAbortSignal(stop, stream) as AsyncIterable<Buffer>;
}

/** The records of a file, one page a chunk. Throws `config-invalid` for a file that holds no NDJSON and no CSV. */
export async function* recordsOf(
  chunks: AsyncIterable<Buffer>,
  path: string | undefined,
  { format, fromLine }: UploadSelection,
): AsyncGenerator<readonly FileRecord[]> {
  let read = format && READERS[format](fromLine);
  let isFirst = true;
  for await (const lines of linesOf(chunks)) {
    const start = isFirst ? lines.find(isFilled) : undefined;
    if (start !== undefined) {
      isFirst = false;
      assertText(start);
      read ??= READERS[formatOf(path, start)](fromLine);
    }
    if (read !== undefined) yield read(lines, false);
  }
  read ??= READERS[formatOf(path, undefined)](fromLine);
  yield read([], true);
}

function assertText({ bytes: [first, second] }: Line): void {
  if (first === 0x1f && second === 0x8b) {
    throw configInvalid('the input is packed with gzip', 'gunzip -c FILE | databridge push - …');
  }
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw configInvalid('the input is UTF-16', 'save it as UTF-8');
  }
}

/** By the extension of the file, otherwise by the first character of `start`, its first line that is not empty. */
function formatOf(path: string | undefined, start: Line | undefined): Format {
  const named = FORMATS_BY_EXTENSION[extname(path ?? '').toLowerCase()];
  if (named !== undefined) return named;
  const [character] = /\S/.exec(start?.bytes.toString('utf8') ?? '') ?? [];
  if (character === '[') {
    throw configInvalid(
      'the input is a JSON array; databridge push reads one JSON object a line',
      "jq -c '.[]' FILE | databridge push - …",
    );
  }
  return character === '{' || character === undefined ? 'ndjson' : 'csv';
}
