import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { listAudit } from '../../src/access/audit.ts';
import {
  KEPT_AFTER,
  PUBLISHED_BEFORE,
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
import { databridge } from './command-line.ts';

// Signing keys as several processes on one database see them, one of them the command line.

const HOLDER = { applicationId: 'app_1', organisationId: 'default', projects: null };

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

/** Lets time pass for both processes and for the keys in the database. */
async function wait(time: Microseconds): Promise<void> {
  one.wait(time);
  other.wait(time);
}

/** Makes the keys in the database older: what the database itself compares with its clock. */
const age = (time: Microseconds) =>
  database.run(
    `update signing_key set signs_from = signs_from - $1 * interval '1 microsecond',
       signs_until = signs_until - $1 * interval '1 microsecond'`,
    [time],
  );

const rotate = (atOnce = false) => rotateSigningKey(database, one.sealing, { atOnce }, 'test');

describe('the first key', () => {
  test('is made once by all who need it at the same time, and audited', async () => {
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

  test('is published without its private part, and anybody can verify with it', async () => {
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
  test('by another process: published at once, signing later, the old one verifying until its tokens have expired', async () => {
    const before = await issue(one);
    await issue(other);
    const ran = await databridge(['signing-key', 'rotate', '--json'], {
      env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
    });
    expect(ran).toMatchObject({ code: 0 });
    const { kid, created } = JSON.parse(ran.stdout) as { kid: string; created: boolean };
    expect(created).toBe(true);

    await wait(10 * SECOND);
    expect(await kids(one)).toEqual([kidOf(before), kid]);
    expect([kidOf(await issue(one)), kidOf(await issue(other))]).toEqual([kidOf(before), kidOf(before)]);

    // Both switch at the same instant of the shared clock, and know each other's key.
    await wait(PUBLISHED_BEFORE);
    const [first, second] = [await issue(one), await issue(other)];
    expect([kidOf(first), kidOf(second)]).toEqual([kid, kid]);
    expect(await other.accessTokens.verifyAccessToken(first)).toMatchObject({ scope: 'data' });
    expect(await one.accessTokens.verifyAccessToken(second)).toMatchObject({ scope: 'data' });
    expect(await other.accessTokens.verifyAccessToken(before)).toMatchObject({ refused: 'expired' });
    expect(await kids(other)).toEqual([kidOf(before), kid]);

    await age(PUBLISHED_BEFORE + KEPT_AFTER + MINUTE);
    await wait(10 * SECOND);
    expect(await kids(other)).toEqual([kid]);
  });

  test('a token of the old key is good to the end of its life', async () => {
    await issue(one);
    const { kid } = await rotate();
    await wait(PUBLISHED_BEFORE - SECOND);
    const last = await issue(one);
    expect(kidOf(last)).not.toBe(kid);
    await wait(599 * SECOND);
    expect(kidOf(await issue(one))).toBe(kid);
    expect(await other.accessTokens.verifyAccessToken(last)).toMatchObject({ scope: 'data' });
  });

  test('ten at once are one rotation; the next one is possible when its key signs', async () => {
    await issue(one);
    const rotations = await Promise.all(Array.from({ length: 10 }, () => rotate()));
    expect(rotations.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(rotations.map(({ kid }) => kid)).size).toBe(1);
    await age(PUBLISHED_BEFORE + SECOND);
    expect((await rotate()).created).toBe(true);
    expect(await database.row('select count(*) from signing_key')).toEqual({ count: 3 });
  });

  test('at once: every token of the others is refused within seconds, and the new key signs', async () => {
    const leaked = await issue(one);
    expect(await other.accessTokens.verifyAccessToken(leaked)).toMatchObject({ scope: 'data' });
    await rotate();
    const { kid } = await rotate(true);
    await wait(10 * SECOND);
    for (const process of [one, other]) {
      expect(await process.accessTokens.verifyAccessToken(leaked)).toMatchObject({ refused: 'invalid' });
      expect(await kids(process)).toEqual([kid]);
      expect(kidOf(await issue(process))).toBe(kid);
    }
  });

  test('before there was any key makes the first one, which signs at once', async () => {
    const { kid } = await rotate();
    expect(kidOf(await issue(one))).toBe(kid);
  });
});

test('an unknown key id asks the database once in ten seconds, however often it comes', async () => {
  const token = await issue(one);
  let looks = 0;
  const watched = await openProcess({
    ...database,
    rows: (text, values) => {
      if (text.includes('signing_key')) looks += 1;
      return database.rows(text, values);
    },
  });
  const strange = token.replace(/^[^.]+/, Buffer.from('{"alg":"EdDSA","kid":"strange"}').toString('base64url'));
  await Promise.all(Array.from({ length: 50 }, () => watched.accessTokens.verifyAccessToken(strange)));
  for (let time = 0; time < 50; time += 1) await watched.accessTokens.verifyAccessToken(strange);
  expect(looks).toBe(1);
  watched.wait(10 * SECOND);
  for (let time = 0; time < 50; time += 1) await watched.accessTokens.verifyAccessToken(strange);
  expect(looks).toBe(2);
});

test('tidying removes private parts that sign no more, and keys that nobody needs', async () => {
  const first = kidOf(await issue(one));
  const { kid } = await rotate();
  await age(PUBLISHED_BEFORE + 61 * MINUTE);
  await tidyAccess(database);
  expect((await storedSigningKeys(database)).map((key) => [key.kid, key.privateKey === null])).toEqual([
    [first, true],
    [kid, false],
  ]);
  await wait(10 * SECOND);
  expect(kidOf(await issue(one))).toBe(kid);
  await age(KEPT_AFTER);
  await tidyAccess(database);
  expect(await database.rows('select kid from signing_key')).toEqual([{ kid }]);
});
