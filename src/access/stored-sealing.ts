import { BridgeError } from '../core/errors.ts';
import type { ClientBase } from 'pg';
import type { Database } from '../database/database.ts';
import { digestKeyOf, digestWith } from './keys.ts';
import type { Key, Keys } from './keys.ts';
import { keyAndTextOf, openWith, sealWith } from './sealing.ts';
import type { Sealing } from './sealing.ts';

/** The sealing of one database. */
export interface StoredSealing extends Sealing {
  /**
   * Compares the keys of this process with the database. Throws `config-invalid` where they do not open what the database holds.
   * Until the first success `digest` throws. @returns the id of the key that seals new values
   */
  verify(): Promise<string>;
}

/** The row of `sealing`, where it has a canary. */
interface Canary {
  readonly kid: string;
  readonly canary: string;
}

/** The canary as this process opened it. */
interface State extends Canary {
  readonly key: Key;
  readonly digestKey: Uint8Array;
}

/**
 * Seals with the key that the database names, not with the key that a process calls its present one: while an operator gives a new
 * key to one host after the other, all hosts go on with the old key, which all of them have. `key rotate` changes the name.
 *
 * The canary is a sealed text in the database. It holds the key of the digests, so digests stay the same when the sealing key changes.
 */
export function sealingOf(database: Database, keys: Keys): StoredSealing {
  let known: State | undefined;

  async function state(): Promise<State> {
    const row = await storedCanary(database);
    return await stateOf(isSealedHere(row) ? row : await firstCanary(row === undefined));
  }

  async function stateOf(stored: Canary): Promise<State> {
    if (known?.canary !== stored.canary) {
      known = undefined;
      const { key, text } = await opened(stored);
      known = { ...stored, key, digestKey: Buffer.from(text, 'base64url') };
    }
    return known;
  }

  const opened = async ({ canary, kid }: Canary): ReturnType<typeof keyAndTextOf> =>
    await keyAndTextOf(keys, canary).catch((cause: unknown) => {
      throw wrongKey(
        `the secrets in the database are sealed with the key ${kid}, which this process does not have`,
        cause,
      );
    });

  /**
   * Makes the canary of a new database, of one of before, or of one whose secrets were given up, which alone needs no proof.
   * The canaries of processes that start together are one.
   */
  async function firstCanary(needsProof: boolean): Promise<Canary> {
    const key = (needsProof ? await keyOfSecrets(database, keys) : undefined) ?? keys.present();
    const canary = await sealWith(key, Buffer.from(digestKeyOf(key)).toString('base64url'));
    await database.run(
      `insert into sealing (kid, canary) values ($1, $2)
       on conflict (id) do update set kid = $1, canary = $2 where sealing.canary is null`,
      [key.kid, canary],
    );
    const row = await storedCanary(database);
    return isSealedHere(row) ? row : { kid: key.kid, canary };
  }

  return {
    async seal(secret, client) {
      // The first canary is made over another connection, which would wait for the lock below.
      if (known === undefined) await state();
      const { rows } = await client.query<Canary>('select kid, canary from sealing where canary is not null for share');
      const [row] = rows;
      if (row === undefined) throw wrongKey('the stored secrets were given up a moment ago');
      return await sealWith((await stateOf(row)).key, secret);
    },
    open: (sealed) => openWith(keys, sealed),
    digest(text) {
      if (known === undefined) throw new Error('the sealing was not verified before its first digest');
      return digestWith(known.digestKey, text);
    },
    verify: async () => (await state()).kid,
  };
}

type StoredRow = Canary | { readonly kid: null; readonly canary: null };

const isSealedHere = (row: StoredRow | undefined): row is Canary => typeof row?.canary === 'string';

const storedCanary = (database: Database): Promise<StoredRow | undefined> =>
  database.row<StoredRow & Record<string, unknown>>('select kid, canary from sealing');

/** The secrets of the database are lost: the next process makes a canary with its own key, and they have to be given anew. */
export const giveSecretsUp = async (client: ClientBase): Promise<void> => {
  await client.query(
    'insert into sealing default values on conflict (id) do update set kid = null, canary = null, rotating_since = null',
  );
};

/** The key of the secrets in a database without a canary; undefined where it holds none. Throws where no key opens any of them. */
async function keyOfSecrets(database: Database, keys: Keys): Promise<Key | undefined> {
  const { sealedTexts } = await import('./sealed-places.ts');
  let found = 0;
  for await (const sealed of sealedTexts(database)) {
    found += 1;
    const opened = await keyAndTextOf(keys, sealed).catch(() => undefined);
    if (opened !== undefined) return opened.key;
  }
  if (found === 0) return undefined;
  throw wrongKey('this key opens none of the secrets in the database');
}

const wrongKey = (message: string, cause?: unknown): BridgeError =>
  new BridgeError({ code: 'config-invalid' }, message, {
    remedy:
      'set DATABRIDGE_KEY to the key of this database, or put its file at sealing.key in DATABRIDGE_HOME; docs/sealing-key.md says how to go on after the loss of a key',
    ...(cause !== undefined && { cause }),
  });
