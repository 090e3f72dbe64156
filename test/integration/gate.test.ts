import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it, vi } from 'vitest';
import { MILLISECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { paceRowsOf } from '../../src/pace/pace-rows.ts';
import { sharedAccountOf } from '../../src/pull/open/account.ts';
import { pacerOf } from '../../src/pace/pacer.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { findSources } from '../../src/source/find-source.ts';
import { changeSource, changeSources } from '../../src/source/state-change.ts';
import { keepAlive } from '../kit/alive.ts';
import { useDatabases } from '../kit/databases.ts';
import { columnOf, batchOf, readingsIn, storeSource } from '../kit/stored-source.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { makeGround } from './commit-ground.ts';

// A run that was opened before an operator changed or paused its source gets no further slot and commits no window.

const databases = useDatabases();
const never = new AbortController().signal;
let database: Database;
let sourceId: number;

beforeEach(async () => {
  database = await databases.create();
  ({ sourceId } = await storeSource(database));
});

async function pacerWith(revision: number) {
  const workerId = randomUUID();
  await keepAlive(database, workerId);
  return pacerOf({
    database,
    rows: paceRowsOf(database),
    account: sharedAccountOf(database, 'account'),
    sourceId,
    revision,
    workerId,
    now: () => Math.floor((performance.timeOrigin + performance.now()) * MILLISECOND),
    pace: { requestsPerSecond: 1000, burst: 10, concurrency: 4, quietHours: [] },
  });
}

it('a pause takes effect with the next request of a run, and a resume lets only new runs ask', async () => {
  const before = await pacerWith(1);
  await (await before.slot('live', never)).release();
  await changeSource(database, 'pause', { name: 'source' }, 'test');
  await expect(before.slot('live', never)).rejects.toMatchObject({ code: 'cancelled' });
  await expect(before.slot('history', never)).rejects.toMatchObject({ code: 'cancelled' });
  await changeSource(database, 'resume', { name: 'source' }, 'test');
  await expect(before.slot('live', never)).rejects.toMatchObject({ code: 'cancelled' });
  await (await (await pacerWith(2)).slot('live', never)).release();
});

it('a poll that an operator asks for lifts the silence the platform asked for', async () => {
  const pacer = await pacerWith(1);
  const ease = async (): Promise<unknown> => (await paceRowsOf(database).read(sourceId)).state.ease;
  await pacer.hold(Date.now() * 1000 + 3_600_000_000, { why: 'throttled' });
  expect(await ease()).toMatchObject({ share: 0.5, why: 'throttled' });
  await expect(pacer.slot('live', never)).rejects.toMatchObject({ code: 'throttled' });
  await changeSource(database, 'poll', { name: 'source' }, 'test');
  expect(await ease()).toBeUndefined();
  // The worker that got the answer asks again, and remembers the silence.
  await (await pacer.slot('live', never)).release();
  await (await (await pacerWith(1)).slot('live', never)).release();
});

it('a source that a platform slowed down says so in source show, from the row that all processes share', async () => {
  await (await pacerWith(1)).hold(Date.now() * 1000 + 1_000_000, { why: 'throttled' });
  const { stdout } = await databridgeHere(['source', 'show', 'source'], {
    env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
  });
  expect(stdout).toMatch(
    /^pace: .*, at \d\d % of the agreed rate since \S+Z, because the platform asked for fewer requests; all of it again \S+Z$/m,
  );
});

it.each([1, 3_000])(
  'a window of %i readings that was read with a replaced configuration is neither stored, nor covered, nor done in a backfill',
  async (readings) => {
    const ground = await makeGround(databases);
    const window = { from: 0, to: 1_000_000 };
    const backfillId = await startBackfill(ground.database, {
      source: { name: 'source' },
      from: window.from,
      to: 2 * window.to,
      what: 'all',
      requestedBy: 'tester',
    });
    const at = Array.from({ length: readings }, (_, index) => index);
    const given = { window, batch: batchOf([columnOf('pump', { at })]), backfillId };
    const left = async (): Promise<unknown[]> => [
      await readingsIn(ground.database),
      await ground.coverage(),
      await ground.database.row('select instants_of(done) as done from backfill_stream'),
    ];
    await ground.database.run('update stream set source_revision = 2');
    const also = vi.fn(async () => undefined);
    await expect(ground.commit(given)).rejects.toMatchObject({ code: 'cancelled' });
    await expect(ground.commit({ ...given, also })).rejects.toMatchObject({ code: 'cancelled' });
    expect([also.mock.calls, ...(await left())]).toEqual([[], [], [], { done: [] }]);
    await ground.database.run('update stream set source_revision = 1');
    await ground.commit(given);
    expect(await left()).toEqual([
      expect.toSatisfy((stored: unknown[]) => stored.length === readings),
      [window],
      { done: [[window.from, window.to]] },
    ]);
  },
);

it('a thousand sources are resumed by a bounded number of statements, and each as a single one is', async () => {
  const database = await databases.create();
  await storeSource(database, 'first');
  await database.run(
    `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us, state, failures, last_fault)
     select 'source-' || number, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us, 'stopped', 3, '{}'
     from source, generate_series(2, 1000) as number`,
  );
  await database.run(`insert into pace (source_id, state) select id, '{"paused": true, "holdUntil": 7}' from source`);
  let statements = 0;
  const counted: Database = {
    ...database,
    transaction: (work) =>
      database.transaction((client) =>
        work({ query: (...given: [string]) => ((statements += 1), client.query(...given)) } as typeof client),
      ),
  };
  const sources = await findSources(database, ['*'], undefined);
  const changed = await changeSources(counted, 'resume', sources, 'test');
  expect(changed.filter(({ error }) => error === undefined)).toHaveLength(1_000);
  expect(statements).toBeLessThan(80);
  const after = await database.row(
    `select count(*)::int as sources, count(*) filter (where source.state = 'active' and failures = 0 and last_fault is null
       and revision = 2 and pace.state @> '{"revision": 2, "paused": false, "holdUntil": 0}')::int as resumed,
       (select count(*)::int from audit where action = 'source.resume') as audited,
       (select count(*)::int from work where kind = 'look' and due_at <= now()) as looks
     from source join pace on source_id = id`,
  );
  expect(after).toEqual({ sources: 1_000, resumed: 1_000, audited: 1_000, looks: 1_000 });
});
