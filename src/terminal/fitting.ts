import { cellText, table } from './output.ts';
import type { Cell } from './output.ts';
import { paintStates } from './states.ts';
import { short } from './words.ts';

/** A column of a table that has to fit a terminal. */
export interface ShownColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Cell;
  /** Where the terminal is narrow, columns go in this order, the lowest first. A column without it stays. */
  readonly drop?: number;
  /** Its text may be cut to this many characters. */
  readonly least?: number;
}

const GAP = 2;

/**
 * A table of at most `width` characters a line: columns that may go are left out, then texts that may be cut are cut. Where
 * that is not enough, the rows fold.
 */
export function fittingTable<Row>(
  columns: readonly ShownColumn<Row>[],
  rows: readonly Row[],
  width: number | undefined,
): string {
  const needs = columns.map(({ title, cell }) =>
    Math.max(title.length, ...rows.map((row) => cellText(cell(row)).length)),
  );
  const least = columns.map((column, index) =>
    Math.min(needs[index] ?? 0, Math.max(column.least ?? Infinity, column.title.length)),
  );
  let kept = columns.map((_, index) => index);
  const total = (widths: readonly number[]): number =>
    kept.reduce((sum, index) => sum + (widths[index] ?? 0), GAP * (kept.length - 1));
  while (width !== undefined && total(least) > width) {
    const droppable = kept.filter((index) => columns[index]?.drop !== undefined);
    const first = droppable.toSorted((a, b) => (columns[a]?.drop ?? 0) - (columns[b]?.drop ?? 0))[0];
    if (first === undefined) break;
    kept = kept.filter((index) => index !== first);
  }
  let excess = width === undefined ? 0 : Math.max(0, total(needs) - width);
  const widths = [...needs];
  // The last column that may be cut holds the longest words, so it gives way first.
  for (const index of kept.toReversed()) {
    const cut = Math.min(excess, (needs[index] ?? 0) - (least[index] ?? 0));
    widths[index] = (needs[index] ?? 0) - cut;
    excess -= cut;
  }
  const cellOf = (row: Row, index: number): Cell => {
    const cell = columns[index]?.cell(row);
    return typeof cell === 'string' ? short(cell, widths[index] ?? 0) : cell;
  };
  const heading = kept.map((index) => columns[index]?.title ?? '');
  return table(
    heading,
    rows.map((row) => kept.map((index) => cellOf(row, index))),
    { width, paint: paintStates(heading, process.stdout) },
  );
}
