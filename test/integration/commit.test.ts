import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { intersect, union } from '../../src/core/coverage.ts';
import type { Coverage } from '../../src/core/coverage.ts';
import { HOUR, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import type { Taken } from '../../src/ingest/window-readings.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf, columnOf, readingsIn } from '../kit/stored-source.ts';
import { BORDER, SMALL, columnsFrom, makeGround, refusal } from './commit-ground.ts';
import type { Given, Ground } from './commit-ground.ts';
import { dueHistories } from '../kit/work.ts';

const databases = useDatabases();
let ground: Ground;
let database: Database;

beforeEach(async () => {
  ground = await makeGround(databases);
  ({ database } = ground);
});

const commit = (given: Given): Promise<Taken> => ground.commit(given);

/** The number of rows that windows left in each table. */
const traces = async (): Promise<unknown> =>
  database.row(
    `select (select count(*) from reading) as readings, (select count(*) from refused_hour) as refusals, (select count(*) from window_log) as log,
       (select count(*) from window_sum) as sums, (select count(*) from stream where covered <> '{}') as covered,
       (select count(*) from backfill_stream where done <> '{}') as done`,
  );
const NOTHING = { readings: 0, refusals: 0, log: 0, sums: 0, covered: 0, done: 0 };

it.each([1, SMALL + 1])('a window of %i readings is not handed over where what belongs to it fails', async (count) => {
  const window = { from: BORDER, to: BORDER + count * SECOND };
  const also = (): Promise<void> => Promise.reject(new Error('no'));
  await expect(commit({ window, batch: batchOf(columnsFrom(BORDER, count)), also })).rejects.toThrow('no');
  expect(await traces()).toEqual(NOTHING);
});

describe('a window of', () => {
  it.each([0, 1, SMALL, SMALL + 1, 50_000])(
    '%i readings is handed over once, and again as duplicates',
    async (count) => {
      // Half of the window lies before the border, so that every larger window writes to two partitions.
      const from = BORDER - Math.floor(count / 4) * SECOND;
      const window = { from, to: from + (count / 2 + 1) * SECOND };
      const batch = batchOf(columnsFrom(from, count));
      const first = await commit({ window, batch });
      expect(first).toEqual({
        fresh: count,
        duplicates: 0,
        revised: 0,
        late: 0,
        oldestNews: null,
      });
      expect(await ground.coverage()).toEqual([window]);
      const again = await commit({ window, batch, covered: [window] });
      expect(again).toMatchObject({ fresh: 0, duplicates: count, revised: 0, late: 0 });
      expect(await database.row('select count(*) as n, count(distinct at) as instants from reading')).toEqual({
        n: count,
        instants: Math.ceil(count / 2),
      });
      expect(await ground.coverage()).toEqual([window]);
    },
  );

  it.each([3, SMALL + 1])(
    '%i readings notes the newest of them, which a window of older or no readings leaves',
    async (count) => {
      const newest = async (): Promise<unknown> => database.row('select instant_of(newest_at) as at from stream');
      const window = { from: BORDER, to: BORDER + count * SECOND };
      expect(await newest()).toEqual({ at: null });
      await commit({ window, batch: batchOf([]) });
      expect(await newest()).toEqual({ at: null });
      const at = Array.from({ length: count }, (_, place) => BORDER + place * SECOND);
      await commit({
        window,
        batch: batchOf([columnOf('b', { at: at.slice(1) }), columnOf('a', { at: at.slice(0, 1) })]),
      });
      expect(await newest()).toEqual({ at: at.at(-1) });
      await commit({ window, batch: batchOf([columnOf('a', { at: at.slice(0, 1) })]), covered: [window] });
      expect(await newest()).toEqual({ at: at.at(-1) });
    },
  );

  it('both sizes counts late and revised readings alike', async () => {
    const counts: Partial<Taken>[] = [];
    for (const [index, size] of [1_000, 5_000].entries()) {
      const from = BORDER + index * 100 * HOUR;
      const window = { from, to: from + (size + 10) * SECOND };
      const at = Array.from({ length: size }, (_, place) => from + place * SECOND);
      await commit({
        window: { from, to: from + 800 * SECOND },
        batch: batchOf([columnOf('a', { at: at.slice(0, 500) })]),
      });
      const value = at.map((_, place) => (place < 100 ? 2 : 1));
      const covered = await ground.coverage();
      const { fresh, ...committed } = await commit({ window, batch: batchOf([columnOf('a', { at, value })]), covered });
      expect(fresh).toBe(size - 500);
      counts.push(committed);
    }
    for (const each of counts) expect(each).toMatchObject({ duplicates: 400, revised: 100, late: 300 });
    expect(counts.map(({ oldestNews }) => oldestNews)).toEqual([BORDER, BORDER + 100 * HOUR]);
  });
});

describe('a window is stored as a whole or not at all:', () => {
  const window = { from: BORDER, to: BORDER + 10_000 * SECOND };
  const refusals = [refusal(BORDER), refusal(BORDER + 1)];

  it.each([10, 5_000])('none of %i readings remains where a later statement fails', async (count) => {
    const row = await database.row<{ id: number }>(
      `insert into backfill (source_id, from_at, to_at, what, requested_by)
       values ($1, at_instant($2), at_instant($3), 'all', 'test') returning id`,
      [ground.source.sourceId, window.from, window.to],
    );
    await database.run('insert into backfill_stream (backfill_id, stream_id) values ($1, $2)', [
      row?.id,
      ground.streamId,
    ]);
    const given: Given = {
      window,
      batch: batchOf(columnsFrom(BORDER, count), refusals),
      ...(row ? { backfillId: row.id } : {}),
    };
    for (const table of ['window_log', 'window_sum', 'refused_hour', 'backfill_stream', 'backfill_day', 'stream']) {
      await database.run(`alter table ${table} add constraint never check (false) not valid`);
      await expect(commit(given), table).rejects.toMatchObject({ code: '23514' });
      await database.run(`alter table ${table} drop constraint never`);
      expect(await traces(), table).toEqual(NOTHING);
    }
    await commit(given);
    expect(await traces()).toEqual({ readings: count, refusals: 1, log: 1, sums: 1, covered: 1, done: 1 });
  });

  it.each([10, 5_000])('none of %i readings remains where the stream was removed before', async (count) => {
    await database.run('delete from stream where id = $1', [ground.streamId]);
    const given = { window, batch: batchOf(columnsFrom(BORDER, count), refusals) };
    await expect(commit(given)).rejects.toMatchObject({
      code: 'cancelled',
      message: 'the source was changed, or taken over by another worker, while 2026-01-01T00:00:00Z was read',
    });
    expect(await traces()).toEqual(NOTHING);
  });

  const FORGOTTEN = {
    code: 'cancelled',
    message: 'the database was replaced by another state; the window is read again',
  };

  it.each([10, 5_000])(
    'none of %i readings remains where the process forgot its names since it read',
    async (count) => {
      const given = { window, batch: batchOf(columnsFrom(BORDER, count)), process: randomUUID() };
      await expect(commit(given)).rejects.toMatchObject(FORGOTTEN);
      expect(await traces()).toEqual(NOTHING);
    },
  );

  it.each([10, 5_000])('none of %i readings remains where the database knows the process no more', async (count) => {
    const batch = batchOf(columnsFrom(BORDER, count));
    await commit({ window, batch });
    await database.run('delete from memory');
    const later = { from: window.to, to: window.to + HOUR };
    await expect(commit({ window: later, batch: batchOf(columnsFrom(later.from, count)) })).rejects.toMatchObject(
      FORGOTTEN,
    );
    expect(await ground.coverage()).toEqual([window]);
    expect(await traces()).toMatchObject({ readings: count, log: 1 });
  });

  it.each([10, 5_000])('none of %i readings remains where the stream is removed meanwhile', async (count) => {
    const client = await database.dedicated();
    await client.query('begin');
    await client.query('delete from stream where id = $1', [ground.streamId]);
    const committing = commit({ window, batch: batchOf(columnsFrom(BORDER, count), refusals) });
    const refused = expect(committing).rejects.toMatchObject({ code: 'cancelled' });
    await expect
      .poll(() =>
        database.row(`select count(*) as n from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database()`),
      )
      .toEqual({ n: 1 });
    await client.query('commit');
    await client.end();
    await refused;
    expect(await traces()).toEqual(NOTHING);
  });
});

describe('the log of windows', () => {
  it.each([10, 5_000])('says how long %i readings took to store', async (count) => {
    const begun = performance.now();
    await commit({ window: { from: BORDER, to: BORDER + count * SECOND }, batch: batchOf(columnsFrom(BORDER, count)) });
    const row = await database.row<{ took: number }>('select store_ms::float8 as took from window_log');
    expect(row?.took).toBeGreaterThan(0);
    expect(row?.took).toBeLessThanOrEqual(performance.now() - begun);
  });

  it('adds up to the sums of each hour and lane, for windows of every kind', async () => {
    const step = fc.record({
      lane: fc.constantFrom('live' as const, 'history' as const),
      askedAt: fc.integer({ min: 0, max: 3 }).map((hours) => BORDER - 2 * HOUR + hours * (HOUR / 2)),
      from: fc.integer({ min: 0, max: 20 }),
      count: fc.constantFrom(0, 1, 7, SMALL + 1),
      refused: fc.nat(3),
      value: fc.constantFrom(1, 2),
    });
    const steps = fc.sample(step, { numRuns: 30, seed: 7 });
    let coverage: Coverage = [];
    const total = { readings: 0, duplicates: 0, revised: 0, refused: 0, late: 0, fresh: 0 };
    let repeats = 0;
    let outside = 0;
    for (const { lane, askedAt, from, count, refused, value } of steps) {
      const window = { from: BORDER + from * SECOND, to: BORDER + (from + count + 1) * SECOND };
      const at = Array.from({ length: count }, (_, index) => window.from + index * SECOND);
      const batch = {
        ...batchOf(
          count === 0 ? [] : [columnOf('a', { at, value: at.map(() => value) })],
          Array.from({ length: refused }, (_, index) => refusal(window.from + index)),
        ),
        repeats: refused,
        outside: count,
        unchosen: value,
      };
      repeats += batch.repeats;
      outside += batch.outside + batch.unchosen;
      const taken = await commit({ window, batch, lane, askedAt, covered: intersect(coverage, window) });
      const committed = { ...taken, readings: batch.readings, refused };
      coverage = union(coverage, [window]);
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += committed[key];
    }
    expect(await ground.coverage()).toEqual(coverage);
    expect(await database.row('select count(*) as n from reading')).toEqual({ n: total.fresh });
    const { fresh: _, ...logged } = total;
    const columns =
      'sum(readings) as readings, sum(duplicates) as duplicates, sum(revised) as revised, sum(refused) as refused, sum(repeats) as repeats, sum(outside) as outside, sum(late) as late';
    expect(await database.row(`select ${columns} from window_log`)).toEqual({ ...logged, repeats, outside });
    const sums = await database.rows(
      `select source_id, date_trunc('hour', asked_at, 'UTC') as hour, lane, count(*) as windows, 0::bigint as failures,
         sum(requests) as requests, sum(bytes) as bytes, ${columns} from window_log group by 1, 2, 3 order by 2, 3`,
    );
    expect(await database.rows('select * from window_sum order by hour, lane')).toEqual(sums);
    expect(sums.length).toBeGreaterThan(2);
  });

  it('clears the fault of the stream', async () => {
    await database.run(`update stream set failures = 3, retry_at = now(), last_fault = '{}' where id = $1`, [
      ground.streamId,
    ]);
    await commit({ window: { from: BORDER, to: BORDER + 1 }, batch: batchOf([]) });
    expect(await database.row('select failures, retry_at, last_fault, learned from stream')).toEqual({
      failures: 0,
      retry_at: null,
      last_fault: null,
      learned: { length: 60 * SECOND },
    });
    expect(await readingsIn(database)).toEqual([]);
  });

  it.each(['live', 'history'] as const)(
    'of %s leaves the failures of history and their wait to its runs',
    async (lane) => {
      const fault = { lane: 'history' };
      const waiting = { failures: 3, due: BORDER + HOUR, fault };
      await dueHistories(database, 'from stream', { at: `at_instant(${waiting.due})`, failures: 3 });
      await database.run('update stream set last_fault = $1', [fault]);
      await commit({ window: { from: BORDER, to: BORDER + 1 }, batch: batchOf([]), lane });
      const left = `select work.failures, instant_of(due_at) as due, last_fault as fault from stream join work on kind = 'history'`;
      expect(await database.row(left)).toEqual(waiting);
    },
  );
});
