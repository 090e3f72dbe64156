import type { Database } from '../database/database.ts';
import type { Key, Keys } from './keys.ts';
import { SEALED, sealedByHeader, sealedTexts } from './sealed-places.ts';
import { keyAndTextOf, kidOf } from './sealing.ts';

/** A sealing key, and how many values it sealed. */
export interface KeyUse {
  /** Null for values of before the ids that no key of this process opens. */
  readonly kid: string | null;
  /** Where this process has the key; null where it does not have it. */
  readonly place: string | null;
  /** New values are sealed with it. */
  readonly seals: boolean;
  /** The key of `DATABRIDGE_KEY`, otherwise of `sealing.key`. Where it does not seal, a rotation to it is to come. */
  readonly present: boolean;
  /** Sealed values by table; tables without any are left out. */
  readonly values: Readonly<Record<string, number>>;
}

/** The keys of this process and all other keys that sealed something, the sealing key first. Values of before the ids count for the key that opens them. */
export async function keyUse(database: Database, keys: Keys): Promise<readonly KeyUse[]> {
  await keys.kids();
  const used = new Map<string | null, Record<string, number>>(keys.all().map(({ kid }) => [kid, {}]));
  const add = (kid: string | null, table: string, count: number): void => {
    const values = used.get(kid) ?? {};
    values[table] = (values[table] ?? 0) + count;
    used.set(kid, values);
  };
  const row = await database.row<{ kid: string | null }>('select kid from sealing');
  for (const place of SEALED) {
    for (const { count, sample } of await sealedByHeader(database, place)) {
      const kid = kidOf(sample);
      if (kid !== undefined) add(kid, place.table, count);
      else for await (const sealed of sealedTexts(database, [place])) await addUnnamed(sealed, place.table);
    }
  }
  async function addUnnamed(sealed: string, table: string): Promise<void> {
    if (kidOf(sealed) !== undefined) return;
    const opened = await keyAndTextOf(keys, sealed).catch(() => undefined);
    add(opened?.key.kid ?? null, table, 1);
  }
  if (row?.kid && !used.has(row.kid)) used.set(row.kid, {});
  const places = new Map<string | null, Key>(keys.all().map((key) => [key.kid, key]));
  return [...used]
    .map(([kid, values]) => ({
      kid,
      place: places.get(kid)?.place ?? null,
      seals: kid === row?.kid,
      present: kid === keys.present().kid,
      values,
    }))
    .toSorted((one, other) => Number(other.seals) - Number(one.seals));
}

/** How many values a key sealed. */
export const sealedValues = ({ values }: KeyUse): number =>
  Object.values(values).reduce((sum, count) => sum + count, 0);

/**
 * `seals`: new values. `next`: a rotation to it is to come. `opens`: it sealed values that stand. `not needed`: it sealed none that
 * stand. `missing`: this process does not have it.
 */
export const KEY_STATES = ['seals', 'next', 'opens', 'not needed', 'missing'] as const;

/** The state of a key, as operators see it. */
export function keyStateOf(use: KeyUse): (typeof KEY_STATES)[number] {
  if (use.place === null) return 'missing';
  if (use.seals) return 'seals';
  if (use.present) return 'next';
  return sealedValues(use) === 0 ? 'not needed' : 'opens';
}

/** A key and its state as a JSON document, without the key itself. */
export const keyUseDocument = (use: KeyUse) => ({ ...use, state: keyStateOf(use) });

/** How many values a rotation would seal anew now: those of the keys of this process that seal no more. */
export const leftToReseal = (used: readonly KeyUse[]): number =>
  used.filter(({ seals, place }) => !seals && place !== null).reduce((sum, use) => sum + sealedValues(use), 0);

/** The keys of this process that sealed nothing that stands, so that they need not be kept for this database. */
export const keysNotNeeded = async (
  database: Database,
  keys: Keys,
): Promise<readonly Pick<KeyUse, 'kid' | 'place'>[]> =>
  (await keyUse(database, keys))
    .filter((use) => keyStateOf(use) === 'not needed')
    .map(({ kid, place }) => ({ kid, place }));
