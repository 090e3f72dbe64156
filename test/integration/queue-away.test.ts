import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { isRedisAway, openQueue } from '../../src/queue/queue.ts';
import type { Handlers, Queue } from '../../src/queue/queue.ts';
import { useDatabases } from '../kit/databases.ts';
import { startRedis } from '../kit/redis.ts';
import type { Redis } from '../kit/redis.ts';

// What the queue does while Redis is away, and when it is back.

const databases = useDatabases();
let redis: Redis;
let database: Database;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await databases.create();
});

beforeEach(async () => {
  redis = await startRedis();
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await redis.stop();
});

async function open(): Promise<Queue> {
  const queue = await openQueue({ redisUrl: redis.url, prefix: '{away}', database, onError: () => undefined });
  closing.push(() => queue.close());
  return queue;
}

function work(queue: Queue, poll: Handlers['poll']): { drain(deadlineMs: number): Promise<boolean> } {
  const nothing = (): Promise<void> => Promise.resolve();
  const concurrency = { poll: 5, look: 5, history: 5, troubled: 5 };
  const worker = queue.work({ poll, look: nothing, history: nothing }, concurrency);
  closing.push(() => worker.drain(5_000));
  return worker;
}

const until = (what: () => unknown): Promise<void> =>
  expect.poll(async () => Boolean(await what()), { interval: 20 }).toBe(true);

it('drains while Redis is away: jobs that ended have ended, and no worker begins another when Redis is back', async () => {
  const queue = await open();
  const gate = Promise.withResolvers<void>();
  const told: string[] = [];
  const worker = work(queue, async (id) => {
    told.push(`began ${id}`);
    await gate.promise;
    told.push(`ended ${id}`);
  });
  await queue.add('poll', [1]);
  await until(() => told.length === 1);
  await redis.kill9();
  const drained = worker.drain(10_000);
  gate.resolve();
  expect(await drained).toBe(true);
  expect(told).toEqual(['began 1', 'ended 1']);
  await redis.restart();
  const other = await open();
  await other.add('poll', [2]);
  work(other, async (id) => void told.push(`other ${id}`));
  await until(() => told.includes('other 2'));
  expect(told).toEqual(['began 1', 'ended 1', 'other 2']);
});

it('adding fails at once while Redis is away, and works when Redis is back', async () => {
  const queue = await open();
  await queue.add('poll', [1]);
  // A job that is on its way when Redis dies fails as well, because a planner must not wait until Redis is back.
  redis.pause();
  const underWay = queue.add('poll', [1]).catch((error: unknown) => error);
  await redis.kill9();
  expect(isRedisAway(await underWay)).toBe(true);
  await until(async () => {
    const added = await queue.add('poll', [2]).then(
      () => 'added',
      () => 'refused',
    );
    return added === 'refused';
  });
  await redis.restart();
  const ran: number[] = [];
  work(queue, async (id) => void ran.push(id));
  await until(async () => {
    await queue.add('poll', [3]).catch(() => undefined);
    return ran.includes(3);
  });
});
