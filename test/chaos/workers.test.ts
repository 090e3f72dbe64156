import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MILLISECOND } from '../../src/core/instant.ts';
import { useDatabases } from '../kit/databases.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { logPace, loggedPaces, requestsWithoutSlot, slotsOf } from '../kit/pace-log.ts';
import type { RunningProcess } from '../kit/process.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { askedAgain, logClaims, mostAskedAgain, robbedOf } from './claim-log.ts';
import { eventually } from './eventually.ts';
import { STREAMS } from './live-writer.ts';
import { bridgeOn, expectComplete, isoOf, openSite, schedule, stateOf } from './site.ts';
import type { Site } from './site.ts';
import { withRedis, withWatchedSource } from './surroundings.ts';
import { expectNoErrors, polled } from './survives.ts';

/** Several processes share the work. Another one takes over from one that is killed or stands still, within the pace of the source. */

/** Longer than the silence that frees claims (12 s) and than a job's lock in the queue (20 s). */
const STANDS_STILL_MS = 30_000;

/** How far a worker's idea of the database's clock may be off while the machine is busy. */
const CLOCKS_MS = 500;

const pace = { requestsPerSecond: 12, burst: 6, concurrency: 2 };

/** Longer than a job's lock in the queue, and then than the queue's next look for jobs that lost theirs. */
const LOCK_LOST_MS = 22_000;
const TAKEN_AGAIN_MS = 10_000;

// Each case has two daemons that go on polling while they wait for the processor: three cases at a time cost less than all six.
// vitest reads this while it collects the tests, so it stands here and not in a hook.
vi.setConfig({ maxConcurrency: 3 });

const databases = useDatabases({ concurrent: true });
let site: Site;

beforeAll(async () => {
  site = await openSite(databases);
});

afterAll(() => site.close());

describe.concurrent('workers', () => {
  test.each<[string, Blow]>([
    ['is killed', killed],
    ['stands still for a while', standsStill],
  ])('take a backfill over from one that %s, queue on PostgreSQL', async (_name, blow) => {
    await takeOver(blow, {});
  });

  test.each<[string, Blow]>([
    ['is killed', killed],
    ['stands still for a while', standsStill],
  ])('take a backfill over from one that %s, queue on Redis', async (_name, blow) => {
    await withRedis((redis) => takeOver(blow, { REDIS_URL: redis.url }));
  });

  test('never poll a slow source twice at a time, also when the queue loses its jobs', oneAtATime);

  test('plan when the worker that planned is killed', async () => {
    const database = await site.database();
    const bridge = await bridgeOn(site, { DATABASE_URL: database.url });
    const plannedAfter = async (at: string): Promise<boolean | undefined> => {
      const { rows } = await database.client.query<{ planned: boolean }>(
        `select beat_at > $1::timestamptz + interval '1 s' as planned from heartbeat where name = 'planner'`,
        [at],
      );
      return rows[0]?.planned;
    };
    const state = (): Promise<string> => stateOf(database.client);
    try {
      const planning = await bridge.up('worker');
      const other = await bridge.up('worker');
      await polled(database.client, 2);
      // A worker that stands still for a moment leaves every step to the other one.
      other.pause();
      await sleep(1_500);
      await planning.kill9();
      const killedAt = await nowIn(database.client);
      other.resume();
      await eventually('the other one plans', () => plannedAfter(killedAt), { state });
      await expectComplete(site, database.client);
      expectNoErrors(other);
      expect((await other.stop(60_000)).code).toBe(0);
    } finally {
      await bridge.remove();
      await database.close();
    }
  });
});

const MAX_WINDOW_SECONDS = 15;

/** An outage of the worker that fills the past; resolves when it is over. */
type Blow = (worker: RunningProcess) => Promise<unknown>;

const killed: Blow = (worker) => worker.kill9();

async function standsStill(worker: RunningProcess): Promise<void> {
  worker.pause();
  await sleep(STANDS_STILL_MS);
  worker.resume();
}

async function takeOver(blow: Blow, environment: NodeJS.ProcessEnv): Promise<void> {
  const database = await site.database();
  const { client } = database;
  await withWatchedSource(site, async ({ recorder, line }) => {
    const bridge = await bridgeOn(site, { DATABASE_URL: database.url, ...environment });
    const workers: RunningProcess[] = [];
    try {
      const startAt = isoOf(Math.floor(Date.now() / 1000) * 1_000_000);
      const changes = { schedule: { ...schedule, maxWindow: `${MAX_WINDOW_SECONDS}s`, start: startAt }, pace };
      await logPace(client);
      await logClaims(client);
      await bridge.apply(site.source(changes, recorder.url));
      workers.push(await bridge.up('worker'), await bridge.up('worker'));
      await polled(client, 2);
      await bridge.succeed('backfill', 'start', 'hall', '--from', isoOf(site.startUs), '--to', startAt, '--detach');

      await filled(client, await streamsOf(client));
      // Slow enough that the blow falls while requests are under way, whose slots are not given back then.
      await line.set({ latencyMs: 400 });
      await sleep(1_500);
      const { worker, id, streams } = await holderOf(client, workers);
      const over = blow(worker);
      await line.set({});
      await filled(client, streams);
      await over;

      await expectComplete(site, client);
      await eventually('the backfill is done', async () => {
        const { rows } = await client.query<{ done: boolean }>(`select state = 'done' as done from backfill`);
        return rows[0]?.done;
      });
      await expectPaced(client, recorder);
      expect(recorder.mostAtOnce()).toBeLessThanOrEqual(pace.concurrency);
      const again = await askedAgain(client, startAt);
      const most = (await mostAskedAgain(client, pace.concurrency)) * MAX_WINDOW_SECONDS;
      expect(again.seconds, JSON.stringify(again.windows)).toBeLessThanOrEqual(most);
      expect([...(await robbedOf(client))].filter((robbed) => robbed !== id)).toEqual([]);
      for (const worker of workers.filter((one) => one.running())) {
        expectNoErrors(worker);
        expect((await worker.stop(60_000)).code).toBe(0);
      }
    } catch (error) {
      const said = workers.map((worker) => `${worker.pid}:\n${worker.output()}`).join('\n');
      throw new Error(`${String(error)}\n${said}`, { cause: error });
    } finally {
      await bridge.remove();
      await database.close();
    }
  });
}

/** No two polls run beside each other of a source that answers more slowly than it is polled, also when the queue loses its jobs. */
async function oneAtATime(): Promise<void> {
  const database = await site.database();
  await withWatchedSource(site, ({ recorder, line }) =>
    withRedis(async (redis) => {
      const bridge = await bridgeOn(site, { DATABASE_URL: database.url, REDIS_URL: redis.url });
      try {
        // No past: every request is live, one for each stream of a poll. The pace would allow more polls at a time. Live covers all
        // that a slow machine leaves uncovered, and history does not look for late data beside it.
        const fromUs = Math.floor(Date.now() / 1000) * 1_000_000;
        const start = isoOf(fromUs);
        const changes = {
          schedule: { ...schedule, maxWindow: '30m', lookBackAtMost: '0s', start },
          pace: { ...pace, concurrency: 3 * STREAMS },
        };
        await bridge.apply(site.source(changes, recorder.url));
        const first = await bridge.up('worker');
        await polled(database.client, 3 * STREAMS);

        await line.set({ stalled: true });
        await eventually('a poll waits for its answers', () => recorder.waiting() === STREAMS);
        redis.pause();
        await sleep(LOCK_LOST_MS);
        redis.resume();
        await sleep(TAKEN_AGAIN_MS);
        expect(recorder.mostAtOnce()).toBe(STREAMS);

        // Now an answer takes at least 3 s, and the queue loses the poll twice in this time.
        await line.set({ latencyMs: 1_500 });
        const second = await bridge.up('worker');
        const client = new RedisClient(redis.url);
        for (let flush = 0; flush < 8; flush += 1) {
          const keys = await client.keys('{databridge}:poll:*');
          if (keys.length > 0) await client.del(keys);
          await sleep(1_300);
        }
        client.disconnect();
        expect(recorder.mostAtOnce()).toBe(STREAMS);

        await line.set({});
        await expectComplete(site, database.client, { fromUs });
        for (const worker of [first, second]) {
          expectNoErrors(worker);
          expect((await worker.stop(60_000)).code).toBe(0);
        }
      } finally {
        await bridge.remove();
        await database.close();
      }
    }),
  );
}

const nowIn = async (client: Client): Promise<string> =>
  (await client.query<{ now: string }>('select now()::text as now')).rows[0]?.now ?? '';

const streamsOf = async (client: Client): Promise<number[]> =>
  (await client.query<{ id: number }>('select id from stream')).rows.map(({ id }) => id);

/** No request came before its slot, and in no second there were more slots than agreed. */
async function expectPaced(client: Client, { requests }: HttpFault): Promise<void> {
  // The workers go on asking, so a request that comes after the slots are read has none among them.
  const arrived = requests.map(({ at }) => at);
  const { rows } = await client.query<{ id: number }>('select id from source');
  const slots = slotsOf(await loggedPaces(client, rows[0]?.id ?? 0));
  const most = pace.burst + pace.requestsPerSecond;
  expect(mostInAnySecond(slots.map(({ at }) => at / MILLISECOND))).toBeLessThanOrEqual(most);
  expect(requestsWithoutSlot(slots, arrived, CLOCKS_MS)).toEqual([]);
}

/** The process that asks for the past just now, and the streams whose past it fills. */
async function holderOf(
  client: Client,
  workers: readonly RunningProcess[],
): Promise<{ worker: RunningProcess; id: string; streams: number[] }> {
  return await eventually(
    'a worker asks for the past',
    async () => {
      const { rows } = await client.query<{ pid: number; id: string; streams: number[] }>(
        `select pid, worker.id::text as id, array_agg(distinct work.id) as streams
         from pace, jsonb_array_elements(leases) as lease, worker join work on kind = 'history' and claimed_by = worker.id
         where lease ->> 'lane' = 'history' and lease ->> 'id' like worker.id || '/%' group by 1, 2`,
      );
      const [row] = rows;
      const worker = workers.find(({ pid }) => pid === row?.pid);
      return row && worker && { worker, id: row.id, streams: row.streams };
    },
    { state: () => stateOf(client) },
  );
}

/** Waits until ten more windows of the past of each of these streams are covered. */
async function filled(client: Client, streams: readonly number[]): Promise<void> {
  const counts = async (): Promise<number[]> => {
    const { rows } = await client.query<{ windows: string }>(
      `select (select count(*) from window_log where stream_id = id and lane = 'history') as windows
       from unnest($1::int[]) as id order by id`,
      [streams],
    );
    return rows.map(({ windows }) => Number(windows));
  };
  const before = await counts();
  const enough = async (): Promise<boolean> =>
    (await counts()).every((count, place) => count >= (before[place] ?? 0) + 10);
  await eventually('more of the past is covered', enough, { state: () => stateOf(client) });
}
