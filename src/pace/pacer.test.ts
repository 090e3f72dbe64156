import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR, SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { IDLE } from '../core/pace.ts';
import type { Pace, PaceState } from '../core/pace.ts';
import type { Database } from '../database/database.ts';
import type { Pacer } from '../platform/connection/index.ts';
import type { PaceRow } from './pace-rows.ts';
import { pacerOf } from './pacer.ts';

/** The clock of the test; a wait moves it and takes no time. A wait that has no end is ended by an error. */
const time = { at: 0, end: 0 };
const sleep = async (ms: number): Promise<void> => {
  time.at += ms * 1_000;
  await Promise.resolve();
  if (time.at > time.end) throw new Error('waits for ever');
};

const never = new AbortController().signal;

/** The changes of the row by the pacer of the test. */
let written: PaceState[] = [];

/** A pacer whose row is kept in memory. `seen` is what other hosts make of it before each read. */
function pacerWith(pace: Omit<Pace, 'quietHours'>, seen = (state: PaceState): PaceState => state): Pacer {
  let row: PaceRow = { version: 1, state: { ...IDLE, account: 'account' } };
  return pacerOf({
    database: undefined as unknown as Database,
    rows: {
      read: () => Promise.resolve((row = { ...row, state: seen(row.state) })),
      swap(_sourceId, before, next) {
        const done = before.version === row.version;
        written.push(next);
        if (done) row = { version: row.version + 1, state: next };
        return Promise.resolve({ done, row });
      },
    },
    sourceId: 1,
    revision: 1,
    pace: { ...pace, quietHours: [] },
    account: { digest: 'account', link: () => Promise.resolve() },
    workerId: 'worker',
    now: () => time.at,
    sleep,
  });
}

/** How long a request of history waited in vain, and for how long it is to rest. */
async function refused(pacer: Pacer): Promise<{ waited: Microseconds; rest: Microseconds; own: boolean }> {
  const begun = time.at;
  const error: unknown = await pacer.slot('history', never).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'throttled' });
  const { fault } = error as { fault: { retryAt: Instant; own: boolean } };
  return { waited: time.at - begun, rest: fault.retryAt - time.at, own: fault.own };
}

beforeEach(() => {
  written = [];
  time.at = 1_000_000 * SECOND;
  time.end = time.at + HOUR;
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => vi.restoreAllMocks());

const TWO_AT_A_TIME = { requestsPerSecond: 1_000, burst: 100, concurrency: 2 };

describe('history of a source whose live requests take', () => {
  it.each(['every place', 'every slot'])(
    '%s gives up after a few seconds, and rests longer each time',
    async (what) => {
      const isFull = what === 'every place';
      const pacer = isFull
        ? pacerWith(TWO_AT_A_TIME)
        : // Each time live has reserved the next slot, and the one after it is near.
          pacerWith({ requestsPerSecond: 1, burst: 1, concurrency: 2 }, (state) => ({
            ...state,
            next: time.at + SECOND,
          }));
      if (isFull) await Promise.all([pacer.slot('live', never), pacer.slot('live', never)]);
      const rests: number[] = [];
      for (let tries = 0; tries < 6; tries += 1) {
        const { waited, rest, own } = await refused(pacer);
        expect(own).toBe(true);
        expect(waited).toBeGreaterThan(3 * SECOND);
        expect(waited).toBeLessThanOrEqual(7 * SECOND);
        rests.push(rest);
        time.at += rest;
      }
      expect(rests[0]).toBeGreaterThanOrEqual(5 * SECOND);
      expect(rests).toEqual(rests.toSorted((one, other) => one - other));
      expect(rests[3]).toBeGreaterThan(2 * (rests[0] ?? Infinity));
      expect(rests.at(-1)).toBe(50 * SECOND);
    },
  );

  it('the next slot waits for the one after it, also where slots are seconds apart', async () => {
    let taken = 0;
    const next = (state: PaceState): Instant => ((taken += 1) <= 3 ? time.at + 4 * SECOND : state.next);
    const pace = { requestsPerSecond: 0.25, burst: 1, concurrency: 2 };
    const pacer = pacerWith(pace, (state) => ({ ...state, next: next(state) }));
    const begun = time.at;
    await pacer.slot('history', never);
    expect(time.at - begun).toBeGreaterThan(5 * SECOND);
  });

  it('every place gets a slot that comes free, and then rests as short as at first', async () => {
    const pacer = pacerWith(TWO_AT_A_TIME);
    const [first] = await Promise.all([pacer.slot('live', never), pacer.slot('live', never)]);
    const short = await refused(pacer);
    time.at += 20 * SECOND;
    const long = await refused(pacer);
    expect(long.rest).toBeGreaterThan(short.rest);
    await first.release();
    const slot = await pacer.slot('history', never);
    await slot.release();
    await pacer.slot('live', never);
    expect(await refused(pacer)).toEqual(short);
  });

  it('every place waits on with a window that has begun, as live does', async () => {
    for (const [lane, begun] of [
      ['history', true],
      ['live', false],
    ] as const) {
      const pacer = pacerWith(TWO_AT_A_TIME);
      const [first] = await Promise.all([pacer.slot('live', never), pacer.slot('live', never)]);
      const from = time.at;
      let waits = true;
      const waiting = pacer.slot(lane, never, { begun }).finally(() => (waits = false));
      while (waits && time.at < from + 20 * SECOND) await Promise.resolve();
      expect(waits).toBe(true);
      await first.release();
      await (await waiting).release();
    }
  });
});

describe('a platform that shows that it is asked too fast', () => {
  const PACE = { requestsPerSecond: 2, burst: 1, concurrency: 4 };
  /** A request whose answer takes so long. */
  const request = async (pacer: Pacer, took: Microseconds): Promise<void> => {
    const slot = await pacer.slot('live', never);
    time.at += took;
    await slot.release();
  };
  const shares = (): (number | undefined)[] => [...new Set(written.map(({ ease }) => ease?.share))];

  it('is asked half as often after it asked for silence, and the row is written once for all that were refused', async () => {
    const pacer = pacerWith(PACE);
    await request(pacer, 0);
    written = [];
    await pacer.hold(time.at + SECOND, { why: 'throttled' });
    await pacer.hold(time.at + SECOND, { why: 'throttled' });
    expect(written).toMatchObject([{ ease: { share: 0.5, why: 'throttled' }, holdUntil: time.at + SECOND }]);
    await request(pacer, 0);
    const from = time.at;
    for (let number = 0; number < 10; number += 1) await request(pacer, 0);
    expect((time.at - from) / SECOND).toBeGreaterThan(8);
  });

  it('with longer and longer answers is asked less often, and one that is as fast as ever costs no other change', async () => {
    const pacer = pacerWith(PACE);
    for (let number = 0; number < 50; number += 1) await request(pacer, 200_000);
    expect(shares()).toEqual([undefined]);
    // A slot and its return.
    expect(written).toHaveLength(100);
    for (let number = 0; number < 20; number += 1) await request(pacer, 400_000);
    expect(written.at(-1)?.ease).toMatchObject({ why: 'latency' });
    expect(shares().length).toBeLessThan(5);
  });

  it('by the rest of a quota is asked so that it lasts; one that lasts writes nothing', async () => {
    const pacer = pacerWith(PACE);
    await request(pacer, 0);
    written = [];
    await pacer.hold(0, { why: 'quota', quota: { remaining: 200, reset: 100 * SECOND } });
    expect(written).toEqual([]);
    await pacer.hold(0, { why: 'quota', quota: { remaining: 50, reset: 100 * SECOND } });
    expect(written).toMatchObject([{ ease: { share: 0.25, why: 'quota' } }]);
    await pacer.hold(time.at + SECOND, { why: 'quota', quota: { remaining: 0, reset: SECOND } });
    expect(written.at(-1)).toMatchObject({ ease: { share: 0.25 }, holdUntil: time.at + SECOND });
  });
});
