import { setTimeout as sleep } from 'node:timers/promises';
import { Redis as RedisClient } from 'ioredis';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import type { RunningProcess } from '../kit/process.ts';
import { eventually } from './eventually.ts';
import { STREAMS } from './live-writer.ts';
import { bridgeOn, expectComplete, isoOf, openSite, schedule, stateOf } from './site.ts';
import type { Site } from './site.ts';
import { withRedis, withWatchedSource } from './surroundings.ts';
import { expectNoErrors, polled } from './survives.ts';

/** Several processes share the work. One that is killed or stands still is replaced, and the source never notices. */

const TIMEOUT_MS = 300_000;
const TAKEN_OVER_WITHIN_MS = 45_000;
/** Longer than the silence that frees claims (12 s) and than a job's lock in the queue (20 s). */
const STANDS_STILL_MS = 30_000;
const PLANS_WITHIN_MS = 10_000;

const pace = { requestsPerSecond: 12, burst: 6, concurrency: 2 };

/** Longer than a job's lock in the queue, and then than the queue's next look for jobs that lost theirs. */
const LOCK_LOST_MS = 22_000;
const TAKEN_AGAIN_MS = 10_000;

// Set while the tests are collected: later it has no effect any more.
vi.setConfig({ maxConcurrency: 20 });

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
  ])('take a backfill over from one that %s, queue on PostgreSQL', { timeout: TIMEOUT_MS }, async (_name, blow) => {
    await takeOver(blow, {});
  });

  test.each<[string, Blow]>([
    ['is killed', killed],
    ['stands still for a while', standsStill],
  ])('take a backfill over from one that %s, queue on Redis', { timeout: TIMEOUT_MS }, async (_name, blow) => {
    await withRedis((redis) => takeOver(blow, { REDIS_URL: redis.url }));
  });

  test('never poll a slow source twice at a time, whatever the queue forgets', { timeout: TIMEOUT_MS }, oneAtATime);

  test(
    'plan when the one that planned is killed, and when the tick itself is gone',
    { timeout: TIMEOUT_MS },
    async () => {
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
        // Whoever stands still for a moment leaves every tick to the other one.
        other.pause();
        await sleep(1_500);
        await planning.kill9();
        const killedAt = await nowIn(database.client);
        other.resume();
        await eventually('the other one plans', () => plannedAfter(killedAt), { withinMs: PLANS_WITHIN_MS, state });
        await database.client.query(`delete from bullmq.job where queue = 'planner'`);
        await database.client.query(`delete from bullmq.scheduler`);
        const lostAt = await nowIn(database.client);
        await eventually('it plans without a tick', () => plannedAfter(lostAt), { withinMs: PLANS_WITHIN_MS, state });
        await eventually('the tick is back', async () => {
          const { rows } = await database.client.query(`select from bullmq.scheduler`);
          return rows.length === 1;
        });
        await expectComplete(site, database.client);
        expectNoErrors(other);
        expect((await other.stop(30_000)).code).toBe(0);
      } finally {
        await bridge.remove();
        await database.close();
      }
    },
  );
});

/** What befalls the worker that works; resolves when it is over. */
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
      const changes = { schedule: { ...schedule, maxWindow: '15s', start: startAt }, pace };
      await bridge.apply(site.source(changes, recorder.url));
      workers.push(await bridge.up('worker'), await bridge.up('worker'));
      await polled(client, 2);
      await bridge.succeed('backfill', 'start', 'hall', '--from', isoOf(site.startUs), '--to', startAt, '--detach');

      await filled(client, await streamsOf(client), 60_000);
      // Slow enough that it is struck with requests under way, and with request slots that nobody gives back.
      await line.set({ latencyMs: 400 });
      await sleep(1_500);
      const { worker, streams } = await holderOf(client, workers);
      const struckAt = await nowIn(client);
      const over = blow(worker);
      await line.set({});
      await filled(client, streams, TAKEN_OVER_WITHIN_MS);
      await over;

      await expectComplete(site, client);
      await eventually('the backfill is done', async () => {
        const { rows } = await client.query<{ done: boolean }>(`select state = 'done' as done from backfill`);
        return rows[0]?.done;
      });
      expect(recorder.mostRequestsInAnySecond()).toBeLessThanOrEqual(pace.burst + pace.requestsPerSecond);
      expect(recorder.mostAtOnce()).toBeLessThanOrEqual(pace.concurrency);
      // What the one that stood still had in hand; it was stored once all the same. And whoever goes on without knowing how
      // far the other one was looks back for late data first: one window over two, where it takes over and near the edge.
      expect(await askedTwice(client)).toBeLessThanOrEqual(STREAMS * (pace.concurrency + 4));
      expect(await pollsBesideOthers(client, struckAt)).toEqual([]);
      for (const worker of workers.filter((one) => one.running())) {
        expectNoErrors(worker);
        expect((await worker.stop(30_000)).code).toBe(0);
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

/** Whatever the queue forgets, no poll of a source that answers more slowly than it is polled runs beside another. */
async function oneAtATime(): Promise<void> {
  const database = await site.database();
  await withWatchedSource(site, ({ recorder, line }) =>
    withRedis(async (redis) => {
      const bridge = await bridgeOn(site, { DATABASE_URL: database.url, REDIS_URL: redis.url });
      try {
        // No past: all that is asked is live, once a poll and stream. The pace would allow more polls at a time.
        const fromUs = Math.floor(Date.now() / 1000) * 1_000_000;
        const start = isoOf(fromUs);
        const changes = {
          schedule: { ...schedule, maxWindow: '2m', start },
          pace: { ...pace, concurrency: 3 * STREAMS },
        };
        await bridge.apply(site.source(changes, recorder.url));
        const first = await bridge.up('worker');
        await polled(database.client, 3 * STREAMS);

        await line.set({ stalled: true });
        const asked = recorder.requests.length;
        await eventually('a poll waits for its answer', () => recorder.requests.length > asked);
        redis.pause();
        await sleep(LOCK_LOST_MS);
        redis.resume();
        await sleep(TAKEN_AGAIN_MS);
        expect(recorder.mostAtOnce()).toBe(STREAMS);

        // Now an answer takes 3 s at the least, and the queue forgets the poll twice in this time.
        await line.set({ latencyMs: 1_500 });
        const second = await bridge.up('worker');
        const client = new RedisClient(redis.url);
        for (let flush = 0; flush < 8; flush += 1) {
          await client.del(await client.keys('{databridge}:poll:*'));
          await sleep(1_300);
        }
        client.disconnect();
        expect(recorder.mostAtOnce()).toBe(STREAMS);

        await line.set({});
        await expectComplete(site, database.client, { fromUs });
        for (const worker of [first, second]) {
          expectNoErrors(worker);
          expect((await worker.stop(30_000)).code).toBe(0);
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

/** The process that asks for the past just now, and the streams whose past it fills. */
async function holderOf(
  client: Client,
  workers: readonly RunningProcess[],
): Promise<{ worker: RunningProcess; streams: number[] }> {
  return await eventually(
    'somebody asks for the past',
    async () => {
      const { rows } = await client.query<{ pid: number; streams: number[] }>(
        `select pid, array_agg(distinct stream.id) as streams
         from pace, jsonb_array_elements(state -> 'leases') as lease, worker join stream on history_claimed_by = worker.id
         where lease ->> 'lane' = 'history' and lease ->> 'id' like worker.id || '/%' group by 1`,
      );
      const worker = workers.find(({ pid }) => pid === rows[0]?.pid);
      return worker && { worker, streams: rows[0]?.streams ?? [] };
    },
    { state: () => stateOf(client) },
  );
}

/** Waits until ten more windows of the past of each of these streams are covered. */
async function filled(client: Client, streams: readonly number[], withinMs: number): Promise<void> {
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
  await eventually('more of the past', enough, { withinMs, state: () => stateOf(client) });
}

/** Windows of the past that were handed over by both, the one that stood still and the one that took over. */
async function askedTwice(client: Client): Promise<number> {
  const { rows } = await client.query<{ twice: string }>(
    `select count(*) as twice from window_log as one join window_log as other on one.ctid < other.ctid
       and one.stream_id = other.stream_id and tstzrange(one.from_at, one.to_at) && tstzrange(other.from_at, other.to_at)
     where one.lane = 'history' and other.lane = 'history'`,
  );
  return Number(rows[0]?.twice);
}

/** Windows of live polls that were asked while another one was, but for the time in which one took over from the other. */
async function pollsBesideOthers(client: Client, struckAt: string): Promise<unknown[]> {
  const { rows } = await client.query(
    `select * from (
       select asked_at, asked_at + (waited_ms + http_ms) * interval '1 ms' as answered_at,
         lead(asked_at) over (partition by stream_id order by asked_at) as next_asked_at
       from window_log where lane = 'live') as poll
     where next_asked_at < answered_at
       and not tstzrange($1::timestamptz, $1::timestamptz + $2 * interval '1 ms') @> next_asked_at`,
    [struckAt, TAKEN_OVER_WITHIN_MS],
  );
  return rows;
}
