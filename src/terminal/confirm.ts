import { createInterface } from 'node:readline/promises';
import { configInvalid } from '../core/errors.ts';

/**
 * Asks the operator at the terminal whether to go on; anything but yes is no. Throws `config-invalid` where there is no terminal to
 * ask at, because a script has to say `--yes`.
 */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw configInvalid(`${question} There is no terminal to ask at`, 'add --yes, where that is meant', '--yes');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } finally {
    asking.close();
  }
}
