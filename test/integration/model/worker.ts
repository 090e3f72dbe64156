import { nameKeeper } from '../../../src/pull/sensors/series-names.ts';
import { commitsOf } from '../../../src/pull/commit.ts';
import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Sealing } from '../../../src/access/sealing.ts';
import type { Database } from '../../../src/database/database.ts';
import { memoryOf } from '../../../src/database/memory.ts';
import { partitionsOf } from '../../../src/database/partitions.ts';
import { readingPreparer } from '../../../src/ingest/prepare.ts';
import type { Registry } from '../../../src/platform/registry.ts';
import type { Bridge } from '../../../src/pull/bridge.ts';
import { claimsOf } from '../../../src/pull/claim.ts';
import { look } from '../../../src/pull/sensors/discovery.ts';
import { history } from '../../../src/pull/history/history.ts';
import { sourceOpener } from '../../../src/pull/open/open-source.ts';
import { poll } from '../../../src/pull/poll.ts';
import { sourceCacheOf } from '../../../src/pull/open/source-cache.ts';
import { readSettings } from '../../../src/settings.ts';
import type { ModelTime } from './time.ts';

/** A process of the bridge that a history may kill between any two statements, before or after one of them took effect. */
export interface Worker {
  readonly id: string;
  /** Runs a job; ends early where the worker is killed meanwhile. */
  run(name: string, id: number): Promise<void>;
  /** From the `after`-th next statement on it is dead; `done`: that statement still takes effect. */
  killAfter(after: number, done: boolean): void;
  dead(): boolean;
  /** Refused passwords that it died with before it could count them. */
  lostNotes(): number;
  /** Errors that no operator should ever see: faults `bug`. */
  readonly bugs: string[];
  close(): Promise<void>;
}

const never = new Promise<never>(() => undefined);

class Killed extends Error {}

/** Tells a worker when it dies, and everybody who waits for it. */
function lifeOf() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = Infinity;
  let does = false;
  let over = false;
  let lostNotes = 0;
  const underWay = new Set<Promise<unknown>>();
  const die = (): void => {
    over = true;
    resolve();
  };
  const lost = promise.then((): never => {
    throw new Killed();
  });
  lost.catch(() => undefined);
  return {
    death: promise,
    /** Fails with `Killed` at its death. */
    lost,
    over: () => over,
    lostNotes: () => lostNotes,
    loseNote: () => (lostNotes += 1),
    /** Also the statements of a dead process come to their end in the server. */
    ended: () => Promise.allSettled(underWay),
    async noting<T>(work: Promise<T>): Promise<T> {
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    killAfter(after: number, done: boolean) {
      left = after;
      does = done;
    },
    /** Runs a statement; throws `Killed` where the worker dies before or after it. */
    async step<T>(statement: () => Promise<T>): Promise<T> {
      if (over) throw new Killed();
      left -= 1;
      if (left >= 0) {
        const result = await statement();
        if (over) throw new Killed();
        return result;
      }
      if (does) await statement().catch(() => undefined);
      die();
      throw new Killed();
    },
  };
}

type Life = ReturnType<typeof lifeOf>;

/** What a dead process does not learn: the end of its statement. */
const silent = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Killed) return await never;
    throw error;
  }
};

/** The database as one process sees it, with a memory of its own. */
function mortal(database: Database, life: Life): Database {
  const step = <T>(statement: () => Promise<T>): Promise<T> => silent(life.step(() => life.noting(statement())));
  const query = ((...given: [never]) => step(() => database.pool.query(...given))) as Database['pool']['query'];
  const seen: Omit<Database, 'memory'> = {
    ...database,
    pool: { query } as Database['pool'],
    rows: (text, values) => step(() => database.rows(text, values)),
    row: (text, values) => step(() => database.row(text, values)),
    run: (text, values) => step(() => database.run(text, values)),
    // A connection that is lost ends its transaction, so the death of a worker rolls it back, unless it was the commit.
    transaction(work) {
      let notesRefusal = false;
      const transaction = database.transaction(async (client) => {
        const dying = new Proxy(client, {
          get: (target, key) =>
            key === 'query'
              ? (...given: [unknown]) => {
                  if (isStream(given[0])) return target.query(given[0] as never);
                  notesRefusal ||= isNoteOfRefusal(given[0]);
                  return life.step(() => target.query(given[0] as never, (given as unknown[])[1] as never));
                }
              : (Reflect.get(target, key) as unknown),
        });
        // A dead process waits for nothing more, so its connections are lost, too, and give their locks back.
        return await Promise.race([work(dying as PoolClient), life.lost]);
      });
      return silent(
        life.noting(transaction).catch((error: unknown) => {
          if (error instanceof Killed && notesRefusal) life.loseNote();
          throw error;
        }),
      );
    },
  };
  return { ...seen, memory: memoryOf(seen) };
}

/** The first statement of the transaction that counts a refused password (src/pull/open/account.ts). */
const isNoteOfRefusal = (given: unknown): boolean =>
  typeof given === 'string' && given.includes('refused = known.refused +');

const isStream = (given: unknown): boolean => typeof given === 'object' && given !== null && 'submit' in given;

export async function startWorker(given: {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly time: ModelTime;
  readonly registry: Registry;
  readonly windowReadings: number;
}): Promise<Worker> {
  const { sealing, time, registry, windowReadings } = given;
  const id = randomUUID();
  const life = lifeOf();
  const database = mortal(given.database, life);
  const bugs: string[] = [];
  const clock = {
    now: time.read,
    adjust: () => Promise.resolve(),
    disagreement: () => undefined,
    setBacks: () => ({ count: 0, recent: undefined }),
  };
  const sources = sourceCacheOf(
    sourceOpener({ database, sealing, clock, registry, workerId: id, allowHosts: undefined }),
  );
  database.memory.onForget(sources.forget);
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (context: { fault?: string; err?: Error }, message: string) => {
      if (context.fault === 'bug' && !life.over()) bugs.push(context.err?.stack ?? message);
    },
  };
  const bridge = {
    settings: { ...readSettings({}), windowReadings },
    database,
    partitions: partitionsOf(database),
    clock,
    sealing,
    prepareReadings: readingPreparer(database),
    commits: commitsOf(database),
    keepNames: nameKeeper(database),
    sources,
    claims: claimsOf({ database, workerId: id, sources }),
    workerId: id,
    log,
  } as unknown as Bridge;
  const stopping = new AbortController();
  const jobs: Readonly<Record<string, (id: number) => Promise<void>>> = {
    poll: (source) => poll(bridge, source, stopping.signal),
    look: (source) => look(bridge, source, stopping.signal),
    history: (stream) => history(bridge, stream, stopping.signal),
  };
  await given.database.run(
    `insert into worker (id, host, pid, version, beat_at) values ($1, 'model', 1, 'test', now())`,
    [id],
  );
  time.alive.add(id);
  void life.death.then(() => time.alive.delete(id));
  return {
    id,
    bugs,
    dead: life.over,
    lostNotes: life.lostNotes,
    killAfter: life.killAfter,
    async run(name, job) {
      const work = jobs[name]?.(job) ?? Promise.reject(new Error(`the model has no job ${name}`));
      await Promise.race([work, life.death]);
    },
    async close() {
      time.alive.delete(id);
      stopping.abort();
      if (!life.over()) await sources.closeAll();
      await life.ended();
    },
  };
}
