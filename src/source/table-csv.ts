import { CsvError, parse } from 'csv-parse/sync';
import { labelsIn } from '../core/label-cell.ts';
import { suggest } from '../core/source/nearest.ts';
import { TABLE_COLUMNS } from '../core/source/sensor-table.ts';
import type { TableColumn, TableProblem, TableRow } from '../core/source/sensor-table.ts';

/** The rows of a table and the problems of its text. */
export interface TableRows {
  readonly rows: readonly TableRow[];
  readonly problems: readonly TableProblem[];
}

/** A longer row is no row: a quote is open. Characters. */
const LONGEST_ROW = 64 * 1024;

const SEPARATORS = [',', ';', '\t'] as const;

/**
 * Reads a table as CSV with a heading. The separator is that of the heading: comma, semicolon or tab. In a table with
 * semicolons a number may have a decimal comma, as spreadsheets of a country with decimal commas write it.
 */
export function csvRows(text: string): TableRows {
  // A spreadsheet program may name the separator in a line before the heading.
  const named = /^sep=(.)\r?\n/.exec(text);
  const body = named === null ? text : text.slice(named[0].length);
  const delimiter = named?.[1] ?? separatorOf(body.slice(0, /[\r\n]|$/.exec(body)?.index ?? 0));
  const linesBefore = named === null ? 0 : 1;
  const rows: TableRow[] = [];
  const problems: TableProblem[] = [];
  let read: ((line: number, record: readonly string[]) => void) | undefined;
  try {
    parse(body, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: LONGEST_ROW,
      on_record(record: string[], { lines }) {
        const line = lines + linesBefore;
        if (read !== undefined) read(line, record);
        else read = readerOf(line, record, { rows, problems, decimalComma: delimiter === ';' });
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number(/line (\d+)/.exec(error.message)?.[1] ?? 1) + linesBefore;
    const message = error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is not closed' : 'a quote is out of place';
    problems.push({
      line,
      column: '',
      message,
      remedy: 'put a cell that holds a quote in quotes, and write "" for it',
    });
  }
  if (read === undefined && problems.length === 0)
    problems.push({ line: 1, column: '', message: 'the table is empty', remedy: HEADING });
  return { rows, problems };
}

const separatorOf = (heading: string): string =>
  SEPARATORS.toSorted((one, other) => heading.split(other).length - heading.split(one).length)[0] ?? ',';

const HEADING = `begin it with a heading of the columns; there are: ${TABLE_COLUMNS.join(', ')}`;

/** Takes the heading, and returns a function that takes the rows below it. */
function readerOf(
  headingLine: number,
  heading: readonly string[],
  given: { rows: TableRow[]; problems: TableProblem[]; readonly decimalComma: boolean },
): (line: number, record: readonly string[]) => void {
  const { rows, problems } = given;
  const columns = heading.map((name, place): TableColumn | undefined => {
    const column = TABLE_COLUMNS.find((one) => one === name);
    const refuse = (message: string, remedy: string): void => {
      problems.push({ line: headingLine, column: name, message, remedy });
    };
    if (column === undefined && name !== '') refuse('unknown column', suggest(name, TABLE_COLUMNS, 'the columns are'));
    else if (name !== '' && heading.indexOf(name) !== place)
      refuse('stands twice in the heading', 'take one of them out');
    return column;
  });
  if (!columns.includes('tag'))
    problems.push({ line: headingLine, column: 'tag', message: 'there is no such column', remedy: HEADING });
  // The cells of a wrong heading would only repeat the same problem in every row.
  const isReadable = problems.length === 0;
  const numbers = numberReader(given.decimalComma);

  return (line, record) => {
    if (!isReadable || record.every((cell) => cell === '')) return;
    const cells: Partial<Record<TableColumn, unknown>> = {};
    for (const [place, cell] of record.entries()) {
      if (cell === '') continue;
      const column = columns[place];
      try {
        if (column === undefined)
          throw new BadCell(
            `${shown(cell)} stands below no column`,
            'give its column a name, or put the cell in quotes',
          );
        cells[column] = valueOf(column, cell, (text) => numbers(text, line));
      } catch (error) {
        if (!(error instanceof BadCell)) throw error;
        problems.push({ line, column: column ?? '', message: error.message, remedy: error.remedy });
      }
    }
    rows.push({ line, cells });
  };
}

class BadCell extends Error {
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

function valueOf(column: TableColumn, cell: string, numberOf: (text: string) => number): unknown {
  if (column === 'scale' || column === 'offset') return numberOf(cell);
  if (column === 'labels') return labelsIn(cell).map((label) => label.trim());
  if (column !== 'states') return cell;
  const states = new Map<string, number>();
  for (const part of labelsIn(cell)) {
    const [, name, number] = /^\s*(.*\S)\s*=\s*(\S+)\s*$/s.exec(part) ?? [];
    if (name === undefined || number === undefined)
      throw new BadCell(`${shown(part)} is not a state with its number`, 'write states like Off=0;On=1');
    if (states.has(name)) throw new BadCell(`the state ${shown(name)} stands twice`, 'name each state once');
    states.set(name, numberOf(number));
  }
  return Object.fromEntries(states);
}

/** Reads numbers of one table. Where commas and points would both be decimal signs, one of them may separate thousands. */
function numberReader(decimalComma: boolean): (text: string, line: number) => number {
  const first = new Map<string, number>();
  return (text, line) => {
    const match = /^[+-]?\d+([.,]\d+)?(?:e[+-]?\d+)?$/i.exec(text);
    const sign = match?.[1]?.[0];
    const number = Number(decimalComma && sign === ',' ? text.replace(',', '.') : text);
    if (match === null || !Number.isFinite(number)) {
      const remedy = decimalComma ? 'write it like 0,1 or 1e-3' : 'write it like 0.1 or 1e-3, with a decimal point';
      throw new BadCell(`${shown(text)} is not a number`, remedy);
    }
    if (sign === undefined) return number;
    const other = first.get(sign === ',' ? '.' : ',');
    if (other !== undefined) {
      const [here, there] = sign === ',' ? ['comma', 'point'] : ['point', 'comma'];
      const message = `${shown(text)} has a decimal ${here}, and line ${other} a decimal ${there}`;
      throw new BadCell(message, 'write all numbers of the table in the same way, without separators of thousands');
    }
    first.set(sign, first.get(sign) ?? line);
    return number;
  };
}

const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);
