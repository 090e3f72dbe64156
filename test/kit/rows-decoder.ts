import type { EncodedReadings } from '../../src/ingest/rows.ts';

/** Decodes the bytes of `rows.ts` as PostgreSQL's documentation describes them, without code of `rows.ts`. */

/** A row as PostgreSQL would understand it; `at` in µs since 1970. */
export interface DecodedRow {
  readonly series: number | null;
  readonly at: bigint | null;
  readonly value: number | null;
  readonly precision: number | null;
  readonly labels: number | null;
}

const EPOCH_2000 = BigInt(Date.UTC(2000, 0, 1)) * 1000n;

/** Decodes a stream of COPY … WITH (FORMAT binary), as documented with COPY: signature, flags, extension, tuples, -1. */
export function decodeCopy(bytes: Buffer): DecodedRow[] {
  const signature = Buffer.from([0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0x00]);
  if (!bytes.subarray(0, 11).equals(signature)) throw new Error('signature');
  if (bytes.readInt32BE(11) !== 0 || bytes.readInt32BE(15) !== 0) throw new Error('flags or extension');
  const rows: DecodedRow[] = [];
  let offset = 19;
  const field = (width: number): Buffer | null => {
    const length = bytes.readInt32BE(offset);
    offset += 4;
    if (length === -1) return null;
    if (length !== width) throw new Error(`a field of ${length} bytes instead of ${width}`);
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  for (;;) {
    const fields = bytes.readInt16BE(offset);
    offset += 2;
    if (fields === -1) break;
    if (fields !== 5) throw new Error(`${fields} fields`);
    rows.push({
      series: int4(field(4)),
      at: timestamp(field(8)),
      value: float8(field(8)),
      precision: int2(field(2)),
      labels: int4(field(4)),
    });
  }
  if (offset !== bytes.length) throw new Error('something after the end');
  return rows;
}

/** Decodes five arrays in the format of array_recv: dimensions, "has nulls", element type, length, lower bound, elements. */
export function decodeArrays({ series, at, value, precision, labels }: EncodedReadings): DecodedRow[] {
  const columns = {
    series: elements(series, 23, int4),
    at: elements(at, 1184, timestamp),
    value: elements(value, 701, float8),
    precision: elements(precision, 21, int2),
    labels: elements(labels, 23, int4),
  };
  return columns.series.map((_, index) => ({
    series: columns.series[index] ?? null,
    at: columns.at[index] ?? null,
    value: columns.value[index] ?? null,
    precision: columns.precision[index] ?? null,
    labels: columns.labels[index] ?? null,
  }));
}

function elements<T>(bytes: Buffer, type: number, read: (field: Buffer | null) => T | null): (T | null)[] {
  if (bytes.readInt32BE(8) !== type) throw new Error('element type');
  const dimensions = bytes.readInt32BE(0);
  if (dimensions === 0) {
    if (bytes.length !== 12) throw new Error('an empty array ends after its type');
    return [];
  }
  if (dimensions !== 1 || bytes.readInt32BE(16) !== 1) throw new Error('dimensions or lower bound');
  const found: (T | null)[] = [];
  let offset = 20;
  for (let count = bytes.readInt32BE(12); count > 0; count -= 1) {
    const length = bytes.readInt32BE(offset);
    offset += 4;
    found.push(read(length === -1 ? null : bytes.subarray(offset, offset + length)));
    offset += Math.max(0, length);
  }
  if (offset !== bytes.length) throw new Error('something after the last element');
  if (bytes.readInt32BE(4) !== Number(found.includes(null))) throw new Error('"has nulls" says otherwise');
  return found;
}

const int2 = (field: Buffer | null): number | null => field && field.readInt16BE(0);
const int4 = (field: Buffer | null): number | null => field && field.readInt32BE(0);
const float8 = (field: Buffer | null): number | null => field && field.readDoubleBE(0);
const timestamp = (field: Buffer | null): bigint | null => field && field.readBigInt64BE(0) + EPOCH_2000;
