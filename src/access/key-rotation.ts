import { setTimeout as sleep } from 'node:timers/promises';
import { configInvalid } from '../core/errors.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { LOCKS } from '../database/locks.ts';
import { LIVES } from '../database/presence.ts';
import { audit } from './audit.ts';
import { makeNextKey, takeNextKey } from './keys.ts';
import type { Key, KeyPlace, Keys } from './keys.ts';
import { SEALED, rowsSealedOtherwise, sealedRow, swapSealed } from './sealed-places.ts';
import type { SealedPlace } from './sealed-places.ts';
import { keyAndTextOf, openWith, sealWith } from './sealing.ts';
import { sealingOf } from './stored-sealing.ts';

/** The database and keys of the process that rotates, and its operator. */
export interface RotationGround {
  readonly database: Database;
  readonly keys: Keys;
  /** Where a new key may be made. Undefined: none is made, and the process has to have been started with it. */
  readonly place: KeyPlace | undefined;
  readonly actor: string;
  readonly signal: AbortSignal;
  /** Called after each row with the number of rows that are done, and of those known. */
  readonly onProgress: (done: number, of: number) => void;
  /** How long processes get to notice a new key, ms; by default several of their heartbeats. */
  readonly noticeMs?: number;
}

/** The end of a rotation. */
export interface KeyRotation {
  /** The key that seals now. */
  readonly kid: string;
  /** The rotation went on with the work of one that was interrupted, and made no other key. */
  readonly resumed: boolean;
  /** Values that were sealed anew, by table. */
  readonly resealed: Readonly<Record<string, number>>;
  /** Rows with values that no key of this process opens, by table. They stay as they are. */
  readonly lost: Readonly<Record<string, number>>;
}

/**
 * Seals everything with a new key while the bridge works. The new key is the one of `DATABRIDGE_KEY`, or is made where the key is a
 * file of the home. All living processes have to have it before the first value is sealed with it. Then the database names it, so
 * that all processes seal new values with it, and each stored value is replaced by itself where no process changed it meanwhile.
 *
 * A rotation that was killed goes on at the next call, and makes no other key. Throws `config-invalid` where there is no new key, a
 * process lacks it, or another rotation is under way.
 */
export async function rotateSealingKey(ground: RotationGround): Promise<KeyRotation> {
  const { database, keys, actor } = ground;
  const lock = await database.dedicated();
  // Without the lock two rotations reseal side by side, which costs time only.
  lock.on('error', () => undefined);
  try {
    const [row] = await rowsOf<{ got: boolean }>(lock, 'select pg_try_advisory_lock($1) as got', [LOCKS.keyRotation]);
    if (row?.got !== true) throw configInvalid('another key rotate is under way', 'wait until it has ended');
    await keys.kids();
    await sealingOf(database, keys).verify();
    const { key, resumed } = await begin(ground);
    const { resealed, lost } = await resealAll(ground, key);
    await database.transaction(async (client) => {
      await client.query('update sealing set rotating_since = null where kid = $1', [key.kid]);
      await audit(client, actor, 'key.rotated', key.kid, { resealed, lost });
    });
    return { kid: key.kid, resumed, resealed, lost };
  } finally {
    await lock.end();
  }
}

/** The key to rotate to that this process has already. `resumed`: the database names it, and a rotation to it was interrupted. */
interface ChosenKey {
  readonly key: Key;
  readonly resumed: boolean;
}

/** The key to rotate to that this process has already; undefined where its present key seals, and no rotation is to be resumed. */
async function givenKey({ database, keys }: Pick<RotationGround, 'database' | 'keys'>): Promise<ChosenKey | undefined> {
  const row = await database.row<{ kid: string; rotating: boolean }>(
    'select kid, rotating_since is not null as rotating from sealing',
  );
  const key = keys.present();
  if (key.kid !== row?.kid) return { key, resumed: false };
  return row.rotating ? { key, resumed: true } : undefined;
}

/** Throws `config-invalid` where this process was started with no new key to rotate to, and no rotation is to be resumed. */
export async function assertKeyGiven(ground: Pick<RotationGround, 'database' | 'keys'>): Promise<void> {
  await ground.keys.kids();
  if ((await givenKey(ground)) === undefined) throw noKeyGiven();
}

const noKeyGiven = (): Error =>
  configInvalid(
    'this process has no new key to seal with',
    'on all hosts set DATABRIDGE_PREVIOUS_KEYS to the present key and DATABRIDGE_KEY to a new one, and start the processes again; a key in a file is replaced by databridge key rotate on its host',
  );

/** Finds or makes the key to rotate to, and lets the database name it. */
async function begin(ground: RotationGround): Promise<ChosenKey> {
  const { database, keys, place, actor } = ground;
  const given = await givenKey(ground);
  if (given?.resumed) return given;
  if (given !== undefined) {
    await assertNew(database, given.key);
    await awaitProcesses(ground, given.key);
    await nameKey(ground, given.key);
    return given;
  }
  if (place === undefined) throw noKeyGiven();
  const present = keys.present();
  if (place.sealingKey !== undefined) {
    throw configInvalid(
      'DATABRIDGE_KEY is the key that the bridge uses already',
      'on all hosts set DATABRIDGE_PREVIOUS_KEYS to the present key and DATABRIDGE_KEY to a new one (openssl rand -base64 32), start the processes again, then run key rotate',
    );
  }
  const next = await makeNextKey(place.home);
  await keys.kids();
  await awaitProcesses(ground, next);
  // The files come first: after a kill in between the present key is not the one that the database names, as with DATABRIDGE_KEY.
  await takeNextKey(place.home, present);
  await keys.kids();
  await nameKey({ database, keys, actor }, next);
  return { key: next, resumed: false };
}

/** A key that was replaced before may be the old environment of a host that was forgotten. */
async function assertNew(database: Database, { kid, place }: Key): Promise<void> {
  const replaced = await database.row(
    `select from audit where action = 'key.rotate' and detail ->> 'from' = $1 limit 1`,
    [kid],
  );
  if (replaced === undefined) return;
  throw configInvalid(
    `the key ${kid} in ${place} was replaced by a rotation before`,
    'give this host the key that databridge key show calls the sealing one, or set DATABRIDGE_KEY to a new key on all hosts',
  );
}

/** How often processes are asked for their keys, and how long they get to notice a new one, ms. */
const LOOK_MS = 500;
const NOTICE_MS = 30_000;

async function awaitProcesses({ database, signal, noticeMs = NOTICE_MS }: RotationGround, key: Key): Promise<void> {
  for (let waited = 0; ; waited += LOOK_MS) {
    // Work that a process does for an operator has a row of its own without keys; the row of the process has them.
    const lacking = await database.rows<{ host: string; pid: number }>(
      `select host, pid from worker where ${LIVES} and not kids @> array[$1] order by host, pid`,
      [key.kid],
    );
    if (lacking.length === 0) return;
    if (waited >= noticeMs) {
      throw configInvalid(
        `${lacking.map(({ host, pid }) => `${host}:${pid}`).join(', ')} does not have the new key ${key.kid}; nothing was changed`,
        `give it the key of ${key.place} and start it again, then run key rotate again; without a DATABRIDGE_HOME that all processes share, use DATABRIDGE_KEY`,
      );
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

async function nameKey(
  { database, keys, actor }: Pick<RotationGround, 'database' | 'keys' | 'actor'>,
  key: Key,
): Promise<void> {
  await database.transaction(async (client) => {
    const [row] = await rowsOf<{ kid: string; canary: string }>(client, 'select kid, canary from sealing for update');
    const { text } = await keyAndTextOf(keys, row?.canary ?? '');
    await client.query('update sealing set kid = $1, canary = $2, rotating_since = now()', [
      key.kid,
      await sealWith(key, text),
    ]);
    await audit(client, actor, 'key.rotate', key.kid, { from: row?.kid });
  });
}

/** Goes through all places until nothing is left that another key sealed and that can be opened: processes store values meanwhile. */
async function resealAll(
  { database, keys, signal, onProgress }: RotationGround,
  key: Key,
): Promise<Pick<KeyRotation, 'resealed' | 'lost'>> {
  const [header = ''] = (await sealWith(key, '')).split('.');
  const resealed: Record<string, number> = {};
  let done = 0;
  for (;;) {
    const rows: { place: SealedPlace; id: string }[] = [];
    for (const place of SEALED) {
      for (const id of await rowsSealedOtherwise(database, place, header)) rows.push({ place, id });
    }
    const of = done + rows.length;
    const lost: Record<string, number> = {};
    let moved = false;
    for (const { place, id } of rows) {
      signal.throwIfAborted();
      const count = await resealRow(database, keys, { key, header, place, id });
      if (count === 0) lost[place.table] = (lost[place.table] ?? 0) + 1;
      else moved = true;
      if (count !== undefined && count > 0) resealed[place.table] = (resealed[place.table] ?? 0) + count;
      done += 1;
      onProgress(done, of);
    }
    if (!moved) return { resealed, lost };
  }
}

/**
 * Seals the values of a row anew.
 *
 * @returns how many; undefined where another process changed the row meanwhile, whose change stays
 */
async function resealRow(
  database: Database,
  keys: Keys,
  {
    key,
    header,
    place,
    id,
  }: { readonly key: Key; readonly header: string; readonly place: SealedPlace; readonly id: string },
): Promise<number | undefined> {
  const row = await sealedRow(database, place, id);
  if (row === undefined) return undefined;
  let next = row.stored;
  let count = 0;
  for (const sealed of row.texts) {
    if (sealed.startsWith(`${header}.`)) continue;
    const text = await openWith(keys, sealed).catch(() => undefined);
    if (text === undefined) continue;
    // A sealed text holds no character that JSON escapes, and stands in a row once. The rest of the row stays to the byte.
    next = next.replace(sealed, await sealWith(key, text));
    count += 1;
  }
  if (count === 0) return row.texts.every((sealed) => sealed.startsWith(`${header}.`)) ? undefined : 0;
  return (await swapSealed(database, place, { id, stored: row.stored, next })) ? count : undefined;
}
