import { text } from 'node:stream/consumers';
import { configInvalid } from '../../core/errors.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { askAt } from '../../terminal/questions.ts';
import { bridgeWith } from './bridge-elsewhere.ts';
import { keepToken, loginsFile, originOfBridge } from './logins.ts';

interface LoginOptions {
  readonly url: string;
  readonly json?: boolean;
}

/** `login`: keeps a token that the bridge accepts. */
export async function loginElsewhere({ url, json }: LoginOptions): Promise<void> {
  const origin = originOfBridge(url);
  const token = (await typedToken()).trim();
  if (!/^[\x21-\x7e]{1,200}$/.test(token))
    throw configInvalid('no token is given', 'databridge operator token create NAME --name laptop makes one');
  const { name, role } = await bridgeWith(origin, token).send('GET', '/me');
  await keepToken(origin, token);
  if (json) printJson({ url: origin, operator: name, role });
  else printLine(`${origin} takes you for ${String(name)}, ${String(role)}; the token is kept in ${loginsFile()}`);
}

/** `logout`. */
export async function logoutElsewhere({ url, json }: LoginOptions): Promise<void> {
  const origin = originOfBridge(url);
  await keepToken(origin, undefined);
  if (json) printJson({ url: origin, loggedIn: false });
  else printLine(`the token for ${origin} is forgotten here`);
}

async function typedToken(): Promise<string> {
  if (!process.stdin.isTTY) return await text(process.stdin);
  const questions = askAt(process.stdin, process.stderr);
  try {
    return await questions.hidden('Personal token');
  } finally {
    questions.close();
  }
}
