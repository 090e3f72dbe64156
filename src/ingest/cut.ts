import type { Segment } from '../core/batch.ts';
import { countRows } from './rows.ts';
import type { NumberedColumn } from './rows.ts';

/** Columns in parts of at most `most` readings, in their order: a column that is longer is cut. */
export function* cut(columns: readonly NumberedColumn[], most: number): Generator<NumberedColumn[]> {
  let part: NumberedColumn[] = [];
  let room = most;
  for (const column of columns) {
    for (const piece of piecesOf(column, () => room, most)) {
      part.push(piece);
      room -= countRows([piece]);
      if (room > 0) continue;
      yield part;
      part = [];
      room = most;
    }
  }
  if (part.length > 0) yield part;
}

/** A column as pieces, each at most as long as the room there is when it is asked for. */
function* piecesOf(numbered: NumberedColumn, room: () => number, most: number): Generator<NumberedColumn> {
  const { series, column, labelSets } = numbered;
  if (countRows([numbered]) <= Math.min(room(), most)) {
    if (countRows([numbered]) > 0) yield numbered;
    return;
  }
  for (const [place, segment] of column.segments.entries()) {
    for (let from = 0; from < segment.at.length;) {
      const to = Math.min(segment.at.length, from + room());
      yield {
        series,
        column: { ...column, segments: [slice(segment, from, to)] },
        labelSets: [labelSets[place] ?? null],
      };
      from = to;
    }
  }
}

const slice = ({ at, value, precision, labels }: Segment, from: number, to: number): Segment => ({
  at: at.slice(from, to),
  value: value.slice(from, to),
  precision: precision?.slice(from, to),
  labels,
});
