import { createInterface } from 'node:readline/promises';
import { BridgeError, configInvalid } from '../core/errors.ts';
import { interruptedBy } from './output.ts';

/**
 * Asks the operator at the terminal whether to go on; anything but yes is no. Throws `cancelled` after Ctrl-C, and `config-invalid` where
 * there is no terminal to ask at, because a script has to say `--yes`.
 */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw configInvalid(`${question} There is no terminal to ask at`, 'add --yes, where that is meant', '--yes');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new AbortController();
    asking.on('SIGINT', () => ended.abort()).on('close', () => ended.abort());
    const answer = await asking.question(`${question} [y/N] `, { signal: ended.signal }).catch((cause: unknown) => {
      interruptedBy('SIGINT');
      throw new BridgeError({ code: 'cancelled' }, 'interrupted: nothing was changed', { cause });
    });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    asking.close();
  }
}
