/** A place in a file: offset in bytes, and the number of the line that begins there, from 1. */
export interface FilePosition {
  readonly offset: number;
  readonly line: number;
}

export const BEGINNING: FilePosition = { offset: 0, line: 1 };

/** One reading of a file, or text that is refused in its place. Every record begins in a line of its own. */
export interface FileRecord {
  /** The line in which the record begins. */
  readonly line: number;
  /** The place behind the record. */
  readonly next: FilePosition;
  /** Length of the record in the file, bytes. */
  readonly bytes: number;
  /** The JSON value that is sent; where the record is refused without being sent, its text or a part of it. */
  readonly reading: unknown;
  readonly refusal?: LocalReason;
}

/** Why a record is refused without being sent. All other records are judged by the service (src/core/reading.ts). */
export const LOCAL_REFUSALS = {
  'not-json': 'It is not JSON.',
  'not-an-object': 'It is not a JSON object with sensorId, date and value.',
  'not-utf-8': 'It is not UTF-8.',
  'too-long': 'It is longer than any reading may be, and was skipped.',
  'too-deep': 'It nests arrays or objects deeper than any reading does.',
  'wrong-cells': 'It has not as many cells as the heading has columns.',
  'bad-quotes':
    'A quote stands inside a cell, or is not closed. A cell is quoted as a whole, and quotes in it are doubled.',
  'too-large': 'The service takes no body of this size, even if this reading is alone in it.',
} as const;

export type LocalReason = keyof typeof LOCAL_REFUSALS;

/** Longer lines are no readings. The limit bounds memory for any file. */
export const LONGEST_RECORD_BYTES = 1_048_576;

/** JSON without the quotes of a text: a number that a double cannot hold is sent as it is written. */
export const rawJson = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
