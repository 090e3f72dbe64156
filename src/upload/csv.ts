import { CsvError, parse } from 'csv-parse/sync';
import { configInvalid } from '../core/errors.ts';
import { labelsIn } from '../core/label-cell.ts';
import { READING_FIELDS } from '../terminal/reading-rows.ts';
import { LINE_FEED, isFilled } from './lines.ts';
import type { Line, RecordReader } from './lines.ts';
import { LONGEST_RECORD_BYTES, rawJson } from './record.ts';
import type { FileRecord, LocalReason } from './record.ts';

/**
 * CSV as in RFC 4180, with a heading. An empty cell is a field that is left out, `;` joins labels, and a value or
 * precision that is not written as a JSON number stays text, so that the service refuses it. Rows before `fromLine` are
 * left out. The reader throws `config-invalid` for a heading that cannot be right.
 */
export function csvReader(fromLine: number): RecordReader {
  let columns: readonly string[] | undefined;
  /** The lines of a row that is not complete yet. */
  let held: readonly Line[] = [];
  return (page, isLast) => {
    const lines = [...held, ...page].filter(({ number }) => columns === undefined || number >= fromLine);
    const records: FileRecord[] = [];
    let taken = 0;
    for (const row of rowsIn(lines, isLast)) {
      const first = row.lines[0] as Line;
      taken += row.lines.length;
      if (!isFilled(first)) continue;
      if (columns === undefined) columns = columnsOf(row.cells ?? [first.bytes.toString('utf8')]);
      else if (first.number >= fromLine) records.push(recordOf(row, columns));
    }
    held = lines.slice(taken);
    if (isLast && columns === undefined) columnsOf([]);
    return records;
  };
}

/** Cells and the lines they span; or one line without cells, because a quote in it is out of place. */
interface Row {
  readonly lines: readonly Line[];
  readonly cells?: readonly string[];
}

/** A row spans at most this many lines, so that an open quote costs only its own line. */
const MOST_LINES = 100;

const LINE_END = Buffer.from([LINE_FEED]);

class RowTooLong extends Error {}

/**
 * The rows in some lines, without the last row where its end is not there yet. csv-parse stops at the first quote out of
 * place; the row loses the line in which it begins, and parsing goes on in the next line.
 */
function rowsIn(lines: readonly Line[], isLast: boolean): readonly Row[] {
  const text = Buffer.concat(lines.flatMap(({ bytes }) => [bytes, LINE_END]));
  const rows: Row[] = [];
  /** The first line that is in no row yet, and where it begins in the text. */
  let [next, offset] = [0, 0];

  const linesUpTo = (end: number): readonly Line[] => {
    let count = 0;
    for (let at = offset; at < end; count += 1) at += (lines[next + count] as Line).bytes.length + LINE_END.length;
    return lines.slice(next, next + count);
  };
  const add = (row: Row): void => {
    rows.push(row);
    next += row.lines.length;
    for (const { bytes } of row.lines) offset += bytes.length + LINE_END.length;
  };

  while (next < lines.length) {
    const begin = offset;
    try {
      parse(text.subarray(begin), {
        record_delimiter: '\n',
        relax_column_count: true,
        max_record_size: LONGEST_RECORD_BYTES,
        on_record(cells: string[], { bytes }) {
          const row = { lines: linesUpTo(begin + bytes), cells };
          const isRefused = row.lines.some(({ refusal }) => refusal !== undefined);
          if (row.lines.length > (isRefused ? 1 : MOST_LINES)) throw new RowTooLong();
          add(row);
        },
      });
    } catch (error) {
      if (!(error instanceof CsvError || error instanceof RowTooLong)) throw error;
      const isOpen = error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED';
      if (isOpen && !isLast && lines.length - next <= MOST_LINES) break;
      add({ lines: lines.slice(next, next + 1) });
    }
  }
  return rows;
}

/** The columns that a heading names. Throws `config-invalid` where they are not those of a reading. */
function columnsOf(names: readonly string[]): readonly string[] {
  const known: readonly string[] = READING_FIELDS;
  const remedy = `the first line names the columns: ${known.join(',')} in any order, of which sensorId, date and value must be there`;
  if (names.length === 0) throw configInvalid('the file is empty', remedy);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.slice(0, 100));
    throw configInvalid(
      `there is no column ${shown}${/[;\t]/.test(unknown) ? '; cells are separated by commas' : ''}`,
      remedy,
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw configInvalid(`the column ${twice} is there twice`, remedy);
  const missing = ['sensorId', 'date', 'value'].find((name) => !names.includes(name));
  if (missing !== undefined) throw configInvalid(`the column ${missing} is missing`, remedy);
  return names;
}

function recordOf({ lines, cells }: Row, columns: readonly string[]): FileRecord {
  const [first, last] = [lines[0] as Line, lines.at(-1) as Line];
  const place = { line: first.number, next: last.next, bytes: lines.reduce((sum, { bytes }) => sum + bytes.length, 0) };
  const refused = (refusal: LocalReason): FileRecord => ({ ...place, reading: first.bytes.toString('utf8'), refusal });
  if (first.refusal !== undefined) return refused(first.refusal);
  if (cells === undefined) return refused('bad-quotes');
  return cells.length === columns.length ? { ...place, reading: readingOf(cells, columns) } : refused('wrong-cells');
}

function readingOf(cells: readonly string[], columns: readonly string[]): Readonly<Record<string, unknown>> {
  const reading: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] as string;
    if (cell === '') continue;
    if (column === 'labels') reading[column] = labelsIn(cell);
    else reading[column] = column === 'value' || column === 'precision' ? numberOf(cell) : cell;
  }
  return reading;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Only text that is a JSON number becomes a number; nothing else is coerced. */
function numberOf(cell: string): unknown {
  if (!JSON_NUMBER.test(cell)) return cell;
  const number = Number(cell);
  return Number.isFinite(number) ? number : rawJson(cell);
}
