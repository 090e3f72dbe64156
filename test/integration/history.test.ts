import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { coverageOf } from '../../src/core/coverage.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { lengthOf } from '../../src/core/window.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { backfillState } from '../../src/source/backfill/state.ts';
import { changeSource } from '../../src/source/state-change.ts';
import type { Samples } from '../../src/platform/contract.ts';
import { unavailable } from '../../src/platform/connection/unreachable.ts';
import { history } from '../../src/pull/history/history.ts';
import { planOnce } from '../../src/pull/planner.ts';
import { recordingQueue } from '../kit/recording-queue.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { FROM, POLICY, useHistory } from './history-ground.ts';

// What runs of history ask for, one after the other.

const lane = useHistory();

const BACKFILL = { source: { name: 'source' }, requestedBy: 'tester' };

describe('a run of history', () => {
  it('ends after 30 s and is due again at once, until the history is complete', async () => {
    await lane.store(HOUR, { from: FROM + 12 * HOUR, to: FROM + DAY });
    let runs = 0;
    for (let due: number | null = lane.now; due !== null; runs += 1) {
      lane.asked = [];
      const begun = lane.now;
      await lane.run();
      expect(lane.asked.length).toBeLessThanOrEqual(4);
      ({ due } = await lane.stream());
      if (due !== null) expect(due).toBeGreaterThan(begun);
    }
    expect(runs).toBeGreaterThan(2);
    expect((await lane.stream()).covered[0]?.from).toBe(FROM);
  });

  it('with more to ask is followed by another one at once, though the planner dispatched it again meanwhile', async () => {
    await lane.store(HOUR);
    const lease = (_window: unknown, place: number): unknown =>
      place === 0 && lane.database.run(`update work set sent_at = now() where kind = 'history'`);
    await lane.run({ answer: lease });
    expect(lane.asked).toHaveLength(4);
    expect((await lane.stream()).due).toBe(lane.now);
  });

  it.each([
    ['newest first', 1],
    ['newest first', 3],
    ['oldest first', 1],
    ['oldest first', 3],
    ['backfill', 1],
    ['backfill', 3],
  ] as const)(
    'that owes a look before a gap, %s and %d at a time, asks for both once, however many runs that takes',
    async (order, concurrency) => {
      const gap = { from: FROM + HOUR, to: FROM + HOUR + 2 * MINUTE };
      const look = { from: gap.from - 20 * MINUTE, to: gap.from };
      await lane.store(MINUTE, { from: FROM, to: gap.from }, { from: gap.to, to: FROM + 2 * DAY });
      await lane.owe(look);
      if (order === 'backfill')
        await startBackfill(lane.database, { source: { name: 'source' }, ...gap, requestedBy: 'tester' });
      for (let runs = 0; (await lane.stream()).due !== null; runs += 1) {
        await lane.run({ maxWindow: MINUTE, concurrency, ...(order === 'oldest first' && { catchUp: 'oldest' }) });
        expect(runs).toBeLessThan(10);
      }
      expect(coverageOf(lane.asked)).toEqual([{ from: look.from, to: gap.to }]);
      expect(lane.asked.reduce((sum, window) => sum + lengthOf(window), 0)).toBe(gap.to - look.from);
      expect((await lane.stream()).covered).toEqual([{ from: FROM, to: FROM + 2 * DAY }]);
      expect(await lane.database.row('select look_again::text from stream')).toEqual({ look_again: '{}' });
    },
  );

  it.each(['newest', 'oldest'] as const)(
    '%s first goes on where the run before it ended, though the platform answers one window in each run',
    async (order) => {
      const gap = { from: FROM + HOUR, to: FROM + HOUR + 5 * MINUTE };
      await lane.store(MINUTE, { from: FROM, to: gap.from }, { from: gap.to, to: FROM + 2 * DAY });
      for (let runs = 0; (await lane.stream()).covered.length > 1; runs += 1) {
        await lane.run({ maxWindow: MINUTE, answers: 1, ...(order === 'oldest' && { catchUp: order }) });
        expect(runs).toBeLessThan(6);
      }
      expect(coverageOf(lane.asked)).toEqual([gap]);
    },
  );

  it('of a backfill with --what all also ends after 30 s', async () => {
    await lane.store(HOUR, { from: FROM, to: FROM + DAY });
    const wish = {
      source: { name: 'source' },
      from: FROM,
      to: FROM + DAY,
      what: 'all' as const,
      requestedBy: 'tester',
    };
    const id = await startBackfill(lane.database, wish);
    await lane.run({ overlap: HOUR });
    expect(lane.asked.length).toBeLessThanOrEqual(4);
    expect(await backfillState(lane.database, id)).toMatchObject({ state: 'running' });
    for (let runs = 0; (await lane.stream()).due !== null; runs += 1) {
      expect(runs).toBeLessThan(10);
      await lane.run();
    }
    expect(await backfillState(lane.database, id)).toMatchObject({ state: 'done', share: 1 });
    expect(lane.asked).toHaveLength(24);
    expect(coverageOf(lane.asked)).toEqual([{ from: FROM, to: FROM + DAY }]);
  });

  it('of a backfill whose end has not settled is due when it has settled', async () => {
    const start = FROM + 12 * HOUR;
    await lane.store(HOUR);
    await lane.database.run('update source set start_at = at_instant($1)', [start]);
    const id = await startBackfill(lane.database, {
      source: { name: 'source' },
      from: start - HOUR,
      to: start,
      requestedBy: 'tester',
    });
    lane.now = start + SECOND;
    const settle = 2 * MINUTE;
    await lane.run({ start, settle });
    expect(lane.asked).toEqual([{ from: start - HOUR, to: start + SECOND - settle }]);
    expect((await lane.stream()).covered).toEqual(lane.asked);
    expect(await backfillState(lane.database, id)).toMatchObject({ state: 'running' });
    expect((await lane.stream()).due).toBe(start + settle);
    lane.now = start + settle;
    await lane.run({ start, settle });
    expect((await lane.stream()).covered).toEqual([{ from: start - HOUR, to: start }]);
    expect(await backfillState(lane.database, id)).toMatchObject({ state: 'done' });
  });
});

describe('a run that fails', () => {
  /** How long the history waits, after a run during whose request `meanwhile` happened and the planner dispatched it again. */
  async function waitAfter(meanwhile: () => Promise<unknown>): Promise<number | undefined> {
    lane.now = Date.now() * 1_000;
    await lane.store(HOUR);
    await lane.failed(6);
    const { queue } = recordingQueue();
    const read = async function* (): AsyncGenerator<Samples> {
      await meanwhile();
      await planOnce(lane.database, queue);
      yield* [];
      throw unavailable('time-out', 'no answer');
    };
    const source = openSourceOf(lane.stored, { policy: { ...POLICY, start: lane.now - DAY }, read });
    await history(
      bridgeOf(lane.database, { source, now: () => lane.now, workerId: randomUUID() }),
      lane.streamId,
      new AbortController().signal,
    );
    const row = await lane.database.row<{ waits: number }>(
      `select instant_of(due_at) - instant_of(now()) as waits from work where kind = 'history'`,
    );
    return row?.waits;
  }

  it('after the planner dispatched it again waits all the same', async () => {
    // The request takes longer than the planner waits for the job.
    const waits = await waitAfter(() => lane.database.run(`update work set sent_at = null where kind = 'history'`));
    expect(waits).toBeGreaterThan(MINUTE);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'a backfill was begun',
      () => startBackfill(lane.database, { ...BACKFILL, from: lane.now - HOUR, to: lane.now - MINUTE }),
    ],
    ['an operator asked for a poll', () => changeSource(lane.database, 'poll', { name: 'source' }, 'tester')],
  ])('after %s is followed by another one at once', async (_what, meanwhile) => {
    expect(await waitAfter(meanwhile)).toBeLessThanOrEqual(0);
  });
});

describe('a run of history whose source cannot be opened', () => {
  const opening = async (error: Error): Promise<void> => {
    await lane.store(HOUR);
    const source = openSourceOf(lane.stored, { policy: POLICY, read: () => [] });
    const bridge = bridgeOf(lane.database, { source, now: () => lane.now, workerId: randomUUID() });
    const sources = { use: () => Promise.reject(error) } as unknown as typeof bridge.sources;
    await history({ ...bridge, sources }, lane.streamId, new AbortController().signal);
  };

  it('stops the source, is due again, and keeps its failures', async () => {
    await lane.failed(2);
    await opening(new BridgeError({ code: 'config-invalid' }, 'there is no such option'));
    expect(
      await lane.database.row(
        `select state, last_fault ->> 'code' as fault, last_fault ->> 'lane' as lane, failures from source`,
      ),
    ).toEqual({ state: 'stopped', fault: 'config-invalid', lane: 'history', failures: 1 });
    expect((await lane.stream()).due).toBe(lane.now);
    expect(await lane.database.row(`select claimed_by, failures from work where kind = 'history'`)).toEqual({
      claimed_by: null,
      failures: 2,
    });
  });

  it('because the database is away ends with that error', async () => {
    const away = Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' });
    await expect(opening(away)).rejects.toThrow('no connection');
    expect(await lane.database.row('select state, last_fault from source')).toEqual({
      state: 'active',
      last_fault: null,
    });
  });
});
