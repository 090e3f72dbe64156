import type { FieldTypes } from './fields.ts';
import type { InfluxOptions } from './options.ts';

/** The last answer about a measurement, by which the next question is cut into parts that do not hurt the server. */
export interface Width {
  readonly fields: FieldTypes;
  /** Most points have few of the fields. */
  readonly isSparse: boolean;
}

/** Ours: a piece of an answer holds at most this many cells, because InfluxDB and the bridge hold a whole piece in memory. */
const CELLS_PER_PIECE = 500_000;

/** Ours: a measurement with more fields is asked for in parts where its points have few of them. */
export const FIELDS_PER_REQUEST = 100;

/** Ours: from this share of cells with a value on, one request for all fields costs less than several. */
const DENSE = 0.25;

/** By the options of an open source, so that it ends with it. */
const widths = new WeakMap<InfluxOptions, Map<string, Width>>();

/** Undefined where this process has not asked for the measurement yet. */
export const knownWidth = (options: InfluxOptions, measurement: string): Width | undefined =>
  widths.get(options)?.get(measurement);

export function rememberWidth(options: InfluxOptions, measurement: string, width: Width): void {
  const known = widths.get(options) ?? new Map<string, Width>();
  widths.set(options, known.set(measurement, width));
}

/** Whether a question for all fields at once would be answered with rows of nulls. */
export const isAskedInParts = ({ fields, isSparse }: Width): boolean => isSparse && fields.size > FIELDS_PER_REQUEST;

/** Rows of a piece that has this many columns. */
export const rowsPerPiece = ({ chunkSize }: InfluxOptions, columns: number): number =>
  Math.max(1, Math.min(chunkSize, Math.floor(CELLS_PER_PIECE / Math.max(1, columns))));

/** Counts how many cells of the answers about one measurement hold a value. */
export class Density {
  #values = 0;
  #mostRows = 0;
  #rows = 0;

  /** Begins the answer to another request. Each answer holds a part of the points, at most all of them. */
  nextAnswer(): void {
    this.#rows = 0;
  }

  add(rows: number, values: number): void {
    this.#rows += rows;
    this.#values += values;
    this.#mostRows = Math.max(this.#mostRows, this.#rows);
  }

  /** An answer without points says nothing: the measurement stays as it was known. */
  isSparse(fields: number, before: boolean): boolean {
    return this.#mostRows === 0 ? before : this.#values < DENSE * this.#mostRows * fields;
  }
}
