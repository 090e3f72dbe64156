import { expect, it, vi } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { countRequest } from '../../src/core/request-counts.ts';
import type { OpenSource } from '../../src/pull/open/open-source.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { useDatabases } from '../kit/databases.ts';
import { openSourceOf } from '../kit/open-source.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { goRound } from './held-loops.ts';
import { useHosts } from './host-ground.ts';

// A host whose clock disagrees leaves the jobs that another host planned to hosts that agree. Only the test plans here.

vi.mock('../../src/database/repeat.ts', async () => (await import('./held-loops.ts')).heldRepeat);

const databases = useDatabases();
const startHost = useHosts();

const SOURCES = 30;

/** Sources that no planner finds due, and jobs of all of them from elsewhere. */
async function startPlanning() {
  const url = await databases.createMigrated();
  const database = await databases.another({ url });
  const queue = await openQueue({ redisUrl: undefined, prefix: '{databridge}', database, onError: () => undefined });
  const stored = new Map<number, StoredSource>();
  for (let index = 0; index < SOURCES; index += 1) {
    const source = await storeSource(database, `source-${index}`);
    stored.set(source.sourceId, source);
    await storeStream(database, source);
  }
  const policy = { start: Date.now() * 1000 - MINUTE, settle: 0, align: SECOND, overlap: 0, maxWindow: HOUR };
  return {
    url,
    database,
    /** A host's view of the sources; `asked` gets each of them whose platform it asks. */
    sourcesFor:
      (asked: Set<number>) =>
      (id: number): OpenSource => {
        asked.add(id);
        return openSourceOf(stored.get(id) as StoredSource, { policy, read: () => [] });
      },
    /** Each source is a round of its own. */
    plan: async () => {
      await database.run('update work set sent_at = now()');
      for (const id of stored.keys()) await queue.add('poll', [id]);
    },
    untilNoneWaits: () =>
      eventually(
        'no job waits',
        async () => {
          const row = await database.row<{ jobs: number }>(
            `select count(*) as jobs from bullmq.job where queue = 'poll'`,
          );
          return row?.jobs === 0 || new Waiting(row);
        },
        60_000,
      ),
    close: () => queue.close(),
  };
}

it('counts the requests of the last minutes before a stop when it starts, before it sends one', async () => {
  const { url, database, sourcesFor, close } = await startPlanning();
  const counts = countRequest(undefined, Date.now() * 1000 - 50 * MINUTE, 'live');
  await database.run(`insert into pace (source_id, state, requests) select min(id), '{}', $1 from source`, [counts]);
  await startHost(url, { ahead: () => undefined, sourceOf: sourcesFor(new Set()) });
  expect(await database.rows('select live from request_hour')).toEqual([{ live: 1 }]);
  await close();
});

it('leaves them to another host, which runs each', async () => {
  const { url, sourcesFor, plan, untilNoneWaits, close } = await startPlanning();
  const [byOne, byOther] = [new Set<number>(), new Set<number>()];
  await startHost(url, { ahead: () => 3 * MINUTE, sourceOf: sourcesFor(byOne) });
  await plan();
  await startHost(url, { ahead: () => undefined, sourceOf: sourcesFor(byOther) });
  await untilNoneWaits();
  expect(byOne.size).toBe(0);
  // The host may have asked the queue for a job already when it put its work down. It drops that one, whose source is due again later.
  expect(byOther.size).toBeGreaterThanOrEqual(SOURCES - 1);
  await close();
});

it('runs none that it takes before it has put its work down, and works again when it was set right', async () => {
  const { url, sourcesFor, plan, untilNoneWaits, close } = await startPlanning();
  const asked = new Set<number>();
  let ahead: number | undefined;
  const { log } = await startHost(url, { ahead: () => ahead, sourceOf: sourcesFor(asked) });
  ahead = 3 * MINUTE;
  await plan();
  await untilNoneWaits();
  expect(asked.size).toBe(0);
  await goRound();
  expect(log.filter((line) => line.startsWith('this host polls nothing: '))).toHaveLength(1);

  ahead = undefined;
  await goRound();
  await plan();
  await untilNoneWaits();
  expect(asked.size).toBe(SOURCES);
  expect(log).toContain('the clocks of this host and of the database agree again; it polls');
  await close();
});

it('gives back the claims of runs that met a database that was away, so that another host takes them', async () => {
  const { url, sourcesFor, plan, untilNoneWaits, close } = await startPlanning();
  const asked = new Set<number>();
  const clock: { ahead?: number } = {};
  const { context } = await startHost(url, {
    ahead: () => clock.ahead,
    sourceOf: () => {
      throw Object.assign(new Error('failover'), { code: 'ECONNRESET' });
    },
  });
  const held = 'select id from work where claimed_by is not null';
  await plan();
  await untilNoneWaits();
  await eventually('each job has ended', async () => (await context.database.rows(held)).length === SOURCES);

  clock.ahead = 3 * MINUTE;
  await goRound();
  expect(await context.database.rows(held)).toEqual([]);
  await startHost(url, { ahead: () => undefined, sourceOf: sourcesFor(asked) });
  // The first host drops the job that it had asked the queue for already.
  for (let round = 0; round < 2; round += 1) {
    await plan();
    await untilNoneWaits();
  }
  expect(asked.size).toBe(SOURCES);
  await close();
});
