import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { coverageOf, subtract } from '../../src/core/coverage.ts';
import type { Coverage } from '../../src/core/coverage.ts';
import { throttled } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Policy } from '../../src/core/plan.ts';
import { lengthOf } from '../../src/core/window.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import { backfillState, startBackfill } from '../../src/source/backfills.ts';
import { changeSource } from '../../src/source/state-change.ts';
import type { Samples } from '../../src/platform/contract.ts';
import { unavailable } from '../../src/platform/connection/unreachable.ts';
import { history } from '../../src/pull/history.ts';
import { planOnce } from '../../src/pull/planner.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

/** Runs of the history lane on a real database. The platform is a function, and each of its answers moves the clock. */

const FROM = parseInstant('2026-03-01T00:00:00Z') ?? 0;
const policy: Policy = { start: FROM, settle: 0, align: SECOND, overlap: 0, maxWindow: HOUR };
/** A window takes this long, so that a run, which ends after 30 s, reads at most four. */
const SLOW = 10 * SECOND;

const databases = useDatabases();
let database: Database;
let stored: StoredSource;
let streamId: number;
let now: number;
let windowTakes: number;
let asked: Window[];

beforeEach(async () => {
  database = await databases.create();
  stored = await storeSource(database);
  streamId = await storeStream(database, stored);
  now = FROM + DAY;
  windowTakes = SLOW;
  asked = [];
});

const BACKFILL = { source: { name: 'source' }, again: false, requestedBy: 'tester' };

interface Given extends Partial<Policy> {
  readonly concurrency?: number;
  readonly catchUp?: 'oldest';
  /** After this many windows the platform asks for silence. */
  readonly answers?: number;
}

async function run(given: Given = {}): Promise<void> {
  const { concurrency = 1, catchUp = 'newest', answers = Infinity, ...change } = given;
  let left = answers;
  const source = openSourceOf(stored, {
    policy: { ...policy, ...change },
    concurrency,
    catchUp,
    read: (window) => {
      if (left === 0) throw throttled(now + SECOND, 'enough');
      left -= 1;
      asked.push(window);
      now += windowTakes;
      return [{ sensor: 'pump', variable: 'flow', at: [window.from], values: [1] }];
    },
  });
  const bridge = bridgeOf(database, { source, now: () => now, workerId: randomUUID() });
  await history(bridge, streamId, new AbortController().signal);
}

/** Stores the coverage and learned window length of the stream and makes its history due. */
const store = (learned: number, ...ranges: readonly Window[]): Promise<number> =>
  database.run(
    `update stream set history_due_at = at_instant($4), learned = jsonb_build_object('length', $3::float8),
     covered = (select coalesce(range_agg(tstzrange(at_instant("from"), at_instant("to"))), '{}') from unnest($1::bigint[], $2::bigint[]) as range ("from", "to"))`,
    [ranges.map(({ from }) => from), ranges.map(({ to }) => to), learned, now],
  );

async function stream(): Promise<{ covered: Coverage; due: number | null }> {
  const row = await database.row<{ covered: [number, number][]; due: number | null }>(
    'select instants_of(covered) as covered, instant_of(history_due_at) as due from stream',
  );
  return { covered: (row?.covered ?? []).map(([from, to]) => ({ from, to })), due: row?.due ?? null };
}

describe('a run of history', () => {
  it('ends after 30 s and is due again at once, until the history is complete', async () => {
    await store(HOUR, { from: FROM + 12 * HOUR, to: FROM + DAY });
    let runs = 0;
    for (let due: number | null = now; due !== null; runs += 1) {
      asked = [];
      const begun = now;
      await run();
      expect(asked.length).toBeLessThanOrEqual(4);
      ({ due } = await stream());
      if (due !== null) expect(due).toBeGreaterThan(begun);
    }
    expect(runs).toBeGreaterThan(2);
    expect((await stream()).covered[0]?.from).toBe(FROM);
  });

  it.each([
    ['newest first', 1],
    ['newest first', 3],
    ['oldest first', 1],
    ['oldest first', 3],
    ['backfill', 1],
    ['backfill', 3],
  ] as const)(
    'that looks back, %s and %d at a time, asks the overlap once before it closes the gap, however many runs that takes',
    async (order, concurrency) => {
      const gap = { from: FROM + HOUR, to: FROM + HOUR + 2 * MINUTE };
      await store(MINUTE, { from: FROM, to: gap.from }, { from: gap.to, to: FROM + 2 * DAY });
      const overlap = 20 * MINUTE;
      if (order === 'backfill')
        await startBackfill(database, { source: { name: 'source' }, ...gap, again: false, requestedBy: 'tester' });
      let runs = 0;
      let closedWith: Coverage | undefined;
      for (; (await stream()).due !== null; runs += 1) {
        await run({ overlap, maxWindow: MINUTE, concurrency, ...(order === 'oldest first' && { catchUp: 'oldest' }) });
        const { covered } = await stream();
        if (covered.some(({ from, to }) => from <= gap.from && to > gap.from)) closedWith ??= coverageOf(asked);
        expect(runs).toBeLessThan(10);
      }
      const late = { from: gap.from - overlap, to: gap.from };
      expect(subtract([late], closedWith ?? [])).toEqual([]);
      // The overlap was asked once, though gap and overlap take more than one run.
      expect(asked.reduce((sum, window) => sum + lengthOf(window), 0)).toBe(overlap + lengthOf(gap));
      expect((await stream()).covered).toEqual([{ from: FROM, to: FROM + 2 * DAY }]);
    },
  );

  it.each(['newest', 'oldest'] as const)(
    '%s first goes on where the run before it ended, though the platform answers one window in each run',
    async (order) => {
      const gap = { from: FROM + HOUR, to: FROM + HOUR + 2 * MINUTE };
      await store(MINUTE, { from: FROM, to: gap.from }, { from: gap.to, to: FROM + 2 * DAY });
      const overlap = 5 * MINUTE;
      for (let runs = 0; (await stream()).covered.length > 1; runs += 1) {
        await run({ overlap, maxWindow: MINUTE, answers: 1, ...(order === 'oldest' && { catchUp: order }) });
        expect(runs).toBeLessThan(8);
      }
      expect(coverageOf(asked)).toEqual([{ from: gap.from - overlap, to: gap.to }]);
    },
  );

  it('looks back again at time near the edge, because late points may have come since', async () => {
    const gap = { from: FROM + HOUR, to: FROM + HOUR + 10 * MINUTE };
    await store(MINUTE, { from: FROM, to: gap.from }, { from: gap.to, to: FROM + 2 * DAY });
    const overlap = 5 * MINUTE;
    now = gap.from + 4 * MINUTE;
    windowTakes = 0;
    await run({ overlap, maxWindow: MINUTE, catchUp: 'oldest', answers: 7 });
    now = gap.to + HOUR;
    asked = [];
    await run({ overlap, maxWindow: MINUTE, catchUp: 'oldest' });
    // An hour ago the run read two minutes of the gap and the overlap before them, when late points had not come yet.
    expect(coverageOf(asked)).toEqual([{ from: gap.from + 2 * MINUTE - overlap, to: gap.to }]);
  });

  it('of a backfill with --again also ends after 30 s', async () => {
    await store(HOUR, { from: FROM, to: FROM + DAY });
    const wish = { source: { name: 'source' }, from: FROM, to: FROM + DAY, again: true, requestedBy: 'tester' };
    const id = await startBackfill(database, wish);
    await run();
    expect(asked.length).toBeLessThanOrEqual(4);
    expect(await backfillState(database, id)).toMatchObject({ state: 'running' });
    for (let runs = 0; (await stream()).due !== null; runs += 1) {
      expect(runs).toBeLessThan(10);
      await run();
    }
    expect(await backfillState(database, id)).toMatchObject({ state: 'done', share: 1 });
    expect(asked).toHaveLength(24);
    expect(coverageOf(asked)).toEqual([{ from: FROM, to: FROM + DAY }]);
  });

  it('of a backfill whose end has not settled is due when it has settled', async () => {
    const start = FROM + 12 * HOUR;
    await store(HOUR);
    await database.run('update source set start_at = at_instant($1)', [start]);
    const id = await startBackfill(database, {
      source: { name: 'source' },
      from: start - HOUR,
      to: start,
      again: false,
      requestedBy: 'tester',
    });
    now = start + SECOND;
    const settle = 2 * MINUTE;
    await run({ start, settle });
    expect(asked).toEqual([{ from: start - HOUR, to: start + SECOND - settle }]);
    expect((await stream()).covered).toEqual(asked);
    expect(await backfillState(database, id)).toMatchObject({ state: 'running' });
    expect((await stream()).due).toBe(start + settle);
    now = start + settle;
    await run({ start, settle });
    expect((await stream()).covered).toEqual([{ from: start - HOUR, to: start }]);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done' });
  });
});

describe('a run that fails', () => {
  /** How long the history waits, after a run during whose request `meanwhile` happened and the planner dispatched it again. */
  async function waitAfter(meanwhile: () => Promise<unknown>): Promise<number | undefined> {
    now = Date.now() * 1_000;
    await store(HOUR);
    await database.run('update stream set history_failures = 6, history_due_at = now()');
    const queue = { add: async () => undefined } as unknown as Queue;
    const read = async function* (): AsyncGenerator<Samples> {
      await meanwhile();
      await planOnce(database, queue);
      yield* [];
      throw unavailable('time-out', 'no answer');
    };
    const source = openSourceOf(stored, { policy: { ...policy, start: now - DAY }, read });
    await history(
      bridgeOf(database, { source, now: () => now, workerId: randomUUID() }),
      streamId,
      new AbortController().signal,
    );
    const row = await database.row<{ waits: number }>(
      'select instant_of(history_due_at) - instant_of(now()) as waits from stream',
    );
    return row?.waits;
  }

  it('after the planner dispatched it again waits all the same', async () => {
    // The request takes longer than the planner waits for the job.
    const waits = await waitAfter(() => database.run('update stream set history_due_at = now()'));
    expect(waits).toBeGreaterThan(MINUTE);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a backfill was begun', () => startBackfill(database, { ...BACKFILL, from: now - HOUR, to: now - MINUTE })],
    ['an operator asked for a poll', () => changeSource(database, 'poll', { name: 'source' }, 'tester')],
  ])('after %s is followed by another one at once', async (_what, meanwhile) => {
    expect(await waitAfter(meanwhile)).toBeLessThanOrEqual(0);
  });
});
