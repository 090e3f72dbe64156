import { isUtf8 } from 'node:buffer';
import { linesOf } from './lines.ts';
import type { Line } from './lines.ts';
import { localRefusal, recordOf } from './record.ts';
import type { FileRecord, LocalRefusal, FilePosition } from './record.ts';

/** NDJSON: one JSON object a line; empty lines do not count. */
export async function* ndjsonRecords(
  chunks: AsyncIterable<Buffer>,
  from: FilePosition,
): AsyncGenerator<readonly FileRecord[]> {
  for await (const lines of linesOf(chunks, from)) yield lines.filter(isFilled).map(recordOfLine);
}

export const isFilled = ({ bytes }: Line): boolean => bytes === undefined || !/^\s*$/.test(bytes.toString('latin1'));

function recordOfLine({ number, bytes, start, next }: Line): FileRecord {
  const place = { line: number, next, bytes: bytes?.length ?? 0 };
  if (bytes === undefined) return { ...place, reading: start.toString('utf8'), refusal: localRefusal('too-long') };
  return { ...place, ...parsed(bytes) };
}

/** The record some bytes of JSON are. */
export function parsed(bytes: Buffer): { reading: unknown; refusal?: LocalRefusal } {
  if (!isUtf8(bytes)) return { reading: bytes.toString('utf8'), refusal: localRefusal('not-utf-8') };
  const text = bytes.toString('utf8');
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return { reading: text, refusal: localRefusal('not-json') };
  }
}
