import { randomUUID } from 'node:crypto';
import { beforeEach } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import { DAY, HOUR, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import type { Selection } from '../../src/platform/contract.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { workOf } from '../kit/work.ts';

/** Polls of a source with many streams on a real database. The platform is a function that fails for some streams. */
export interface ManyStreams {
  database: Database;
  stored: StoredSource;
  /** What the clock of a poll shows; requests may let time pass. */
  now: Instant;
  /** The streams that were asked for, in order. */
  asked: string[];
  storeStreams(count: number): Promise<void>;
  /** One poll by a new process. `fails` may throw for a stream; the platform has a point in each window. */
  pollOnce(fails: (stream: string) => void, given?: GivenPoll): Promise<void>;
  /** How often each of the first `count` streams was asked for. */
  timesAsked(count: number): number[];
  /** What the source looks like to its operator. */
  held(): Promise<unknown>;
}

interface GivenPoll {
  readonly start?: Instant;
  /** What the platform does with a window before it answers. */
  readonly heavy?: (window: Window) => void | Promise<void>;
  readonly concurrency?: number;
  /** Time since the poll before. */
  readonly passed?: number;
  readonly signal?: AbortSignal;
  /** In place of the sources that are open in the process. */
  readonly sources?: { readonly use: () => Promise<never> };
}

const nameOf = (index: number): string => `s${String(index).padStart(2, '0')}`;

export const serverError = (): BridgeError =>
  new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500');

/** Each test of a file that calls this gets a database and a source of its own. */
export function useManyStreams(): ManyStreams {
  const databases = useDatabases();

  const ground = {
    async storeStreams(count) {
      for (let index = 0; index < count; index += 1) {
        await ground.database.run(`insert into stream (source_id, key, selection, sensors) values ($1, $2, $3, '[]')`, [
          ground.stored.sourceId,
          nameOf(index),
          JSON.stringify({ sensors: [nameOf(index)] }),
        ]);
      }
    },
    async pollOnce(fails, given = {}) {
      ground.now += given.passed ?? 10 * SECOND;
      const { now } = ground;
      const source = openSourceOf(ground.stored, {
        policy: { start: given.start ?? now - HOUR, settle: 0, align: SECOND, overlap: 0, maxWindow: DAY },
        concurrency: given.concurrency ?? 1,
        read: async function* (window, { sensors }: Selection) {
          const [sensor = ''] = sensors ?? [];
          ground.asked.push(sensor);
          fails(sensor);
          await given.heavy?.(window);
          yield { sensor, variable: 'flow', at: [window.from], values: [1] };
        },
      });
      const bridge = bridgeOf(ground.database, { source, now: () => ground.now, workerId: randomUUID() });
      const sources = (given.sources ?? bridge.sources) as typeof bridge.sources;
      await poll({ ...bridge, sources }, ground.stored.sourceId, given.signal ?? new AbortController().signal);
    },
    timesAsked: (count) =>
      Array.from({ length: count }, (_, index) => ground.asked.filter((stream) => stream === nameOf(index)).length),
    held: () =>
      ground.database.row(
        `select failures, held_until is not null as held, ${workOf('poll', 'well_at')} is not null as succeeded from source`,
      ),
  } as ManyStreams;

  beforeEach(async () => {
    const database = await databases.create();
    const stored = await storeSource(database);
    Object.assign(ground, { database, stored, asked: [], now: (parseInstant('2026-03-01T00:00:00Z') ?? 0) + DAY });
  });
  return ground;
}
