import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { rotateSealingKey } from '../../src/access/key-rotation.ts';
import type { KeyRotation, RotationGround } from '../../src/access/key-rotation.ts';
import { keyUse } from '../../src/access/key-use.ts';
import { openKeys } from '../../src/access/keys.ts';
import type { KeyPlace, Keys } from '../../src/access/keys.ts';
import { SEALED, sealedTexts } from '../../src/access/sealed-places.ts';
import { kidOf, openWith, sealWith } from '../../src/access/sealing.ts';
import { sealingOf } from '../../src/access/stored-sealing.ts';
import type { StoredSealing } from '../../src/access/stored-sealing.ts';
import type { Database } from '../../src/database/database.ts';
import { presenceOf } from '../../src/database/presence.ts';
import { useDatabases } from '../kit/databases.ts';
import { startProcess } from '../kit/process.ts';
import { MAIN } from '../kit/joined-program.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { databridgeHere, environment } from './command-line.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { makeGround } from './registration-ground.ts';
import type { Ground } from './registration-ground.ts';
import { storeEverything } from './sealed-ground.ts';

const databases = useDatabases();
const [A, B] = ['A', 'B'].map((letter) => letter.repeat(43)) as [string, string];
let directory: TempDirectory;
let home: string;
let ground: Ground;
let database: Database;

beforeAll(async () => {
  directory = await makeTempDirectory('keys');
});
afterAll(() => directory.remove());

beforeEach(async () => {
  home = join(directory.path, randomUUID());
  ground = await makeGround(databases);
  database = ground.database;
});

const inFile = (): KeyPlace => ({ home, sealingKey: undefined });

/** A process with the keys of a place. */
async function processAt(place: KeyPlace): Promise<{ keys: Keys; sealing: StoredSealing }> {
  const keys = await openKeys(place);
  return { keys, sealing: sealingOf(database, keys) };
}

/** All secrets in clear, in no order that depends on their sealing. */
async function secretsWith(keys: Keys): Promise<string[]> {
  const opened: string[] = [];
  for await (const sealed of sealedTexts(database)) opened.push(await openWith(keys, sealed));
  return opened.toSorted();
}

const rotate = (place: KeyPlace, keys: Keys, given: Partial<RotationGround> = {}): Promise<KeyRotation> =>
  rotateSealingKey({
    database,
    keys,
    place,
    actor: 'tester',
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...given,
  });

const kidsInUse = async (): Promise<(string | undefined)[]> => {
  const kids = new Set<string | undefined>();
  for await (const sealed of sealedTexts(database)) kids.add(kidOf(sealed));
  return [...kids];
};

/** Whether a statement that begins like this waits for a row that another process holds. */
async function waits(statement: string): Promise<boolean> {
  const rows = await database.rows(
    `select from pg_stat_activity where wait_event_type = 'Lock' and query like $1 and datname = current_database()`,
    [`${statement}%`],
  );
  return rows.length > 0;
}

it('knows every column that holds a sealed value', async () => {
  const { sealing } = await processAt({ home: join(home, 'none'), sealingKey: A });
  await storeEverything(ground, sealing);
  const columns = await database.rows<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and data_type in ('text', 'jsonb', 'ARRAY') order by 1, 2`,
  );
  const found: string[] = [];
  const header = Buffer.from('{"alg":"dir"').toString('base64url').slice(0, -1);
  for (const { table, column } of columns) {
    const rows = await database.rows(`select from "${table}" where "${column}"::text like '%${header}%' limit 1`);
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  expect(found).toEqual(['sealing.canary', ...SEALED.map(({ table, column }) => `${table}.${column}`)].toSorted());
});

it('a key of the home is replaced while processes run, which notice it', async () => {
  const running = await processAt(inFile());
  await storeEverything(ground, running.sealing);
  const before = await secretsWith(running.keys);
  const digest = running.sealing.digest('account');
  const [old] = running.keys.all();
  const presence = presenceOf(database, randomUUID(), 'test', { kids: () => running.keys.kids() });
  await presence.beat();
  const beats = setInterval(() => void presence.beat(), 50);
  const rotating = await processAt(inFile());
  const rotated = await rotate(inFile(), rotating.keys).finally(() => clearInterval(beats));
  expect(rotated).toMatchObject({
    resumed: false,
    lost: {},
    resealed: { source: 2, former_configuration: 2, token: 1, remote: 1, remote_token: 1, signing_key: 1 },
  });
  expect(rotated.kid).not.toBe(old?.kid);
  expect(await kidsInUse()).toEqual([rotated.kid]);
  expect(kidOf(await running.sealing.seal('x', database.pool))).toBe(rotated.kid);
  expect(await secretsWith(running.keys)).toEqual(before);
  expect((await readdir(home)).toSorted()).toEqual([`sealing-${old?.kid}.key`, 'sealing.key']);

  await rm(join(home, `sealing-${old?.kid}.key`));
  const later = await processAt(inFile());
  expect(await later.sealing.verify()).toBe(rotated.kid);
  expect(await secretsWith(later.keys)).toEqual(before);
  expect(later.sealing.digest('account')).toBe(digest);
  expect(await database.rows(`select action, subject, actor from audit where action like 'key.%' order by id`)).toEqual(
    [
      { action: 'key.rotate', subject: rotated.kid, actor: 'tester' },
      { action: 'key.rotated', subject: rotated.kid, actor: 'tester' },
    ],
  );
});

it('with keys of the environment the old one seals until the rotation, and is refused afterwards', async () => {
  const first = { home: join(home, 'none'), sealingKey: A };
  const old = await processAt(first);
  await storeEverything(ground, old.sealing);
  const before = await secretsWith(old.keys);
  await expect(rotate(first, old.keys)).rejects.toMatchObject({
    code: 'config-invalid',
    remedy: expect.stringContaining('DATABRIDGE_PREVIOUS_KEYS') as unknown,
  });
  const second = { home: join(home, 'none'), sealingKey: B, previousKeys: [A] };
  const next = await processAt(second);
  expect(kidOf(await next.sealing.seal('x', database.pool))).toBe(old.keys.present().kid);
  expect(await keyUse(database, next.keys)).toMatchObject([{ seals: true }, { seals: false, present: true }]);
  const rotated = await rotate(second, next.keys);
  expect(rotated.kid).toBe(next.keys.present().kid);
  expect(kidOf(await next.sealing.seal('x', database.pool))).toBe(rotated.kid);
  expect(await keyUse(database, next.keys)).toMatchObject([
    { kid: rotated.kid, seals: true, place: 'DATABRIDGE_KEY', values: { source: 2, signing_key: 1 } },
    { kid: old.keys.present().kid, seals: false, present: false, place: 'DATABRIDGE_PREVIOUS_KEYS', values: {} },
  ]);
  const alone = await processAt({ home: join(home, 'none'), sealingKey: B });
  expect(await secretsWith(alone.keys)).toEqual(before);

  // A host that was forgotten has the keys the other way round.
  const forgotten = { home: join(home, 'none'), sealingKey: A, previousKeys: [B] };
  await expect(rotate(forgotten, await openKeys(forgotten))).rejects.toThrow('was replaced by a rotation before');
  expect(await kidsInUse()).toEqual([rotated.kid]);
});

it('begins only when every living process has the new key', async () => {
  const old = await processAt({ home: join(home, 'none'), sealingKey: A });
  await storeEverything(ground, old.sealing);
  const presence = presenceOf(database, randomUUID(), 'test', { kids: () => old.keys.kids() });
  await presence.beat();
  const place = { home: join(home, 'none'), sealingKey: B, previousKeys: [A] };
  await expect(rotate(place, await openKeys(place), { noticeMs: 0 })).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(`:${process.pid} does not have the new key`) as unknown,
  });
  expect(await kidsInUse()).toEqual([old.keys.present().kid]);
  await presence.leave();
  expect(await rotate(place, await openKeys(place), { noticeMs: 0 })).toMatchObject({ lost: {} });
});

it('a change of another process during the rotation wins', async () => {
  const { keys, sealing } = await processAt(inFile());
  await storeEverything(ground, sealing);
  const changed = await sealing.seal('s3cret-changed', database.pool);
  const other = await database.pool.connect();
  try {
    await other.query('begin');
    await other.query('update remote set secret = $1', [changed]);
    const rotating = rotate(inFile(), await openKeys(inFile()));
    await eventually('the rotation waits for the change', () => waits('update remote '));
    await other.query('commit');
    await rotating;
  } finally {
    other.release();
  }
  const row = await database.row<{ secret: string }>('select secret from remote');
  expect(kidOf(row?.secret ?? '')).toBe((await openKeys(inFile())).present().kid);
  expect(await openWith(keys, row?.secret ?? '')).toBe('s3cret-changed');
});

it('waits for a value that was sealed before it and is stored while it runs', async () => {
  const { keys, sealing } = await processAt(inFile());
  await storeEverything(ground, sealing);
  const other = await database.pool.connect();
  try {
    await other.query('begin');
    const sealed = await sealing.seal('s3cret-late', other);
    const rotating = rotate(inFile(), await openKeys(inFile()));
    await eventually('the rotation waits for the transaction', () =>
      waits('select kid, canary from sealing for update'),
    );
    await other.query('update remote set secret = $1', [sealed]);
    await other.query('commit');
    const { kid } = await rotating;
    expect(await kidsInUse()).toEqual([kid]);
  } finally {
    other.release();
  }
  const row = await database.row<{ secret: string }>('select secret from remote');
  expect(await openWith(keys, row?.secret ?? '')).toBe('s3cret-late');
});

it('goes on after kill -9 with the same key', async () => {
  const { keys, sealing } = await processAt(inFile());
  await storeEverything(ground, sealing);
  const before = await secretsWith(keys);
  const old = keys.present().kid;
  const other = await database.pool.connect();
  try {
    // The rotation has sealed keys and sources when it comes to this row.
    await other.query('begin');
    await other.query('select from token for update');
    const env = environment({ DATABASE_URL: database.url, DATABRIDGE_HOME: home, DATABRIDGE_KEY: undefined });
    const killed = await startProcess({
      name: 'key rotate',
      command: process.execPath,
      args: [MAIN, 'key', 'rotate'],
      env,
      ready: () => waits('update token '),
    });
    await killed.kill9();
    await other.query('rollback');
  } finally {
    other.release();
  }
  expect((await kidsInUse()).length).toBe(2);
  const env = { DATABASE_URL: database.url, DATABRIDGE_HOME: home };
  expect((await databridgeHere(['backup', `${home}.backup`], { env })).stdout).toContain('needs the former key too');
  const again = await openKeys(inFile());
  expect(again.present().kid).not.toBe(old);
  const rotated = await eventually('the killed rotation lets go', async () =>
    rotate(inFile(), again).catch((error: unknown) => {
      if (String(error).includes('under way')) return new Waiting(String(error));
      throw error;
    }),
  );
  expect(rotated).toMatchObject({ kid: again.present().kid, resumed: true, lost: {} });
  expect(await kidsInUse()).toEqual([rotated.kid]);
  expect(await secretsWith(again)).toEqual(before);
});

it('leaves alone what no key opens, and says so', async () => {
  const stranger = await processAt({ home: join(home, 'none'), sealingKey: B });
  const place = { home: join(home, 'none'), sealingKey: A };
  const { sealing } = await processAt(place);
  await storeEverything(ground, sealing);
  const lost = await sealWith(stranger.keys.present(), 'x');
  await database.run('update former_configuration set config = jsonb_build_object($1::text, $2::jsonb)', [
    'secret',
    JSON.stringify({ $sealed: lost }),
  ]);
  const next = { home, sealingKey: undefined, previousKeys: [A] };
  const rotated = await rotate(next, await openKeys(next));
  expect(rotated).toMatchObject({ lost: { former_configuration: 1 }, resealed: { source: 2 } });
  expect(new Set(await kidsInUse())).toEqual(new Set([rotated.kid, stranger.keys.present().kid]));
});

it('a backup of before is restored with the old key as a previous one', async () => {
  const { keys, sealing } = await processAt({ home: join(home, 'none'), sealingKey: A });
  await storeEverything(ground, sealing);
  const before = await secretsWith(keys);
  const file = `${home}.backup`;
  const old = { DATABASE_URL: database.url, DATABRIDGE_KEY: A, DATABRIDGE_HOME: home };
  expect(await databridgeHere(['backup', file], { env: old })).toMatchObject({ code: 0 });

  const next = { ...old, DATABASE_URL: await databases.createEmpty(), DATABRIDGE_KEY: B };
  expect(await databridgeHere(['restore', file], { env: next })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not the one that sealed') as unknown,
  });
  const both = { ...next, DATABRIDGE_PREVIOUS_KEYS: A };
  expect(await databridgeHere(['restore', file], { env: both })).toMatchObject({ code: 0 });
  const { stdout } = await databridgeHere(['key', 'rotate', '--json'], { env: both });
  const [present] = (await openKeys({ home, sealingKey: B })).all();
  expect(JSON.parse(stdout)).toMatchObject({ kid: present?.kid, lost: {}, notNeeded: [{ kid: keys.present().kid }] });
  database = await databases.another({ url: next.DATABASE_URL });
  expect(await secretsWith(await openKeys({ home, sealingKey: B }))).toEqual(before);
});
