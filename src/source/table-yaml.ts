import { isMapping } from '../core/source/path.ts';
import { suggest } from '../core/source/nearest.ts';
import { TABLE_COLUMNS } from '../core/source/sensor-table.ts';
import type { TableProblem, TableRow } from '../core/source/sensor-table.ts';
import { readDocuments } from './document.ts';
import type { TableRows } from './table-csv.ts';

const FORM = 'write a list of rows: "- { tag: pump-1.flow, sensorId: pump-1, valueName: flow }"';

/** Reads a table as YAML: one list, each entry a mapping of columns. Its values have the types that the list in a source has. */
export function yamlRows(file: string, text: string): TableRows {
  const rows: TableRow[] = [];
  const problems: TableProblem[] = [];
  const documents = readDocuments(file, text, { message: 'the table is empty', remedy: FORM });
  for (const [index, read] of documents.entries()) {
    if (!read.ok) {
      problems.push({ line: read.line, column: '', message: read.message, remedy: read.remedy });
      continue;
    }
    const lineOf = (path: string): number => read.locate(path).line;
    if (index > 0 || !Array.isArray(read.input)) {
      const message = index > 0 ? 'there is a second document' : 'is not a list';
      problems.push({ line: lineOf(''), column: '', message, remedy: FORM });
      continue;
    }
    for (const [place, row] of read.input.entries()) {
      const line = lineOf(`[${place}]`);
      if (!isMapping(row)) {
        problems.push({ line, column: '', message: 'is not a row', remedy: FORM });
        continue;
      }
      for (const key of Object.keys(row)) {
        if (TABLE_COLUMNS.some((column) => column === key)) continue;
        const remedy = suggest(key, TABLE_COLUMNS, 'the columns are');
        problems.push({ line, column: key, message: 'unknown column', remedy });
      }
      rows.push({ line, cells: Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null)) });
    }
  }
  return { rows, problems };
}
