import type { ClientBase, Pool } from 'pg';
import { BridgeError } from '../core/errors.ts';
import type { Key, Keys } from './keys.ts';

/** Encrypts secrets before they are stored in the database (law 8): JWE, A256GCM, with a key that is never stored there. */
export interface Sealing {
  /**
   * Seals with the key that the bridge uses now. The result names the key. `client` is in the transaction that stores the result:
   * a rotation of the key waits until that transaction has ended, so nothing is stored with the old key after the rotation looked.
   */
  seal(secret: string, client: ClientBase | Pool): Promise<string>;
  /** Opens with the key that the text names. Throws `config-invalid` where this process does not have that key. */
  open(sealed: string): Promise<string>;
  /** A keyed hash, 22 characters: the same for the same text, and telling nothing of it without the key. */
  digest(text: string): string;
}

/** Seals a text with one key, whose id stands in the header. */
export async function sealWith({ kid, bytes }: Key, secret: string): Promise<string> {
  // Most commands neither seal nor open a secret, so the library is loaded by the first that does.
  const { CompactEncrypt } = await import('jose/jwe/compact/encrypt');
  return await new CompactEncrypt(new TextEncoder().encode(secret))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
    .encrypt(bytes);
}

/** Opens a text with the key that it names. A text of before the ids opens with whichever key sealed it. */
export async function openWith(keys: Keys, sealed: string): Promise<string> {
  return (await keyAndTextOf(keys, sealed)).text;
}

/** The key that sealed a text, and the text in clear. Throws `config-invalid` where that key is not among `keys`. */
export async function keyAndTextOf(keys: Keys, sealed: string): Promise<{ readonly key: Key; readonly text: string }> {
  const { compactDecrypt } = await import('jose/jwe/compact/decrypt');
  const attempt = async (key: Key): Promise<string> =>
    new TextDecoder().decode((await compactDecrypt(sealed, key.bytes)).plaintext);
  const kid = kidOf(sealed);
  const named = kid === undefined ? undefined : await keys.withKid(kid);
  let cause: unknown;
  for (const key of kid === undefined ? keys.all() : named === undefined ? [] : [named]) {
    try {
      return { key, text: await attempt(key) };
    } catch (error) {
      cause = error;
    }
  }
  throw new BridgeError({ code: 'config-invalid' }, 'a stored secret was sealed with another key', {
    remedy:
      'give this process the DATABRIDGE_KEY (or sealing.key) of the process that stored the secret, or apply the source again',
    cause,
  });
}

/** The id of the key that sealed a text; undefined where the text names none. */
export function kidOf(sealed: string): string | undefined {
  try {
    const [header = ''] = sealed.split('.');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: unknown };
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}
