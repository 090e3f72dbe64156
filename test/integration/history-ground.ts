import { randomUUID } from 'node:crypto';
import { beforeEach } from 'vitest';
import type { Coverage } from '../../src/core/coverage.ts';
import { throttled } from '../../src/core/errors.ts';
import { DAY, HOUR, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Policy } from '../../src/core/plan.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import { history } from '../../src/pull/history/history.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { dueHistories, workOf } from '../kit/work.ts';

export const FROM = parseInstant('2026-03-01T00:00:00Z') ?? 0;
export const POLICY: Policy = { start: FROM, settle: 0, align: SECOND, overlap: 0, maxWindow: HOUR };
/** A window takes this long unless told, so that a run, which ends after 30 s, reads four. */
const SLOW = 10 * SECOND;

export interface GivenRun extends Partial<Policy> {
  readonly concurrency?: number;
  readonly catchUp?: 'oldest';
  /** After this many windows the platform asks for silence. */
  readonly answers?: number;
  /** What the platform does with a window; `place` is its place among those of all runs. It fails where this throws. */
  readonly answer?: (window: Window, place: number, send: () => Promise<void>) => unknown;
  /** The points of a window: one unless told. */
  readonly points?: (window: Window) => Instant[];
  readonly signal?: AbortSignal;
}

/** Runs of the history lane of one stream on a real database. The platform is a function, and each of its answers moves the clock. */
export interface HistoryGround {
  /** Its history failed so often in a row. */
  failed(times: number): Promise<number>;
  database: Database;
  stored: StoredSource;
  streamId: number;
  now: Instant;
  windowTakes: number;
  /** The windows that the platform was asked for and did not refuse by `answers`. */
  asked: Window[];
  run(given?: GivenRun): Promise<void>;
  /** Stores the coverage and learned window length of the stream and makes its history due. */
  store(learned: number, ...ranges: readonly Window[]): Promise<unknown>;
  /** The stream owes a look for late data. */
  owe(look: Window): Promise<unknown>;
  stream(): Promise<{ covered: Coverage; due: number | null }>;
  /** What an operator sees of the stream's history. */
  shown(): Promise<{ failures: number; fault: string | null; lane: string | null }>;
}

/** Each test of a file that calls this gets a database and a stream of its own. */
export function useHistory(): HistoryGround {
  const databases = useDatabases();

  const ground = {
    async run(given = {}) {
      const { concurrency = 1, catchUp = 'newest', answers = Infinity, answer, points, signal, ...change } = given;
      let left = answers;
      const source = openSourceOf(ground.stored, {
        policy: { ...POLICY, ...change },
        concurrency,
        catchUp,
        read: async function* (window, _selection, send) {
          if (left === 0) throw throttled(ground.now + SECOND, 'enough');
          left -= 1;
          ground.asked.push(window);
          ground.now += ground.windowTakes;
          await answer?.(window, ground.asked.length - 1, send);
          const at = points?.(window) ?? [window.from];
          yield { sensor: 'pump', variable: 'flow', at, values: at.map(() => 1) };
        },
      });
      const bridge = bridgeOf(ground.database, { source, now: () => ground.now, workerId: randomUUID() });
      await history(bridge, ground.streamId, signal ?? new AbortController().signal);
    },
    async store(learned, ...ranges) {
      await ground.database.run(
        `insert into work (kind, id, source_id, due_at) select 'history', id, source_id, at_instant($1) from stream
         on conflict (kind, id) do update set due_at = excluded.due_at`,
        [ground.now],
      );
      await ground.database.run(
        `update stream set learned = jsonb_build_object('length', $3::float8),
         covered = (select coalesce(range_agg(tstzrange(at_instant("from"), at_instant("to"))), '{}') from unnest($1::bigint[], $2::bigint[]) as range ("from", "to"))`,
        [ranges.map(({ from }) => from), ranges.map(({ to }) => to), learned],
      );
    },
    owe: ({ from, to }) =>
      ground.database.run(
        'update stream set look_again = look_again + tstzmultirange(tstzrange(at_instant($1), at_instant($2)))',
        [from, to],
      ),
    failed: (times) => dueHistories(ground.database, 'from stream', { failures: times }),
    async stream() {
      const row = await ground.database.row<{ covered: [number, number][]; due: number | null }>(
        `select instants_of(covered) as covered, instant_of(${workOf('history', 'due_at')}) as due from stream`,
      );
      return { covered: (row?.covered ?? []).map(([from, to]) => ({ from, to })), due: row?.due ?? null };
    },
    async shown() {
      const row = await ground.database.row<Awaited<ReturnType<HistoryGround['shown']>> & Record<string, unknown>>(
        `select coalesce(${workOf('history', 'failures')}, 0) as failures, last_fault ->> 'code' as fault, last_fault ->> 'lane' as lane from stream`,
      );
      if (!row) throw new Error('there is no stream');
      return row;
    },
  } satisfies Partial<HistoryGround> as Partial<HistoryGround> as HistoryGround;

  beforeEach(async () => {
    const database = await databases.create();
    const stored = await storeSource(database);
    const streamId = await storeStream(database, stored);
    Object.assign(ground, { database, stored, streamId, now: FROM + DAY, windowTakes: SLOW, asked: [] });
  });
  return ground;
}
