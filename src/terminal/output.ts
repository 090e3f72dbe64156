import { userInfo } from 'node:os';
import { BridgeError } from '../core/errors.ts';

/** Exit codes: 0 done, 1 failed, 2 wrong usage or invalid configuration. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export type Cell = string | number | boolean | null | undefined;

export const printLine = (text = ''): void => {
  process.stdout.write(`${text}\n`);
};

/** Prints one JSON document on stdout, as a command with `--json` does instead of words. */
export const printJson = (value: unknown): void => {
  printLine(JSON.stringify(value, undefined, 2));
};

/** Rows under a heading. A column is as wide as its widest cell, and numbers stand to the right. */
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

/** Prints an error on stderr: the message and the remedy; with `json` the same as one document. */
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

/** The exit code of an error: 2 where the operator has to change an option, a file or a credential, otherwise 1. */
export const exitCodeOf = (error: unknown): number =>
  error instanceof BridgeError && error.code === 'config-invalid' ? EXIT.usage : EXIT.failed;

/** The actor that the audit names: the account of this computer that runs the command. */
export function actor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // An account without a name, as a container with a number for its user has.
    return `cli:uid-${process.getuid?.()}`;
  }
}
