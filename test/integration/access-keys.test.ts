import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { listAudit } from '../../src/access/audit.ts';
import {
  KEPT_AFTER_SIGNING,
  PUBLISHED_BEFORE_SIGNING,
  rotateSigningKey,
  storedSigningKeys,
} from '../../src/access/stored-signing-keys.ts';
import { tidyAccess } from '../../src/access/tidy.ts';
import { MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Microseconds } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY, openProcess } from './access-rig.ts';
import type { Process } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';

// Signing keys as several processes on one database see them; the command line is one of these processes.

const HOLDER = { applicationId: 'app_1', organisationId: 'default', projects: null, generation: 0 };

const databases = useDatabases();
let database: Database;
let one: Process;
let other: Process;

beforeEach(async () => {
  database = await databases.create();
  one = await openProcess(database);
  other = await openProcess(await databases.another(database));
});

const issue = async (by: Process): Promise<string> => (await by.accessTokens.issueAccessToken(HOLDER, 600)).token;

const kidOf = (token: string): string | undefined => decodeProtectedHeader(token).kid;

const kids = async (by: Process): Promise<(string | undefined)[]> => (await by.keys.jwks()).keys.map(({ kid }) => kid);

/** Lets time pass for both processes, but not for the database. */
function wait(time: Microseconds): void {
  one.wait(time);
  other.wait(time);
}

/** Makes the keys in the database older, because statements compare them with the clock of the database. */
const ageKeys = (time: Microseconds) =>
  database.run(
    `update signing_key set signs_from = signs_from - $1 * interval '1 microsecond',
       signs_until = signs_until - $1 * interval '1 microsecond'`,
    [time],
  );

const rotate = (atOnce = false) => rotateSigningKey(database, one.sealing, { atOnce }, 'test');

describe('the first key', () => {
  test('is made once by processes that need it at the same time, and audited', async () => {
    const processes = await Promise.all(Array.from({ length: 6 }, () => openProcess(database)));
    const tokens = await Promise.all([one, other, ...processes].map((process) => issue(process)));
    expect(new Set(tokens.map(kidOf)).size).toBe(1);
    expect(await database.row('select count(*) from signing_key')).toEqual({ count: 1 });
    expect(await listAudit(database, { limit: 9 })).toMatchObject([
      { actor: 'databridge', action: 'signing-key.created' },
    ]);
    for (const token of tokens)
      expect(await other.accessTokens.verifyAccessToken(token)).toMatchObject({ scope: 'data' });
  });

  test('is published without its private part, and any client can verify tokens with it', async () => {
    const token = await issue(one);
    const set = await other.keys.jwks();
    expect(set.keys).toEqual([
      { kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: kidOf(token), alg: 'EdDSA', use: 'sig' },
    ]);
    await jwtVerify(token, createLocalJWKSet(set), { issuer: 'databridge', audience: 'databridge' });
    const [stored] = await storedSigningKeys(database);
    expect(stored?.privateKey).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
  });
});

describe('a rotation', () => {
  test('by another process: the new key is published at once and signs later; the old key verifies until its tokens have expired', async () => {
    const before = await issue(one);
    await issue(other);
    const ran = await databridgeHere(['signing-key', 'rotate', '--json'], {
      env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
    });
    expect(ran).toMatchObject({ code: 0 });
    const { kid, created } = JSON.parse(ran.stdout) as { kid: string; created: boolean };
    expect(created).toBe(true);

    wait(10 * SECOND);
    expect(await kids(one)).toEqual([kidOf(before), kid]);
    expect([kidOf(await issue(one)), kidOf(await issue(other))]).toEqual([kidOf(before), kidOf(before)]);

    // Both processes switch at the same instant of the shared clock, and each knows the key of the other.
    wait(PUBLISHED_BEFORE_SIGNING);
    const [first, second] = [await issue(one), await issue(other)];
    expect([kidOf(first), kidOf(second)]).toEqual([kid, kid]);
    expect(await other.accessTokens.verifyAccessToken(first)).toMatchObject({ scope: 'data' });
    expect(await one.accessTokens.verifyAccessToken(second)).toMatchObject({ scope: 'data' });
    expect(await other.accessTokens.verifyAccessToken(before)).toMatchObject({ refused: 'expired' });
    expect(await kids(other)).toEqual([kidOf(before), kid]);

    await ageKeys(PUBLISHED_BEFORE_SIGNING + KEPT_AFTER_SIGNING + MINUTE);
    wait(10 * SECOND);
    expect(await kids(other)).toEqual([kid]);
  });

  test('a token of the old key is valid until it expires', async () => {
    await issue(one);
    const { kid } = await rotate();
    wait(PUBLISHED_BEFORE_SIGNING - MINUTE);
    const last = await issue(one);
    expect(kidOf(last)).not.toBe(kid);
    wait(9 * MINUTE);
    expect(kidOf(await issue(one))).toBe(kid);
    expect(await other.accessTokens.verifyAccessToken(last)).toMatchObject({ scope: 'data' });
  });

  test('asked for ten times at once is one rotation; the next is possible when its key signs', async () => {
    await issue(one);
    const rotations = await Promise.all(Array.from({ length: 10 }, () => rotate()));
    expect(rotations.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(rotations.map(({ kid }) => kid)).size).toBe(1);
    await ageKeys(PUBLISHED_BEFORE_SIGNING + SECOND);
    expect((await rotate()).created).toBe(true);
    expect(await database.row('select count(*) from signing_key')).toEqual({ count: 3 });
  });

  test('at once: every token of the other keys is refused within seconds, and the new key signs', async () => {
    const leaked = await issue(one);
    expect(await other.accessTokens.verifyAccessToken(leaked)).toMatchObject({ scope: 'data' });
    await rotate();
    const { kid } = await rotate(true);
    wait(10 * SECOND);
    for (const process of [one, other]) {
      expect(await process.accessTokens.verifyAccessToken(leaked)).toMatchObject({ refused: 'invalid' });
      expect(await kids(process)).toEqual([kid]);
      expect(kidOf(await issue(process))).toBe(kid);
    }
  });

  test('before there is any key makes the first key, which signs at once', async () => {
    const { kid } = await rotate();
    expect(kidOf(await issue(one))).toBe(kid);
  });
});

test('tokens with an unknown key id cost one look into the database in ten seconds', async () => {
  const token = await issue(one);
  let looks = 0;
  const watched = await openProcess({
    ...database,
    rows: (text, values) => {
      if (text.includes('signing_key')) looks += 1;
      return database.rows(text, values);
    },
  });
  watched.stopClock();
  const strange = token.replace(/^[^.]+/, Buffer.from('{"alg":"EdDSA","kid":"strange"}').toString('base64url'));
  await Promise.all(Array.from({ length: 50 }, () => watched.accessTokens.verifyAccessToken(strange)));
  for (let time = 0; time < 50; time += 1) await watched.accessTokens.verifyAccessToken(strange);
  expect(looks).toBe(1);
  watched.wait(10 * SECOND);
  for (let time = 0; time < 50; time += 1) await watched.accessTokens.verifyAccessToken(strange);
  expect(looks).toBe(2);
});

test('tidying removes private parts of keys that sign no more, and keys whose last token has expired', async () => {
  const first = kidOf(await issue(one));
  const { kid } = await rotate();
  await ageKeys(PUBLISHED_BEFORE_SIGNING + 61 * MINUTE);
  await tidyAccess(database);
  expect((await storedSigningKeys(database)).map((key) => [key.kid, key.privateKey === null])).toEqual([
    [first, true],
    [kid, false],
  ]);
  wait(10 * SECOND);
  expect(kidOf(await issue(one))).toBe(kid);
  await ageKeys(KEPT_AFTER_SIGNING);
  await tidyAccess(database);
  expect(await database.rows('select kid from signing_key')).toEqual([{ kid }]);
});
