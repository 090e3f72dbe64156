import type { ReasonSum } from '../../core/kept-refusals.ts';
import type { Database } from '../../database/database.ts';
import { resembling } from '../../source/held-names.ts';
import type { HeldName } from '../../source/held-names.ts';
import { nameInWords } from '../../source/near-series.ts';
import { printLine } from '../../terminal/output.ts';
import { wrapped } from '../../terminal/words.ts';

const MOST_SHOWN = 10;

/** The held names of a source or application that resemble series of its project; none where none of its refusals is of that reason. */
export const resemblingIn = async (
  database: Database,
  { reasons }: { readonly reasons: readonly ReasonSum[] },
  by: Parameters<typeof resembling>[1],
): Promise<HeldName[]> =>
  reasons.some(({ reason }) => reason === 'name-held-back') ? await resembling(database, by) : [];

/** Prints a line for each of the first ten. */
export function printResembling(held: readonly HeldName[]): void {
  if (held.length > 0) printLine();
  for (const name of held.slice(0, MOST_SHOWN)) {
    printLine(wrapped(`${nameInWords(name)} is held back and resembles ${name.near.map(nameInWords).join(' and ')}`));
  }
  if (held.length > MOST_SHOWN) printLine(`and ${held.length - MOST_SHOWN} more: databridge project names`);
}

/** The same as a field of a document; no field where there are none. */
export const heldDocument = (held: readonly HeldName[]) =>
  held.length === 0 ? {} : { resembling: held.map(({ sensorId, valueName, near }) => ({ sensorId, valueName, near })) };
