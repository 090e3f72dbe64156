import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MILLISECOND, MINUTE, SECOND } from '../../src/core/instant.ts';
import { hourOf, requestsByMinute } from '../../src/core/request-counts.ts';
import type { HourOfRequests } from '../../src/core/request-counts.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { logPace, loggedPaces, requestsWithoutSlot, slotsOf } from '../kit/pace-log.ts';
import type { LoggedPace } from '../kit/pace-log.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { storeSource } from '../kit/stored-source.ts';
import { clock, hostOn } from './pacer-host.ts';
import type { Host } from './pacer-host.ts';

/** Every wait also waits for this, where it is there. */
const gate = vi.hoisted((): { opened: Promise<void> | undefined } => ({ opened: undefined }));
vi.mock('node:timers/promises', async (original) => {
  const real = await original<{ readonly setTimeout: typeof sleep }>();
  const setTimeout: typeof sleep = async (ms, value, options) => {
    const elapsed = await real.setTimeout(ms, value, options);
    if (gate.opened === undefined) return elapsed;
    const aborted = Promise.withResolvers<never>();
    options?.signal?.addEventListener('abort', () => aborted.reject(new Error('aborted')));
    await Promise.race([gate.opened, aborted.promise]);
    return elapsed;
  };
  return { ...real, setTimeout };
});

/** Lets no wait end until the returned function is called, so that a slow machine does in time all that comes before. */
function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate.opened = promise;
  const open = (): void => {
    gate.opened = undefined;
    resolve();
  };
  onTestFinished(open);
  return open;
}

const databases = useDatabases();
let database: Database;
let sourceId: number;

beforeEach(async () => {
  database = await databases.create();
  ({ sourceId } = await storeSource(database));
  await logPace(database.pool);
});

const never = new AbortController().signal;

const host = (pace: Parameters<typeof hostOn>[2], now?: () => number): Promise<Host> =>
  hostOn({ databases, database }, sourceId, pace, now);

const log = (): Promise<LoggedPace[]> => loggedPaces(database.pool, sourceId);

const requests = async (): Promise<HourOfRequests> =>
  hourOf(requestsByMinute((await log()).at(-1)?.state.requests, clock()));

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
    const counted = await requests();
    expect(counted).toMatchObject({ all: 60, look: 0, login: 0, failed: 0 });
    expect(Math.min(counted.live, counted.history)).toBeGreaterThan(0);
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

  it('keep silent when the platform asked one of them for it, also a host that has a slot already', async () => {
    const pace = { requestsPerSecond: 0.5, burst: 1, concurrency: 4 };
    const [one, other] = await Promise.all([host(pace), host(pace)]);
    await (await one.pacer.slot('live', never)).release();
    // The hold comes after the slot was reserved and before its instant.
    const openGate = closeGate();
    const waiting = other.pacer.slot('live', never);
    await expect.poll(async () => slotsOf(await log()).length).toBe(2);
    const until = (slotsOf(await log())[1]?.at ?? 0) + SECOND / 2;
    await one.pacer.hold(until);
    await one.pacer.hold(until - SECOND);
    openGate();
    const slot = await waiting;
    expect(other.now()).toBeGreaterThan(until - 50 * MILLISECOND);
    await slot.release();
    const all = await log();
    const held = all.findIndex(({ state }) => state.holdUntil === until);
    const later = slotsOf(all).slice(slotsOf(all.slice(0, held)).length);
    // On a slow machine one may be missed and the next one taken.
    expect(later.length).toBeGreaterThan(0);
    for (const { at } of later) expect(at).toBeGreaterThanOrEqual(until);
    expect(all.at(-1)?.state.leases).toEqual([]);
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
        // Long enough that few of them begin before the request of live has come to the database.
        await sleep(200);
        await slot.release();
      }
    });
    await expect.poll(async () => slotsOf(await log()).length).toBeGreaterThan(5);
    for (let turn = 0; turn < 4; turn += 1) {
      const before = await log();
      const slot = await one.pacer.slot('live', never);
      const after = await log();
      // It counts as waiting from the first state that says so, or else from its first question.
      const said = after.findIndex(({ state }, place) => place >= before.length && state.liveWaitsUntil !== undefined);
      const since = slotsOf(after).slice(slotsOf(said === -1 ? before : after.slice(0, said)).length);
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
    expect((await log()).at(-1)?.state.leases).toEqual([]);
  });
});

describe('leases', () => {
  it('of a killed process end as soon as its worker counts as silent', async () => {
    const pace = { requestsPerSecond: 100, burst: 10, concurrency: 1 };
    const [killed, other] = await Promise.all([host(pace), host(pace)]);
    await killed.pacer.slot('live', never);
    await killed.fallSilent();
    const slot = await other.pacer.slot('live', never);
    expect((await log()).at(-1)?.state.leases).toHaveLength(1);
    await slot.release();
  });

  it('of a request that gave up waiting are released', async () => {
    const { pacer } = await host({ requestsPerSecond: 0.25, burst: 1, concurrency: 5 });
    await (await pacer.slot('live', never)).release();
    const giveUp = new AbortController();
    closeGate();
    const waiting = pacer.slot('live', giveUp.signal).catch((error: unknown) => error);
    await expect.poll(async () => (await log()).at(-1)?.state.leases.length).toBe(1);
    giveUp.abort();
    expect(await waiting).toMatchObject({ code: 'cancelled' });
    expect((await log()).at(-1)?.state.leases).toEqual([]);
    // The request that gave up was never sent.
    expect((await requests()).all).toBe(1);
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
    expect((await log()).at(-1)?.state.leases).toEqual([]);
  });
});

it('requests are counted by kind, and those that failed or never left', async () => {
  const { pacer } = await host({ requestsPerSecond: 100, burst: 10, concurrency: 10 });
  const take = (lane: 'live' | 'history' | 'look', login = false) => pacer.slot(lane, never, { login });
  await (await take('live')).release('answered');
  await (await take('history')).release('failed');
  await (await take('look')).release('unsent');
  await (await take('live', true)).release('abandoned');
  await take('look');
  expect(await requests()).toEqual({
    all: 4,
    live: 1,
    history: 1,
    look: 1,
    login: 1,
    failed: 2,
    fullestMinute: expect.any(Number),
  });
});

it.each(['live', 'look', 'history'] as const)(
  'a silence that an operator lifted keeps no request waiting: %s',
  async (lane) => {
    const { pacer, now } = await host({ requestsPerSecond: 20, burst: 5, concurrency: 2 });
    await pacer.hold(now() + 60 * MINUTE);
    // As `source poll` does, so the host has read an older row.
    await database.run(`update pace set version = version + 1, state = state || '{"holdUntil": 0}'`);
    const slot = await pacer.slot(lane, never);
    await slot.release();
  },
);
