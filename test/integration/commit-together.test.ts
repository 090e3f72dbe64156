import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Refusal } from '../../src/core/batch.ts';
import { SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { Taken } from '../../src/ingest/window-readings.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf, readingsIn, storeStream } from '../kit/stored-source.ts';
import { BORDER, SMALL, columnsFrom, makeGround, refusal } from './commit-ground.ts';
import type { Given, Ground } from './commit-ground.ts';

// Windows that come in together, and which of them share a statement.

const databases = useDatabases();
let ground: Ground;
let database: Database;

beforeEach(async () => {
  ground = await makeGround(databases);
  ({ database } = ground);
});

const commit = (given: Given): Promise<Taken> => ground.commit(given);

describe('windows at the same time', () => {
  it('of one stream, large and small, overlapping, add up without a deadlock', async () => {
    const windows = Array.from({ length: 24 }, (_, index) => ({
      from: BORDER + index * 600 * SECOND,
      to: BORDER + (index + 2) * 600 * SECOND,
      count: index % 3 === 0 ? 2_400 : 1_200,
    }));
    const settled = await Promise.all(
      windows.map(({ count, ...window }) => commit({ window, batch: batchOf(columnsFrom(window.from, count)) })),
    );
    const fresh = settled.reduce((sum, each) => sum + each.fresh, 0);
    expect(await database.row('select count(*) as n from reading')).toEqual({ n: fresh });
    expect(await ground.coverage()).toEqual([{ from: BORDER, to: BORDER + 25 * 600 * SECOND }]);
    expect(await database.row('select windows, readings, duplicates from window_sum')).toEqual({
      windows: 24,
      readings: windows.reduce((sum, { count }) => sum + count, 0),
      duplicates: settled.reduce((sum, each) => sum + each.duplicates, 0),
    });
  });
});

describe('a window that comes in', () => {
  /** The statements with which windows are committed besides transactions. */
  const watched = (): { statements(): unknown[] } => {
    const query = vi.spyOn(database.pool, 'query').mockClear();
    onTestFinished(() => query.mockRestore());
    const names = (): unknown[] => query.mock.calls.map(([statement]) => (statement as { name?: string }).name);
    return { statements: () => names().filter((name) => String(name).startsWith('commit-small')) };
  };
  const handOver = async (count: number, more: Partial<Given> & { refusals?: Refusal[] } = {}): Promise<unknown[]> => {
    const { refusals, ...given } = more;
    const { statements } = watched();
    const window = { from: BORDER, to: BORDER + Math.max(count, 1) * SECOND };
    await commit({ window, batch: batchOf(columnsFrom(BORDER, count), refusals), ...given });
    return statements();
  };
  const TOGETHER = ['commit-small skip locked'];
  const ALONE = ['commit-small'];

  it.each([
    [0, TOGETHER],
    [100, TOGETHER],
    [101, ALONE],
    [SMALL, ALONE],
    [SMALL + 1, []],
  ])('with %i readings is committed by %j, or by a transaction', async (count, statements) => {
    expect(await handOver(count)).toEqual(statements);
  });

  it('shares no statement where points were refused, or where it is of a backfill', async () => {
    expect(await handOver(1, { refusals: [refusal(BORDER)] })).toEqual(ALONE);
    expect(await handOver(1, { backfillId: 1, lane: 'history' })).toEqual(ALONE);
    expect(await handOver(1, { also: () => Promise.resolve() })).toEqual([]);
  });

  it('keeps no other one waiting where its stream is locked', async () => {
    const streams = [ground.streamId];
    for (const name of ['other', 'third']) streams.push(await storeStream(database, ground.source, name));
    const [locked = 0, other = 0, third = 0] = streams;
    const one = { window: { from: BORDER, to: BORDER + SECOND }, batch: batchOf([]) };
    await commit(one);
    const begun = Promise.withResolvers<void>();
    const free = Promise.withResolvers<void>();
    const holding = database.transaction(async (client) => {
      await client.query('select from stream where id = $1 for update', [locked]);
      begun.resolve();
      await free.promise;
    });
    await begun.promise;
    const waiting = Promise.all([3, 4, 5].map((place) => commit({ ...one, stream: locked, askedAt: BORDER + place })));
    await Promise.all([other, third, other, third].map((stream) => commit({ ...one, stream })));
    free.resolve();
    await Promise.all([holding, waiting]);
    expect(await database.row('select count(*) as windows from window_log')).toEqual({ windows: 8 });
  });

  it('shares a statement with others of its stream, of which each is stored once', async () => {
    const instants = Array.from({ length: 40 }, (_, place) => BORDER + place * SECOND);
    const settled = await Promise.all(
      instants.map((from) => commit({ window: { from, to: from + SECOND }, batch: batchOf(columnsFrom(from, 1)) })),
    );
    expect(settled.every(({ fresh }) => fresh === 1)).toBe(true);
    expect(await readingsIn(database)).toHaveLength(40);
    expect(await ground.coverage()).toEqual([{ from: BORDER, to: BORDER + 40 * SECOND }]);
    expect(await database.row('select windows, readings from window_sum')).toEqual({ windows: 40, readings: 40 });
  });
});
