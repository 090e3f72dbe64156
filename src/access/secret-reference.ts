import { configInvalid } from '../core/errors.ts';
import { formatPath, isMapping } from '../core/source/path.ts';
import type { Path } from '../core/source/path.ts';
import { parseReference } from '../core/source/reference.ts';

/** The places references lead to. `secret-places.ts` decides which variables and files sources may reach. */
export interface SecretPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
}

/**
 * Replaces every text that is exactly `${env:X}` or `${file:/path}`, at any depth, by the secret it refers to; a line
 * break at the end of a file is not part of the secret. The result must not be stored or shown. Throws `config-invalid`
 * with the path in the source and a remedy where there is no such secret; the error never holds a secret.
 */
export const resolveSecrets = async <T>(value: T, places: SecretPlaces): Promise<T> =>
  (await resolve(value, places, [])) as T;

async function resolve(value: unknown, places: SecretPlaces, path: Path): Promise<unknown> {
  if (typeof value === 'string') {
    const reference = parseReference(value);
    if (reference === undefined) return value;
    const found = await (reference.from === 'env' ? fromEnv : fromFile)(reference.name, places, formatPath(path));
    return found;
  }
  if (Array.isArray(value)) return Promise.all(value.map((item, index) => resolve(item, places, [...path, index])));
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(async ([key, item]) => [key, await resolve(item, places, [...path, key])]);
  return Object.fromEntries(await Promise.all(entries)) as unknown;
}

async function fromEnv(name: string, { env }: SecretPlaces, path: string): Promise<string> {
  const found = Object.hasOwn(env, name) ? env[name] : undefined;
  if (found !== undefined && found !== '') return found;
  const state = found === undefined ? 'is not set' : 'is empty';
  throw configInvalid(
    `${path}: the environment variable ${name} ${state}`,
    `set ${name} for every process of the bridge, or change the reference`,
    path,
  );
}

async function fromFile(file: string, { readFile }: SecretPlaces, path: string): Promise<string> {
  const text = await readFile(file).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const state =
      code === 'ENOENT' ? 'does not exist' : `cannot be read${typeof code === 'string' ? ` (${code})` : ''}`;
    throw configInvalid(`${path}: the file ${file} ${state}`, `put the secret there on every host of the bridge`, path);
  });
  const found = text.replace(/\r?\n$/, '');
  if (found !== '') return found;
  throw configInvalid(`${path}: the file ${file} is empty`, 'write the secret into it', path);
}
