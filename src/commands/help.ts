import { wrapped } from '../terminal/words.ts';

/** The exit codes of a command that does one thing and ends. */
const EXIT_CODES = '0 done, 1 failed, 2 wrong use, 130 Ctrl-C';

/**
 * The text below the options of a command, for `addHelpText('after', …)`: examples (a line that ends in `\` goes on in
 * the next one), notes as paragraphs, and exit codes. Paragraphs are wrapped; examples have to fit into 80 columns.
 */
export function helpBelow(given: {
  readonly examples: readonly string[];
  readonly notes?: readonly string[];
  readonly exitCodes?: string;
}): string {
  const { examples, notes = [], exitCodes = EXIT_CODES } = given;
  const heading = examples.length === 1 ? 'Example:' : 'Examples:';
  const shown = examples.map((example) => `  $ ${example.replaceAll('\n', '\n      ')}`);
  const paragraphs = [...notes, `Exit codes: ${exitCodes}.`].map((paragraph) => wrapped(paragraph));
  return `\n${[[heading, ...shown].join('\n'), ...paragraphs].join('\n\n')}`;
}
