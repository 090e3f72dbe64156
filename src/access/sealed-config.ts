import type { Sealing } from './sealing.ts';
import { formatPath, isMapping, parsePath } from '../core/source/path.ts';
import type { Path } from '../core/source/path.ts';
import { parseReference } from '../core/source/reference.ts';

/** A sealed secret inside a stored configuration; a mapping, so that no text of an operator can be taken for one. */
interface Sealed {
  readonly $sealed: string;
}

/** Whether a value stands for a secret. */
export const isSealed = (value: unknown): value is Sealed => isMapping(value) && typeof value['$sealed'] === 'string';

/** The configuration as it is stored: secrets sealed, references to the environment left as they are (law 8). */
export async function seal(raw: unknown, secrets: readonly string[], sealing: Sealing): Promise<unknown> {
  let stored: unknown = structuredClone(raw);
  for (const secret of secrets) {
    const path = parsePath(secret);
    if (path) stored = await replaceAt(stored, path, sealing);
  }
  return stored;
}

async function replaceAt(value: unknown, path: readonly (string | number)[], sealing: Sealing): Promise<unknown> {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (typeof value === 'string' && parseReference(value) !== undefined) return value;
    return { $sealed: await sealing.seal(JSON.stringify(value)) };
  }
  const holder = value as Record<string | number, unknown>;
  holder[key] = await replaceAt(holder[key], rest, sealing);
  return holder;
}

/** The reverse: what the operator wrote. */
export async function unseal(stored: unknown, sealing: Sealing): Promise<unknown> {
  if (isSealed(stored)) return JSON.parse(await sealing.open(stored.$sealed)) as unknown;
  if (Array.isArray(stored)) return Promise.all(stored.map((item) => unseal(item, sealing)));
  if (!isMapping(stored)) return stored;
  const entries = Object.entries(stored).map(async ([key, item]) => [key, await unseal(item, sealing)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Paths of what is sealed in a stored configuration: its secrets, as the schemas of its day had it. */
export function sealedPaths(stored: unknown, path: Path = []): string[] {
  if (isSealed(stored)) return [formatPath(path)];
  if (Array.isArray(stored)) return stored.flatMap((item, index) => sealedPaths(item, [...path, index]));
  if (!isMapping(stored)) return [];
  return Object.entries(stored).flatMap(([key, item]) => sealedPaths(item, [...path, key]));
}
