import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { Handlers, Queue } from '../../src/queue/queue.ts';
import { useDatabases } from '../kit/databases.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { startRedis } from '../kit/redis.ts';
import type { Redis } from '../kit/redis.ts';

type Backend = 'PostgreSQL' | 'Redis';
const BACKENDS: Backend[] = ['PostgreSQL', 'Redis'];
const program = join(import.meta.dirname, 'queue-user.ts');

const databases = useDatabases();
let redis: Redis;
let database: Database;
let prefix: string;
let made = 0;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  redis = await startRedis();
});

beforeEach(async () => {
  database = await databases.create();
  made += 1;
  prefix = `{test-${made}}`;
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

afterAll(async () => {
  await redis.stop();
});

/** A queue as one host opens it; closed after the test. */
async function open(backend: Backend): Promise<Queue> {
  const queue = await openQueue({
    redisUrl: backend === 'Redis' ? redis.url : undefined,
    prefix,
    database,
    onError: () => undefined,
  });
  closing.push(() => queue.close());
  return queue;
}

/** Starts a worker; drained after the test. */
function work(queue: Queue, handlers: Partial<Handlers>): { drain(deadlineMs: number): Promise<boolean> } {
  const nothing = (): Promise<void> => Promise.resolve();
  const worker = queue.work(
    { poll: nothing, look: nothing, history: nothing, ...handlers },
    { poll: 5, look: 5, history: 5, troubled: 5 },
  );
  closing.push(() => worker.drain(5_000));
  return worker;
}

/** Another process that begins polls and never ends them; killed after the test. */
async function user(backend: Backend): Promise<RunningProcess> {
  const running = await startProcess({
    name: 'queue-user',
    command: process.execPath,
    args: [program, database.url, backend === 'Redis' ? redis.url : '', prefix],
    ready: (running) => running.output().includes('works'),
  });
  closing.push(() => running.kill9());
  return running;
}

const until = (what: () => unknown): Promise<void> =>
  expect.poll(async () => Boolean(await what()), { interval: 20 }).toBe(true);

describe.each(BACKENDS)('the queue on %s', (backend) => {
  it('runs each id of the rounds that carry them, and tells how much room is left', async () => {
    const queue = await open(backend);
    const empty = await queue.room();
    const polls = Array.from({ length: 120 }, (_, index) => index);
    await queue.add('poll', []);
    await queue.add('poll', polls);
    await queue.add('history', [1]);
    const filled = await queue.room();
    expect(filled.poll).toBe((empty.poll / 40) * 37);
    expect(filled.history).toBe(39);
    expect([filled.look, filled.troubled]).toEqual([empty.look, empty.troubled]);
    const ran: string[] = [];
    work(queue, {
      poll: async (id) => void ran.push(`poll ${id}`),
      history: async (id) => void ran.push(`history ${id}`),
    });
    await until(() => ran.length >= 121);
    expect(ran.toSorted()).toEqual(['history 1', ...polls.map((id) => `poll ${id}`)].toSorted());
    expect(await queue.room()).toEqual(empty);
  });

  it('begins no more sources of a round than there are places, and the next round beside a source that hangs', async () => {
    const queue = await open(backend);
    const gate = Promise.withResolvers<void>();
    const began: number[] = [];
    let inside = 0;
    let most = 0;
    work(queue, {
      poll: async (id) => {
        began.push(id);
        inside += 1;
        most = Math.max(most, inside);
        if (id === 7) await gate.promise;
        else await sleep(1);
        inside -= 1;
      },
    });
    await queue.add('poll', [7, 8, 9]);
    await until(() => began.length === 3);
    await queue.add(
      'poll',
      Array.from({ length: 200 }, (_, index) => 100 + index),
    );
    await until(() => began.length === 203);
    expect(most).toBe(5);
    gate.resolve();
  });

  it('runs jobs of troubled sources by their kind, in places of their own', async () => {
    const queue = await open(backend);
    const gate = Promise.withResolvers<void>();
    const began: string[] = [];
    const handler = (work: string) => async (id: number) => {
      began.push(`${work} ${id}`);
      if (id < 100) await gate.promise;
    };
    work(queue, { poll: handler('poll'), look: handler('look'), history: handler('history') });
    // Six jobs for the five places: the last one waits, and jobs of healthy sources do not.
    await queue.add('poll', [1, 2], true);
    await queue.add('look', [3, 4], true);
    await queue.add('history', [5, 6], true);
    await until(() => began.length === 5);
    await queue.add('poll', [101]);
    await until(() => began.includes('poll 101'));
    expect(began.filter((each) => !each.endsWith('101'))).toHaveLength(5);
    gate.resolve();
    await until(() => began.length === 7);
    expect(began.toSorted()).toEqual(['history 5', 'history 6', 'look 3', 'look 4', 'poll 1', 'poll 101', 'poll 2']);
  });

  it('gives the place of a job that waits for a platform to another, and waits for both when it drains', async () => {
    const queue = await open(backend);
    const answer = Promise.withResolvers<void>();
    const told: string[] = [];
    const worker = work(queue, {
      history: async (id, signal, place) => {
        told.push(`began ${id}`);
        signal.addEventListener('abort', () => answer.resolve());
        await place.waitFor(answer.promise);
        told.push(`ended ${id}`);
      },
    });
    await queue.add('history', [1, 2, 3, 4, 5, 6, 7]);
    await until(() => told.length === 7);
    expect(await worker.drain(10_000)).toBe(true);
    expect(told.filter((line) => line.startsWith('ended'))).toHaveLength(7);
  });

  it('takes an id again after it has failed', async () => {
    const queue = await open(backend);
    let runs = 0;
    work(queue, {
      poll: async () => {
        runs += 1;
        throw new Error('no');
      },
    });
    // The id can be added again when the failure is stored, a moment after the job has thrown.
    await until(async () => {
      await queue.add('poll', [1]);
      return runs >= 3;
    });
  });

  it('drains: aborts running jobs, waits for them, and takes no new jobs', async () => {
    const queue = await open(backend);
    const told: string[] = [];
    const worker = work(queue, {
      poll: async (id, signal) => {
        told.push(`began ${id}`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await sleep(50);
        told.push(`ended ${id}`);
      },
    });
    await queue.add('poll', [1]);
    await until(() => told.length === 1);
    expect(await worker.drain(10_000)).toBe(true);
    expect(told).toEqual(['began 1', 'ended 1']);
    await queue.add('poll', [2]);
    const other = await open(backend);
    work(other, { poll: async (id) => void told.push(`other ${id}`) });
    await until(() => told.includes('other 2'));
    expect(told).toEqual(['began 1', 'ended 1', 'other 2']);
  });

  it('drains no longer than its deadline where a job does not end', async () => {
    const queue = await open(backend);
    const gate = Promise.withResolvers<void>();
    let began = false;
    const worker = work(queue, {
      poll: async () => {
        began = true;
        await gate.promise;
      },
    });
    await queue.add('poll', [1]);
    await until(() => began);
    expect(await worker.drain(200)).toBe(false);
    gate.resolve();
  });
});

it('a job of a killed process runs again in another process, on either backend', async () => {
  await Promise.all(
    BACKENDS.map(async (backend) => {
      const queue = await open(backend);
      const killed = await user(backend);
      await queue.add('poll', [5]);
      await queue.add('history', [6]);
      await until(() => killed.output().includes('began 5') && killed.output().includes('began 6'));
      await killed.kill9();
      const ran: string[] = [];
      work(queue, {
        poll: async (id) => void ran.push(`poll ${id}`),
        history: async (id) => void ran.push(`history ${id}`),
      });
      await until(() => ran.length >= 2);
      expect(ran.toSorted()).toEqual(['history 6', 'poll 5']);
      // And the id can be added again.
      await until(async () => {
        await queue.add('poll', [5]);
        return ran.filter((each) => each === 'poll 5').length > 1;
      });
    }),
  );
});
