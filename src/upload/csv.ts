import { isUtf8 } from 'node:buffer';
import { configInvalid } from '../core/errors.ts';
import { linesOf } from './lines.ts';
import type { Line } from './lines.ts';
import { isFilled } from './ndjson.ts';
import { hugeNumber, localRefusal } from './record.ts';
import type { FileRecord, LocalReason, FilePosition } from './record.ts';
import { READING_FIELDS, labelsIn } from '../terminal/reading-rows.ts';

/** No cell has more lines than this: a quote that is never closed costs its own line, not the rest of the file. */
const MOST_LINES = 100;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The heading of a file that is read from a place behind it, and who wants to know it otherwise. */
export interface Heading {
  readonly known?: readonly string[] | undefined;
  readonly onFound: (columns: readonly string[]) => void;
}

/**
 * CSV as in RFC 4180, with a heading. An empty cell is a field left out, labels are joined by `;`, and a value or
 * precision that is not written as a JSON number stays text, for the service to refuse.
 * Throws `config-invalid` for a heading that cannot be right.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  from: FilePosition,
  heading: Heading,
): AsyncGenerator<readonly FileRecord[]> {
  let columns = heading.known;
  const recordsIn = (lines: readonly Line[], isLast: boolean): { records: FileRecord[]; rest: readonly Line[] } => {
    const records: FileRecord[] = [];
    for (let at = 0; ;) {
      while (at < lines.length && !isFilled(lines[at] as Line)) at += 1;
      const found = nextIn(lines, at, isLast);
      if (found === undefined) return { records, rest: lines.slice(at) };
      const first = lines[at] as Line;
      at += found.lines;
      const last = lines[at - 1] as Line;
      if (columns === undefined) {
        columns = columnsOf(found.cells ?? [first.start.toString('utf8')]);
        heading.onFound(columns);
      } else {
        records.push({
          line: first.number,
          next: last.next,
          bytes: textOf(first).length,
          ...readingOf(found, columns, first),
        });
      }
    }
  };
  let rest: readonly Line[] = [];
  for await (const lines of linesOf(chunks, from)) {
    const cut = recordsIn(rest.length === 0 ? lines : [...rest, ...lines], false);
    rest = cut.rest;
    yield cut.records;
  }
  yield recordsIn(rest, true).records;
  if (columns === undefined) columnsOf([]);
}

/** What stands next: so many lines that are a record, or one line that is none. */
interface Found {
  readonly lines: number;
  readonly cells?: readonly string[];
  readonly reason?: LocalReason;
}

/** Undefined where more lines are needed to tell. */
function nextIn(lines: readonly Line[], at: number, isLast: boolean): Found | undefined {
  let text = '';
  for (let used = 1; used <= MOST_LINES; used += 1) {
    const line = lines[at + used - 1];
    if (line === undefined) return isLast && used > 1 ? { lines: 1, reason: 'bad-quotes' } : undefined;
    const { bytes } = line;
    if (bytes === undefined || !isUtf8(bytes)) {
      if (used > 1) break;
      return { lines: 1, reason: bytes === undefined ? 'too-long' : 'not-utf-8' };
    }
    text += used === 1 ? bytes.toString('utf8') : `\n${bytes.toString('utf8')}`;
    const cells = cellsOf(text);
    if (cells === 'bad-quotes') break;
    if (cells !== 'open') return { lines: used, cells };
  }
  return { lines: 1, reason: 'bad-quotes' };
}

const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;
const OPEN_CELL = /"[^"]*(?:""[^"]*)*$/y;

function cellsOf(text: string): readonly string[] | 'open' | 'bad-quotes' {
  if (!text.includes('"')) return text.split(',');
  const cells: string[] = [];
  for (let at = 0; ;) {
    CELL.lastIndex = at;
    const [all, quoted, plain, end] = CELL.exec(text) ?? [];
    if (all === undefined) {
      OPEN_CELL.lastIndex = at;
      return OPEN_CELL.test(text) ? 'open' : 'bad-quotes';
    }
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '') return cells;
    at += all.length;
  }
}

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

const textOf = ({ bytes, start }: Line): string => (bytes ?? start).toString('utf8');

function readingOf(
  { cells, reason }: Found,
  columns: readonly string[],
  line: Line,
): Pick<FileRecord, 'reading' | 'refusal'> {
  if (cells === undefined) return { reading: textOf(line), refusal: localRefusal(reason ?? 'bad-quotes') };
  if (cells.length !== columns.length) return { reading: textOf(line), refusal: localRefusal('wrong-cells') };
  const reading: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] as string;
    if (cell === '') continue;
    if (column === 'labels') reading[column] = labelsIn(cell);
    else reading[column] = column === 'value' || column === 'precision' ? numberOf(cell) : cell;
  }
  return { reading };
}

/** Only what is a JSON number becomes one; nothing else is coerced. */
function numberOf(cell: string): unknown {
  if (!NUMBER.test(cell)) return cell;
  const number = Number(cell);
  return Number.isFinite(number) ? number : hugeNumber(cell);
}
