/** Rows of numbers as columns, and where they stand in their document: from the first bracket to behind the last one. */
export interface NumberRows {
  /** One for each value of a row. A null is NaN, which JSON does not know. */
  readonly columns: readonly (readonly number[])[];
  readonly from: number;
  readonly to: number;
}

const MARK = Buffer.from('"values":[[');

const NULL = Buffer.from('null');
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const OPEN = 91;
const CLOSE = 93;

/** The powers of ten that a double holds exactly. An exact integer divided by one of them is the nearest double (Clinger 1990). */
const POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

const UNUSUAL = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The first rows of a document where they hold nothing but numbers and nulls; undefined where they hold anything else, are written
 * with blanks, or have an integer that a double does not hold. `JSON.parse` makes an array of each row, and takes four times as long.
 */
export function numberRows(line: Buffer): NumberRows | undefined {
  const mark = line.indexOf(MARK);
  if (mark === -1) return undefined;
  const from = mark + MARK.length - 2;
  const columns: number[][] = [];
  const cell = { value: 0, end: from + 1 };
  for (let row = 0; ; row += 1) {
    if (line[cell.end] !== OPEN) return undefined;
    for (let column = 0; ; column += 1) {
      if (!readCell(line, cell.end + 1, cell)) return undefined;
      if (row === 0) columns.push([]);
      const values = columns[column];
      if (values === undefined) return undefined;
      values.push(cell.value);
      if (line[cell.end] === COMMA) continue;
      if (column + 1 < columns.length) return undefined;
      break;
    }
    // Behind the bracket that closes the row.
    cell.end += 1;
    if (line[cell.end] === CLOSE) return { columns, from, to: cell.end + 1 };
    if (line[cell.end] !== COMMA) return undefined;
    cell.end += 1;
  }
}

/** Reads the number or null at `begin` into `cell`, whose `end` is then the comma or bracket behind it. @returns whether there is one */
function readCell(line: Buffer, begin: number, cell: { value: number; end: number }): boolean {
  const first = line[begin] === MINUS ? begin + 1 : begin;
  let end = first;
  let digits = 0;
  let byte = line[end] as number;
  for (; byte >= ZERO && byte <= NINE; byte = line[(end += 1)] as number) digits = digits * 10 + (byte - ZERO);
  if (end === first) return readNull(line, begin, cell);
  // JSON knows no leading zero.
  if (end > first + 1 && line[first] === ZERO) return false;
  let decimals = 0;
  if (byte === POINT) {
    const point = end;
    byte = line[(end += 1)] as number;
    for (; byte >= ZERO && byte <= NINE; byte = line[(end += 1)] as number) digits = digits * 10 + (byte - ZERO);
    decimals = end - point - 1;
    if (decimals === 0) return false;
  }
  let value: number;
  if ((byte === COMMA || byte === CLOSE) && digits <= Number.MAX_SAFE_INTEGER && decimals < POWERS.length) {
    value = decimals === 0 ? digits : digits / (POWERS[decimals] as number);
  } else {
    if ((byte === COMMA || byte === CLOSE) && decimals === 0) return false;
    while (end < line.length && byte !== COMMA && byte !== CLOSE) byte = line[(end += 1)] as number;
    const text = line.toString('latin1', first, end);
    if (!UNUSUAL.test(text)) return false;
    value = Number(text);
  }
  cell.value = first === begin ? value : -value;
  cell.end = end;
  return byte === COMMA || byte === CLOSE;
}

function readNull(line: Buffer, begin: number, cell: { value: number; end: number }): boolean {
  for (let index = 0; index < NULL.length; index += 1) if (line[begin + index] !== NULL[index]) return false;
  cell.value = Number.NaN;
  cell.end = begin + NULL.length;
  return line[cell.end] === COMMA || line[cell.end] === CLOSE;
}
