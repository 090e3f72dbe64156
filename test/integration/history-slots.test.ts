import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BridgeError, contractBroken, ownPace, throttled } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import type { Meter } from '../../src/platform/connection/index.ts';
import { history } from '../../src/pull/history/history.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { dueHistories } from '../kit/work.ts';
import { FROM, POLICY, useHistory } from './history-ground.ts';

// A run whose windows get no slot of the pace, or fewer than it could use, or share the requests of a day.

const lane = useHistory();

const never = new AbortController().signal;

/** One run that reads two windows at a time. `answer` is what a request for a window meets; `begin` says that it got its slot. */
async function runWith(answer: (window: Window, begin: () => void) => Promise<void>): Promise<void> {
  const source = openSourceOf(lane.stored, { policy: POLICY, concurrency: 2, read: () => [] });
  const platform = {
    ...source.platform,
    async *read(http: unknown, _options: unknown, _selection: unknown, window: Window) {
      const { meter } = http as { meter: Meter };
      lane.asked.push(window);
      if (lane.asked.length > 50) throw new Error('the run asks on and on');
      await answer(window, () => (meter.requests += 1));
      yield { sensor: 'pump', variable: 'flow', at: [window.from], values: [1] };
    },
  };
  const connection = {
    ...source.connection,
    http: ({ meter }: { meter: Meter }) => ({ defaults: {}, meter }),
  } as unknown as typeof source.connection;
  const opened = { ...source, platform, connection };
  const bridge = bridgeOf(lane.database, { source: opened, now: () => lane.now, workerId: randomUUID() });
  await history(bridge, lane.streamId, never);
}

const noSlot = () => ownPace(lane.now + MINUTE, 'no slot');

/** Long enough for many more questions, which need nothing from outside of the process. */
async function afterManyTurns(): Promise<void> {
  for (let turns = 0; turns < 100; turns += 1) await setImmediate();
}

const missingIs = (hours: number) =>
  lane.store(HOUR, { from: FROM, to: FROM + 12 * HOUR }, { from: FROM + (12 + hours) * HOUR, to: FROM + DAY });

it('goes on with the windows that have begun, and asks for the others when one of them has ended', async () => {
  await missingIs(4);
  const refused = Promise.withResolvers<void>();
  let underWay = 0;
  await runWith(async (_window, begin) => {
    // The platform of the first window answers only after the other one was refused.
    if (underWay > 0) {
      void afterManyTurns().then(refused.resolve);
      throw noSlot();
    }
    underWay += 1;
    begin();
    if (lane.asked.length <= 2) await refused.promise;
    underWay -= 1;
  });
  expect((await lane.stream()).covered).toEqual([{ from: FROM, to: FROM + DAY }]);
  expect(await lane.shown()).toMatchObject({ failures: 0, fault: null });
});

it('begins no window while no slot comes free beside one that has begun', async () => {
  await missingIs(4);
  const answered = Promise.withResolvers<void>();
  let atAnswer = 0;
  await runWith(async (_window, begin) => {
    if (lane.asked.length === 1) {
      begin();
      await answered.promise;
      atAnswer = lane.asked.length;
    } else if (lane.asked.length === 2) {
      void afterManyTurns().then(answered.resolve);
      throw noSlot();
    }
  });
  expect(atAnswer).toBe(2);
  expect((await lane.stream()).due).toBeNull();
});

it('ends where none of its windows gets a slot, and comes back when it is told to, which is no failure', async () => {
  await missingIs(4);
  await runWith(() => Promise.reject(noSlot()));
  expect(lane.asked.length).toBeLessThanOrEqual(2);
  expect((await lane.stream()).due).toBe(lane.now + MINUTE);
  expect(await lane.shown()).toEqual({ failures: 0, fault: null, lane: null });
});

it('ends where its only window gets no slot for a further request, and comes back when it is told to', async () => {
  await missingIs(1);
  await runWith((_window, begin) => {
    begin();
    return Promise.reject(noSlot());
  });
  expect(lane.asked).toHaveLength(1);
  expect((await lane.stream()).due).toBe(lane.now + MINUTE);
});

it.each([
  ['a 5xx', new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500')],
  ['silence that the platform asks for', throttled(FROM + 2 * DAY, '429')],
  ['a fault of the bridge', new BridgeError({ code: 'config-invalid', own: true }, 'the archive is away')],
])('ends with %s, also beside a window that has begun', async (_, fault) => {
  await missingIs(4);
  const refused = Promise.withResolvers<void>();
  await runWith(async (_window, begin) => {
    begin();
    if (lane.asked.length === 1) return await refused.promise;
    void afterManyTurns().then(refused.resolve);
    throw fault;
  });
  expect(lane.asked).toHaveLength(2);
  expect((await lane.stream()).due).toBeGreaterThan(lane.now);
});

it('tells of the first of two windows that fail at a time', async () => {
  await missingIs(4);
  await lane.database.run('update stream set failures = 1');
  const failed = Promise.withResolvers<void>();
  await runWith(async () => {
    if (lane.asked.length === 1) {
      await failed.promise;
      throw contractBroken('the second');
    }
    void afterManyTurns().then(failed.resolve);
    throw contractBroken('the first');
  });
  expect(await lane.database.row(`select last_fault ->> 'message' as told from stream`)).toEqual({ told: 'the first' });
});

const whole = { from: FROM, to: FROM + DAY };

const allAgain = { source: { name: 'source' }, ...whole, what: 'all' as const, requestedBy: 'tester' };

it('counts a window of a backfill as failed that was sent, and none that got no slot', async () => {
  await lane.store(HOUR, whole);
  await startBackfill(lane.database, allAgain);
  await runWith(() => Promise.reject(noSlot()));
  const days = () => lane.database.rows('select failures, requests from backfill_day');
  expect(await days()).toEqual([]);
  await dueHistories(lane.database);
  await runWith(async (_window, begin) => {
    begin();
    throw new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500');
  });
  const asked = lane.asked.length - 2;
  expect(await days()).toEqual([{ failures: asked, requests: asked }]);
});

it('asks for the same time without a backfill whose requests another run took meanwhile', async () => {
  await missingIs(3);
  const id = await startBackfill(lane.database, { ...allAgain, what: 'missing', requestsPerDay: 9 });
  lane.windowTakes = 0;
  const take = `insert into backfill_day (backfill_id, day, windows, failures, requests, bytes, readings, worked_ms, reserved)
    values ($1, (now() at time zone 'UTC')::date, 0, 0, 0, 0, 0, 0, 9)`;
  const { row } = lane.database;
  let taken = 0;
  const database: Database = {
    ...lane.database,
    async row(text, values) {
      if (text.includes('insert into backfill_day') && (taken += 1) === 1) await lane.database.run(take, [id]);
      return await row(text, values);
    },
  };
  const source = openSourceOf(lane.stored, { policy: POLICY, concurrency: 1, read: () => [] });
  await history(bridgeOf(database, { source, now: () => lane.now, workerId: randomUUID() }), lane.streamId, never);
  expect(taken).toBe(1);
  expect((await lane.stream()).covered).toEqual([whole]);
});

const serverError = (): never => {
  throw new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500');
};

it('goes on with a backfill when its first window, which reserved all requests of the day, has told what one needs', async () => {
  await lane.store(HOUR, whole);
  const wish = { source: { name: 'source' }, ...whole, what: 'all' as const, requestedBy: 'tester' };
  await startBackfill(lane.database, { ...wish, requestsPerDay: 10 });
  lane.windowTakes = SECOND / 4;
  await lane.run({ concurrency: 2 });
  expect(lane.asked.length).toBeGreaterThan(3);
  expect(await lane.database.rows('select distinct reserved from backfill_day')).toEqual([{ reserved: 0 }]);
});

it('gives back what a window reserved that it does not begin, because another one failed meanwhile', async () => {
  await lane.store(HOUR, whole);
  const wish = { source: { name: 'source' }, ...whole, what: 'all' as const, requestedBy: 'tester' };
  const id = await startBackfill(lane.database, { ...wish, requestsPerDay: 10 });
  await lane.database.run(`insert into backfill_day values ($1, (now() at time zone 'UTC')::date, 2, 0, 2, 0, 0, 0)`, [
    id,
  ]);
  const { promise: failed, resolve: fails } = Promise.withResolvers<void>();
  let reservations = 0;
  const { row, run } = lane.database;
  const database: Database = {
    ...lane.database,
    row: async (text, values) => {
      // The second window gets its reservation when the first one has failed.
      if (text.includes('insert into backfill_day') && (reservations += 1) === 2) await failed;
      return await row(text, values);
    },
    run: async (text, values) => {
      const changed = await run(text, values);
      if (text.startsWith('update backfill_day set reserved')) void setImmediate().then(fails);
      return changed;
    },
  };
  const source = openSourceOf(lane.stored, { policy: POLICY, concurrency: 2, read: serverError });
  const bridge = bridgeOf(database, { source, now: () => lane.now, workerId: randomUUID() });
  await history(bridge, lane.streamId, new AbortController().signal);
  expect(reservations).toBe(2);
  expect(await lane.database.rows('select reserved from backfill_day')).toEqual([{ reserved: 0 }]);
});

it('sends no request of a backfill beyond those of its day, and halves the window that needs more', async () => {
  // Today, because the requests of a day are those of a day of the database.
  lane.now = Date.now() * 1000;
  await lane.store(HOUR, { from: FROM, to: lane.now + HOUR });
  const wish = {
    source: { name: 'source' },
    from: FROM,
    to: FROM + 6 * HOUR,
    what: 'all' as const,
    requestedBy: 'tester',
  };
  await startBackfill(lane.database, { ...wish, requestsPerDay: 20 });
  lane.windowTakes = SECOND / 4;
  let sent = 0;
  // An hour needs more pages than a day may have requests; the first one, which tells what a window needs, needs one.
  const answer = async ({ from, to }: Window, place: number, send: () => Promise<void>): Promise<void> => {
    for (let page = 0; page < (place === 0 ? 1 : (24 * (to - from)) / HOUR); page += 1) {
      await send();
      sent += 1;
    }
  };
  const day = () => lane.database.row('select reserved, requests, failures from backfill_day order by day limit 1');
  await lane.run({ concurrency: 3, answer });
  expect(await day()).toMatchObject({ reserved: 0, requests: sent });
  expect(sent).toBeLessThanOrEqual(20);
  // Days on: the backfill ends, and no day has more.
  const state = async () => (await lane.database.row<{ state: string }>('select state from backfill'))?.state;
  for (let days = 1; (await state()) === 'running' && days < 30; days += 1) {
    // By way of days that no row has: each row is moved by itself, and would meet one that is a day older and not moved yet.
    for (const by of [-1_000, 999]) await lane.database.run('update backfill_day set day = day + $1::int', [by]);
    sent = 0;
    await dueHistories(lane.database, 'from stream');
    await lane.run({ concurrency: 3, answer });
    expect(sent).toBeLessThanOrEqual(20);
  }
  expect(lane.asked.some(({ from, to }) => to - from === HOUR / 2)).toBe(true);
  expect(await state()).toBe('done');
});
