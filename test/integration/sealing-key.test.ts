import { expect, it } from 'vitest';
import { beginWithNewKey, lostSecrets } from '../../src/access/lost-key.ts';
import { openKeys } from '../../src/access/keys.ts';
import { sealWith } from '../../src/access/sealing.ts';
import { giveSecretsUp, sealingOf } from '../../src/access/stored-sealing.ts';
import type { StoredSealing } from '../../src/access/stored-sealing.ts';
import { hostKeyFindings } from '../../src/alerts/bridge-findings.ts';
import { diagnose } from '../../src/commands/actions/doctor-checks.ts';
import type { Database } from '../../src/database/database.ts';
import { readSettings } from '../../src/settings.ts';
import { useDatabases } from '../kit/databases.ts';
import { openSealing } from '../kit/sealing.ts';
import { curl, startApi } from './api-rig.ts';
import { databridgeHere } from './command-line.ts';
import { makeGround } from './registration-ground.ts';
import { storeEverything } from './sealed-ground.ts';

const databases = useDatabases();

const [A, B, C] = ['A', 'B', 'C'].map((letter) => letter.repeat(43)) as [string, string, string];

const keysOf = (sealingKey: string, ...previousKeys: string[]) =>
  openKeys({ home: '/nowhere', sealingKey, previousKeys });
const kidOf = async (key: string): Promise<string> => (await keysOf(key)).present().kid;
const sealingFor = async (database: Database, ...keys: [string, ...string[]]): Promise<StoredSealing> =>
  sealingOf(database, await keysOf(...keys));

/** Stores a token as a databridge of before did: sealed, and without the id of the key. */
async function storeAsBefore(database: Database, key: string): Promise<void> {
  const { CompactEncrypt } = await import('jose');
  const sealed = await new CompactEncrypt(Buffer.from('secret'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(Buffer.from(key, 'base64url'));
  await database.run(
    `insert into signing_key (kid, public_key, private_key, signs_from) values ('x', '{}', $1, now())`,
    [sealed],
  );
}

const WRONG = { code: 'config-invalid', remedy: expect.stringContaining('DATABRIDGE_KEY') as unknown };

it('the first key of a new database stays its key, also for processes that start together', async () => {
  const database = await databases.create();
  const both = await Promise.all([sealingFor(database, A), sealingFor(database, A)]);
  expect(await Promise.all(both.map((one) => one.verify()))).toEqual([await kidOf(A), await kidOf(A)]);
  const other = await sealingFor(database, B);
  await expect(other.verify()).rejects.toMatchObject(WRONG);
  await expect(other.seal('x', database.pool)).rejects.toMatchObject(WRONG);
  expect(() => other.digest('x')).toThrow('not verified');
  const [one, two] = both;
  expect(one?.digest('x')).toBe(two?.digest('x'));
  expect(await two?.open((await one?.seal('x', database.pool)) ?? '')).toBe('x');
});

it('a database of before takes the key that opens what it holds, and refuses every other', async () => {
  const database = await databases.create();
  await storeAsBefore(database, A);
  await expect((await sealingFor(database, B)).verify()).rejects.toMatchObject(WRONG);
  expect(await database.rows('select from sealing')).toEqual([]);
  const sealing = await sealingFor(database, B, A);
  expect(await sealing.verify()).toBe(await kidOf(A));
  expect(sealing.digest('x')).toBe((await openSealing('/nowhere', A)).digest('x'));
});

it('the alert of a key says which host lacks it, whichever process looks', async () => {
  const database = await databases.create();
  await (await sealingFor(database, A)).verify();
  const findings = async () =>
    (await hostKeyFindings(database)).map(({ state, subject, detail }) => [state, subject, detail]);
  const [a, b, c] = await Promise.all([kidOf(A), kidOf(B), kidOf(C)]);
  const beats = (host: string, ...kids: readonly string[]) =>
    database.run(
      `insert into worker (id, host, pid, version, beat_at, kids) values (gen_random_uuid(), $1, 1, 'test', now(), $2)`,
      [host, kids],
    );
  await beats('north', a);
  await beats('north', a, b);
  expect(await findings()).toEqual([]);
  await beats('east', b, a);
  await beats('south', b);
  expect(await findings()).toEqual([
    ['warning', 'east', `${a} seals the secrets; the key ${b} of east is not in use yet`],
    ['failed', 'south', `south does not have the key ${a}, which seals the secrets`],
  ]);
  await database.run(`delete from worker where host <> 'north'`);
  const [keyB] = (await keysOf(B)).all();
  const [keyC] = (await keysOf(C)).all();
  await database.run(
    `insert into signing_key (kid, public_key, private_key, signs_from) values ('x', '{}', $1, now()), ('y', '{}', $2, now())`,
    [keyB && (await sealWith(keyB, 'x')), keyC && (await sealWith(keyC, 'y'))],
  );
  expect(await findings()).toEqual([
    ['warning', 'bridge', '2 values cannot be opened with any key of a running process'],
  ]);
  await beats('west', a, c);
  expect(await findings()).toEqual([['warning', 'bridge', '2 values sealed with a previous key']]);
});

it('commands with a wrong key end with a remedy, and doctor names the key', async () => {
  const database = await databases.create();
  await (await sealingFor(database, A)).verify();
  const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: B, DATABRIDGE_HOME: '/nowhere', DATABRIDGE_API_PORT: '0' };
  for (const command of [['up'], ['worker'], ['api'], ['source', 'check', 'hall-3'], ['backup', '/nowhere/x']]) {
    const ran = await databridgeHere(command, { env });
    expect([command[0], ran.code, ran.stderr]).toEqual([
      command[0],
      2,
      expect.stringMatching(/sealed with[^]*try: set DATABRIDGE_KEY/),
    ]);
  }
  const checks = [];
  for await (const check of diagnose(readSettings(env))) if (check.check === 'key') checks.push(check);
  expect(checks).toEqual([
    expect.objectContaining({ state: 'failed', detail: expect.stringContaining(await kidOf(A)) as unknown }),
  ]);
});

it('a process whose database was replaced by one with another key is not ready', async () => {
  const api = await startApi(databases);
  try {
    expect((await curl(`${api.url}/readyz`)).status).toBe(200);
    const [stranger] = (await keysOf(C)).all();
    if (stranger === undefined) throw new Error('there is no key');
    const canary = await sealWith(stranger, 'x');
    const [own] = await api.database.rows<{ kid: string; canary: string }>('select kid, canary from sealing');
    await api.database.run('update sealing set kid = $1, canary = $2', [stranger.kid, canary]);
    let answer = await curl(`${api.url}/readyz`);
    while (answer.status === 200) answer = await curl(`${api.url}/readyz`);
    expect(answer).toMatchObject({ status: 503, json: { type: '/docs/problems/wrong-key' } });
    expect(answer.body).not.toContain(canary);
    await api.database.run('update sealing set kid = $1, canary = $2', [own?.kid, own?.canary]);
    while (answer.status !== 200) answer = await curl(`${api.url}/readyz`);
  } finally {
    await api.close();
  }
});

it('secrets that were given up do not hinder a new key', async () => {
  const database = await databases.create();
  await storeAsBefore(database, A);
  await (await sealingFor(database, A)).verify();
  await database.transaction((client) => giveSecretsUp(client));
  expect(await (await sealingFor(database, B)).verify()).toBe(await kidOf(B));
  await expect((await sealingFor(database, A)).verify()).rejects.toMatchObject(WRONG);
});

it('begins anew after the loss of the key', async () => {
  const ground = await makeGround(databases);
  const { database } = ground;
  const [old, next] = [await keysOf(A), await keysOf(B)];
  await storeEverything(ground, sealingOf(database, old));
  await expect(lostSecrets(database, old)).rejects.toThrow('this process has the key');
  expect(await lostSecrets(database, next)).toEqual({
    sources: [{ organisation: 'default', name: 'hall-3' }],
    projects: [{ organisation: 'default', code: 'presses' }],
  });
  expect(await beginWithNewKey(database, next, 'tester')).toBe(await kidOf(B));
  expect(await ground.apply({}, { sealing: sealingOf(database, next) })).toMatchObject({ action: 'changed' });
  await expect(sealingOf(database, old).seal('x', database.pool)).rejects.toMatchObject(WRONG);
});
