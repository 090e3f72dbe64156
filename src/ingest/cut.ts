import type { Segment } from '../core/batch.ts';
import type { Instant } from '../core/instant.ts';
import { countRows } from './rows.ts';
import type { NumberedColumn } from './rows.ts';

/** Cuts columns into parts of at most `mostReadings` readings, in their order. A column that is longer is cut, too. */
export function* cut(columns: readonly NumberedColumn[], mostReadings: number): Generator<NumberedColumn[]> {
  let part: NumberedColumn[] = [];
  let room = mostReadings;
  for (const column of columns) {
    for (const piece of piecesOf(column, () => room, mostReadings)) {
      part.push(piece);
      room -= countRows([piece]);
      if (room > 0) continue;
      yield part;
      part = [];
      room = mostReadings;
    }
  }
  if (part.length > 0) yield part;
}

/** Cuts a column into pieces. Each is at most as long as the room that is left when the piece is asked for. */
function* piecesOf(numbered: NumberedColumn, room: () => number, mostReadings: number): Generator<NumberedColumn> {
  const { series, column, labelSets } = numbered;
  if (countRows([numbered]) <= Math.min(room(), mostReadings)) {
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

/** The readings whose instants are wanted, in their columns and order. */
export function pick(columns: readonly NumberedColumn[], isWanted: (at: Instant) => boolean): NumberedColumn[] {
  return columns.map((numbered) => ({
    ...numbered,
    column: { ...numbered.column, segments: numbered.column.segments.map((segment) => pickSegment(segment, isWanted)) },
  }));
}

function pickSegment(segment: Segment, isWanted: (at: Instant) => boolean): Segment {
  if (segment.at.every(isWanted)) return segment;
  const wanted = segment.at.map((instant) => isWanted(instant));
  const keep = <T>(items: readonly T[]): T[] => items.filter((_, index) => wanted[index]);
  const precision = segment.precision && keep(segment.precision);
  return { at: keep(segment.at), value: keep(segment.value), precision, labels: segment.labels };
}
