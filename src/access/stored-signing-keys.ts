import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'jose';
import type { ClientBase } from 'pg';
import { MINUTE, SECOND, formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';
import { audit } from './audit.ts';
import type { Sealing } from './sealing.ts';
import { LONGEST_TOKEN_SECONDS } from '../core/token-lifetime.ts';

/** Ed25519, the only algorithm of access tokens. */
export const ALGORITHM = 'EdDSA';

/** A new key is published for this long before it signs: longer than any process or client keeps an older set. */
export const PUBLISHED_BEFORE_SIGNING: Microseconds = 10 * MINUTE;

/** A key is kept for this long after its last signature: until its last token has expired, and five minutes more. */
export const KEPT_AFTER_SIGNING: Microseconds = LONGEST_TOKEN_SECONDS * SECOND + 5 * MINUTE;

export interface StoredSigningKey {
  /** JWK thumbprint (RFC 7638) of the public part. */
  readonly kid: string;
  readonly publicKey: JWK;
  /** Sealed; null once the key signs no more. */
  readonly privateKey: string | null;
  readonly createdAt: Instant;
  readonly signsFrom: Instant;
  /** When its successor takes over; null for the newest key. */
  readonly signsUntil: Instant | null;
}

/** All keys that sign, will sign, or may have signed a token that is still valid; in the order in which they sign. */
export const storedSigningKeys = (database: Database): Promise<StoredSigningKey[]> =>
  database.rows<StoredSigningKey & Record<string, unknown>>(
    `select kid, public_key as "publicKey", private_key as "privateKey", instant_of(created_at) as "createdAt",
       instant_of(signs_from) as "signsFrom", instant_of(signs_until) as "signsUntil"
     from signing_key where signs_until is null or signs_until > now() - $1 * interval '1 microsecond'
     order by signs_from`,
    [KEPT_AFTER_SIGNING],
  );

/** One of several processes that start together makes the first key; the others find it. */
export async function createFirstSigningKey(database: Database, sealing: Sealing): Promise<void> {
  await changeKeys(database, async (client) => {
    const [newest] = await newestKey(client);
    if (!newest) await insertKey(client, sealing, { signsIn: 0, actor: 'databridge', atOnce: false });
  });
}

/** The result of a rotation. */
export interface Rotation {
  readonly kid: string;
  readonly signsFrom: Instant;
  /** False where an earlier rotation is still under way: `kid` is its key, and no key was made. */
  readonly created: boolean;
}

/**
 * Makes a new key. It is published now and signs in ten minutes, when every process and every holder of the public set
 * knows it. Old keys stay until no token they signed is valid. `atOnce` is for a leaked private key: the new key signs
 * now, all other keys are withdrawn, and every process refuses the existing access tokens within seconds.
 */
export async function rotateSigningKey(
  database: Database,
  sealing: Sealing,
  { atOnce }: { readonly atOnce: boolean },
  actor: string,
): Promise<Rotation> {
  return await changeKeys(database, async (client) => {
    const [newest] = await newestKey(client);
    if (newest?.waits && !atOnce) return { kid: newest.kid, signsFrom: newest.signsFrom, created: false };
    if (atOnce) await client.query('delete from signing_key');
    const signsIn = atOnce || !newest ? 0 : PUBLISHED_BEFORE_SIGNING;
    return { ...(await insertKey(client, sealing, { signsIn, actor, atOnce })), created: true };
  });
}

/** Changes of keys happen one after the other, on all hosts. */
const changeKeys = <T>(database: Database, change: (client: ClientBase) => Promise<T>): Promise<T> =>
  database.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.signingKey]);
    return await change(client);
  });

const newestKey = (client: ClientBase): Promise<{ kid: string; signsFrom: Instant; waits: boolean }[]> =>
  rowsOf(
    client,
    `select kid, instant_of(signs_from) as "signsFrom", signs_from > clock_timestamp() as waits
     from signing_key where signs_until is null`,
  );

async function insertKey(
  client: ClientBase,
  sealing: Sealing,
  { signsIn, actor, atOnce }: { signsIn: Microseconds; actor: string; atOnce: boolean },
): Promise<{ kid: string; signsFrom: Instant }> {
  const pair = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const publicKey = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicKey);
  const sealed = await sealing.seal(JSON.stringify(await exportJWK(pair.privateKey)), client);
  const [row] = await rowsOf<{ signsFrom: Instant }>(
    client,
    `with superseded as (
       update signing_key set signs_until = now() + $4 * interval '1 microsecond' where signs_until is null)
     insert into signing_key (kid, public_key, private_key, signs_from)
     values ($1, $2, $3, now() + $4 * interval '1 microsecond') returning instant_of(signs_from) as "signsFrom"`,
    [kid, JSON.stringify(publicKey), sealed, signsIn],
  );
  await audit(client, actor, 'signing-key.created', kid, { signsInSeconds: signsIn / SECOND, othersWithdrawn: atOnce });
  if (!row) throw new Error('the database returned no row for a new signing key');
  return { kid, signsFrom: row.signsFrom };
}

/** A signing key as a JSON document, without the key itself. */
export const signingKeyDocument = (key: StoredSigningKey, now: Instant) => ({
  kid: key.kid,
  state: stateOf(key, now),
  signsFrom: formatInstant(key.signsFrom),
  signsUntil: instantOrNull(key.signsUntil),
});

function stateOf({ signsFrom, signsUntil }: StoredSigningKey, now: Instant): 'published' | 'signs' | 'verifies' {
  if (signsFrom > now) return 'published';
  return signsUntil === null || signsUntil > now ? 'signs' : 'verifies';
}
