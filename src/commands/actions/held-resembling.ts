import type { HeldName } from '../../source/held-names.ts';
import { nameInWords } from '../../source/near-series.ts';
import { printLine } from '../../terminal/output.ts';
import { wrapped } from '../../terminal/words.ts';

const MOST_SHOWN = 10;

/** Prints a line for each of the first ten. */
export function printResembling(held: readonly HeldName[]): void {
  if (held.length > 0) printLine();
  for (const name of held.slice(0, MOST_SHOWN)) {
    printLine(wrapped(`${nameInWords(name)} is held back and resembles ${name.near.map(nameInWords).join(' and ')}`));
  }
  if (held.length > MOST_SHOWN) printLine(`and ${held.length - MOST_SHOWN} more: databridge project names`);
}
