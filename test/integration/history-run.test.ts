import { describe, expect, it } from 'vitest';
import { coverageOf, missing } from '../../src/core/coverage.ts';
import { BridgeError, contractBroken } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import { lengthOf } from '../../src/core/window.ts';
import type { Window } from '../../src/core/window.ts';
import { changeBackfill } from '../../src/source/backfill/change.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { backfillState } from '../../src/source/backfill/state.ts';
import { FROM, useHistory } from './history-ground.ts';

// What one run of history makes of answers and failures, and of what changes while it is under way.

const lane = useHistory();
const WHOLE = { from: FROM, to: FROM + DAY };

const halfAPage = (): never => {
  throw contractBroken('half a page');
};
const serverError = (): never => {
  throw new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500');
};

const setAside = async (): Promise<Window[]> =>
  lane.database.rows<{ from: Instant; to: Instant } & Record<string, unknown>>(
    'select instant_of(from_at) as from, instant_of(to_at) as to from unreadable order by from_at',
  );

describe('a run of history that is under way', () => {
  it('asks for nothing more of a backfill that is cancelled', async () => {
    await lane.store(HOUR, { from: FROM, to: FROM + DAY });
    const wish = { source: { name: 'source' }, ...WHOLE, what: 'all' as const, requestedBy: 'tester' };
    const id = await startBackfill(lane.database, wish);
    await lane.run({ answer: () => changeBackfill(lane.database, id, 'cancel', 'tester') });
    expect(lane.asked).toHaveLength(1);
    expect((await lane.stream()).due).toBeNull();
  });

  it('asks for a backfill that is begun as soon as that has its turn', async () => {
    await lane.store(HOUR, { from: FROM + 12 * HOUR, to: FROM + DAY });
    const range = { from: FROM + HOUR, to: FROM + 2 * HOUR };
    const wish = { source: { name: 'source' }, ...range, requestedBy: 'tester' };
    let id = 0;
    await lane.run({
      answer: async (_window, place) => {
        if (place === 0) id = await startBackfill(lane.database, wish);
      },
    });
    expect(lane.asked[0]).toEqual({ from: FROM + 11 * HOUR, to: FROM + 12 * HOUR });
    expect(lane.asked[2]).toEqual(range);
    expect(await backfillState(lane.database, id)).toMatchObject({ state: 'done' });
  });

  it('learns of changes once a second, however quick the windows are', async () => {
    await lane.store(HOUR, { from: FROM, to: FROM + DAY });
    const wish = { source: { name: 'source' }, ...WHOLE, what: 'all' as const, requestedBy: 'tester' };
    const id = await startBackfill(lane.database, wish);
    lane.windowTakes = SECOND / 4;
    await lane.run({ answer: () => changeBackfill(lane.database, id, 'cancel', 'tester') });
    // A second has passed after four windows, and the fifth begins only after more than one.
    expect(lane.asked).toHaveLength(5);
  });

  it('ends where the outbox of its project becomes full, and is due again', async () => {
    await lane.store(HOUR);
    await lane.run({
      answer: () =>
        lane.database.run(
          `insert into remote (project_id, url, organisation, code, application_id, secret, most_waiting, full_since)
           select id, 'https://service.example', 'o', 'c', 'a', 's', 1, now() from ml_project`,
        ),
    });
    expect(lane.asked).toHaveLength(1);
    expect((await lane.stream()).due).toBe(lane.now);
  });

  it('ends where its process drains, is due again, and ends no row of failures', async () => {
    await lane.store(HOUR);
    await lane.failed(2);
    await lane.database.run(`update stream set last_fault = '{"code": "unavailable", "lane": "history"}'`);
    const drain = new AbortController();
    await lane.run({ answer: () => drain.abort(), signal: drain.signal });
    expect(lane.asked).toHaveLength(1);
    expect((await lane.stream()).due).toBe(lane.now);
    expect(await lane.shown()).toEqual({ failures: 2, fault: 'unavailable', lane: 'history' });
  });

  it('ends 30 s after its begin with the window that is begun then', async () => {
    await lane.store(HOUR);
    await lane.run();
    expect(lane.asked).toHaveLength(4);
    lane.asked = [];
    await lane.database.run(`update stream set covered = '{}'`);
    lane.windowTakes = 31 * SECOND;
    await lane.run();
    expect(lane.asked).toHaveLength(1);
  });

  it('asks for halves of a window that was too much', async () => {
    await lane.store(HOUR);
    const points = ({ from, to }: Window): Instant[] =>
      Array.from({ length: to - from === HOUR ? 5_000 : 1 }, (_, place) => from + place);
    await lane.run({ points });
    const isShort = (length: number): boolean => length < 0.6 * HOUR;
    const [tooMuch, ...halves] = lane.asked;
    expect(tooMuch).toEqual({ from: FROM + 22 * HOUR, to: FROM + 23 * HOUR });
    expect(halves.map(lengthOf)).toEqual([HOUR / 2, expect.toSatisfy(isShort), expect.toSatisfy(isShort)]);
    const { covered } = await lane.stream();
    expect(covered).toEqual(coverageOf(halves));
    // Nothing between them counts as read because the longer window was asked for.
    expect(covered).toHaveLength(1);
  });
});

describe('a run of history whose windows can be read', () => {
  const lookAgain = ({ from, to }: Window): Promise<number> =>
    lane.database.run('update stream set look_again = tstzmultirange(tstzrange(at_instant($1), at_instant($2)))', [
      from,
      to,
    ]);
  const old = { from: FROM + 12 * HOUR, to: FROM + 14 * HOUR };
  const isOld = ({ from, to }: Window): boolean => from >= old.from && to <= old.to;

  it('asks in turns for missing time and for time to ask for once more', async () => {
    await lane.store(HOUR, { from: FROM + 12 * HOUR, to: FROM + DAY });
    await lookAgain(old);
    await lane.run();
    expect(lane.asked.map(isOld)).toEqual([false, true, false, true]);
    expect(await lane.database.rows('select distinct lane from window_log')).toEqual([{ lane: 'history' }]);
  });

  it('asks for time to ask for once more that live adds meanwhile', async () => {
    await lane.store(HOUR, { from: FROM + 12 * HOUR, to: FROM + DAY });
    await lane.run({ answer: (_window, place) => (place === 0 ? lookAgain(old) : undefined) });
    expect(lane.asked.map(isOld)).toEqual([false, true, false, true]);
  });

  it('is not begun where the source is paused', async () => {
    await lane.store(HOUR);
    await lane.database.run(`update source set state = 'paused'`);
    await lane.run();
    expect(lane.asked).toEqual([]);
    expect((await lane.stream()).due).toBe(lane.now);
  });

  it.each([
    ['history', { failures: 0, fault: null, lane: null }],
    ['live', { failures: 0, fault: 'unavailable', lane: 'live' }],
  ])('ends a row of failures of history; a fault of %s stays only where it is live', async (of, left) => {
    // Nothing is missing, so no commit takes the fault away.
    await lane.store(HOUR, { from: FROM, to: FROM + DAY });
    await lane.failed(2);
    await lane.database.run(
      `update stream set last_fault = jsonb_build_object('code', 'unavailable', 'lane', $1::text)`,
      [of],
    );
    await lane.run();
    expect([lane.asked, await lane.shown()]).toEqual([[], left]);
  });
});

describe('a run of history that fails', () => {
  it('ends after one window that cannot be read where live fails, too', async () => {
    await lane.store(HOUR);
    await lane.database.run('update stream set failures = 1');
    await lane.run({ answer: halfAPage });
    expect(lane.asked).toHaveLength(1);
    expect(await lane.shown()).toMatchObject({ failures: 1, fault: 'contract-broken' });
  });

  it.each([1, 2])('ends after three windows in a row that cannot be read, with %d at a time', async (concurrency) => {
    await lane.store(HOUR);
    lane.windowTakes = SECOND;
    await lane.run({ concurrency, answer: halfAPage });
    expect(lane.asked.length).toBeGreaterThanOrEqual(3);
    expect(lane.asked.length).toBeLessThan(3 + concurrency);
    expect(coverageOf(await setAside())).toEqual(coverageOf(lane.asked));
    expect(await lane.database.row(`select distinct fault ->> 'lane' as lane from unreadable`)).toEqual({
      lane: 'history',
    });
    // All of them are one failure.
    expect(await lane.shown()).toEqual({ failures: 1, fault: 'contract-broken', lane: 'history' });
    expect((await lane.stream()).due).toBeGreaterThan(lane.now + MINUTE / 4);
  });

  it('goes on while a window between them can be read', async () => {
    await lane.store(HOUR);
    lane.windowTakes = SECOND;
    await lane.run({ answer: (_window, place) => (place % 3 === 2 ? undefined : halfAPage()) });
    expect(lane.asked.length).toBeGreaterThan(20);
    expect(await lane.shown()).toMatchObject({ failures: 0 });
  });

  it('counts failures anew after a window that could be read', async () => {
    await lane.store(HOUR);
    await lane.failed(6);
    await lane.run({ answer: (_window, place) => (place === 0 ? undefined : serverError()) });
    expect(lane.asked).toHaveLength(2);
    expect(await lane.shown()).toEqual({ failures: 1, fault: 'unavailable', lane: 'history' });
  });

  it('ends at once with a 5xx for the shortest window, which is set aside', async () => {
    await lane.store(SECOND);
    await lane.run({ answer: serverError });
    expect(lane.asked).toEqual([{ from: FROM + DAY - 2 * SECOND, to: FROM + DAY - SECOND }]);
    expect(await setAside()).toEqual(lane.asked);
    expect(await lane.shown()).toEqual({ failures: 1, fault: 'unavailable', lane: 'history' });
  });

  it('sets no window aside for a 5xx where the source was in trouble before', async () => {
    await lane.store(SECOND);
    await lane.database.run('update source set failures = 1');
    await lane.run({ answer: serverError });
    expect(lane.asked).toHaveLength(1);
    expect(await setAside()).toEqual([]);
  });

  it('counts no failure for instants that are known to be unreadable, however many of them it tries', async () => {
    const bad = Array.from({ length: 5 }, (_, place) => FROM + (place + 1) * HOUR);
    const stretches = bad.map((from) => ({ from, to: from + SECOND }));
    await lane.store(HOUR, ...missing({ from: FROM, to: FROM + DAY }, coverageOf(stretches)));
    for (const { from, to } of stretches) {
      await lane.database.run(
        `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault)
         values ($1, at_instant($2), at_instant($3), 4, at_instant($4), '{}')`,
        [lane.streamId, from, to, lane.now],
      );
    }
    lane.windowTakes = SECOND;
    await lane.run({ answer: halfAPage });
    expect(lane.asked).toEqual(stretches);
    expect(await setAside()).toEqual(stretches);
    expect(await lane.shown()).toMatchObject({ failures: 0 });
    expect((await lane.stream()).due).toBeGreaterThan(lane.now);
  });

  it('waits until then where the platform says when it may be asked again', async () => {
    await lane.store(HOUR);
    await lane.run({ answers: 1 });
    expect(lane.asked).toHaveLength(1);
    expect((await lane.stream()).due).toBeGreaterThanOrEqual(lane.now + SECOND);
    expect(await lane.shown()).toMatchObject({ failures: 1, fault: 'throttled' });
  });

  it('keeps its failures where the platform refuses the credentials, which stops the source', async () => {
    await lane.store(HOUR);
    await lane.failed(2);
    await lane.run({
      answer: () => {
        throw new BridgeError({ code: 'credentials-rejected', right: false }, '401');
      },
    });
    expect(lane.asked).toHaveLength(1);
    expect(await lane.shown()).toMatchObject({ failures: 2 });
    expect(await lane.database.row('select state from source')).toEqual({ state: 'stopped' });
  });

  it('ends with the error of a database that is away, which is no fault of the stream', async () => {
    await lane.store(HOUR);
    const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const running = lane.run({
      answer: () => {
        throw away;
      },
    });
    await expect(running).rejects.toThrow('terminating connection');
    expect(lane.asked).toHaveLength(1);
    expect(await lane.shown()).toEqual({ failures: 0, fault: null, lane: null });
  });
});
