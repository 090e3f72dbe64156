import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { configInvalid } from '../../core/errors.ts';
import { travelsInClear } from '../options.ts';

const loginsSchema = z.object({ logins: z.record(z.string(), z.object({ token: z.string() })) });

/** The personal tokens of bridges by their origin. */
type Logins = z.infer<typeof loginsSchema>['logins'];

/** The file that keeps them. */
export const loginsFile = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'databridge', 'logins.json');

/** The origin of a bridge. Throws `config-invalid` for what is no address, and where a token would travel in clear. */
export function originOfBridge(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw configInvalid(`${JSON.stringify(url)} is not an address`, 'give one like https://bridge.example', '--url');
  if (travelsInClear(url))
    throw configInvalid(
      '--url begins with http://, so the token would travel in clear',
      'give an https:// address',
      '--url',
    );
  return new URL(url).origin;
}

/** The token of a bridge; undefined where none is kept. Throws `config-invalid` for a file that cannot be read. */
export async function keptToken(origin: string): Promise<string | undefined> {
  return (await readLogins())[origin]?.token;
}

/** Keeps the token of a bridge, or forgets it. The file is never readable for another account, also while it is written. */
export async function keepToken(origin: string, token: string | undefined): Promise<void> {
  const { [origin]: _, ...others } = await readLogins();
  const logins: Logins = token === undefined ? others : { ...others, [origin]: { token } };
  const file = loginsFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify({ logins }, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(next, file);
}

async function readLogins(): Promise<Logins> {
  const file = loginsFile();
  try {
    return loginsSchema.parse(JSON.parse(await readFile(file, 'utf8'))).logins;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw configInvalid(`${file} cannot be read`, 'remove it, and log in again');
  }
}
