import { toValueName } from '../naming.ts';
import { parsePath } from './path.ts';

/**
 * A table of sensors: another way to write the list `sensors` of a source, one variable of a sensor a row. `tag` becomes `id`,
 * `sensorId` its `as`, `valueName` the `as` of its value; the other columns have the names of the list.
 */
export const TABLE_COLUMNS = [
  'tag',
  'variable',
  'group',
  'sensorId',
  'valueName',
  'scale',
  'offset',
  'unit',
  'labels',
  'states',
] as const;
export type TableColumn = (typeof TABLE_COLUMNS)[number];

/** One row: the cells that hold something, by their columns, and the line in which they stand. */
export interface TableRow {
  readonly line: number;
  readonly cells: Readonly<Partial<Record<TableColumn, unknown>>>;
}

/** A problem of a row or of the whole table. `column` is empty where it is not about one. */
export interface TableProblem {
  readonly line: number;
  readonly column: string;
  readonly message: string;
  readonly remedy: string;
}

/** The list of a table, as an operator would write it, before the schema has checked its values. */
export interface TableEntries {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly problems: readonly TableProblem[];
  /** Where a path of the source like `sensors[3].as` stands in the table; undefined for a path that is not in it. */
  readonly locate: (path: string) => Pick<TableProblem, 'line' | 'column'> | undefined;
}

/** The variable of a row that names none: historians give a tag one variable of this name. */
const ONLY_VARIABLE = 'value';

/** Columns that say something about a variable, by their keys in the list. */
const OF_VALUE = {
  valueName: 'as',
  scale: 'scale',
  offset: 'offset',
  unit: 'unit',
  labels: 'labels',
  states: 'states',
} as const satisfies Partial<Record<TableColumn, string>>;
const COLUMN_OF: Readonly<Record<string, TableColumn>> = { id: 'tag', as: 'sensorId', group: 'group' };
const COLUMN_OF_VALUE = Object.fromEntries(Object.entries(OF_VALUE).map(([column, key]) => [key, column]));

interface Entry {
  readonly id: string;
  readonly as: unknown;
  readonly group: unknown;
  readonly values: Map<string, Record<string, unknown>>;
}

/** Puts rows of one tag into one entry, and finds the rows that contradict each other. */
export function entriesOf(rows: readonly TableRow[]): TableEntries {
  const problems: TableProblem[] = [];
  const entries: Entry[] = [];
  const placeOf = new Map<string, number>();
  const linesOf: Map<string | undefined, number>[] = [];
  const sensors = new Map<string, { tag: string; line: number; hasValues: boolean }>();
  const series = new Map<string, number>();

  for (const { line, cells } of rows) {
    const refuse = (column: string, message: string, remedy: string): void => {
      problems.push({ line, column, message, remedy });
    };
    const { tag, sensorId: as, group } = cells;
    if (typeof tag !== 'string' || tag === '') {
      const message = tag === undefined || tag === '' ? 'is empty' : 'is not text';
      refuse('tag', message, 'give the identifier that the platform has for the sensor, or take the row out');
      continue;
    }
    const value = valueOf(cells);
    const variable = value === undefined ? undefined : (textOf(cells.variable) ?? ONLY_VARIABLE);
    const place = placeOf.get(tag) ?? entries.length;
    const lines = linesOf[place] ?? new Map<string | undefined, number>();
    const before = lines.get(variable) ?? (variable === undefined ? firstOf(lines) : lines.get(undefined));
    if (before !== undefined) {
      const which =
        variable === undefined || variable === ONLY_VARIABLE ? '' : ` with the variable ${quoted(variable)}`;
      refuse('tag', `${quoted(tag)}${which} stands in line ${before}, too`, 'take one of the two rows out');
      continue;
    }
    const entry = entries[place] ?? { id: tag, as, group, values: new Map() };
    const differs = entry.as !== as ? 'sensorId' : entry.group !== group ? 'group' : undefined;
    if (differs !== undefined) {
      refuse(differs, `is another one than in line ${firstOf(lines)}`, `give all rows of ${quoted(tag)} the same one`);
      continue;
    }
    if (variable !== undefined && value !== undefined) entry.values.set(variable, value);
    entries[place] = entry;
    placeOf.set(tag, place);
    linesOf[place] = lines.set(variable, line);

    const sensorId = textOf(as) ?? tag;
    const other = sensors.get(sensorId);
    if (other !== undefined && other.tag !== tag && !(other.hasValues && value !== undefined)) {
      const remedy = 'give one of them another sensorId, or each of them a valueName';
      refuse('sensorId', `${quoted(sensorId)} is also the sensorId of line ${other.line}`, remedy);
    }
    sensors.set(sensorId, other ?? { tag, line, hasValues: value !== undefined });
    const valueName = variable === undefined ? undefined : (textOf(cells.valueName) ?? toValueName(variable));
    const name = JSON.stringify([sensorId, valueName]);
    const twin = series.get(name);
    if (valueName !== undefined && twin !== undefined) {
      const shown = `sensorId ${quoted(sensorId)} with valueName ${quoted(valueName)}`;
      refuse('valueName', `${shown} is also the name of line ${twin}`, 'give one of them another name');
    }
    if (valueName !== undefined && twin === undefined) series.set(name, line);
  }
  return { entries: entries.map(written), problems, locate };

  function locate(path: string): ReturnType<TableEntries['locate']> {
    const [block, place, key, variable, valueKey] = parsePath(path) ?? [];
    const lines = typeof place === 'number' ? linesOf[place] : undefined;
    if (block !== 'sensors' || lines === undefined) return undefined;
    if (key !== 'values') return { line: firstOf(lines) ?? 1, column: COLUMN_OF[String(key)] ?? '' };
    const column = valueKey === undefined ? 'variable' : (COLUMN_OF_VALUE[String(valueKey)] ?? '');
    return { line: lines.get(String(variable)) ?? 1, column };
  }
}

/** An entry as an operator writes it in a list. */
const written = ({ id, as, group, values }: Entry): Readonly<Record<string, unknown>> => ({
  id,
  ...(as !== undefined && { as }),
  ...(group !== undefined && { group }),
  ...(values.size > 0 && { values: Object.fromEntries(values) }),
});

/** The part of a row that is about a variable; undefined where it holds nothing of it. */
function valueOf(cells: TableRow['cells']): Record<string, unknown> | undefined {
  const given = Object.entries(OF_VALUE).flatMap(([column, key]) => {
    const cell = cells[column as TableColumn];
    return cell === undefined ? [] : [[key, cell] as const];
  });
  return given.length === 0 && cells.variable === undefined ? undefined : Object.fromEntries(given);
}

const firstOf = (lines: ReadonlyMap<string | undefined, number>): number | undefined => lines.values().next().value;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);
