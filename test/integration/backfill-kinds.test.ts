import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY, HOUR, parseInstant } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { addStreams } from '../../src/pull/sensors/change-streams.ts';
import {
  allowanceOf,
  finishCovered,
  giveBack,
  mayAskMore,
  noteFailed,
  reserveRequests,
  wishesOf,
} from '../../src/pull/history/wishes.ts';
import type { Budget, Reserved } from '../../src/pull/history/wishes.ts';
import { changeBackfill } from '../../src/source/backfill/change.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import type { BackfillRequest } from '../../src/source/backfill/start.ts';
import { backfillState, waitOf } from '../../src/source/backfill/state.ts';
import type { BackfillState } from '../../src/source/backfill/state.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

// What backfills ask for, and what an operator does with one that runs.

const databases = useDatabases();
let database: Database;
let source: StoredSource;
let streams: number[];

beforeEach(async () => {
  database = await databases.create();
  source = await storeSource(database);
  streams = [await storeStream(database, source, 'a'), await storeStream(database, source, 'b')];
});

const start = (given: Partial<BackfillRequest> = {}): Promise<number> =>
  startBackfill(database, { source: { name: 'source' }, from: 0, to: DAY, requestedBy: 'tester', ...given });

const cover = (streamId: number, from: number, to: number): Promise<number> =>
  database.run(
    'update stream set covered = covered + tstzmultirange(tstzrange(at_instant($2), at_instant($3))) where id = $1',
    [streamId, from, to],
  );

const [a, b] = [0, 1].map((index) => (): number => streams[index] ?? 0) as [() => number, () => number];

describe('a backfill of a kind', () => {
  const wanted = async (id: number): Promise<unknown[]> =>
    (
      await database.rows<{ wanted: unknown }>(
        'select instants_of(wanted) as wanted from backfill_stream where backfill_id = $1 order by stream_id',
        [id],
      )
    ).map((row) => row.wanted);

  it('asks for time that could not be read, and is done when all of it was', async () => {
    await database.run(
      `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault)
       values ($1, at_instant($2), at_instant($3), 1, now(), '{"message": "no JSON", "at": "2026-01-01T00:00:00Z"}')`,
      [a(), HOUR, 2 * HOUR],
    );
    const id = await start({ what: 'failed' });
    expect(await wanted(id)).toEqual([[[HOUR, 2 * HOUR]], []]);
    expect(await backfillState(database, id)).toMatchObject({
      state: 'running',
      share: 0,
      leftSeconds: 3600,
      unreadable: 1,
      errors: ['no JSON'],
    });
    await cover(a(), HOUR, 2 * HOUR);
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done', share: 1 });
  });

  it('asks for the hours with refused points once more, although they are covered', async () => {
    await cover(b(), 0, DAY);
    await database.run(
      `insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples)
       values ($1, at_instant($2), 's', 'v', 'not-a-number', '{1}', '[]')`,
      [b(), 3 * HOUR],
    );
    const id = await start({ what: 'refused' });
    expect(await wanted(id)).toEqual([[], [[3 * HOUR, 4 * HOUR]]]);
    expect(await wishesOf(database, b())).toMatchObject([{ again: true, wanted: [{ from: 3 * HOUR, to: 4 * HOUR }] }]);
    await database.run('update backfill_stream set done = wanted');
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done', share: 1 });
  });

  it('is done at once where nothing is wanted', async () => {
    await cover(a(), 0, DAY);
    await cover(b(), 0, DAY);
    for (const what of ['missing', 'failed', 'refused'] as const)
      expect(await backfillState(database, await start({ what }))).toMatchObject({ state: 'done', share: 1 });
  });

  it('of chosen sensors asks their streams, and the streams that take over from them', async () => {
    await database.run(`update stream set sensors = jsonb_build_array(jsonb_build_object('id', key || '-pump'))`);
    await database.run(
      `insert into series_name (source_id, sensor_id, value_name, holder) values ($1, 'reading-of-b', 'v', '["b-pump","v"]')`,
      [source.sourceId],
    );
    const id = await start({ sensors: ['reading-of-b'], what: 'all' });
    const members = (): Promise<Record<string, unknown>[]> =>
      database.rows('select stream_id as id, instants_of(done) as done from backfill_stream where backfill_id = $1', [
        id,
      ]);
    expect(await members()).toEqual([{ id: b(), done: [] }]);
    await expect(start({ sensors: ['nobody'] })).rejects.toMatchObject({ code: 'config-invalid' });
    await database.run('update backfill_stream set done = tstzmultirange(tstzrange(at_instant(0), at_instant($1)))', [
      HOUR,
    ]);
    const selection = { group: 'hall', sensors: undefined, variables: undefined };
    const [next, other] = await database.transaction((client) =>
      addStreams(client, source.sourceId, [
        { key: 'b2', selection, sensors: [], inherits: [b()] },
        { key: 'c', selection, sensors: [], inherits: [] },
      ]),
    );
    expect(await members()).toEqual([
      { id: b(), done: [[0, HOUR]] },
      { id: next?.id, done: [[0, HOUR]] },
    ]);
    expect(other).toBeDefined();
  });
});

describe('a paused backfill', () => {
  it('asks for nothing, takes in new streams, and goes on where it was', async () => {
    const id = await start({ what: 'all' });
    await database.run('delete from work');
    expect(await changeBackfill(database, id, 'pause', 'tester')).toBe(true);
    expect(await changeBackfill(database, id, 'pause', 'tester')).toBe(false);
    expect(await wishesOf(database, a())).toEqual([]);
    const next = await storeStream(database, source, 'c');
    const selection = { group: 'hall', sensors: undefined, variables: undefined };
    await database.transaction((client) =>
      addStreams(client, source.sourceId, [{ key: 'd', selection, sensors: [], inherits: [next] }]),
    );
    expect(await backfillState(database, id)).toMatchObject({ state: 'paused', streams: 4, slices: [] });
    await database.run('delete from work');
    expect(await changeBackfill(database, id, 'resume', 'tester')).toBe(true);
    expect(await database.rows(`select due_at <= now() as due from work where kind = 'history'`)).toHaveLength(4);
    expect(await wishesOf(database, a())).toMatchObject([{ id }]);
    expect(await changeBackfill(database, id, 'cancel', 'tester')).toBe(true);
    await expect(changeBackfill(database, id, 'resume', 'tester')).rejects.toMatchObject({ code: 'config-invalid' });
    await expect(changeBackfill(database, id, 'pause', 'tester')).rejects.toMatchObject({ code: 'config-invalid' });
    await expect(changeBackfill(database, 99, 'pause', 'tester')).rejects.toMatchObject({ code: 'config-invalid' });
  });

  it('is done when it is resumed and everything was covered meanwhile', async () => {
    const id = await start();
    await changeBackfill(database, id, 'pause', 'tester');
    await cover(a(), 0, DAY);
    await cover(b(), 0, DAY);
    await finishCovered(database, source.sourceId);
    expect(await backfillState(database, id)).toMatchObject({ state: 'paused', share: 1 });
    await changeBackfill(database, id, 'resume', 'tester');
    expect(await backfillState(database, id)).toMatchObject({ state: 'done' });
    for (const change of ['pause', 'resume', 'cancel'] as const)
      await expect(changeBackfill(database, id, change, 'tester')).rejects.toThrow(`backfill ${id} is done`);
    expect(await backfillState(database, id)).toMatchObject({ state: 'done' });
  });
});

it('the requests of a day are those of the windows that were stored and of those that failed', async () => {
  const id = await start({ requestsPerDay: 10 });
  await database.run(
    `insert into backfill_day values ($1, (now() at time zone 'UTC')::date - 1, 5, 0, 40, 0, 0, 0), ($1, (now() at time zone 'UTC')::date, 2, 0, 6, 0, 0, 0)`,
    [id],
  );
  await noteFailed(database, id, { requests: 2, bytesIn: 0, httpMs: 0 });
  const [wish] = await wishesOf(database, a());
  expect(wish?.budget).toMatchObject({ left: 2, perWindow: 6 });
  await noteFailed(database, id, { requests: 2, bytesIn: 0, httpMs: 0 });
  const state = (await backfillState(database, id)) as BackfillState;
  expect(waitOf(state, [])).toMatch(/^its 10 requests of today are used; it goes on at \d{4}-\d\d-\d\dT00:00:00Z$/);
  expect(state.work).toMatchObject({ windows: 7, failures: 2, requests: 50, requestsToday: 10 });
});

it('the first window of a backfill reserves all requests of its day, because nobody knows yet what one needs', async () => {
  const id = await start({ requestsPerDay: 100 });
  const budgetOf = async (stream: number): Promise<Budget> => (await wishesOf(database, stream))[0]?.budget as Budget;
  const budgets = await Promise.all([a(), b()].map(budgetOf));
  expect(budgets).toMatchObject([{ left: 100, perWindow: 100 }, { perWindow: 100 }]);
  const asked = await Promise.all(budgets.map(({ perWindow }) => reserveRequests(database, id, perWindow)));
  const [first, ...more] = asked.filter((one) => one !== undefined);
  expect(more).toEqual([]);
  expect(mayAskMore(await budgetOf(b()))).toBe(false);
  await noteFailed(database, id, { requests: 7, bytesIn: 0, httpMs: 0 });
  await giveBack(database, first as Reserved);
  expect(await budgetOf(b())).toMatchObject({ left: 93, perWindow: 7 });
});

it('runs beside each other reserve what their windows may need, so that they do not all use the same rest of a day', async () => {
  const id = await start({ requestsPerDay: 10 });
  await database.run(`insert into backfill_day values ($1, (now() at time zone 'UTC')::date, 2, 0, 6, 0, 0, 0)`, [id]);
  const budgetOf = async (): Promise<Budget> => (await wishesOf(database, a()))[0]?.budget as Budget;
  const budget = await budgetOf();
  expect(budget).toMatchObject({ left: 4, perWindow: 3 });
  const asked = await Promise.all([1, 2, 3, 4].map(() => reserveRequests(database, id, 3)));
  const [reserved, ...more] = asked.filter((one) => one !== undefined);
  expect(more).toEqual([]);
  expect(mayAskMore(await budgetOf())).toBe(false);
  const looksAgainIn = (await budgetOf()).renewsAt - budget.renewsAt;
  expect(looksAgainIn).toBeLessThanOrEqual(0);
  await noteFailed(database, id, { requests: 1, bytesIn: 0, httpMs: 0 });
  await giveBack(database, reserved as Reserved);
  expect(await budgetOf()).toMatchObject({ left: 3, untouched: false });
  // What cannot be given back while the database is away is given back by the next call, and once.
  const taken = (await reserveRequests(database, id, 3)) as Reserved;
  const away = { ...database, run: vi.fn(database.run) };
  away.run.mockRejectedValueOnce(new Error('away'));
  await expect(giveBack(away, taken)).rejects.toThrow('away');
  expect(await budgetOf()).toMatchObject({ left: 0 });
  await giveBack(away);
  await giveBack(away);
  expect(away.run).toHaveBeenCalledTimes(2);
  expect(await budgetOf()).toMatchObject({ left: 3 });
  // A window that needs more than a day has is the only one of its day, and gets no more than the day has.
  expect(mayAskMore({ left: 2, untouched: true, perWindow: 20, renewsAt: 0 })).toBe(true);
  expect(await reserveRequests(database, id, 20)).toBeUndefined();
  await database.run('delete from backfill_day');
  expect(await reserveRequests(database, id, 20)).toMatchObject({ requests: 10 });
  expect(await reserveRequests(database, id, 20)).toBeUndefined();
});

it('a window that outlasts its day reserves on the next one what it sends then, and is cut off where that has none left', async () => {
  const id = await start({ requestsPerDay: 10 });
  const [today, tomorrow] = ['2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z'].map((text) => parseInstant(text) ?? 0);
  let now = today ?? 0;
  const { allow, reserved } = allowanceOf(database, { backfillId: id, requests: 2, day: '2026-03-01' }, () => now);
  await allow(false);
  now = tomorrow ?? 0;
  // The day of the database is another one, so the request left of the day before serves nothing.
  await allow(false);
  await allow(true);
  const day = await database.row<{ day: string; reserved: number }>('select day::text, reserved from backfill_day');
  expect(day).toMatchObject({ reserved: 2 });
  expect(reserved).toEqual([
    { backfillId: id, requests: 2, day: '2026-03-01' },
    { backfillId: id, requests: 2, day: day?.day },
  ]);
  await reserveRequests(database, id, 8);
  await expect(allow(false)).rejects.toMatchObject({ code: 'too-much' });
  // A login is never held back, because live polls may wait for its token.
  await expect(allow(true)).resolves.toBeUndefined();
});
