import { once } from 'node:events';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { instantAt, valueAt } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { WrongData } from './bench.ts';

/** Ways to copy the rows of the pull bench without a platform, as fast as a connection can. */
export type Way = 'text in time order' | 'binary in key order';

const PIECE_BYTES = 65_536;
const POSTGRES_EPOCH = 946_684_800_000_000n;

/**
 * Copies all rows into a new table like a month of `reading`, and returns the rows a second. The rows are written out
 * before the clock starts: only sending and storing counts, which is all a COPY of a finished file would take.
 */
export async function copyRate(url: string, dataset: Dataset, way: Way): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create table copied (like reading including all)');
    const pieces = way === 'text in time order' ? [...textPieces(dataset)] : [...binaryPieces(dataset)];
    const format = way === 'text in time order' ? 'text' : 'binary';
    const begun = performance.now();
    const stream = client.query(
      copyFrom(`copy copied (series, at, value, precision, labels) from stdin (format ${format})`),
    );
    const finished = once(stream, 'finish');
    for (const piece of pieces) if (!stream.write(piece)) await once(stream, 'drain');
    stream.end();
    await finished;
    const seconds = (performance.now() - begun) / 1_000;
    const { rows } = await client.query<{ count: string }>('select count(*) from copied');
    const wanted = dataset.pointsPerSeries * dataset.series.length;
    if (Number(rows[0]?.count) !== wanted)
      throw new WrongData(`the reference copied ${rows[0]?.count} of ${wanted} rows`);
    return wanted / seconds;
  } finally {
    await client.query('drop table if exists copied');
    await client.end();
  }
}

function* textPieces(dataset: Dataset): Generator<Buffer> {
  let text = '';
  for (let index = 0; index < dataset.pointsPerSeries; index += 1) {
    const at = new Date(instantAt(dataset, index) / 1_000).toISOString();
    for (const series of dataset.series) text += `${series.number + 1}\t${at}\t${valueAt(series, index)}\t\\N\t\\N\n`;
    if (text.length < PIECE_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/** Not the encoder of src/ingest/rows.ts, because the reference must not change with the measured code. */
function* binaryPieces(dataset: Dataset): Generator<Buffer> {
  yield Buffer.from('PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
  const row = Buffer.alloc(42);
  row.writeInt16BE(5, 0);
  row.writeInt32BE(4, 2);
  row.writeInt32BE(8, 10);
  row.writeInt32BE(8, 22);
  row.writeInt32BE(-1, 34);
  row.writeInt32BE(-1, 38);
  const rowsPerPiece = Math.floor(PIECE_BYTES / row.length);
  for (const series of dataset.series) {
    row.writeInt32BE(series.number + 1, 6);
    for (let first = 0; first < dataset.pointsPerSeries; first += rowsPerPiece) {
      const rows = Math.min(rowsPerPiece, dataset.pointsPerSeries - first);
      const piece = Buffer.allocUnsafe(rows * row.length);
      for (let offset = 0; offset < rows; offset += 1) {
        row.writeBigInt64BE(BigInt(instantAt(dataset, first + offset)) - POSTGRES_EPOCH, 14);
        row.writeDoubleBE(valueAt(series, first + offset), 26);
        row.copy(piece, offset * row.length);
      }
      yield piece;
    }
  }
  yield Buffer.from([0xff, 0xff]);
}
