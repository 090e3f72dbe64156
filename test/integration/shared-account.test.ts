import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { basic, json, openRig, refusal, serve, tidyUp } from '../kit/connection-rig.ts';
import { openSealing } from '../kit/sealing.ts';
import type { Authorisation } from '../../src/platform/contract.ts';
import { MINUTE } from '../../src/core/instant.ts';
import { LEASE } from '../../src/core/pace.ts';
import type { Database } from '../../src/database/database.ts';
import { accountDigest, sharedAccountOf } from '../../src/pull/open/account.ts';
import type { SharedAccount } from '../../src/pull/open/account.ts';
import { forgetAccounts } from '../../src/upkeep/housekeeping.ts';
import { paceRowsOf } from '../../src/pace/pace-rows.ts';
import { setGate } from '../../src/source/gate.ts';
import { keepAlive } from '../kit/alive.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';

const databases = useDatabases();
afterEach(tidyUp);

describe('an account that hosts share', () => {
  const SLOT = { alone: false, hasSlot: true };
  const ALONE = { alone: true, hasSlot: true };

  const hosts = async (): Promise<{ one: Database; other: Database; sourceId: number }> => {
    const one = await databases.create();
    const { sourceId } = await storeSource(one);
    await paceRowsOf(one).read(sourceId);
    return { one, other: await databases.another(one), sourceId };
  };

  const doubtOf = async (database: Database, sourceId: number): Promise<unknown> =>
    (await paceRowsOf(database).read(sourceId)).state.doubt;

  test('lets one request at a time try it until one is accepted, and says so in the rows of the pace', async () => {
    const { one, other, sourceId } = await hosts();
    const [here, there] = [sharedAccountOf(one, 'a'), sharedAccountOf(other, 'a')];
    const [first, second] = [randomUUID(), randomUUID()];
    await here.link(sourceId, 1);
    expect(await doubtOf(one, sourceId)).toBe(true);
    expect(await here.admit(first, SLOT)).toBe('probe');
    expect(await there.admit(second, SLOT)).toBe('wait');
    expect(await here.admit(first, SLOT)).toBe('probe');
    await here.prove(first);
    expect(await doubtOf(one, sourceId)).toBe(false);
    expect(await there.admit(second, SLOT)).toBe('proven');
    // A login goes alone even where the credentials work.
    expect(await there.admit(second, ALONE)).toBe('probe');
    expect(await here.admit(first, ALONE)).toBe('wait');
    await there.leave(second);
    expect(await here.admit(first, ALONE)).toBe('probe');
  });

  test('rejects after two refusals, also those of requests that were under way at the first', async () => {
    const { one, other, sourceId } = await hosts();
    const [here, there] = [sharedAccountOf(one, 'a'), sharedAccountOf(other, 'a')];
    const [first, second] = [randomUUID(), randomUUID()];
    await here.link(sourceId, 1);
    await here.admit(first, SLOT);
    await here.prove(first);
    expect(await here.refuse(first, 1)).toBe(1);
    expect(await doubtOf(one, sourceId)).toBe(true);
    expect(await there.refuse(second, 1)).toBe(2);
    expect(await here.admit(first, SLOT)).toBe('rejected');
    // An answer to a request that left before the doubt is no proof, because it is not the probe.
    await here.prove(first);
    expect(await here.admit(first, SLOT)).toBe('rejected');
  });

  const login: Authorisation = {
    obtain: async (http) => {
      await http.post('/login', {});
      throw new TypeError('the login is refused');
    },
    sign: () => ({}),
  };

  test.each([
    ['a password', basic, 2],
    ['a login', login, 1],
  ])('tells each host what the platform said when it refused %s', async (_what, authorisation, times) => {
    const { one, other } = await hosts();
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      json(response, { message: 'locked\u0000 since Monday' }, 401);
    });
    const settings = { credentials: { username: 'plant', password: 'open sesame' }, authorisation };
    const [here, there] = [one, other].map((database) =>
      openRig(url, settings, { account: sharedAccountOf(database, 'a') }),
    );
    const first = await refusal(here!.http.get('/'));
    const heard = await refusal(there!.http.get('/'));
    expect(asked).toBe(times);
    expect(first.message).toMatch(/401 Unauthorized: locked.* since Monday$/);
    expect(heard.message).toMatch(
      /refused these credentials \(.*401 Unauthorized: locked.* since Monday\), so no further/,
    );
    expect(heard.fault).toEqual(first.fault);
    expect(heard.remedy).toMatch(/resume each source/);
    // What an earlier password was told says nothing about a later refusal.
    await one.run('update account set refused = 0, probe = null');
    const [again, probe] = [sharedAccountOf(one, 'a'), randomUUID()];
    await again.admit(probe, SLOT);
    await again.prove(probe);
    await again.refuse(randomUUID(), 2);
    expect(await again.lastRefusal()).toBeUndefined();
  });

  test('is tried again after a refusal only when no request is under way that left before it', async () => {
    const { one, other, sourceId } = await hosts();
    const [here, there] = [sharedAccountOf(one, 'a'), sharedAccountOf(other, 'a')];
    const [first, workerId] = [randomUUID(), randomUUID()];
    await here.link(sourceId, 1);
    await keepAlive(one, workerId);
    const waiting = { alone: false, hasSlot: false };
    // One that left a minute ago, and one whose slot is about to come: it may not look for a doubt again.
    for (const sentAt of [Date.now() - 60_000, Date.now() + 1_000]) {
      const lease = { id: `${workerId}/${randomUUID()}`, lane: 'live', until: sentAt * 1000 + LEASE };
      await one.run('update pace set leases = $1', [JSON.stringify([lease])]);
      await one.run('update account set refused = 0, probe = null');
      await there.refuse(first, 1);
      expect(await there.admit(first, waiting)).toBe('wait');
    }
    await one.run(`update pace set leases = '[]'`);
    expect(await there.admit(first, SLOT)).toBe('wait');
    expect(await there.admit(first, waiting)).toBe('probe');
    expect(await there.admit(first, SLOT)).toBe('probe');
  });

  test('does not wait for a request whose slot is some time away, nor for an abandoned one', async () => {
    const { one, sourceId } = await hosts();
    const account = sharedAccountOf(one, 'a');
    const [first, workerId] = [randomUUID(), randomUUID()];
    await account.link(sourceId, 1);
    await keepAlive(one, workerId);
    const nowUs = Date.now() * 1000;
    const lease = { id: `${workerId}/${randomUUID()}`, lane: 'live' };
    const leases = [
      { ...lease, until: nowUs + LEASE + MINUTE },
      { ...lease, until: nowUs + MINUTE, abandoned: true },
    ];
    await one.run('update pace set leases = $1', [JSON.stringify(leases)]);
    await account.refuse(first, 1);
    expect(await account.admit(first, { alone: false, hasSlot: false })).toBe('probe');
  });

  test('frees the probe of a killed process after a while', async () => {
    const { one, other } = await hosts();
    const [here, there] = [sharedAccountOf(one, 'a'), sharedAccountOf(other, 'a')];
    await here.admit(randomUUID(), SLOT);
    const second = randomUUID();
    expect(await there.admit(second, SLOT)).toBe('wait');
    await one.run(`update account set probe_until = now() - interval '1 s'`);
    expect(await there.admit(second, SLOT)).toBe('probe');
  });

  test('is marked where a refusal and a new source meet', async () => {
    const { one, other, sourceId } = await hosts();
    const [here, there] = [sharedAccountOf(one, 'a'), sharedAccountOf(other, 'a')];
    const first = randomUUID();
    for (let round = 0; round < 20; round += 1) {
      await here.admit(first, SLOT);
      await here.prove(first);
      await one.run(`update pace set state = state - 'account' - 'doubt'`);
      await Promise.all([here.refuse(first, 1), there.link(sourceId, 1)]);
      expect(await doubtOf(one, sourceId)).toBe(true);
      await one.run('update account set refused = 0');
    }
  });

  describe('after one refusal', () => {
    const WAITING = { alone: false, hasSlot: false };

    /** Sources of one account that works: `well` were answered before, the others never. */
    async function sources(names: readonly string[], well: readonly string[]) {
      const database = await databases.create();
      const accounts: ReturnType<typeof sharedAccountOf>[] = [];
      for (const name of names) {
        const stored = await storeSource(database, name);
        const streamId = await storeStream(database, stored);
        if (well.includes(name))
          await database.run(`update stream set covered = '{[2026-01-01,2026-01-02)}' where id = $1`, [streamId]);
        await paceRowsOf(database).read(stored.sourceId);
        const account = sharedAccountOf(database, 'a', { sourceId: stored.sourceId });
        await account.link(stored.sourceId, 1);
        accounts.push(account);
      }
      const first = randomUUID();
      await accounts[0]!.admit(first, SLOT);
      await accounts[0]!.prove(first);
      await database.run(`update work set due_at = now() + interval '1 hour'`);
      return { database, accounts, probe: randomUUID() };
    }

    const duePolls = (database: Database): Promise<unknown[]> =>
      database.rows(
        `select name from work join source using (id) where work.kind = 'poll' and due_at <= now() order by name`,
      );

    test('a source that worked makes the second try, and a right that is missing stops its source alone', async () => {
      const { database, accounts, probe } = await sources(['well', 'bad', 'worse'], ['well']);
      const [well, bad, worse] = accounts as [SharedAccount, SharedAccount, SharedAccount];
      const [refused, waits] = [randomUUID(), randomUUID()];
      expect(await bad.refuse(refused, 1)).toBe(1);
      expect(await duePolls(database)).toEqual([{ name: 'well' }]);
      expect(await bad.admit(refused, WAITING)).toBe('wait');
      expect(await worse.admit(waits, WAITING)).toBe('wait');
      expect(await well.admit(probe, WAITING)).toBe('probe');
      await well.prove(probe);
      const doubts = `select name, (pace.state ->> 'doubt')::boolean as doubt from pace join source on id = source_id order by name`;
      expect(await database.rows(doubts)).toEqual([
        { name: 'bad', doubt: true },
        { name: 'well', doubt: false },
        { name: 'worse', doubt: true },
      ]);
      expect(await well.admit(randomUUID(), SLOT)).toBe('proven');
      expect(await bad.admit(refused, SLOT)).toBe('probe');
      expect(await worse.admit(waits, SLOT)).toBe('wait');
      expect(await bad.refuse(refused, 1)).toBe('right');
      expect(await well.admit(probe, WAITING)).toBe('probe');
      await well.prove(probe);
      expect(await worse.admit(waits, SLOT)).toBe('probe');
      expect(await worse.refuse(waits, 1)).toBe(1);
      // One that is answered is as free as the others.
      await well.admit(probe, WAITING);
      await well.prove(probe);
      expect(await worse.admit(waits, SLOT)).toBe('probe');
      await worse.prove(waits);
      expect(await worse.admit(waits, SLOT)).toBe('proven');
    });

    test('a wrong password is refused twice, and those that stop hear which source was refused', async () => {
      const { accounts, probe } = await sources(['one', 'two', 'three'], ['one', 'two', 'three']);
      const [one, two, three] = accounts as [SharedAccount, SharedAccount, SharedAccount];
      expect(await one.refuse(randomUUID(), 1)).toBe(1);
      expect(await two.admit(probe, WAITING)).toBe('probe');
      expect(await two.refuse(probe, 1)).toBe(2);
      expect(await three.admit(randomUUID(), WAITING)).toBe('rejected');
      expect(await three.lastRefusal()).toBe('met by source two');
    });

    test('the refused source tries again itself where no other one worked, or none does for an hour', async () => {
      const alone = await sources(['bad', 'never'], []);
      await alone.accounts[0]!.refuse(alone.probe, 1);
      expect(await alone.accounts[0]!.admit(alone.probe, WAITING)).toBe('probe');

      const { database, accounts, probe } = await sources(['bad', 'well', 'never'], ['well']);
      const [bad, , never] = accounts as [SharedAccount, SharedAccount, SharedAccount];
      await bad.refuse(probe, 1);
      const later = (interval: string): Promise<number> =>
        database.run('update account set second_until = second_until - $1::interval', [interval]);
      await later('3 min');
      expect(await bad.admit(probe, WAITING)).toBe('wait');
      const other = randomUUID();
      expect(await never.admit(other, WAITING)).toBe('probe');
      await never.leave(other);
      await later('1 hour');
      expect(await bad.admit(probe, WAITING)).toBe('probe');
    });
  });

  test('is remembered while a changed source has not run yet, and forgotten a month later', async () => {
    const { one, sourceId } = await hosts();
    const account = sharedAccountOf(one, 'a');
    await account.link(sourceId, 1);
    await account.refuse(randomUUID(), 2);
    await one.run(`update account set used_at = now() - interval '2 months'`);
    await one.run('update source set revision = 2');
    await one.transaction((client) => setGate(client, [sourceId], { liftHold: true }));
    await forgetAccounts(one);
    await account.link(sourceId, 2);
    // One try of a password that was refused before, not two.
    expect(await one.row('select refused from account')).toEqual({ refused: 1 });

    await one.run(`update account set used_at = now() - interval '2 months'`);
    await forgetAccounts(one);
    expect(await one.rows('select from account')).toHaveLength(1);
    await one.run('delete from source');
    await forgetAccounts(one);
    expect(await one.rows('select from account')).toEqual([]);
  });

  test('has the same digest for the same address, user and secret only, and none without the key', async () => {
    const [sealing, stranger] = [
      await openSealing('/nowhere', 'A'.repeat(43)),
      await openSealing('/nowhere', 'B'.repeat(43)),
    ];
    const base = { url: 'http://host:8086', username: 'u', password: 'secret' };
    const same = accountDigest(sealing, base);
    expect(same).toMatch(/^[\w-]{22}$/);
    expect(accountDigest(sealing, { password: 'secret', username: 'u', url: 'HTTP://host:8086/' })).toBe(same);
    expect(accountDigest(sealing, { ...base, url: 'http://host:8086/api/hall-3' })).toBe(same);
    expect(accountDigest(sealing, { ...base, url: 'http://data', authUrl: 'http://host:8086' })).toBe(same);
    const others = [{ password: 'x' }, { username: 'x' }, { url: 'http://x' }].map((change) =>
      accountDigest(sealing, { ...base, ...change }),
    );
    expect(new Set([same, accountDigest(stranger, base), ...others]).size).toBe(5);
  });
});
