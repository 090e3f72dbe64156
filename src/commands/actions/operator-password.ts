import { text } from 'node:stream/consumers';
import { setOperatorPassword } from '../../access/operator-passwords.ts';
import { configInvalid } from '../../core/errors.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';
import { askAt } from '../../terminal/questions.ts';

/** `operator password`. */
export async function operatorPassword(
  name: string,
  { temporary = false, json }: { temporary?: boolean; json?: boolean },
): Promise<void> {
  const password = process.stdin.isTTY ? await askedPassword(name) : (await text(process.stdin)).replace(/\r?\n$/, '');
  await withContext(({ database, settings }) =>
    setOperatorPassword(database, name, { password, temporary, list: settings.operator.passwordList }, actor()),
  );
  if (json) printJson({ name, temporary });
  else printLine(`operator ${name} has a password${temporary ? ' until it chooses another one, at most a day' : ''}`);
}

async function askedPassword(name: string): Promise<string> {
  const questions = askAt(process.stdin, process.stderr, { undone: 'the password stays as it was' });
  try {
    const password = await questions.hidden(`password of ${name}`, { exact: true });
    if (password === (await questions.hidden('once more', { exact: true }))) return password;
    throw configInvalid('the two passwords are not the same', 'type it twice', 'password');
  } finally {
    questions.close();
  }
}
