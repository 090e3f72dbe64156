import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, resolve, join, isAbsolute } from 'node:path';
import { isMapping } from '../core/source/path.ts';
import { entriesOf } from '../core/source/sensor-table.ts';
import type { TableEntries, TableProblem } from '../core/source/sensor-table.ts';
import { reasonOf } from './file.ts';
import { csvRows } from './table-csv.ts';
import { yamlRows } from './table-yaml.ts';

/** A hundred bytes a row, and a hundred thousand rows and more. Bytes. */
const LONGEST_TABLE = 16 * 1024 * 1024;

/** A table of 20,000 rows with a wrong column has 20,000 problems, and one remedy. */
const MOST_PROBLEMS = 20;

/** A source with the rows of its table in the place of `sensors: { table: … }`. */
export interface WithTable {
  readonly input: unknown;
  /** The path of the table; undefined for a source that names none. */
  readonly file: string | undefined;
  readonly problems: readonly TableProblem[];
  readonly locate: TableEntries['locate'];
}

/** Reads the table that a source names, relative to the file of the source, or to this directory where that is standard input. */
export async function withTable(sourceFile: string, input: unknown): Promise<WithTable> {
  const none = { input, file: undefined, problems: [], locate: () => undefined };
  const sensors = isMapping(input) ? input['sensors'] : undefined;
  const table = isMapping(sensors) && Object.keys(sensors).length === 1 ? sensors['table'] : undefined;
  if (!isMapping(input) || typeof table !== 'string' || table === '') return none;
  const file = isAbsolute(table) ? resolve(table) : join(sourceFile === '-' ? '' : dirname(sourceFile), table);
  const refused = (message: string, remedy: string): WithTable => ({
    ...none,
    file,
    problems: [{ line: 1, column: '', message, remedy }],
  });
  const rowsIn = READERS[extname(file).toLowerCase()];
  if (rowsIn === undefined) return refused('is neither CSV nor YAML', `give a file that ends in ${ENDINGS}`);
  let text: string;
  try {
    if ((await stat(file)).size > LONGEST_TABLE) return refused('is longer than 16 MiB', 'make several sources of it');
    // The decoder takes the byte order mark away.
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    if (error instanceof TypeError) return refused('is not UTF-8 text', 'save it as "CSV UTF-8"');
    return refused(reasonOf(error), 'check the path, which begins at the file of the source, and its permissions');
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const line = text.slice(0, nul).split('\n').length;
    const problem = { line, column: '', message: 'holds a NUL character', remedy: 'save it as "CSV UTF-8"' };
    return { ...none, file, problems: [problem] };
  }
  const { rows, problems } = rowsIn(file, text);
  const list = entriesOf(rows);
  const all = [...problems, ...list.problems].toSorted((one, other) => one.line - other.line);
  if (all.length === 0 && rows.length === 0) return refused('has no row below its heading', 'give one row a sensor');
  return { input: { ...input, sensors: list.entries }, file, problems: firstFew(all), locate: list.locate };
}

const READERS: Readonly<Record<string, (file: string, text: string) => ReturnType<typeof csvRows>>> = {
  '.csv': (_, text) => csvRows(text),
  '.tsv': (_, text) => csvRows(text),
  '.txt': (_, text) => csvRows(text),
  '.yaml': yamlRows,
  '.yml': yamlRows,
};
const ENDINGS = '.csv, .tsv, .txt, .yaml or .yml';

/** The first problems of a table, and how many more there are. */
export function firstFew(problems: readonly TableProblem[]): readonly TableProblem[] {
  const next = problems[MOST_PROBLEMS];
  if (next === undefined) return problems;
  const message = `${problems.length - MOST_PROBLEMS} more problems from here on`;
  return [
    ...problems.slice(0, MOST_PROBLEMS),
    { line: next.line, column: '', message, remedy: 'mend those above first' },
  ];
}
