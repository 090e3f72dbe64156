import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Coverage } from '../../src/core/coverage.ts';
import { DAY, HOUR, MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

// Polls of one stream on a real database, where the platform answers too much or beside the question.

const databases = useDatabases();
let database: Database;
let stored: StoredSource;
let streamId: number;
let now: Instant;

beforeEach(async () => {
  database = await databases.create();
  stored = await storeSource(database);
  await database.run('update source set discovered_at = now()');
  streamId = await storeStream(database, stored);
  now = (parseInstant('2026-03-01T00:00:00Z') ?? 0) + 12 * HOUR;
});

/** One poll of a platform that has a point at each of `points` and answers as `answer` says. */
async function pollOnce(answer: (window: Window) => readonly Instant[], overlap = 0): Promise<void> {
  const source = openSourceOf(stored, {
    policy: { start: now - HOUR, settle: 0, align: SECOND, overlap, maxWindow: DAY },
    read: (window) => {
      const at = answer(window);
      return [{ sensor: 'pump', variable: 'flow', at, values: at.map((_, index) => index) }];
    },
  });
  await poll(
    bridgeOf(database, { source, now: () => now, workerId: randomUUID() }),
    stored.sourceId,
    new AbortController().signal,
  );
}

const state = async (): Promise<{ covered: Coverage; fault: string | null }> => {
  const row = await database.row<{ covered: [Instant, Instant][]; fault: string | null }>(
    `select instants_of(covered) as covered, last_fault ->> 'code' as fault from stream where id = $1`,
    [streamId],
  );
  return { covered: (row?.covered ?? []).map(([from, to]) => ({ from, to })), fault: row?.fault ?? null };
};

const readings = async (): Promise<Instant[]> =>
  (await database.rows<{ at: Instant }>('select instant_of(at) as at from reading order by at')).map(({ at }) => at);

const each = ({ from, to }: Window, step: number): Instant[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);

test('an answer of more than a thousand points, all of them outside of the window, leaves the window uncovered', async () => {
  await pollOnce(({ from }) => each({ from: from - 1_001 * SECOND, to: from }, SECOND));
  expect(await state()).toEqual({ covered: [], fault: 'contract-broken' });
  expect(await readings()).toEqual([]);
});

test('an answer of a few points outside of the window is an empty window', async () => {
  await pollOnce(({ from }) => each({ from: from - 10 * SECOND, to: from }, SECOND));
  expect(await state()).toEqual({ covered: [{ from: now - HOUR, to: now }], fault: null });
});

test('live finds late points in the older half of a window that was too much', async () => {
  const overlap = 8 * MINUTE;
  await pollOnce(() => []);
  const edge = now;
  now += 4 * MINUTE;
  // Late points in the overlap, and a burst at the edge: together they are more than a window may hold.
  const late = each({ from: edge - 6 * MINUTE, to: edge - 5 * MINUTE }, SECOND);
  const burst = each({ from: edge + MINUTE, to: edge + 3 * MINUTE }, 20_000);
  const points = [...late, ...burst];
  await pollOnce(({ from, to }) => points.filter((at) => from <= at && at < to), overlap);
  expect(await readings()).toEqual(expect.arrayContaining(late));
});
