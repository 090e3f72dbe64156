import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKeys } from '../../src/access/keys.ts';
import { sealingOf } from '../../src/access/stored-sealing.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { eventually } from './daemon-rig.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';
import { makeGround } from './registration-ground.ts';
import { storeEverything } from './sealed-ground.ts';

// Admins see which key sealed what, and seal everything with the key that the processes of the bridge were given.

const databases = useDatabases();
const NEXT_KEY = 'B'.repeat(43);
const HOME = '/nowhere/keys-of-admins';
const BOTH = { DATABRIDGE_KEY: NEXT_KEY, DATABRIDGE_PREVIOUS_KEYS: SEALING_KEY, DATABRIDGE_HOME: HOME };

let database: Database;
const open: OperatorApiUnderTest[] = [];

beforeEach(async () => {
  const ground = await makeGround(databases);
  ({ database } = ground);
  const keys = await openKeys({ home: HOME, sealingKey: SEALING_KEY });
  await storeEverything(ground, sealingOf(database, keys));
});

afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

async function started(environment: Record<string, string>): Promise<{ api: OperatorApiUnderTest; admin: SignedIn }> {
  const api = await startOperatorApi(database, environment);
  open.push(api);
  return { api, admin: await api.operator('root', 'admin') };
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const LIST = '/api/v1/sealing-keys';
const ROTATE = '/api/v1/sealing-keys/rotate';

describe('a process with the present key alone', () => {
  it('lists what the key sealed as the command does, and makes no key', async () => {
    const { api, admin } = await started({ DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: HOME });
    const { json } = await api.send('GET', LIST, { as: admin });
    const env = { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: HOME };
    const { stdout } = await databridgeHere(['key', 'show', '--json'], { env });
    expect(json).toEqual({ items: JSON.parse(stdout) as unknown, left: 0, rotating: false });
    expect(json).toMatchObject({ items: [{ state: 'seals', values: { source: 2, signing_key: 1 } }] });
    expect(JSON.stringify(json)).not.toContain(SEALING_KEY);
    expect((await api.send('POST', ROTATE, { as: admin })).json).toMatchObject({
      status: 409,
      detail: 'this process has no new key to seal with',
      remedy: expect.stringContaining('DATABRIDGE_PREVIOUS_KEYS') as unknown,
    });
    expect(await database.rows(`select from audit where action like 'key.%'`)).toEqual([]);
  });
});

describe('a process with the new key and the present one', () => {
  it('seals everything anew, and the change has its actor', async () => {
    const { api, admin } = await started(BOTH);
    const list = async () => (await api.send('GET', LIST, { as: admin })).json as { items: { kid: string }[] };
    const before = await list();
    expect(before).toMatchObject({ items: [{ state: 'seals' }, { state: 'next', values: {} }], left: 0 });
    const [old, next] = before.items.map(({ kid }) => kid);
    const answer = linesOf((await api.send('POST', ROTATE, { as: admin })).text);
    expect(answer.at(-1)?.['result']).toMatchObject({
      kid: next,
      resumed: false,
      resealed: { source: 2, token: 1, signing_key: 1 },
      lost: {},
      notNeeded: [{ kid: old, place: 'DATABRIDGE_PREVIOUS_KEYS' }],
    });
    expect(await list()).toMatchObject({
      items: [
        { kid: next, state: 'seals', values: { source: 2 } },
        { kid: old, state: 'not needed' },
      ],
      left: 0,
      rotating: false,
    });
    expect((await api.send('POST', ROTATE, { as: admin })).status).toBe(409);
    expect(
      await database.rows(
        `select action, actor, subject, detail ->> 'from' as from from audit where action like 'key.%'`,
      ),
    ).toEqual([
      { action: 'key.rotate', actor: 'operator:root', subject: next, from: old },
      { action: 'key.rotated', actor: 'operator:root', subject: next, from: null },
    ]);
  });

  it('stops when the client leaves, shows how much is left, and goes on at the next request', async () => {
    const { api, admin } = await started(BOTH);
    const other = await database.pool.connect();
    const leaving = new AbortController();
    try {
      // The rotation has sealed keys and sources when it comes to this row.
      await other.query('begin');
      await other.query('select from token for update');
      const answer = await fetch(`${api.url}${ROTATE}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.token}` },
        signal: leaving.signal,
      });
      expect(answer.status).toBe(200);
      await eventually('the rotation waits for the row', async () => {
        const waiting = await database.rows(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update token %' and datname = current_database()`,
        );
        return waiting.length > 0;
      });
      leaving.abort();
      await answer.text().catch(() => undefined);
      await api.left();
      await other.query('rollback');
    } finally {
      other.release();
    }
    await eventually('the rotation has ended', async () => {
      const locks = await database.rows(
        `select from pg_locks where locktype = 'advisory' and objid = 7263546
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return locks.length === 0;
    });
    expect((await api.send('GET', LIST, { as: admin })).json).toMatchObject({
      items: [{ state: 'seals' }, { state: 'opens' }],
      left: expect.toSatisfy((left: number) => left > 0) as unknown,
      rotating: true,
    });
    const again = linesOf((await api.send('POST', ROTATE, { as: admin })).text);
    expect(again.at(-1)?.['result']).toMatchObject({ resumed: true, lost: {} });
    expect((await api.send('GET', LIST, { as: admin })).json).toMatchObject({ left: 0, rotating: false });
  });
});
