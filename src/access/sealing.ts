import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BridgeError } from '../core/errors.ts';

/** Encrypts secrets before they are stored in the database (law 8): JWE, A256GCM, with a key that is never stored there. */
export interface Sealing {
  seal(secret: string): Promise<string>;
  /** Throws `config-invalid` where the text was sealed with another key. */
  open(sealed: string): Promise<string>;
  /** A keyed hash, 22 characters: the same for the same text, and telling nothing of it without the key. */
  digest(text: string): string;
}

/** The file that holds the key where `DATABRIDGE_KEY` does not. */
export const keyFileOf = (home: string): string => join(home, 'sealing.key');

/** The key of a home as text; undefined where neither `DATABRIDGE_KEY` nor the file holds one. */
export async function findKey(home: string, keyText: string | undefined): Promise<string | undefined> {
  if (keyText !== undefined) return toBase64Url(keyText);
  try {
    return (await readFile(keyFileOf(home), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Stores the key of another bridge in a home that has none. */
export async function keepKey(home: string, key: string): Promise<void> {
  await mkdir(home, { recursive: true });
  await writeFile(keyFileOf(home), key, { flag: 'wx', mode: 0o600, flush: true });
}

/** The key from `DATABRIDGE_KEY`, otherwise from `<home>/sealing.key`, which is made at first use. */
export async function openSealing(home: string, keyText: string | undefined): Promise<Sealing> {
  const key = keyText === undefined ? await keyFromFile(keyFileOf(home)) : decoded(toBase64Url(keyText));
  // A key of its own, because no key serves two purposes.
  const digestKey = createHmac('sha256', key).update('digest').digest();
  return {
    digest: (text) => createHmac('sha256', digestKey).update(text).digest().subarray(0, 16).toString('base64url'),
    // Most commands neither seal nor open a secret, so the library is loaded by the first that does.
    async seal(secret) {
      const { CompactEncrypt } = await import('jose/jwe/compact/encrypt');
      return await new CompactEncrypt(new TextEncoder().encode(secret))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .encrypt(key);
    },
    async open(sealed) {
      const { compactDecrypt } = await import('jose/jwe/compact/decrypt');
      try {
        return new TextDecoder().decode((await compactDecrypt(sealed, key)).plaintext);
      } catch (cause) {
        throw new BridgeError({ code: 'config-invalid' }, 'a stored secret was sealed with another key', {
          remedy:
            'give this process the DATABRIDGE_KEY (or sealing.key) of the process that stored the secret, or apply the source again',
          cause,
        });
      }
    },
  };
}

/** 32 bytes in base64url. */
const KEY = /^[A-Za-z0-9_-]{43}$/;

const decoded = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'));

const toBase64Url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=$/, '');

async function keyFromFile(path: string): Promise<Uint8Array> {
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
  // Another process may have created the file and not written the key yet.
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const text = (await readFile(path, 'utf8')).trim();
    if (KEY.test(text)) return decoded(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new BridgeError({ code: 'config-invalid' }, `${path} does not hold a key of 32 bytes`, {
    remedy: 'restore the file from your backup; without it stored secrets cannot be read',
  });
}
