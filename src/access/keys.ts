import { createHash, createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configInvalid } from '../core/errors.ts';
import { parseReference } from '../core/source/reference.ts';
import type { Settings } from '../settings.ts';

/** A key that seals secrets at rest. */
export interface Key {
  /** Names the key in every value that it sealed: 16 hex digits of its JWK thumbprint (RFC 7638). It tells nothing of the key. */
  readonly kid: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
  /** The variable or the file that holds it, for people. */
  readonly place: string;
}

/** The sealing keys that this process has. */
export interface Keys {
  /** The key of `DATABRIDGE_KEY`, otherwise that of `<home>/sealing.key`. */
  present(): Key;
  /** The present key first, then the previous ones. */
  all(): readonly Key[];
  /** The key with this id. The files are read again where it is not known, because a rotation may have made it since. */
  withKid(kid: string): Promise<Key | undefined>;
  /** The ids of all keys, after the files were read again. A file that cannot be read changes nothing. */
  kids(): Promise<readonly string[]>;
}

/** Where the keys of a process are. */
export type KeyPlace = Pick<Settings, 'home' | 'sealingKey'> & { readonly previousKeys?: readonly string[] };

/** The file that holds the key where `DATABRIDGE_KEY` does not. */
export const keyFileOf = (home: string): string => join(home, 'sealing.key');

/** The file of a key that a rotation has made and that no value is sealed with yet. All processes have to read it first. */
const nextKeyFileOf = (home: string): string => join(home, 'sealing-next.key');

/** The files that hold the next key and previous keys of the home. */
const OTHER_FILE = /^sealing-(?:next|[0-9a-f]{16})\.key$/;

/**
 * The keys of a process. Where `DATABRIDGE_KEY` is not set, the file of the home is made at first use. Previous keys are those of
 * `DATABRIDGE_PREVIOUS_KEYS` and of the files in the home. Throws `config-invalid` where a text or a file holds no key.
 */
export async function openKeys(place: KeyPlace): Promise<Keys> {
  if (place.sealingKey === undefined) await makeKeyFile(keyFileOf(place.home));
  let known = await keysAt(place);
  const find = (kid: string): Key | undefined => known.find((key) => key.kid === kid);
  const readAgain = async (): Promise<void> => {
    known = await keysAt(place);
  };
  return {
    present: () => known[0] as Key,
    all: () => known,
    async kids() {
      await readAgain().catch(() => undefined);
      return known.map(({ kid }) => kid);
    },
    async withKid(kid) {
      if (find(kid) === undefined) await readAgain();
      return find(kid);
    },
  };
}

/** Whether a process would find a key at this place, or make one. */
export async function hasKey(place: KeyPlace): Promise<boolean> {
  return place.sealingKey !== undefined || (await textOf(keyFileOf(place.home))) !== undefined;
}

/** Stores the key of another bridge in a home that has none. */
export async function keepKey(home: string, text: string): Promise<void> {
  await mkdir(home, { recursive: true });
  await writeFile(keyFileOf(home), text, { flag: 'wx', mode: 0o600, flush: true });
}

/** The next key of a home, which is made where there is none. Call `takeNextKey` once all processes have it. */
export async function makeNextKey(home: string): Promise<Key> {
  await makeKeyFile(nextKeyFileOf(home));
  const key = await fileKey(nextKeyFileOf(home));
  if (key === undefined) throw noKeyIn(nextKeyFileOf(home));
  return key;
}

/** Makes the next key of a home the present one, and keeps `former`, the present one, beside it. A kill leaves both readable. */
export async function takeNextKey(home: string, former: Key): Promise<void> {
  await link(keyFileOf(home), join(home, `sealing-${former.kid}.key`)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  await rename(nextKeyFileOf(home), keyFileOf(home));
}

/** Where the present key is, for people. */
export const keyPlaceOf = ({ home, sealingKey }: KeyPlace): string =>
  sealingKey === undefined ? keyFileOf(home) : 'DATABRIDGE_KEY';

/** A key as the operator writes it. */
export const keyText = ({ bytes }: Key): string => Buffer.from(bytes).toString('base64url');

/** A keyed hash of a backup: it tells whether a key is the one that sealed the secrets. */
export const checkOf = (key: Key): string => digestWith(digestKeyOf(key), 'databridge backup');

/** The key of the digests of a database whose first key is `key`: a key of its own, because no key serves two purposes. */
export const digestKeyOf = ({ bytes }: Key): Uint8Array => createHmac('sha256', bytes).update('digest').digest();

/** A keyed hash, 22 characters. */
export const digestWith = (digestKey: Uint8Array, text: string): string =>
  createHmac('sha256', digestKey).update(text).digest().subarray(0, 16).toString('base64url');

/** 32 bytes in base64url. */
const KEY = /^[A-Za-z0-9_-]{43}$/;

async function keysAt(place: KeyPlace): Promise<readonly Key[]> {
  const { home, sealingKey, previousKeys = [] } = place;
  const given = sealingKey === undefined ? [] : [await givenKey(sealingKey, 'DATABRIDGE_KEY')];
  for (const text of previousKeys) given.push(await givenKey(text, 'DATABRIDGE_PREVIOUS_KEYS'));
  const own = await fileKey(keyFileOf(home));
  const found = own === undefined ? given : sealingKey === undefined ? [own, ...given] : [...given, own];
  for (const name of await otherFiles(home)) {
    const key = await fileKey(join(home, name));
    if (key !== undefined) found.push(key);
  }
  if (found.length === 0) throw noKeyIn(keyFileOf(home));
  return [...new Map(found.map((key) => [key.kid, key])).values()];
}

/** A key of a variable: its text, or a reference to the file that holds it. */
async function givenKey(text: string, variable: string): Promise<Key> {
  const reference = parseReference(text);
  if (reference?.from !== 'file') return keyOf(text, variable);
  const read = await textOf(reference.name);
  if (read !== undefined && KEY.test(toBase64Url(read))) return keyOf(read, reference.name);
  throw configInvalid(
    `${variable}: ${reference.name} ${read === undefined ? 'does not exist' : 'does not hold a key of 32 bytes in base64'}`,
    'name a file that holds the key and that this process may read',
    variable,
  );
}

async function otherFiles(home: string): Promise<readonly string[]> {
  try {
    return (await readdir(home)).filter((name) => OTHER_FILE.test(name)).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The key of a file; undefined where there is no such file. */
async function fileKey(path: string): Promise<Key | undefined> {
  // Another process may have created the file and not written the key yet.
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const text = await textOf(path);
    if (text === undefined) return undefined;
    if (KEY.test(text)) return keyOf(text, path);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw noKeyIn(path);
}

const noKeyIn = (path: string): Error =>
  configInvalid(
    `${path} does not hold a key of 32 bytes`,
    'restore the file from your backup; without it stored secrets cannot be read',
  );

async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

function keyOf(text: string, place: string): Key {
  const k = toBase64Url(text);
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ k, kty: 'oct' }))
    .digest('hex');
  return { kid: thumbprint.slice(0, 16), bytes: Uint8Array.from(Buffer.from(k, 'base64url')), place };
}

const toBase64Url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=$/, '');

async function makeKeyFile(path: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  try {
    // `wx` fails where the file exists: of two processes that start together one makes the key and the other reads it.
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(randomBytes(32).toString('base64url'));
    await file.sync();
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
