import type { Column, Segment } from '../core/batch.ts';

/** A column whose series and label sets have their numbers in the database. */
export interface NumberedColumn {
  readonly series: number;
  readonly column: Column;
  /** The label set of each segment; null where it has no labels. */
  readonly labelSets: readonly (number | null)[];
}

/** Microseconds from 1970 to 2000, where PostgreSQL's binary timestamps begin, in two halves of 32 bits. */
const POSTGRES_EPOCH = 946_684_800_000_000;
const TWO_32 = 4_294_967_296;
const EPOCH_HIGH = Math.floor(POSTGRES_EPOCH / TWO_32);
const EPOCH_LOW = POSTGRES_EPOCH - EPOCH_HIGH * TWO_32;

const NONE = -1;

/** Subtracts by halves, because the whole difference is no exact number for instants long before 1970. */
function setInstant(view: DataView, offset: number, at: number): void {
  const high = Math.floor(at / TWO_32);
  const low = at - high * TWO_32 - EPOCH_LOW;
  const borrow = low < 0 ? 1 : 0;
  view.setInt32(offset, high - EPOCH_HIGH - borrow);
  view.setUint32(offset + 4, low + borrow * TWO_32);
}

export function countRows(columns: readonly NumberedColumn[]): number {
  let rows = 0;
  for (const { column } of columns) for (const segment of column.segments) rows += segment.at.length;
  return rows;
}

/** Largest row of (series int4, at timestamptz, value float8, precision int2, labels int4) in COPY's binary format. */
const COPY_ROW_BYTES = 2 + 8 + 12 + 12 + 6 + 8;
const COPY_SIGNATURE = Buffer.from('PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');

/** A row of no columns ends the stream. */
const COPY_END = Buffer.from([0xff, 0xff]);

/** About the bytes that a socket takes at a time; few pieces are needed at this size. */
const COPY_PIECE_BYTES = 262_144;

/**
 * Encodes readings as a binary COPY stream in pieces, in the order given. Columns sorted by series come in key order,
 * because PostgreSQL takes key order three times as fast as time order (research: storage).
 */
export function* encodeCopy(columns: readonly NumberedColumn[]): Generator<Buffer> {
  const size = Math.min(COPY_PIECE_BYTES, COPY_SIGNATURE.length + countRows(columns) * COPY_ROW_BYTES);
  let buffer = Buffer.allocUnsafe(size);
  let offset = COPY_SIGNATURE.copy(buffer);
  for (const { series, column, labelSets } of columns) {
    for (const [position, segment] of column.segments.entries()) {
      const labels = labelSets[position] ?? null;
      for (let from = 0; from < segment.at.length;) {
        const room = Math.floor((size - offset) / COPY_ROW_BYTES);
        if (room === 0) {
          yield buffer.subarray(0, offset);
          buffer = Buffer.allocUnsafe(size);
          offset = 0;
          continue;
        }
        const to = Math.min(segment.at.length, from + room);
        offset = putRows(buffer, offset, { series, labels, segment, from, to });
        from = to;
      }
    }
  }
  yield buffer.subarray(0, offset);
  yield COPY_END;
}

/** Writes some rows of a segment. A function of its own, because V8 makes a slower loop of a generator. @returns the offset behind them */
function putRows(
  buffer: Buffer,
  begin: number,
  {
    series,
    labels,
    segment: { at, value, precision },
    from,
    to,
  }: {
    readonly series: number;
    readonly labels: number | null;
    readonly segment: Segment;
    readonly from: number;
    readonly to: number;
  },
): number {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  let offset = begin;
  for (let index = from; index < to; index += 1) {
    view.setInt16(offset, 5);
    view.setInt32(offset + 2, 4);
    view.setInt32(offset + 6, series);
    view.setInt32(offset + 10, 8);
    setInstant(view, offset + 14, at[index] as number);
    view.setInt32(offset + 22, 8);
    view.setFloat64(offset + 26, value[index] as number);
    offset += 34;
    const grade = precision?.[index];
    if (grade === undefined) {
      view.setInt32(offset, NONE);
      offset += 4;
    } else {
      view.setInt32(offset, 2);
      view.setInt16(offset + 4, grade);
      offset += 6;
    }
    if (labels === null) {
      view.setInt32(offset, NONE);
      offset += 4;
    } else {
      view.setInt32(offset, 4);
      view.setInt32(offset + 4, labels);
      offset += 8;
    }
  }
  return offset;
}

const OID = { int2: 21, int4: 23, float8: 701, timestamptz: 1184 } as const;
const WIDTH = { int2: 2, int4: 4, float8: 8, timestamptz: 8 } as const;

/**
 * Readings as binary arrays of PostgreSQL: int4[], timestamptz[], float8[], int2[] and int4[] with an element for each
 * reading. Precision and labels are null where a reading has none.
 */
export type EncodedReadings = Readonly<Record<'series' | 'at' | 'value' | 'precision' | 'labels', Buffer>>;

export function encodeArrays(columns: readonly NumberedColumn[]): EncodedReadings {
  const rows = countRows(columns);
  const series = arrayWriter('int4', rows);
  const instants = arrayWriter('timestamptz', rows);
  const values = arrayWriter('float8', rows);
  const precisions = arrayWriter('int2', rows);
  const labelSetIds = arrayWriter('int4', rows);
  for (const { series: id, column, labelSets } of columns) {
    column.segments.forEach(({ at, value, precision }, position) => {
      const labels = labelSets[position] ?? null;
      for (let index = 0; index < at.length; index += 1) {
        series.put(id);
        instants.put(at[index] as number);
        values.put(value[index] as number);
        precisions.put(precision?.[index] ?? null);
        labelSetIds.put(labels);
      }
    });
  }
  return {
    series: series.done(),
    at: instants.done(),
    value: values.done(),
    precision: precisions.done(),
    labels: labelSetIds.done(),
  };
}

/** The `part` of each reading as a binary int4[]: 1 for the readings of the first of `parts`, and so on. */
export function encodeParts(parts: readonly (readonly NumberedColumn[])[]): Buffer {
  const counts = parts.map(countRows);
  const writer = arrayWriter(
    'int4',
    counts.reduce((sum, count) => sum + count, 0),
  );
  for (const [index, count] of counts.entries()) for (let row = 0; row < count; row += 1) writer.put(index + 1);
  return writer.done();
}

function arrayWriter(type: keyof typeof OID, rows: number): { put(value: number | null): void; done(): Buffer } {
  const width = WIDTH[type];
  const buffer = Buffer.allocUnsafe(20 + rows * (4 + width));
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  let offset = 20;
  let holds = 0;
  return {
    put(value) {
      if (value === null) {
        holds = 1;
        view.setInt32(offset, NONE);
        offset += 4;
        return;
      }
      view.setInt32(offset, width);
      if (type === 'int2') view.setInt16(offset + 4, value);
      else if (type === 'int4') view.setInt32(offset + 4, value);
      else if (type === 'float8') view.setFloat64(offset + 4, value);
      else setInstant(view, offset + 4, value);
      offset += 4 + width;
    },
    done() {
      view.setInt32(0, rows === 0 ? 0 : 1); // dimensions
      view.setInt32(4, holds);
      view.setInt32(8, OID[type]);
      if (rows === 0) return buffer.subarray(0, 12);
      view.setInt32(12, rows);
      view.setInt32(16, 1); // lower bound
      return buffer.subarray(0, offset);
    },
  };
}
