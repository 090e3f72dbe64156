import { isUtf8 } from 'node:buffer';
import { LONGEST_RECORD_BYTES } from './record.ts';
import type { FilePosition, FileRecord, LocalReason } from './record.ts';

/** A line without its line feed and carriage return. */
export interface Line {
  readonly number: number;
  /** Its bytes; only the first 200 of a line that is too long. */
  readonly bytes: Buffer;
  readonly next: FilePosition;
  readonly refusal?: Extract<LocalReason, 'too-long' | 'not-utf-8'>;
}

/** Turns lines into records. `isLast`: no further lines follow. */
export type RecordReader = (lines: readonly Line[], isLast: boolean) => readonly FileRecord[];

export const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** At most this many bytes are kept of a line that is too long. */
const KEPT_BYTES = 200;

/** Cuts a file into lines, one page a chunk. Memory is bounded by the longest record and the chunk. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Line[]> {
  let [offset, number] = [0, 1];
  /** The parts of a line that earlier chunks brought. */
  let parts: Buffer[] = [];
  let partsBytes = 0;

  const lineOf = (end: Buffer, feedBytes: number): Line => {
    const length = partsBytes + end.length;
    const bytes = parts.length === 0 ? end : Buffer.concat([...parts, end]);
    offset += length + feedBytes;
    const place = { number, next: { offset, line: number + 1 } };
    number += 1;
    parts = [];
    partsBytes = 0;
    if (length > LONGEST_RECORD_BYTES) return { ...place, bytes: bytes.subarray(0, KEPT_BYTES), refusal: 'too-long' };
    const line = { ...place, bytes: withoutMarks(bytes, place.number) };
    return isUtf8(bytes) ? line : { ...line, refusal: 'not-utf-8' };
  };

  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let begin = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, begin)) {
      lines.push(lineOf(chunk.subarray(begin, feed), 1));
      begin = feed + 1;
    }
    if (begin < chunk.length) {
      // A line that is already too long is only measured.
      if (partsBytes <= LONGEST_RECORD_BYTES) parts.push(chunk.subarray(begin));
      partsBytes += chunk.length - begin;
    }
    yield lines;
  }
  if (partsBytes > 0) yield [lineOf(Buffer.alloc(0), 0)];
}

/** Some editors begin a file with a byte order mark. It belongs to no cell and no JSON. */
function withoutMarks(bytes: Buffer, number: number): Buffer {
  const isMarked = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  return bytes.subarray(isMarked ? BYTE_ORDER_MARK.length : 0, end);
}

/** Whether a line holds anything but spaces. */
export const isFilled = ({ bytes }: Line): boolean => bytes.some((byte) => byte !== 32 && (byte < 9 || byte > 13));
