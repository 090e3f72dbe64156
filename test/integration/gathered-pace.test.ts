import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { MILLISECOND } from '../../src/core/instant.ts';
import { IDLE } from '../../src/core/pace.ts';
import { clockOf } from '../../src/database/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { paceRowsOf } from '../../src/pace/pace-rows.ts';
import { sharedAccountOf } from '../../src/pull/open/account.ts';
import { pacerOf } from '../../src/pace/pacer.ts';
import { keepAlive } from '../kit/alive.ts';
import { useDatabases } from '../kit/databases.ts';
import { logPace, loggedPaces, slotsOf } from '../kit/pace-log.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { storeSource } from '../kit/stored-source.ts';

// Changes of pace of one process share statements; here several processes do so on the same sources.

const databases = useDatabases();
let database: Database;
let sources: number[];

beforeEach(async () => {
  database = await databases.create();
  sources = [];
  for (let number = 1; number <= 12; number += 1)
    sources.push((await storeSource(database, `source-${number}`)).sourceId);
});

const at = (place: number): number => sources[place] as number;

describe('the pace of many sources', () => {
  it('holds for each source when requests of many sources share statements', async () => {
    await logPace(database.pool);
    const pace = { requestsPerSecond: 40, burst: 3, concurrency: 2, quietHours: [] };
    const open = new Map<number, number>();
    let mostOpen = 0;
    await Promise.all(
      ['one', 'other'].map(async () => {
        const own = await databases.another(database);
        const workerId = randomUUID();
        await keepAlive(own, workerId);
        const { now } = await clockOf(own);
        const rows = paceRowsOf(own);
        const never = new AbortController().signal;
        await Promise.all(
          sources.map(async (sourceId) => {
            const pacer = pacerOf({
              database: own,
              rows,
              revision: 1,
              sourceId,
              workerId,
              now,
              pace,
              account: sharedAccountOf(own, 'account'),
            });
            const ask = async (): Promise<void> => {
              for (let turn = 0; turn < 10; turn += 1) {
                const slot = await pacer.slot('live', never);
                open.set(sourceId, (open.get(sourceId) ?? 0) + 1);
                mostOpen = Math.max(mostOpen, open.get(sourceId) ?? 0);
                await sleep(Math.random() * 10);
                open.set(sourceId, (open.get(sourceId) ?? 0) - 1);
                await slot.release();
              }
            };
            await Promise.all([ask(), ask()]);
          }),
        );
      }),
    );
    expect(mostOpen).toBeLessThanOrEqual(pace.concurrency);
    for (const sourceId of sources) {
      const log = await loggedPaces(database.pool, sourceId);
      // Each change builds on the change before: none was lost, none was made twice.
      expect(log.map(({ version }) => version)).toEqual(log.map((_, place) => place));
      const slots = slotsOf(log);
      expect(slots.length).toBeGreaterThanOrEqual(40);
      expect(mostInAnySecond(slots.map((slot) => slot.at / MILLISECOND))).toBeLessThanOrEqual(
        pace.burst + pace.requestsPerSecond,
      );
      for (const { state } of log) expect(state.leases.length).toBeLessThanOrEqual(pace.concurrency);
      expect(log.at(-1)?.state.leases).toEqual([]);
    }
  });

  it('is changed by one of two swaps that saw the same state, also in one group', async () => {
    const rows = paceRowsOf(database);
    const seen = await Promise.all(sources.map((id) => rows.read(id)));
    const swaps = [1, 2].flatMap((next) =>
      sources.map(async (id, place) => ({
        id,
        next,
        ...(await rows.swap(id, seen[place] as never, { ...IDLE, next })),
      })),
    );
    const swapped = await Promise.all(swaps);
    for (const id of sources) {
      const mine = swapped.filter((each) => each.id === id);
      const [winner] = mine.filter(({ done }) => done);
      expect(mine.filter(({ done }) => done)).toHaveLength(1);
      expect(await rows.read(id)).toEqual({ version: 1, state: { ...IDLE, next: winner?.next } });
    }
    // A swap from a state that has changed meanwhile gets the present state.
    const late = await rows.swap(at(0), { version: 0, state: IDLE }, { ...IDLE, next: 9 });
    expect(late).toEqual({ done: false, row: await rows.read(at(0)) });
    await database.run('delete from source');
    expect(await rows.swap(at(0), { version: 1, state: IDLE }, IDLE)).toEqual({ done: false, row: undefined });
  });
});
