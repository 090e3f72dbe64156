import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { MILLISECOND, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { PaceState } from '../../src/core/pace.ts';
import { clockOf } from '../../src/database/clock.ts';
import type { Database } from '../../src/database/database.ts';
import type { Pacer } from '../../src/platform/connection/index.ts';
import { paceRowsOf } from '../../src/pull/pace-rows.ts';
import { pacerOf } from '../../src/pull/pacer.ts';
import { presenceOf } from '../../src/database/presence.ts';
import { useDatabases } from '../kit/databases.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { storeSource } from '../kit/stored-source.ts';

const databases = useDatabases();
let database: Database;
let sourceId: number;

beforeEach(async () => {
  database = await databases.create();
  ({ sourceId } = await storeSource(database));
  // The log holds every state of the pace, so slots are known to the µs however slow this machine is.
  await database.run(`create table pace_log (id bigint generated always as identity, state jsonb)`);
  await database.run(`create function log_pace() returns trigger language plpgsql as
    'begin insert into pace_log (state) values (new.state); return null; end'`);
  await database.run(`create trigger log_pace after insert or update on pace for each row execute function log_pace()`);
});

/** A lease ends this long after its slot (src/pull/pacer.ts). */
const LEASE = 5 * MINUTE;

const never = new AbortController().signal;

interface Host {
  readonly pacer: Pacer;
  readonly workerId: string;
  readonly now: () => number;
}

/** The pacer of another host: it has its own pool and clock, and its worker lives. */
async function host(pace: { requestsPerSecond: number; burst: number; concurrency: number }): Promise<Host> {
  const own = await databases.another(database);
  const { now } = await clockOf(own);
  const workerId = randomUUID();
  await presenceOf(own, workerId, 'test').beat();
  return {
    pacer: pacerOf({
      database: own,
      rows: paceRowsOf(own),
      sourceId,
      workerId,
      now,
      pace: { ...pace, quietHours: [] },
    }),
    workerId,
    now,
  };
}

const states = async (): Promise<PaceState[]> =>
  (await database.rows<{ state: PaceState }>('select state from pace_log order by id')).map(({ state }) => state);

/** All slots that were reserved, in the order of their reservations. */
function slotsOf(all: readonly PaceState[]): { id: string; lane: string; at: number }[] {
  const seen = new Map<string, { id: string; lane: string; at: number }>();
  for (const { leases } of all) {
    for (const { id, lane, until } of leases) if (!seen.has(id)) seen.set(id, { id, lane, at: until - LEASE });
  }
  return [...seen.values()];
}

describe('many hosts on one source', () => {
  it('never exceed the pace in any second, nor the number of requests at a time', async () => {
    const pace = { requestsPerSecond: 25, burst: 4, concurrency: 3 };
    const hosts = await Promise.all([1, 2, 3, 4].map(() => host(pace)));
    const granted: number[] = [];
    let open = 0;
    let mostOpen = 0;
    let left = 60;
    const ask = async ({ pacer, now }: Host, lane: 'live' | 'history'): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const slot = await pacer.slot(lane, never);
        granted.push(now());
        open += 1;
        mostOpen = Math.max(mostOpen, open);
        await sleep(5);
        open -= 1;
        await slot.release();
      }
    };
    await Promise.all(hosts.flatMap((each) => [ask(each, 'live'), ask(each, 'live'), ask(each, 'history')]));

    const all = await states();
    const slots = slotsOf(all);
    expect(granted).toHaveLength(60);
    expect(slots.length).toBeGreaterThanOrEqual(60);
    expect(mostInAnySecond(slots.map(({ at }) => at / MILLISECOND))).toBeLessThanOrEqual(
      pace.burst + pace.requestsPerSecond,
    );
    for (const { leases } of all) expect(leases.length).toBeLessThanOrEqual(pace.concurrency);
    expect(mostOpen).toBeLessThanOrEqual(pace.concurrency);
    expect(all.at(-1)?.leases).toEqual([]);
    // No request begins before its slot; the clocks of hosts on one machine differ by far less than 50 ms.
    const times = slots.map(({ at }) => at).toSorted((one, other) => one - other);
    granted.sort((one, other) => one - other);
    for (const [index, at] of times.slice(0, 60).entries())
      expect(granted[index]).toBeGreaterThan(at - 50 * MILLISECOND);
  });

  it('keep silent when the platform asked one of them for it, also a host that has a slot already', async () => {
    const pace = { requestsPerSecond: 1, burst: 1, concurrency: 4 };
    const [one, other] = await Promise.all([host(pace), host(pace)]);
    await (await one.pacer.slot('live', never)).release();
    const waiting = other.pacer.slot('live', never);
    await expect.poll(async () => slotsOf(await states()).length).toBe(2);
    const until = one.now() + 1_500 * MILLISECOND;
    await one.pacer.hold(until);
    await one.pacer.hold(until - SECOND);
    const slot = await waiting;
    expect(other.now()).toBeGreaterThan(until - 50 * MILLISECOND);
    await slot.release();
    const all = await states();
    const held = all.findIndex(({ holdUntil }) => holdUntil === until);
    const later = slotsOf(all).filter(
      ({ id }) => !all.slice(0, held).some(({ leases }) => leases.some((lease) => lease.id === id)),
    );
    for (const { at } of later) expect(at).toBeGreaterThanOrEqual(until);
    expect(all.at(-1)?.leases).toEqual([]);
  });

  it('refuse a slot during a long silence instead of waiting for its end', async () => {
    const { pacer, now } = await host({ requestsPerSecond: 10, burst: 1, concurrency: 2 });
    const until = now() + MINUTE;
    await pacer.hold(until);
    for (const lane of ['live', 'history'] as const) {
      const refused: unknown = await pacer.slot(lane, never).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'throttled' });
      const { retryAt } = (refused as { fault: { retryAt: number } }).fault;
      expect(retryAt).toBeGreaterThan(until - 10 * SECOND);
      expect(retryAt).toBeLessThanOrEqual(until);
    }
    expect(slotsOf(await states())).toEqual([]);
  });
});

describe('live', () => {
  it.each([1, 2, 3])('is not starved by history of several hosts with %i at a time', async (concurrency) => {
    const pace = { requestsPerSecond: 100, burst: 10, concurrency };
    const [one, other] = await Promise.all([host(pace), host(pace)]);
    const stop = new AbortController();
    const history = [one, other, one, other].map(async ({ pacer }) => {
      while (!stop.signal.aborted) {
        const slot = await pacer.slot('history', stop.signal).catch(() => undefined);
        if (!slot) return;
        await sleep(40);
        await slot.release();
      }
    });
    await expect.poll(async () => slotsOf(await states()).length).toBeGreaterThan(5);
    for (let turn = 0; turn < 4; turn += 1) {
      const before = slotsOf(await states()).length;
      const slot = await one.pacer.slot('live', never);
      const since = slotsOf(await states()).slice(before);
      // Before live, history may end the requests under way and use the slots it has reserved.
      const ahead = since.slice(
        0,
        since.findIndex(({ lane }) => lane === 'live'),
      );
      expect(ahead.length).toBeLessThanOrEqual(2 * concurrency + 2);
      await slot.release();
      await sleep(30);
    }
    stop.abort();
    await Promise.all(history);
    expect((await states()).at(-1)?.leases).toEqual([]);
  });
});

describe('leases', () => {
  it('of a killed process end as soon as its worker counts as silent', async () => {
    const pace = { requestsPerSecond: 100, burst: 10, concurrency: 1 };
    const [killed, other] = await Promise.all([host(pace), host(pace)]);
    await killed.pacer.slot('live', never);
    await database.run(`update worker set beat_at = now() - interval '1 minute' where id = $1`, [killed.workerId]);
    const slot = await other.pacer.slot('live', never);
    expect((await states()).at(-1)?.leases).toHaveLength(1);
    await slot.release();
  });

  it('of a request that gave up waiting are released', async () => {
    const { pacer } = await host({ requestsPerSecond: 0.5, burst: 1, concurrency: 5 });
    await (await pacer.slot('live', never)).release();
    const giveUp = new AbortController();
    const waiting = pacer.slot('live', giveUp.signal).catch((error: unknown) => error);
    await expect.poll(async () => (await states()).at(-1)?.leases.length).toBe(1);
    giveUp.abort();
    expect(await waiting).toMatchObject({ code: 'cancelled' });
    expect((await states()).at(-1)?.leases).toEqual([]);
    await expect(pacer.slot('live', giveUp.signal)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('of a removed source are refused', async () => {
    const { pacer } = await host({ requestsPerSecond: 1, burst: 1, concurrency: 1 });
    await database.run('delete from source');
    await expect(pacer.slot('live', never)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('are counted right while many requests of one process wait and release at once', async () => {
    const { pacer } = await host({ requestsPerSecond: 100, burst: 1, concurrency: 100 });
    // A request that waited for long forgets the state it knew, while other requests release their leases.
    const results = await Promise.allSettled(
      Array.from({ length: 80 }, async () => {
        const slot = await pacer.slot('live', never);
        await sleep(10);
        await slot.release();
      }),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await states()).at(-1)?.leases).toEqual([]);
  });
});
