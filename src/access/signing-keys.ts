import { importJWK } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import { BridgeError } from '../core/errors.ts';
import { SECOND } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { keepFresh } from './keep-fresh.ts';
import type { Sealing } from './sealing.ts';
import { ALGORITHM, createFirstSigningKey, storedSigningKeys } from './stored-signing-keys.ts';
import type { StoredSigningKey } from './stored-signing-keys.ts';

/**
 * A process works with keys that are at most this old. Tokens with unknown keys therefore cost at most one look into the
 * database per 10 s, and every process refuses a withdrawn key after at most 10 s.
 */
const MAX_AGE = 10 * SECOND;

/** Clients may keep the public set for this long, much shorter than a key is published before it signs. */
export const JWKS_MAX_AGE_SECONDS = 60;

/** The keys of this bridge as one process sees them; all processes see the same within seconds. */
export interface SigningKeys {
  /** The key to sign with now. Throws `config-invalid` where it was sealed with another sealing key. */
  signer(): Promise<{ readonly kid: string; readonly key: CryptoKey }>;
  /** The public key with this id; undefined where it is unknown, or no token it signed can still be valid. */
  verifier(kid: string): Promise<CryptoKey | undefined>;
  /** The public set (RFC 7517): the key that signs, the next key, and the keys whose tokens may still be valid. */
  jwks(): Promise<{ keys: JWK[] }>;
}

/** The first use makes the first key where there is none. */
export function signingKeysOf(given: {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly clock: SharedClock;
}): SigningKeys {
  const { database, sealing, clock } = given;
  const imported = new Map<string, Promise<CryptoKey>>();

  const stored = keepFresh(
    async () => {
      const found = await storedSigningKeys(database);
      if (found.some((key) => key.signsUntil === null)) return found;
      await createFirstSigningKey(database, sealing);
      return await storedSigningKeys(database);
    },
    MAX_AGE,
    clock.now,
  );

  /** Imports each key once. */
  function cryptoKey(name: string, load: () => Promise<JWK>): Promise<CryptoKey> {
    const known = imported.get(name);
    if (known) return known;
    const key = (async () => (await importJWK(await load(), ALGORITHM)) as CryptoKey)();
    imported.set(name, key);
    key.catch(() => imported.delete(name));
    return key;
  }

  return {
    async signer() {
      const { kid, privateKey } = signerAmong(await stored(), clock.now());
      return { kid, key: await cryptoKey(`private ${kid}`, () => open(sealing, privateKey)) };
    },
    async verifier(kid) {
      const key = (await stored()).find((one) => one.kid === kid);
      return key && (await cryptoKey(`public ${kid}`, () => Promise.resolve(key.publicKey)));
    },
    async jwks() {
      return {
        keys: (await stored()).map(({ kid, publicKey }) => ({ ...publicKey, kid, alg: ALGORITHM, use: 'sig' })),
      };
    },
  };
}

/** The newest key whose `signsFrom` has passed. The first key signs at once, even where this clock is a little behind. */
function signerAmong(keys: readonly StoredSigningKey[], now: number): StoredSigningKey & { privateKey: string } {
  const usable = keys.filter((key): key is StoredSigningKey & { privateKey: string } => key.privateKey !== null);
  const signer = usable.findLast((key) => key.signsFrom <= now) ?? usable[0];
  if (signer === undefined) throw new Error('there is no signing key');
  return signer;
}

async function open(sealing: Sealing, sealed: string): Promise<JWK> {
  try {
    return JSON.parse(await sealing.open(sealed)) as JWK;
  } catch (cause) {
    throw new BridgeError({ code: 'config-invalid' }, 'the key that signs access tokens was sealed with another key', {
      remedy:
        'give this process the DATABRIDGE_KEY (or sealing.key) of the process that made the key, or make a new key with databridge signing-key rotate --at-once',
      cause,
    });
  }
}
