import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, readdir, writeFile } from 'node:fs/promises';
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
}

/** The sealing keys that this process has. */
export interface Keys {
  /** The key of `DATABRIDGE_KEY`, otherwise that of `<home>/sealing.key`. */
  present(): Key;
  /** The present key first, then the previous ones. */
  all(): readonly Key[];
  /** The key with this id. The files are read again where it is not known, because a rotation may have made it since. */
  withKid(kid: string): Promise<Key | undefined>;
  /** Reads the files again. Makes none. */
  readAgain(): Promise<void>;
}

/** Where the keys of a process are. */
export type KeyPlace = Pick<Settings, 'home' | 'sealingKey'> & { readonly previousKeys?: readonly string[] };

/** The file that holds the key where `DATABRIDGE_KEY` does not. */
export const keyFileOf = (home: string): string => join(home, 'sealing.key');

/** The files that hold previous keys of the home. */
const PREVIOUS_FILE = /^sealing-[0-9a-f]{16}\.key$/;

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
    readAgain,
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
  for (const name of await previousFiles(home)) {
    const key = await fileKey(join(home, name));
    if (key !== undefined) found.push(key);
  }
  if (found.length === 0) throw noKeyIn(keyFileOf(home));
  return [...new Map(found.map((key) => [key.kid, key])).values()];
}

/** A key of a variable: its text, or a reference to the file that holds it. */
async function givenKey(text: string, variable: string): Promise<Key> {
  const reference = parseReference(text);
  if (reference?.from !== 'file') return keyOf(text);
  const read = await textOf(reference.name);
  if (read !== undefined && KEY.test(toBase64Url(read))) return keyOf(read);
  throw configInvalid(
    `${variable}: ${reference.name} ${read === undefined ? 'does not exist' : 'does not hold a key of 32 bytes in base64'}`,
    'name a file that holds the key and that this process may read',
    variable,
  );
}

async function previousFiles(home: string): Promise<readonly string[]> {
  try {
    return (await readdir(home)).filter((name) => PREVIOUS_FILE.test(name)).toSorted();
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
    if (KEY.test(text)) return keyOf(text);
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

function keyOf(text: string): Key {
  const k = toBase64Url(text);
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ k, kty: 'oct' }))
    .digest('hex');
  return { kid: thumbprint.slice(0, 16), bytes: Uint8Array.from(Buffer.from(k, 'base64url')) };
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
