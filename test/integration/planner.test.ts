import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MILLISECOND, SECOND } from '../../src/core/instant.ts';
import { nextDue, phaseOf } from '../../src/core/schedule.ts';
import { rowsOf } from '../../src/database/database.ts';
import type { Database } from '../../src/database/database.ts';
import { claimsOf } from '../../src/pull/claim.ts';
import { planInTurn, planOnce, plannerSilence } from '../../src/pull/planner.ts';
import { useDatabases } from '../kit/databases.ts';
import { recordingQueue } from '../kit/recording-queue.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { dueHistories, dueLooks } from '../kit/work.ts';

const databases = useDatabases();
let database: Database;

beforeEach(async () => {
  database = await databases.create();
});

/** The jobs that one step of the planner dispatches. */
async function planned(): Promise<string[]> {
  const { queue, added } = recordingQueue();
  await planOnce(database, queue);
  return added.map(({ work, id, troubled }) => `${troubled ? 'troubled ' : ''}${work} ${id}`).toSorted();
}

const clockOf = async (): Promise<number> =>
  (await database.row<{ now: number }>('select instant_of(clock_timestamp()) as now'))?.now ?? 0;

/** Stores `count` sources; source number n has been due for n ms, and is due again half an interval later. */
async function storeMany(count: number, every = HOUR): Promise<void> {
  await storeSource(database, 'first', { every });
  await database.run(
    `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us)
     select 'source-' || number, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us
     from source, generate_series(2, $1::int) as number`,
    [count],
  );
  await database.run(
    `insert into work (kind, id, source_id, due_at) select 'poll', id, id, now() - row_number() over (order by id) * interval '1 ms' from source
     on conflict do nothing`,
  );
}

describe('the next due time of a source', () => {
  it('lies on its own grid, as core/schedule.ts computes it, for any name and interval', async () => {
    const sources = fc.sample(
      fc.record({
        name: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
        every: fc.oneof(
          fc.integer({ min: 250 * MILLISECOND, max: 10 * SECOND }),
          fc.integer({ min: SECOND, max: 30 * DAY }),
          fc.constantFrom(SECOND, 60 * SECOND, HOUR, DAY),
        ),
        missed: fc.integer({ min: 0, max: 400 * DAY }),
      }),
      300,
    );
    const { projectId } = await storeSource(database, 'none');
    const names = sources.map(({ name }, index) => `${name.replaceAll('\0', '')} ${index}`);
    await database.run('delete from source');
    await database.run(
      `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us)
       select name, $1, 'custom', 'none', '{}', 'epoch', every, phase, 0
       from unnest($2::text[], $3::bigint[], $4::bigint[]) as row (name, every, phase)`,
      [
        projectId,
        names,
        sources.map(({ every }) => every),
        sources.map(({ every }, index) => phaseOf(names[index] ?? '', every)),
      ],
    );
    await database.run(
      `insert into work (kind, id, source_id, due_at) select 'poll', id, id, now() - missed * interval '1 microsecond'
       from unnest($1::text[], $2::bigint[]) as row (name, missed) join source using (name)`,
      [names, sources.map(({ missed }) => missed)],
    );
    const before = await clockOf();
    expect(await planned()).toHaveLength(sources.length);
    const claims = claimsOf({ database, workerId: randomUUID(), sources: { editionOf: () => undefined } });
    const ids = await database.rows<{ id: number; due: boolean }>('select id, due_at <= now() as due from work');
    // A dispatched poll stays due until a worker begins it, because the queue may have lost it.
    expect(ids.every(({ due }) => due)).toBe(true);
    for (const { id } of ids) await claims.take('poll', id);
    const after = await clockOf();
    const rows = await database.rows<{ name: string; every: number; next: number }>(
      'select name, every_us as every, instant_of(due_at) as next from work join source on source.id = source_id',
    );
    for (const { name, every, next } of rows) {
      expect(next).toBe(nextDue(name, every, next - 1));
      // The claim ran at an instant between `before` and `after`.
      expect(next).toBeGreaterThanOrEqual(nextDue(name, every, before));
      expect(next).toBeLessThanOrEqual(nextDue(name, every, after));
    }
  });

  it('is one poll, however many were missed', async () => {
    const { sourceId } = await storeSource(database, 'source', { every: HOUR });
    await database.run(`update work set due_at = now() - interval '30 days'`);
    expect(await planned()).toEqual([`poll ${sourceId}`]);
    expect(await planned()).toEqual([]);
  });
});

describe('a step of the planner', () => {
  it('dispatches sources that are due, and none that is paused, stopped or held', async () => {
    const due = await storeSource(database, 'due');
    const later = await storeSource(database, 'later');
    const wasHeld = await storeSource(database, 'was-held');
    const held = await storeSource(database, 'held');
    const paused = await storeSource(database, 'paused');
    const stopped = await storeSource(database, 'stopped');
    await database.run(`update work set due_at = now() + interval '1 h' where id = $1`, [later.sourceId]);
    await database.run(`update source set held_until = now() - interval '1 ms' where id = $1`, [wasHeld.sourceId]);
    await database.run(`update source set held_until = now() + interval '1 h' where id = $1`, [held.sourceId]);
    await database.run(`update source set state = 'paused' where id = $1`, [paused.sourceId]);
    await database.run(`update source set state = 'stopped' where id = $1`, [stopped.sourceId]);
    expect(await planned()).toEqual([`poll ${due.sourceId}`, `poll ${wasHeld.sourceId}`]);
    await database.run('update source set held_until = null where id = $1', [held.sourceId]);
    expect(await planned()).toEqual([`poll ${held.sourceId}`]);
  });

  it('dispatches at most 1,000 sources, and the rest with the next step', async () => {
    await storeMany(1_500);
    const { queue, added } = recordingQueue();
    await planOnce(database, queue);
    expect(added).toHaveLength(1_000);
    const left = await database.rows<{ id: number }>('select id from work where sent_at is null');
    expect(left).toHaveLength(500);
    const dispatched = new Set(added.map(({ id }) => id));
    expect(left.every(({ id }) => !dispatched.has(id))).toBe(true);
    await planOnce(database, queue);
    expect(new Set(added.map(({ id }) => id)).size).toBe(1_500);
  });

  it('leaves what a planner sent whose transaction began a moment later, but nothing of a clock that was ahead', async () => {
    await storeMany(1);
    const sentIn = async (time: string): Promise<number> => {
      await database.run(`update work set sent_at = now() + $1::interval`, [time]);
      const { queue, added } = recordingQueue();
      await planOnce(database, queue);
      return added.length;
    };
    expect([await sentIn('0.9 s'), await sentIn('1 hour')]).toEqual([0, 1]);
  });

  it('dispatches each source once, however many planners step at once', async () => {
    await storeMany(900);
    const hosts = [database, await databases.another(database), await databases.another(database)];
    const { queue, added } = recordingQueue();
    await Promise.all(hosts.flatMap((host) => [planOnce(host, queue), planOnce(host, queue)]));
    await planOnce(database, queue);
    expect(added).toHaveLength(900);
    expect(new Set(added.map(({ id }) => id)).size).toBe(900);
  });

  it('dispatches a job again that the queue refused', async () => {
    const source = await storeSource(database, 'source', { every: DAY });
    const streamId = await storeStream(database, source);
    await dueHistories(database);
    for (const work of ['poll', 'history'] as const) {
      const { queue } = recordingQueue(work);
      await expect(planOnce(database, queue)).rejects.toThrow('the queue is away');
    }
    expect(await planned()).toEqual([`history ${streamId}`]);
    await database.run(`update work set sent_at = null where kind = 'poll'`);
    await expect(planOnce(database, recordingQueue('poll').queue)).rejects.toThrow();
    expect(await planned()).toEqual([`poll ${source.sourceId}`]);
  });
});

it('a source or stream whose last job failed gets a place among those in trouble, each kind of job on its own account', async () => {
  const source = await storeSource(database, 'source', { every: DAY });
  const streamId = await storeStream(database, source);
  const plannedWith = async (failures: number, looks: number, histories: number): Promise<string[]> => {
    await dueLooks(database);
    await dueHistories(database);
    await database.run('update source set failures = $1', [failures]);
    await database.run(
      `update work set sent_at = null, failures = case kind when 'look' then $1 when 'history' then $2 else 0 end::int`,
      [looks, histories],
    );
    return await planned();
  };
  const { sourceId } = source;
  expect(await plannedWith(0, 0, 0)).toEqual([`history ${streamId}`, `look ${sourceId}`, `poll ${sourceId}`]);
  expect(await plannedWith(1, 0, 0)).toEqual([
    `history ${streamId}`,
    `troubled look ${sourceId}`,
    `troubled poll ${sourceId}`,
  ]);
  expect(await plannedWith(0, 1, 0)).toEqual([`history ${streamId}`, `poll ${sourceId}`, `troubled look ${sourceId}`]);
  expect(await plannedWith(0, 0, 1)).toEqual([`look ${sourceId}`, `poll ${sourceId}`, `troubled history ${streamId}`]);
});

describe('history', () => {
  it('is dispatched once for a stream that is due, and is due again soon in case its run never begins', async () => {
    const source = await storeSource(database, 'source', { every: DAY });
    await database.run(`update work set due_at = now() + interval '1 h'`);
    const wanting = await storeStream(database, source, 'wanting');
    await storeStream(database, source, 'complete');
    const retired = await storeStream(database, source, 'retired');
    await dueHistories(database, `from stream where key <> 'complete'`);
    await database.run('update stream set retired_at = now() where id = $1', [retired]);
    expect(await planned()).toEqual([`history ${wanting}`]);
    expect(await planned()).toEqual([]);
    expect(
      await database.run(`update work set sent_at = sent_at - interval '15 s' where kind = 'history' and id = $1`, [
        wanting,
      ]),
    ).toBe(1);
    expect(await planned()).toEqual([`history ${wanting}`]);
  });

  it.each([
    ['waits for a look after a change', 'awaits_look = true'],
    ['is paused', `state = 'paused'`],
    ['is held', `held_until = now() + interval '1 h'`],
    ['failed three times in a row', 'failures = 3'],
    ['was held, and no live poll has run since', `held_until = now() - interval '1 s'`],
  ])('rests while its source %s', async (_, change) => {
    const source = await storeSource(database);
    await database.run(`update work set due_at = now() + interval '1 h', ended_at = now() - interval '30 s'`);
    await database.run(`update source set failures = 2, held_until = now() - interval '1 m'`);
    const streamId = await storeStream(database, source);
    await dueHistories(database);
    await database.run(`update source set ${change}`);
    expect(await planned()).toEqual([]);
    await database.run(`update source set awaits_look = false, state = 'active', failures = 2,
      held_until = now() - interval '1 m'`);
    expect(await planned()).toEqual([`history ${streamId}`]);
  });
});

it('the planner counts as silent before its first step, and from five seconds after its last step', async () => {
  expect(await plannerSilence(database)).toBeDefined();
  await planned();
  expect(await plannerSilence(database)).toBeUndefined();
  await database.run(`update heartbeat set beat_at = now() - interval '6 s'`);
  expect(await plannerSilence(database)).toBeDefined();
  await planned();
  expect(await plannerSilence(database)).toBeUndefined();
});

it('a process leaves a step to the one that has just planned, and plans when that one has stopped', async () => {
  const { queue, added } = recordingQueue();
  // In one transaction no time passes, however busy the machine is.
  await database.transaction(async (client) => {
    const rows: Database['rows'] = (text, values) => rowsOf(client, text, values);
    const run: Database['run'] = async (text, values = []) => (await client.query(text, [...values])).rowCount ?? 0;
    const stopped: Database = { ...database, rows, run, row: async (...given) => (await rows(...given))[0] as never };
    await storeSource(stopped, 'first', { every: HOUR });
    await planInTurn(stopped, queue);
    expect(added).toHaveLength(1);
    await storeSource(stopped, 'second', { every: HOUR });
    await planInTurn(stopped, queue);
    expect(added).toHaveLength(1);
    await stopped.run(`update heartbeat set beat_at = now() - interval '250 ms'`);
    await planInTurn(stopped, queue);
    expect(added).toHaveLength(2);
  });
});
