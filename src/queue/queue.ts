import { Queue as BullQueue, Worker, createPostgresBackend, runMigrations } from 'bullmq';
import type { BackendFactory, IQueueBackend, Job, JobsOptions } from 'bullmq';
import { Redis } from 'ioredis';
import type { Cluster } from 'ioredis';
import pg from 'pg';
import { BridgeError } from '../core/errors.ts';
import type { Database } from '../database/database.ts';
import { serversOf } from '../database/servers.ts';
import { drainWithin, endsWithin } from './drain.ts';
import { placesOf } from './places.ts';
import type { JobPlace } from './places.ts';
import { connectRedis } from './redis-connection.ts';

/** The kinds of work that have places of their own. `troubled`: work of all kinds, of sources and streams in trouble. */
const KINDS = ['poll', 'look', 'history', 'troubled'] as const;
type Kind = (typeof KINDS)[number];

/** The kinds of work: a poll of a source, a look for its sensors, a stretch of a stream's history. */
export type Work = Exclude<Kind, 'troubled'>;

/** Does the work of one source or, in history, of one stream of a round. */
type JobHandler = (id: number, signal: AbortSignal, place: JobPlace) => Promise<void>;

export type Handlers = Readonly<Record<Work, JobHandler>>;

/** A number of sources or streams for each kind, or something else. */
export type PerKind<T = number> = Readonly<Record<Kind, T>>;

const perKind = <T>(of: (kind: Kind) => T): PerKind<T> =>
  Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as PerKind<T>;

export interface Queue {
  /**
   * Adds rounds: a job carries the ids of many sources, and nothing else. An id that is added while it waits or runs is worked on
   * again; its claim keeps it from being worked on twice at a time. Work of `troubled` sources and streams has few places of its own.
   */
  add(work: Work, ids: readonly number[], troubled?: boolean): Promise<void>;
  /** How many more sources or streams of each kind may be added. The queue holds little, because the database holds what is due. */
  room(): Promise<PerKind>;
  /**
   * Starts to work. `drain` takes no new jobs, aborts the signal of running jobs and waits for them at most `deadlineMs`. It says
   * whether all of them ended, also while the queue is away; what it could not tell the queue runs again elsewhere.
   */
  work(
    handlers: Handlers,
    concurrency: PerKind,
  ): {
    drain(deadlineMs: number): Promise<boolean>;
    /** Whether this process takes jobs; running ones go on. Other processes take the jobs that it leaves. */
    take(jobs: boolean): Promise<void>;
  };
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

/** Messages of ioredis and Redis while a connection is lost, a server loads its file or a cluster changes its masters. */
const AWAY_MESSAGES =
  /stream isn't writeable|connection is closed|max retries per request|none of startup nodes|too many cluster redirections|^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN)\b/i;

/** Whether an error says that Redis is away. For PostgreSQL see `isDatabaseAway`, which also knows the codes of sockets. */
export const isRedisAway = (error: unknown): boolean => error instanceof Error && AWAY_MESSAGES.test(error.message);

const LOCK_MS = 20_000;
const STALLED_CHECK_MS = 7_000;

/** How many sources or streams one job carries. History may take half a minute each, and one in trouble may hang. */
const ROUND: PerKind = { poll: 50, look: 10, history: 1, troubled: 1 };

/** A process has at most this many rounds of polls or looks in hand: one begins while the sources of another are answered. */
const ROUNDS_IN_HAND = 2;

/** At most this many jobs of a kind wait, about two seconds of work of a process. */
const MOST_WAITING = 40;

const JOB: JobsOptions = { removeOnComplete: true, removeOnFail: { count: 1000, age: 7 * 86_400 }, attempts: 1 };

interface Backend {
  readonly prefix: string;
  /** Connection that adds jobs: it fails at once while the queue is away. */
  readonly adding: unknown;
  /** Connection of the workers: it waits while the queue is away. */
  readonly working: unknown;
  readonly factory: BackendFactory<IQueueBackend, unknown> | undefined;
  /** Call it once the queues are ready: from then on commands under way fail at once when the connection is lost. */
  readonly failFast?: () => void;
  /** Ends the connection of the workers, so that one of them that is still open begins no job when the queue is back. */
  readonly stopWorking?: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Opens the queue on Redis where `redisUrl` is set, otherwise in the database. Waits until it answers; throws `cancelled`
 * where `signal` is aborted first.
 */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const backend = options.redisUrl === undefined ? await onPostgres(options) : await onRedis(options, options.redisUrl);
  const queues = perKind((kind) => queueOf(kind, backend));
  for (const queue of Object.values(queues)) queue.on('error', options.onError);
  // Not sooner, because a queue whose first command fails never sends it again.
  const { failFast } = backend;
  if (failFast) {
    const ready = Promise.all(Object.values(queues).map((queue) => queue.waitUntilReady()));
    ready.then(failFast, options.onError);
  }

  return {
    async add(work, ids, troubled = false) {
      if (ids.length === 0) return;
      const kind = troubled ? 'troubled' : work;
      const rounds = Array.from({ length: Math.ceil(ids.length / ROUND[kind]) }, (_, round) =>
        ids.slice(round * ROUND[kind], (round + 1) * ROUND[kind]),
      );
      await queues[kind].addBulk(rounds.map((round) => ({ name: work, data: { ids: round }, opts: JOB })));
    },
    async room() {
      const waiting = await Promise.all(KINDS.map((kind) => queues[kind].getWaitingCount()));
      return perKind((kind) => Math.max(0, MOST_WAITING - (waiting[KINDS.indexOf(kind)] ?? 0)) * ROUND[kind]);
    },
    work(handlers, concurrency) {
      const stopping = new AbortController();
      const kinds = KINDS.map((name) => {
        const count = concurrency[name];
        const places = placesOf(count);
        const jobs = name === 'poll' || name === 'look' ? ROUNDS_IN_HAND + Math.ceil(count / ROUND[name]) : count;
        const worker = workerOf(name, backend, jobs, async ({ name: work, data: { ids } }) => {
          await places.round(ids, (id, place) => handlers[work as Work](id, stopping.signal, place), stopping.signal);
        });
        return { places, worker };
      });
      const workers = kinds.map(({ worker }) => worker);
      for (const worker of workers) worker.on('error', options.onError);
      return {
        async take(jobs) {
          for (const worker of workers) await (jobs ? worker.resume() : worker.pause(true));
        },
        async drain(deadlineMs) {
          stopping.abort();
          const ended = await drainWithin(deadlineMs, kinds);
          backend.stopWorking?.();
          return ended;
        },
      };
    },
    async close() {
      await endsWithin(5_000, Promise.all(Object.values(queues).map((queue) => queue.close())));
      // Within a deadline, because a pool waits for its clients, and BullMQ may still be opening a client.
      await endsWithin(5_000, backend.close());
    },
  };
}

/** The data of a job. */
interface Round {
  readonly ids: readonly number[];
}

function queueOf(name: string, backend: Backend): BullQueue<Round> {
  const factory = backend.factory as undefined;
  return new BullQueue<Round>(
    name,
    { connection: backend.adding, prefix: backend.prefix } as never,
    factory,
  ) as unknown as BullQueue<Round>;
}

function workerOf(
  name: string,
  backend: Backend,
  concurrency: number,
  process: (job: Job<Round>) => Promise<void>,
): Worker<Round> {
  const settings = {
    connection: backend.working,
    prefix: backend.prefix,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    // BullMQ counts over the whole life of a job. A high limit is safe, because a job may run again without harm (law 1).
    maxStalledCount: 1000,
  };
  return new Worker<Round>(name, process as never, settings as never, backend.factory as undefined);
}

async function onPostgres({ database, onError, prefix }: QueueOptions): Promise<Backend> {
  // BullMQ 6.7 never recovers from a start without its database, so the first migration waits for a live connection.
  const client = await database.pool.connect();
  // The pool listens to idle connections only.
  client.on('error', onError);
  let isMigrated = false;
  try {
    await runMigrations(client);
    isMigrated = true;
  } finally {
    client.off('error', onError);
    client.release(!isMigrated);
  }
  const servers = serversOf(database.url);
  const pool = new pg.Pool({
    ...servers.config,
    Client: servers.Client,
    // Without seqscan, BullMQ's promotion of jobs stays cheap at any number of delayed jobs (BullMQ 6.7).
    options: '-c search_path=bullmq -c enable_seqscan=off',
    application_name: 'databridge queue',
    // Each of the four workers keeps one for itself. The others take statements of a millisecond or two, one after the other.
    max: 8,
  });
  // Each queue and each worker listens for its errors.
  pool.setMaxListeners(0);
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
  // The default back-off reaches 20 s. A lock does not live longer, so every running job would run twice.
  const retryStrategy = (attempt: number): number => Math.min(attempt * 100, 1_000);
  const connect = (enableOfflineQueue: boolean): Redis | Cluster =>
    connectRedis(url, { maxRetriesPerRequest: null, enableOfflineQueue }, retryStrategy).on('error', onError);
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
    // Without retries no command waits for the next connection. A cluster has no such option.
    if (adding instanceof Redis) adding.options.maxRetriesPerRequest = 0;
  };
  const stopWorking = (): void => working.disconnect();
  return { prefix, adding, working, factory: undefined, failFast, stopWorking, close };
}

/** @returns false where `signal` is aborted first */
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
