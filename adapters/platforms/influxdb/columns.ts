import { contractBroken } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Block } from './answer.ts';

/** The points of one field in a block. */
export interface BlockColumn {
  /** Position among the columns of the block; 0 is the time. */
  readonly index: number;
  readonly at: readonly Instant[];
  readonly values: readonly unknown[];
}

/**
 * Turns rows into columns: the hot path. A null is left out, because a row has every field of the measurement and null
 * means that this point does not have the field; InfluxDB cannot store a null. Only in columns for which `mayBeInteger`
 * is true, integers that a double cannot hold become bigint.
 */
export function blockColumns(block: Block, mayBeInteger: (index: number) => boolean): BlockColumn[] {
  const { columns, numbers } = block;
  if (columns[0] !== 'time') throw contractBroken('InfluxDB: the first column is not the time', columns.join(', '));
  if (numbers !== undefined) {
    if (numbers.length !== columns.length) throw notARow(numbers.map((values) => values[0]));
    return numberColumns(numbers);
  }
  const rows = block.rows();
  const at = instantsOf(rows, columns.length);
  let exact: Rows | undefined;
  const found: BlockColumn[] = [];
  for (let index = 1; index < columns.length; index += 1) {
    let column = columnAt(rows, at, index);
    if (mayBeInteger(index) && column.values.some(isBeyondDouble)) {
      exact ??= block.exactRows();
      column = columnAt(exact, at, index);
    }
    if (column.at.length > 0) found.push(column);
  }
  return found;
}

/** The columns of rows of numbers, which are columns already. None holds an integer that a double cannot hold. */
function numberColumns([at = [], ...columns]: NonNullable<Block['numbers']>): BlockColumn[] {
  for (let row = 0; row < at.length; row += 1) {
    if (!Number.isSafeInteger(at[row])) throw notARow([at, ...columns].map((values) => values[row]));
  }
  return columns.flatMap((values, index) => {
    const all = { index: index + 1, at, values };
    const column = values.includes(Number.NaN) ? without(all, Number.isNaN) : all;
    return column.at.length > 0 ? column : [];
  });
}

const isBeyondDouble = (value: unknown): boolean =>
  typeof value === 'number' && (value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER);

type Rows = ReturnType<Block['rows']>;

function instantsOf(rows: Rows, width: number): Instant[] {
  return rows.map((row) => {
    const instant = row[0];
    if (row.length === width && Number.isSafeInteger(instant)) return instant as Instant;
    throw notARow(row);
  });
}

const notARow = (row: readonly unknown[]): BridgeError =>
  contractBroken('InfluxDB: a row that is not a time in µs and one value per column', JSON.stringify(row));

/** A column without nulls, as nearly all are, shares the array of instants. */
function columnAt(rows: Rows, at: readonly Instant[], index: number): BlockColumn {
  const column = { index, at, values: rows.map((row) => row[index]) };
  return column.values.includes(null) ? without(column, (value) => value === null) : column;
}

/** A column without the values for which `drop` is true. */
export function without(column: BlockColumn, drop: (value: unknown) => boolean): BlockColumn {
  const at: Instant[] = [];
  const values: unknown[] = [];
  for (const [row, value] of column.values.entries()) {
    if (drop(value)) continue;
    at.push(column.at[row] as Instant);
    values.push(value);
  }
  return { index: column.index, at, values };
}
