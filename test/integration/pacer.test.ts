import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { MILLISECOND, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { Pacer } from '../../src/platform/connection/index.ts';
import { paceRowsOf } from '../../src/pull/pace-rows.ts';
import { pacerOf } from '../../src/pull/pacer.ts';
import { presenceOf } from '../../src/database/presence.ts';
import { useDatabases } from '../kit/databases.ts';
import { logPace, loggedPaces, requestsWithoutSlot, slotsOf } from '../kit/pace-log.ts';
import type { LoggedPace } from '../kit/pace-log.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { storeSource } from '../kit/stored-source.ts';

const databases = useDatabases();
let database: Database;
let sourceId: number;

beforeEach(async () => {
  database = await databases.create();
  ({ sourceId } = await storeSource(database));
  await logPace(database.pool);
});

const never = new AbortController().signal;

interface Host {
  readonly pacer: Pacer;
  readonly workerId: string;
  readonly now: () => number;
}

/** The database's clock, µs: it runs on this machine. What a host believes it to be is tested in clock.test.ts. */
const clock = (): number => Math.floor((performance.timeOrigin + performance.now()) * MILLISECOND);

/** A pacer as another host has it: with a pool of its own, and alive for as long as a test takes. */
async function host(
  pace: { requestsPerSecond: number; burst: number; concurrency: number },
  now: () => number = clock,
): Promise<Host> {
  const own = await databases.another(database);
  const workerId = randomUUID();
  await presenceOf(own, workerId, 'test').beat();
  await database.run(`update worker set beat_at = now() + interval '1 hour' where id = $1`, [workerId]);
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

const log = (): Promise<LoggedPace[]> => loggedPaces(database.pool, sourceId);

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

    const all = await log();
    const slots = slotsOf(all);
    expect(granted).toHaveLength(60);
    expect(slots.length).toBeGreaterThanOrEqual(60);
    expect(mostInAnySecond(slots.map(({ at }) => at / MILLISECOND))).toBeLessThanOrEqual(
      pace.burst + pace.requestsPerSecond,
    );
    for (const { state } of all) expect(state.leases.length).toBeLessThanOrEqual(pace.concurrency);
    expect(mostOpen).toBeLessThanOrEqual(pace.concurrency);
    expect(all.at(-1)?.state.leases).toEqual([]);
    // A timer may end up to a millisecond early.
    const grantedMs = granted.map((at) => at / MILLISECOND);
    expect(requestsWithoutSlot(slots, grantedMs, 2)).toEqual([]);
  });

  it('keep silent when one of them was told to, also who has a slot already', async () => {
    // The hold has four seconds to come before the slot that it holds back.
    const pace = { requestsPerSecond: 0.25, burst: 1, concurrency: 4 };
    const [one, other] = await Promise.all([host(pace), host(pace)]);
    await (await one.pacer.slot('live', never)).release();
    const waiting = other.pacer.slot('live', never);
    await expect.poll(async () => slotsOf(await log()).length).toBe(2);
    const until = one.now() + 4_500 * MILLISECOND;
    await one.pacer.hold(until);
    await one.pacer.hold(until - SECOND);
    const slot = await waiting;
    expect(other.now()).toBeGreaterThan(until - 50 * MILLISECOND);
    await slot.release();
    const all = await log();
    const held = all.findIndex(({ state }) => state.holdUntil === until);
    const later = slotsOf(all).slice(slotsOf(all.slice(0, held)).length);
    expect(later).toHaveLength(1);
    for (const { at } of later) expect(at).toBeGreaterThanOrEqual(until);
    expect(all.at(-1)?.state.leases).toEqual([]);
  });

  it('hand a long silence back instead of waiting for it, and leave its end to live', async () => {
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
    expect(slotsOf(await log())).toEqual([]);
  });
});

describe('live', () => {
  it.each([1, 2, 3])('is not starved by history of several hosts with %i at a time', async (concurrency) => {
    const pace = { requestsPerSecond: 100, burst: 10, concurrency };
    // Ten times slower than a wall clock: how long live counts as waiting is 5 s then, and a busy machine cannot outlast it.
    const begun = clock();
    const slowly = (): number => begun + Math.floor((clock() - begun) / 10);
    const [one, other] = await Promise.all([host(pace, slowly), host(pace, slowly)]);
    const stop = new AbortController();
    const history = [one, other, one, other].map(async ({ pacer }) => {
      while (!stop.signal.aborted) {
        const slot = await pacer.slot('history', stop.signal).catch(() => undefined);
        if (!slot) return;
        await sleep(40);
        await slot.release();
      }
    });
    await expect.poll(async () => slotsOf(await log()).length).toBeGreaterThan(5);
    for (let turn = 0; turn < 4; turn += 1) {
      const before = slotsOf(await log()).length;
      const slot = await one.pacer.slot('live', never);
      const since = slotsOf(await log()).slice(before);
      // What is under way may end and what was on its way may still come; then it is live's turn.
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
    expect((await log()).at(-1)?.state.leases).toEqual([]);
  });
});

describe('places', () => {
  it('of whoever was killed are free again as soon as it counts as silent', async () => {
    const pace = { requestsPerSecond: 100, burst: 10, concurrency: 1 };
    const [killed, other] = await Promise.all([host(pace), host(pace)]);
    await killed.pacer.slot('live', never);
    await database.run(`update worker set beat_at = now() - interval '1 minute' where id = $1`, [killed.workerId]);
    const slot = await other.pacer.slot('live', never);
    expect((await log()).at(-1)?.state.leases).toHaveLength(1);
    await slot.release();
  });

  it('of who gave up waiting are given back', async () => {
    const { pacer } = await host({ requestsPerSecond: 0.25, burst: 1, concurrency: 5 });
    await (await pacer.slot('live', never)).release();
    const giveUp = new AbortController();
    const waiting = pacer.slot('live', giveUp.signal).catch((error: unknown) => error);
    await expect.poll(async () => (await log()).at(-1)?.state.leases.length).toBe(1);
    giveUp.abort();
    expect(await waiting).toMatchObject({ code: 'cancelled' });
    expect((await log()).at(-1)?.state.leases).toEqual([]);
    await expect(pacer.slot('live', giveUp.signal)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('of a source that was removed do not exist', async () => {
    const { pacer } = await host({ requestsPerSecond: 1, burst: 1, concurrency: 1 });
    await database.run('delete from source');
    await expect(pacer.slot('live', never)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('are counted right however much one process forgets and remembers at a time', async () => {
    const { pacer } = await host({ requestsPerSecond: 100, burst: 1, concurrency: 100 });
    // Whoever waited for long forgets what it knew, while others give their places back just then.
    const results = await Promise.allSettled(
      Array.from({ length: 80 }, async () => {
        const slot = await pacer.slot('live', never);
        await sleep(10);
        await slot.release();
      }),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await log()).at(-1)?.state.leases).toEqual([]);
  });
});
