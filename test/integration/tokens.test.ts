import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSealing } from '../kit/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import { BridgeError, credentialsRejected } from '../../src/core/errors.ts';
import type { Database } from '../../src/database/database.ts';
import type { Grant } from '../../src/platform/contract.ts';
import type { GrantStore } from '../../src/platform/connection/index.ts';
import { sourceTokensOf } from '../../src/pull/open/tokens.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';

const databases = useDatabases();
let database: Database;
let sealing: Sealing;
let sourceId: number;
let holders: GrantStore[];

beforeAll(async () => {
  sealing = await openSealing('/nowhere', 'A'.repeat(43));
});

beforeEach(async () => {
  database = await databases.create();
  ({ sourceId } = await storeSource(database));
  const hosts = [database, await databases.another(database), await databases.another(database)];
  holders = [0, 1, 2, 0, 1].map((index) => sourceTokensOf(hosts[index] ?? database, sealing, sourceId));
});

const grant = (token: string): Grant => ({ token, expiresAt: undefined, renewal: `renewal of ${token}` });

const holder = (index: number): GrantStore => holders[index] ?? expect.fail('no such holder');

describe('five holders of one grant', () => {
  it('that all need a new grant obtain it once and get the same', async () => {
    const previous: (Grant | undefined)[] = [];
    const obtain = async (before: Grant | undefined): Promise<Grant> => {
      previous.push(before);
      await sleep(50);
      return grant(`token ${previous.length}`);
    };
    const first = await Promise.all(holders.map((each) => each.replace(undefined, obtain)));
    expect(first).toEqual(holders.map(() => grant('token 1')));
    expect(await Promise.all(holders.map((each) => each.current()))).toEqual(first);
    // A renewal gets the previous grant.
    const second = await Promise.all(holders.map((each) => each.replace(first[0], obtain)));
    expect(second).toEqual(holders.map(() => grant('token 2')));
    expect(previous).toEqual([undefined, grant('token 1')]);
  });

  it('that come with an old grant get the new grant without obtaining another', async () => {
    await holder(0).replace(undefined, async () => grant('old'));
    expect(await holder(1).current()).toEqual(grant('old'));
    await holder(0).replace(grant('old'), async () => grant('new'));
    const got = await holder(1).replace(grant('old'), () => expect.fail('was asked for'));
    expect(got).toEqual(grant('new'));
  });
});

describe('a failure', () => {
  it('reaches its caller, and frees the claim for the next', async () => {
    const failed = new BridgeError({ code: 'unavailable', why: 'refused' }, 'connection refused');
    const failing = holder(0).replace(undefined, () => Promise.reject(failed));
    await expect(failing).rejects.toBe(failed);
    expect(await database.row('select replacing_until, sealed from token')).toEqual({
      replacing_until: null,
      sealed: null,
    });
    expect(await holder(1).replace(undefined, async () => grant('next'))).toEqual(grant('next'));
  });

  it('of the credentials keeps the claim: no process tries the same password again until an operator acts', async () => {
    const refused = credentialsRejected('no', 'ask');
    await expect(holder(0).replace(undefined, () => Promise.reject(refused))).rejects.toBe(refused);
    expect(await database.row('select replacing_until > now() as held, sealed from token')).toEqual({
      held: true,
      sealed: null,
    });
  });

  it('of a holder lets the waiting holders try, one at a time', async () => {
    let running = 0;
    let most = 0;
    let calls = 0;
    const obtain = async (): Promise<Grant> => {
      calls += 1;
      running += 1;
      most = Math.max(most, running);
      await sleep(30);
      running -= 1;
      if (calls < 3) throw new Error('not yet');
      return grant('third');
    };
    const settled = await Promise.allSettled(holders.map((each) => each.replace(undefined, obtain)));
    expect(most).toBe(1);
    expect(calls).toBe(3);
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    for (const each of settled) if (each.status === 'fulfilled') expect(each.value).toEqual(grant('third'));
  });
});

describe('a claim', () => {
  const claim = (length: string): Promise<number> =>
    database.run(
      `insert into token (source_id, replacing_until) values ($1, clock_timestamp() + $2::interval)
       on conflict (source_id) do update set replacing_until = excluded.replacing_until`,
      [sourceId, length],
    );

  it('of a killed process is taken over when its time is up, and not before', async () => {
    await claim('700 ms');
    const left = await database.row<{ until: number }>('select instant_of(replacing_until) as until from token');
    const got = await holder(0).replace(undefined, async () => {
      const row = await database.row<{ now: number; mine: boolean }>(
        `select instant_of(now()) as now, replacing_until > now() + interval '30 s' as mine from token`,
      );
      expect(row?.now).toBeGreaterThan(left?.until ?? Infinity);
      expect(row?.mine).toBe(true);
      return grant('taken over');
    });
    expect(got).toEqual(grant('taken over'));
  });

  it('of a living process is waited for', async () => {
    await claim('1 h');
    let ended = false;
    const waiting = holder(0)
      .replace(undefined, () => expect.fail('was not to be asked'))
      .then((got) => {
        ended = true;
        return got;
      });
    await sleep(500);
    expect(ended).toBe(false);
    // The grant of the other process counts, although this holder never saw the claim free.
    await database.run('update token set version = version + 1, sealed = $1, replacing_until = null', [
      await sealing.seal(JSON.stringify(grant('of the other')), database.pool),
    ]);
    expect(await waiting).toEqual(grant('of the other'));
  });

  it('lost because obtaining took too long gives way to the grant of another holder', async () => {
    const slow = holder(0).replace(undefined, async () => {
      await database.run(`update token set replacing_until = now() - interval '1 s'`);
      await holder(1).replace(undefined, async () => grant('of the quick'));
      return grant('of the slow');
    });
    expect(await slow).toEqual(grant('of the quick'));
    expect(await holder(0).current()).toEqual(grant('of the quick'));
    expect(await holder(2).current()).toEqual(grant('of the quick'));
  });
});

it('a grant is stored only sealed', async () => {
  await holder(0).replace(undefined, async () => grant('s3cret-token'));
  const row = await database.row<{ text: string }>('select token::text as text from token');
  expect(row?.text).not.toContain('s3cret');
  expect(row?.text.length).toBeGreaterThan(50);
});

it('a grant sealed with another key is an error with a remedy, not a new login', async () => {
  await holder(0).replace(undefined, async () => grant('t'));
  const stranger = sourceTokensOf(database, await openSealing('/nowhere', 'B'.repeat(43)), sourceId);
  await expect(stranger.current()).rejects.toMatchObject({ code: 'config-invalid', remedy: expect.any(String) });
});

it('a grant of a removed source is cancelled, not waited for', async () => {
  await database.run('delete from source');
  await expect(holder(0).current()).rejects.toMatchObject({ code: 'cancelled' });
  const replacing = holder(0).replace(undefined, () => expect.fail('was not to be asked'));
  await expect(replacing).rejects.toMatchObject({ code: 'cancelled' });
});
