import type { ClientBase } from 'pg';
import type { Sealing } from './sealing.ts';
import { formatPath, isMapping, parsePath } from '../core/source/path.ts';
import type { Path } from '../core/source/path.ts';
import { parseReference } from '../core/source/reference.ts';

/** A sealed secret inside a stored configuration. A mapping, so that no text of an operator is mistaken for it. */
interface Sealed {
  readonly $sealed: string;
}

/** Whether a value of a stored configuration is a sealed secret. */
export const isSealed = (value: unknown): value is Sealed => isMapping(value) && typeof value['$sealed'] === 'string';

/**
 * The configuration as it is stored: values at the paths `secrets` are sealed (law 8), references stay as they are. `client` is in
 * the transaction that stores it.
 */
export async function seal(
  raw: unknown,
  secrets: readonly string[],
  { sealing, client }: SealingInside,
): Promise<unknown> {
  let stored: unknown = structuredClone(raw);
  for (const secret of secrets) {
    const path = parsePath(secret);
    if (path) stored = await replaceAt(stored, path, { sealing, client });
  }
  return stored;
}

interface SealingInside {
  readonly sealing: Sealing;
  readonly client: ClientBase;
}

async function replaceAt(value: unknown, path: readonly (string | number)[], inside: SealingInside): Promise<unknown> {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (typeof value === 'string' && parseReference(value) !== undefined) return value;
    return { $sealed: await inside.sealing.seal(JSON.stringify(value), inside.client) };
  }
  const holder = value as Record<string | number, unknown>;
  holder[key] = await replaceAt(holder[key], rest, inside);
  return holder;
}

/** The configuration as the operator wrote it. */
export async function unseal(stored: unknown, sealing: Sealing): Promise<unknown> {
  if (isSealed(stored)) return JSON.parse(await sealing.open(stored.$sealed)) as unknown;
  // A list of thousands of sensors holds no secret, and a promise for each of its fields takes seconds.
  if (sealedPaths(stored).length === 0) return stored;
  if (Array.isArray(stored)) return Promise.all(stored.map((item) => unseal(item, sealing)));
  if (!isMapping(stored)) return stored;
  const entries = Object.entries(stored).map(async ([key, item]) => [key, await unseal(item, sealing)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Paths of the sealed secrets of a stored configuration. Schemas may have changed since it was stored. */
export function sealedPaths(stored: unknown, path: Path = []): string[] {
  if (isSealed(stored)) return [formatPath(path)];
  if (Array.isArray(stored)) return stored.flatMap((item, index) => sealedPaths(item, [...path, index]));
  if (!isMapping(stored)) return [];
  return Object.entries(stored).flatMap(([key, item]) => sealedPaths(item, [...path, key]));
}
