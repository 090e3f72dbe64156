import { userInfo } from 'node:os';
import { counted } from '../core/counted.ts';
import { BridgeError, configInvalid } from '../core/errors.ts';
import { freshLine, paintOn } from './screen.ts';
import { paintStates } from './states.ts';
import { folded, grouped, widthOf } from './words.ts';

/**
 * Exit codes: 0 done, 1 a fault was found or the work failed, 2 wrong use (an option, a file, a setting or a credential that
 * the operator has to change), 3 a dry run that would change something, 130 interrupted by Ctrl-C. SIGTERM is 143 and a closed terminal 129, as shells have it.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, wouldChange: 3, interrupted: 130 } as const;

const SIGNALLED: Partial<Record<NodeJS.Signals, number>> = { SIGTERM: 143, SIGHUP: 129 };

let interruption: number | undefined;

/** Notes that the operator interrupts this process. @returns its exit code */
export const interruptedBy = (signal: NodeJS.Signals): number => (interruption = SIGNALLED[signal] ?? EXIT.interrupted);

export type Cell = string | number | boolean | null | undefined;

/** Prints text on stdout. On a terminal, lines that are longer than its width are broken between words. */
export const printLine = (text = ''): void => printExactly(folded(text, widthOf(process.stdout)));

/** Prints text that fits already, or that another program may be given: a drawing, YAML, JSON. */
export const printExactly = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Prints one JSON document on stdout, as a command with `--json` does instead of words. */
export const printJson = (value: unknown): void => printExactly(JSON.stringify(value, undefined, 2));

/** Prints a table on stdout. Where a terminal is too narrow for it, each of its rows folds into several lines. */
export const printTable = (heading: readonly string[], rows: readonly (readonly Cell[])[]): void =>
  printExactly(table(heading, rows, { width: widthOf(process.stdout), paint: paintStates(heading, process.stdout) }));

/**
 * Prints a list as a table of at most `limit` rows. A last line says how many there are, and how many are not shown.
 * `noun`: one of them and, where it is irregular, many of them.
 */
export function printList(
  heading: readonly string[],
  rows: readonly (readonly Cell[])[],
  {
    noun,
    limit = Infinity,
  }: { readonly noun: readonly [one: string, many?: string]; readonly limit?: number | undefined },
): void {
  printTable(heading, rows.slice(0, limit));
  const hidden = Math.max(0, rows.length - limit);
  const rest = hidden === 0 ? '' : `, ${grouped(hidden)} of them not shown (--limit)`;
  printLine(`\n${counted(rows.length, ...noun)}${rest}`);
}

const GAP = 2;
const INDENT = '  ';

/** How a table is drawn. */
interface TableForm {
  /** A table that is wider folds; undefined: it is as wide as it needs to be. */
  readonly width?: number | undefined;
  /** Colours the padded text of a cell. */
  readonly paint?: (text: string, row: number, column: number) => string;
}

/**
 * Rows under a heading. A column is as wide as its widest cell, and numbers stand to the right. In a table that folds, each
 * row takes several lines: the first columns that fit side by side, then the next ones below them, indented. No text is cut.
 */
export function table(
  heading: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width, paint = (text) => text }: TableForm = {},
): string {
  const shown = rows.map((row) => row.map(cellText));
  const numeric = heading.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...shown.map((row) => (row[column] ?? '').length)),
  );
  const groups = groupsOf(widths, width);
  const lines = (cells: readonly string[], row?: number): string[] =>
    groups.flatMap((columns, index) => {
      const texts = columns.map((column) => {
        const cell = cells[column] ?? '';
        const padded = numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
        return row === undefined ? padded : paint(padded, row, column);
      });
      const line = texts.join(' '.repeat(GAP)).trimEnd();
      if (index === 0) return [line];
      return line === '' ? [] : [folded(INDENT + line, width)];
    });
  const rule =
    groups.length === 1
      ? lines(widths.map((columns) => '─'.repeat(columns)))
      : ['─'.repeat(Math.min(width ?? 0, Math.max(...groups.map((columns) => widthOfGroup(columns, widths)))))];
  return [...lines(heading), ...rule, ...shown.flatMap((row, index) => lines(row, index))].join('\n');
}

export const cellText = (cell: Cell): string => (cell === null || cell === undefined ? '–' : String(cell));

const widthOfGroup = (columns: readonly number[], widths: readonly number[]): number =>
  columns.reduce((sum, column) => sum + (widths[column] ?? 0), GAP * (columns.length - 1));

/** The columns that stand side by side: all of them in one group where they fit. */
function groupsOf(widths: readonly number[], width: number | undefined): readonly (readonly number[])[] {
  const all = widths.map((_, column) => column);
  if (width === undefined || widthOfGroup(all, widths) <= width) return [all];
  const groups: number[][] = [];
  for (const column of all) {
    const last = groups.at(-1);
    const room = groups.length > 1 ? width - INDENT.length : width;
    if (last !== undefined && widthOfGroup([...last, column], widths) <= room) last.push(column);
    else groups.push([column]);
  }
  return groups;
}

/** Prints an error on stderr: the message and the remedy; with `json` the same as one document. */
export function printError(error: unknown, json: boolean): void {
  const bridge = error instanceof BridgeError ? error : undefined;
  const message = error instanceof Error ? error.message || error.name : String(error);
  if (json) {
    const document = { error: { code: bridge?.code ?? 'bug', message, remedy: bridge?.remedy ?? null } };
    process.stderr.write(`${JSON.stringify(document)}\n`);
    return;
  }
  const remedy = bridge?.remedy === undefined ? '' : `\n  try: ${bridge.remedy}`;
  // Ctrl-C is no error, and the terminal has written ^C into the line.
  const interrupted = bridge?.code === 'cancelled' && interruption !== undefined;
  if (interrupted) freshLine(process.stderr);
  process.stderr.write(
    `${folded(`${interrupted ? '' : `${paintOn(process.stderr)('red', 'error:')} `}${message}${remedy}`, widthOf(process.stderr))}\n`,
  );
  if (bridge === undefined && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
}

/** Prints an error of commander, such as an unknown option, with its suggestion as remedy. */
export function printMisuse(text: string, json: boolean): void {
  const [, message = text, nearest] = /^error: ([^]*?)(?:\n\(Did you mean (.*)\?\))?$/.exec(text) ?? [];
  printError(
    configInvalid(
      message,
      nearest === undefined ? 'add --help to see the commands and options' : `did you mean "${nearest}"`,
    ),
    json,
  );
}

/** The exit code of a command that was interrupted, and says by itself what holds now. */
export const exitCodeOfInterruption = (): number => interruption ?? EXIT.interrupted;

/** The exit code of an error. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof BridgeError)) return EXIT.failed;
  if (error.code === 'cancelled') return interruption ?? EXIT.failed;
  return error.code === 'config-invalid' ? EXIT.usage : EXIT.failed;
}

/** The actor that the audit names: the account of this computer that runs the command. */
export function actor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // An account without a name, as a container with a number for its user has.
    return `cli:uid-${process.getuid?.()}`;
  }
}
