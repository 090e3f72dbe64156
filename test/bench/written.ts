import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sourceFiles } from '../architecture/source-files.ts';
import type { Measure } from './bench.ts';
import { sideBySide } from './table.ts';

/** The page with the table of small polls, which `--write` replaces. */
export const SPEED_PAGE = 'docs/speed.md';

/** What renews that table. */
export const RENEW = 'npm run bench -- --only schedule --load 1000 --write';

const [BEGIN, END] = ['<!-- Written by the bench: begin. -->', '<!-- Written by the bench: end. -->'];

/** The code whose speed the table tells: the poll path, and the bench that measures it. */
const MEASURED = ['src/pace', 'src/pull', 'src/queue', 'test/bench'];

/** A fingerprint of that code without comments, white space and tests. */
export function measuredCode(): string {
  const hash = createHash('sha256');
  for (const { path, text } of sourceFiles(...MEASURED).toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    const code = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^(?:\/\/|\/\*|\*)/.test(line));
    hash.update([path, ...code].join('\n'));
  }
  return hash.digest('hex').slice(0, 12);
}

/** The table as Markdown, with the fingerprint of the code that was measured. */
export function pageTable(measures: readonly Measure[], seconds: number): string {
  const { heading, rows } = sideBySide(measures);
  const told = `Code ${measuredCode()}, watched for ${seconds} s on ${new Date().toISOString().slice(0, 10)}:`;
  return [told, '', markdownTable(['what', ...heading.slice(1)], rows)].join('\n');
}

/** Rows as a table of Markdown. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heading), `|${'---|'.repeat(heading.length)}`, ...rows.map(line)].join('\n');
}

/** Replaces the table of the page. */
export async function writeTable(root: string, measures: readonly Measure[], seconds: number): Promise<void> {
  await replaceWritten(root, SPEED_PAGE, pageTable(measures, seconds));
}

/** Replaces the part of a page between the two comments of the bench. Throws where the page lacks them. */
export async function replaceWritten(root: string, name: string, text: string): Promise<void> {
  const file = join(root, name);
  const page = await readFile(file, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`${name} has no place for the table: ${BEGIN}`);
  await writeFile(file, `${before}${BEGIN}\n\n${text}\n\n${END}${after}`);
}
