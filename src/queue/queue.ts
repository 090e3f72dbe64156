import { Queue as BullQueue, Worker, createPostgresBackend, runMigrations } from 'bullmq';
import type { BackendFactory, IQueueBackend, Job, JobsOptions } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import pg from 'pg';
import { BridgeError } from '../core/errors.ts';
import type { Database } from '../database/database.ts';

/** What is dispatched: one poll of a source, or a stretch of a stream's history. Jobs carry the id and nothing else. */
export type Work = 'poll' | 'history';

export interface Handlers {
  readonly poll: (sourceId: number, signal: AbortSignal) => Promise<void>;
  readonly history: (streamId: number, signal: AbortSignal) => Promise<void>;
  /** One step of the planner; in at least one process of all that share the queue, every tick. */
  readonly tick: () => Promise<void>;
}

export interface Queue {
  /**
   * Adds jobs in bulk; an id that is queued or running already is left alone, so a slow poll has none beside it. History
   * that is running runs once more when it ends: it may have been asked for in its last moment, with more left to do.
   */
  add(work: Work, ids: readonly number[]): Promise<void>;
  /** (Re)creates the planner's tick. Call it under a lock: concurrent upserts on PostgreSQL break it (research: bullmq, P1). */
  ensureTick(everyMs: number): Promise<void>;
  /** Starts to work. `drain` stops taking jobs, aborts the running ones' signal and waits for them, `deadlineMs` at most. */
  work(
    handlers: Handlers,
    concurrency: { polls: number; history: number },
  ): { drain(deadlineMs: number): Promise<boolean> };
  close(): Promise<void>;
}

export interface QueueOptions {
  readonly redisUrl: string | undefined;
  readonly prefix: string;
  readonly database: Database;
  readonly onError: (error: Error) => void;
  /** Ends the wait for a Redis that is away. */
  readonly signal?: AbortSignal;
}

/** What ioredis and Redis say while a connection is lost, a server loads its file or a cluster changes its masters. */
const AWAY =
  /stream isn't writeable|connection is closed|max retries per request|none of startup nodes|^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN)\b/i;

/** Whether an error says that Redis is away. For PostgreSQL see `isDatabaseAway`, which also knows the codes of sockets. */
export const isRedisAway = (error: unknown): boolean => error instanceof Error && AWAY.test(error.message);

const LOCK_MS = 20_000;
const STALLED_CHECK_MS = 7_000;

const JOB: JobsOptions = { removeOnComplete: true, removeOnFail: { count: 1000, age: 7 * 86_400 }, attempts: 1 };

interface Backend {
  readonly prefix: string;
  /** What adds jobs fails at once while the queue is away; what works on them waits for it. */
  readonly adding: unknown;
  readonly working: unknown;
  readonly factory: BackendFactory<IQueueBackend, unknown> | undefined;
  /** Once its queues are ready: from then on also what is under way when the queue breaks off fails at once. */
  readonly failFast?: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Opens the queue on Redis where `redisUrl` is set, otherwise in the database. Waits until it answers; throws `cancelled`
 * where `signal` comes first.
 */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const backend = options.redisUrl === undefined ? await onPostgres(options) : await onRedis(options, options.redisUrl);
  const queues = {
    poll: queueOf('poll', backend),
    history: queueOf('history', backend),
    planner: queueOf('planner', backend),
  };
  for (const queue of Object.values(queues)) queue.on('error', options.onError);
  // Not sooner: a queue whose first question fails never asks it again.
  const { failFast } = backend;
  if (failFast) {
    const ready = Promise.all(Object.values(queues).map((queue) => queue.waitUntilReady()));
    ready.then(failFast, options.onError);
  }

  return {
    async add(work, ids) {
      if (ids.length === 0) return;
      const jobs = ids.map((id) => ({
        name: work,
        data: { id },
        opts: { ...JOB, deduplication: { id: `${work}-${id}`, keepLastIfActive: work === 'history' } },
      }));
      await queues[work].addBulk(jobs);
    },
    async ensureTick(everyMs) {
      await queues.planner.upsertJobScheduler(
        'tick',
        { every: everyMs },
        { name: 'tick', opts: { ...JOB, removeOnFail: true } },
      );
    },
    work(handlers, concurrency) {
      const stopping = new AbortController();
      const workers = [
        workerOf('poll', backend, concurrency.polls, (job) => handlers.poll(job.data.id, stopping.signal)),
        workerOf('history', backend, concurrency.history, (job) => handlers.history(job.data.id, stopping.signal)),
        workerOf('planner', backend, 1, () => handlers.tick()),
      ];
      for (const worker of workers) worker.on('error', options.onError);
      return {
        async drain(deadlineMs) {
          stopping.abort();
          return await within(deadlineMs, Promise.all(workers.map((worker) => worker.close())));
        },
      };
    },
    async close() {
      await within(5_000, Promise.all(Object.values(queues).map((queue) => queue.close())));
      // A pool waits for its clients, and BullMQ may still be opening one when everything else is closed.
      await within(5_000, backend.close());
    },
  };
}

/** @returns whether the work was done in time; closing can hang on a Redis that is gone (research: bullmq, R1). */
async function within(deadlineMs: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    resolve(false);
  }, deadlineMs);
  const done = work.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([done, promise]);
  clearTimeout(timer);
  return inTime;
}

function queueOf(name: string, backend: Backend): BullQueue<{ id: number }> {
  const factory = backend.factory as undefined;
  return new BullQueue<{ id: number }>(
    name,
    { connection: backend.adding, prefix: backend.prefix } as never,
    factory,
  ) as unknown as BullQueue<{ id: number }>;
}

function workerOf(
  name: string,
  backend: Backend,
  concurrency: number,
  process: (job: Job<{ id: number }>) => Promise<void>,
): Worker<{ id: number }> {
  const settings = {
    connection: backend.working,
    prefix: backend.prefix,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    // It counts over the whole life of a job; every run is a repeat without harm (law 1).
    maxStalledCount: 1000,
  };
  return new Worker<{ id: number }>(name, process as never, settings as never, backend.factory as undefined);
}

async function onPostgres({ database, onError, prefix }: QueueOptions): Promise<Backend> {
  // BullMQ never recovers from a start without its database (research: bullmq, P6), so migrate through a live one first.
  const client = await database.dedicated();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
  const pool = new pg.Pool({
    connectionString: database.url,
    // Without seqscan its promotion query stays cheap at any number of waiting jobs (research: bullmq, P7).
    options: '-c search_path=bullmq -c enable_seqscan=off',
    application_name: 'databridge queue',
    max: 10,
    keepAlive: true,
  });
  pool.on('error', onError);
  return {
    prefix,
    adding: pool,
    working: pool,
    factory: createPostgresBackend as unknown as BackendFactory<IQueueBackend, unknown>,
    close: () => pool.end(),
  };
}

async function onRedis({ prefix, onError, signal }: QueueOptions, url: string): Promise<Backend> {
  // The default back-off reaches 20 s: longer than a lock lives, so everything in flight would run twice (R2).
  const retryStrategy = (attempt: number): number => Math.min(attempt * 100, 1_000);
  const nodes = url.split(',');
  const connect = (enableOfflineQueue: boolean): Redis | Cluster => {
    const redisOptions = { maxRetriesPerRequest: null, enableOfflineQueue };
    const connection =
      nodes.length > 1
        ? new Cluster(nodes, { clusterRetryStrategy: retryStrategy, enableOfflineQueue, redisOptions })
        : new Redis(url, { ...redisOptions, retryStrategy });
    return connection.on('error', onError);
  };
  const adding = connect(false);
  const working = connect(true);
  const close = (): Promise<void> => {
    adding.disconnect();
    working.disconnect();
    return Promise.resolve();
  };
  if (!(await isReady(adding, signal))) {
    await close();
    throw new BridgeError({ code: 'cancelled' }, 'stopped while waiting for Redis');
  }
  const failFast = (): void => {
    // Without retries nothing waits for the next connection. A cluster has a way of its own, and no such option.
    if (adding instanceof Redis) adding.options.maxRetriesPerRequest = 0;
  };
  return { prefix, adding, working, factory: undefined, failFast, close };
}

/** @returns false where `signal` came first */
async function isReady(connection: Redis | Cluster, signal: AbortSignal | undefined): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stopped = (): void => resolve(false);
  connection.once('ready', () => resolve(true));
  signal?.addEventListener('abort', stopped, { once: true });
  if (connection.status === 'ready') resolve(true);
  if (signal?.aborted) stopped();
  const ready = await promise;
  signal?.removeEventListener('abort', stopped);
  return ready;
}
