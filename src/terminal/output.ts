import { BridgeError } from '../core/errors.ts';

/** Done, failed, wrong usage or invalid configuration (decisions: running). */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export type Cell = string | number | boolean | null | undefined;

export const printLine = (text = ''): void => {
  process.stdout.write(`${text}\n`);
};

/** One JSON document on stdout: what `--json` prints instead of words. */
export const printJson = (value: unknown): void => {
  printLine(JSON.stringify(value, undefined, 2));
};

/** Rows under a heading, columns as wide as their widest cell; numbers to the right. */
export function table(heading: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const shown = rows.map((row) => row.map((cell) => (cell === null || cell === undefined ? '–' : String(cell))));
  const numeric = heading.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...shown.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(heading), line(widths.map((width) => '─'.repeat(width))), ...shown.map(line)].join('\n');
}

/** What a person is told of an error: what happened, and what they can do. With `json` the same as a document. */
export function printError(error: unknown, json: boolean): void {
  const bridge = error instanceof BridgeError ? error : undefined;
  const message = error instanceof Error ? error.message || error.name : String(error);
  if (json) {
    const document = { error: { code: bridge?.code ?? 'bug', message, remedy: bridge?.remedy ?? null } };
    process.stderr.write(`${JSON.stringify(document)}\n`);
    return;
  }
  process.stderr.write(`error: ${message}\n`);
  if (bridge?.remedy !== undefined) process.stderr.write(`  try: ${bridge.remedy}\n`);
  if (bridge === undefined && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
}

/** The exit code an error asks for: 2 where a person has to write something else, 1 otherwise. */
export const exitCodeOf = (error: unknown): number =>
  error instanceof BridgeError && error.code === 'config-invalid' ? EXIT.usage : EXIT.failed;

/** Who acts, for the audit: the account at the keyboard. */
export const actor = (): string => `cli:${process.env['USER'] ?? process.env['LOGNAME'] ?? 'unknown'}`;
