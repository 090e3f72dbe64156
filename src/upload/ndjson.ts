import { isFilled } from './lines.ts';
import type { Line, RecordReader } from './lines.ts';
import { rawJson } from './record.ts';
import type { FileRecord, LocalReason } from './record.ts';

/** NDJSON: one JSON object a line. Empty lines and lines before `fromLine` are left out. */
export const ndjsonReader =
  (fromLine: number): RecordReader =>
  (lines) =>
    lines.filter((line) => line.number >= fromLine && isFilled(line)).map(recordOf);

function recordOf({ number, bytes, next, refusal }: Line): FileRecord {
  const place = { line: number, next, bytes: bytes.length };
  const text = bytes.toString('utf8');
  return refusal === undefined ? { ...place, ...parsed(text) } : { ...place, reading: text, refusal };
}

/** A reading has labels in it and nothing deeper. Some parsers of services fail on values that are nested deep. */
const DEEPEST = 4;

function parsed(text: string): { readonly reading: unknown; readonly refusal?: LocalReason } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reading: text, refusal: 'not-json' };
  }
  const isDeep = isDeeper(value, DEEPEST);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { reading: isDeep ? '[…]' : value, refusal: 'not-an-object' };
  }
  if (isDeep) return { reading: Object.keys(value).join(' '), refusal: 'too-deep' };
  return { reading: asWritten(value as Record<string, unknown>) };
}

function isDeeper(value: unknown, deepest: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (deepest === 0) return true;
  for (const each of Object.values(value)) if (isDeeper(each, deepest - 1)) return true;
  return false;
}

/** JSON.stringify would send null for a number that a double cannot hold, and the service would give another reason. */
function asWritten(reading: Record<string, unknown>): unknown {
  const { value } = reading;
  if (value === Infinity) return { ...reading, value: rawJson('1e999') };
  return value === -Infinity ? { ...reading, value: rawJson('-1e999') } : reading;
}
