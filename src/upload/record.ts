/** A place in a file: the first byte not read yet, and the line it stands in, from 1. */
export interface FilePosition {
  readonly offset: number;
  readonly line: number;
}

export const BEGINNING: FilePosition = { offset: 0, line: 1 };

/** One reading of a file, or what stands in its place. */
export interface FileRecord {
  /** Line it begins in. */
  readonly line: number;
  /** Where the next one may begin. */
  readonly next: FilePosition;
  readonly bytes: number;
  /** What is sent; text where it is refused without being sent. */
  readonly reading: unknown;
  readonly refusal?: LocalRefusal;
}

export interface LocalRefusal {
  readonly reason: LocalReason;
  readonly message: string;
}

/** Why a record cannot even be sent. What can be is judged by the service, by src/core/reading.ts. */
const LOCAL_REFUSALS = {
  'not-json': 'It is not JSON.',
  'not-an-object': 'It is not a JSON object with sensorId, date and value.',
  'not-utf-8': 'It is not UTF-8.',
  'too-long': 'It is longer than any reading may be, and was skipped.',
  'too-deep': 'It holds arrays or objects in one another, deeper than any reading does.',
  'wrong-cells': 'It has not as many cells as the heading has columns.',
  'bad-quotes':
    'A quote stands inside a cell, or one is not closed. A cell is quoted as a whole, quotes in it doubled.',
  'too-large': 'The service takes no body of this size, not even with this one alone.',
} as const;

export type LocalReason = keyof typeof LOCAL_REFUSALS;

export const localRefusal = (reason: LocalReason): LocalRefusal => ({ reason, message: LOCAL_REFUSALS[reason] });

/** Longer records are no readings; this bounds memory, whatever the file holds. */
export const LONGEST_RECORD_BYTES = 1_048_576;

/** A reading has labels in it and nothing deeper. */
const DEEPEST = 4;

/** A JSON value as it is sent, or why it is not: some servers and parsers give up on what is nested deep. */
export function recordOf(value: unknown): { reading: unknown; refusal?: LocalRefusal } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { reading: typeof value === 'string' ? value : shortened(value), refusal: localRefusal('not-an-object') };
  }
  if (isDeeper(value, DEEPEST)) return { reading: Object.keys(value).join(' '), refusal: localRefusal('too-deep') };
  return { reading: asWritten(value as Record<string, unknown>) };
}

const shortened = (value: unknown): unknown => (isDeeper(value, DEEPEST) ? '[…]' : value);

function isDeeper(value: unknown, deepest: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (deepest === 0) return true;
  for (const each of Object.values(value)) if (isDeeper(each, deepest - 1)) return true;
  return false;
}

/** A number too large for a double has become infinite, which JSON would turn into null: that is another refusal. */
function asWritten(reading: Record<string, unknown>): unknown {
  const isInfinite = reading['value'] === Infinity || reading['value'] === -Infinity;
  return isInfinite ? { ...reading, value: hugeNumber(reading['value'] === Infinity ? '1e999' : '-1e999') } : reading;
}

/** The text of a JSON number, written as it is. */
export const hugeNumber = (text: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
