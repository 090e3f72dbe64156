import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { configInvalid } from '../core/errors.ts';

const plain = (text: string): string => text.normalize('NFC').toLowerCase();

/**
 * Whether a password stands in a file of one password a line, in capital letters or not. The file may be large: it is read as it
 * streams. Throws `config-invalid` where it cannot be read, so that no password passes unseen.
 */
export async function isListedPassword(password: string, file: string): Promise<boolean> {
  const wanted = plain(password);
  const content = createReadStream(file, { encoding: 'utf8' });
  try {
    for await (const line of createInterface({ input: content, crlfDelay: Infinity })) {
      if (plain(line) === wanted) return true;
    }
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw configInvalid(
      `the list of passwords cannot be read (${code ?? 'no text'})`,
      'let DATABRIDGE_PASSWORD_LIST name a text file that this user may read, one password a line',
      'DATABRIDGE_PASSWORD_LIST',
    );
  } finally {
    content.destroy();
  }
}
