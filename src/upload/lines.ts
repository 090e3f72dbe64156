import { LONGEST_RECORD_BYTES } from './record.ts';
import type { FilePosition } from './record.ts';

/** A line without its end. `bytes` is undefined where it is too long to be kept. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer | undefined;
  /** Its beginning, where `bytes` is not there. */
  readonly start: Buffer;
  readonly next: FilePosition;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** What is kept of a line that is too long. */
const KEPT_BYTES = 200;

/** Cuts chunks into lines. Memory is bounded by the longest record, whatever comes. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, from: FilePosition): AsyncGenerator<readonly Line[]> {
  let { offset, line } = from;
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  const lineOf = (end: Buffer, feed: number): Line => {
    const length = carriedBytes + end.length;
    const isLong = length > LONGEST_RECORD_BYTES;
    const whole = carried.length === 0 ? end : Buffer.concat([...carried, end]);
    const number = line;
    offset += length + feed;
    line += feed;
    carried = [];
    carriedBytes = 0;
    return {
      number,
      bytes: isLong ? undefined : withoutReturn(whole),
      start: whole.subarray(0, KEPT_BYTES),
      next: { offset, line },
    };
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let begin = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, begin)) {
      lines.push(lineOf(chunk.subarray(begin, feed), 1));
      begin = feed + 1;
    }
    if (begin < chunk.length) {
      // Of a line that is already too long only the length goes on.
      if (carriedBytes <= LONGEST_RECORD_BYTES) carried.push(chunk.subarray(begin));
      carriedBytes += chunk.length - begin;
    }
    yield lines;
  }
  if (carriedBytes > 0) yield [lineOf(Buffer.alloc(0), 0)];
}

const withoutReturn = (bytes: Buffer): Buffer =>
  bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, bytes.length - 1) : bytes;
