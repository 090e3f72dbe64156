import { BridgeError, configInvalid } from '../core/errors.ts';
import { parsed } from './ndjson.ts';
import { LONGEST_RECORD_BYTES } from './record.ts';
import type { FileRecord, FilePosition } from './record.ts';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

const isSpace = (byte: number): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** What may come next. `first` is an element or the end of the array, as in an empty one. */
type Expecting = 'array' | 'first' | 'element' | 'comma' | 'nothing';

/**
 * The elements of one JSON array, each by itself, so that the file may be larger than memory. An element that is not
 * JSON is a record with a refusal; an array that is broken between its elements, or not closed, ends the reading.
 * `isBegun`: the place is behind an element of the array.
 * Throws `config-invalid` where there is no array at all, otherwise `contract-broken`.
 */
export async function* jsonRecords(
  chunks: AsyncIterable<Buffer>,
  from: FilePosition,
  { isBegun }: { readonly isBegun: boolean },
): AsyncGenerator<readonly FileRecord[]> {
  let { offset, line } = from;
  let expecting: Expecting = isBegun ? 'comma' : 'array';
  /** The element under way: what earlier chunks brought of it, and how deep we are in it. */
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  let inElement = false;
  let startLine = line;
  let depth = 0;
  let inText = false;
  let escaped = false;

  for await (const chunk of chunks) {
    const records: FileRecord[] = [];
    let begin = 0;
    const endElement = (end: number): void => {
      const bytes = Buffer.concat([...carried, chunk.subarray(begin, end)]);
      records.push({ line: startLine, next: { offset: offset + end, line }, bytes: bytes.length, ...parsed(bytes) });
      carried = [];
      carriedBytes = 0;
      inElement = false;
      expecting = 'comma';
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
        if (byte === 10) line += 1;
        continue;
      }
      // A number, true, false or null ends where something else begins, which is then looked at once more.
      if (inElement && depth === 0 && (isSpace(byte) || byte === COMMA || byte === CLOSE_ARRAY)) endElement(at);
      if (byte === 10) line += 1;
      if (inElement) {
        if (byte === QUOTE) inText = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
        else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth = Math.max(0, depth - 1);
        if (depth === 0 && (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY)) endElement(at + 1);
        continue;
      }
      if (isSpace(byte)) continue;
      if ((expecting === 'comma' || expecting === 'first') && byte === CLOSE_ARRAY) expecting = 'nothing';
      else if (expecting === 'comma' && byte === COMMA) expecting = 'element';
      else if (expecting === 'array' && byte === OPEN_ARRAY) expecting = 'first';
      else if ((expecting === 'first' || expecting === 'element') && byte !== COMMA && byte !== CLOSE_ARRAY) {
        inElement = true;
        begin = at;
        startLine = line;
        depth = byte === OPEN_OBJECT || byte === OPEN_ARRAY ? 1 : 0;
        inText = byte === QUOTE;
      } else throw unexpected(expecting, line);
    }
    if (inElement) {
      carried.push(chunk.subarray(begin));
      carriedBytes += chunk.length - begin;
      if (carriedBytes > LONGEST_RECORD_BYTES) {
        yield records;
        throw broken(
          `the element that begins in line ${startLine} is longer than any reading; is a quote or bracket missing?`,
        );
      }
    }
    offset += chunk.length;
    yield records;
  }
  if (expecting === 'array') throw unexpected('array', line);
  if (expecting !== 'nothing')
    throw broken(`the file ends in line ${line} before its array does; it may have been cut off`);
}

function unexpected(expecting: Expecting, line: number): BridgeError {
  if (expecting === 'array') {
    return configInvalid('the file holds no JSON array', 'for one JSON object a line say --format ndjson', '--format');
  }
  const wanted = { first: 'a reading', element: 'a reading', comma: 'a comma or ]', nothing: 'nothing more' }[
    expecting
  ];
  return broken(`the array is broken in line ${line}: ${wanted} should stand there`);
}

const broken = (message: string): BridgeError =>
  new BridgeError({ code: 'contract-broken' }, message, {
    remedy: 'mend the file; sending the readings again is harmless',
  });
