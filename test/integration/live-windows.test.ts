import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, test } from 'vitest';
import type { Coverage } from '../../src/core/coverage.ts';
import { BridgeError, contractBroken } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import { formatWindow } from '../../src/core/window.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { dueHistories } from '../kit/work.ts';

// Polls of one stream on a real database, where the platform answers too much or beside the question.

const databases = useDatabases();
let database: Database;
let stored: StoredSource;
let streamId: number;
let now: Instant;
/** The windows of the last poll. */
let asked: Window[];

beforeEach(async () => {
  database = await databases.create();
  stored = await storeSource(database);
  await database.run('update source set discovered_at = now()');
  streamId = await storeStream(database, stored);
  now = (parseInstant('2026-03-01T00:00:00Z') ?? 0) + 12 * HOUR;
});

/** One poll of a platform that answers each window with points at the instants of `answer`, or fails with what it throws. */
async function pollOnce(
  answer: (window: Window) => readonly Instant[],
  given: { overlap?: number; start?: Instant; signal?: AbortSignal; value?: (index: number) => unknown } = {},
): Promise<void> {
  const { overlap = 0, start = now - HOUR, signal = new AbortController().signal, value = (index) => index } = given;
  asked = [];
  const source = openSourceOf(stored, {
    policy: { start, settle: 0, align: SECOND, overlap, maxWindow: DAY },
    read: (window) => {
      asked.push(window);
      const at = answer(window);
      return [{ sensor: 'pump', variable: 'flow', at, values: at.map((_, index) => value(index)) }];
    },
  });
  await poll(bridgeOf(database, { source, now: () => now, workerId: randomUUID() }), stored.sourceId, signal);
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

describe('the length of the next window', () => {
  /** Twice as many points as a window should have. */
  const points = (window: Window): Instant[] => each(window, (window.to - window.from) / 2_000);
  const before = ({ from, to }: Window): Window => ({ from: from - (to - from) / 2, to: to - (to - from) / 2 });

  it.each<[string, (window: Window) => Instant[], ((index: number) => unknown)?]>([
    ['became readings', points],
    ['were refused', points, () => 'closed'],
    ['were refused among readings', points, (index) => (index % 10 === 0 ? index : 'closed')],
    ['are outside of the window', (window) => points(before(window))],
    ['came twice', (window) => [...each(window, (window.to - window.from) / 1_000)].flatMap((at) => [at, at]), () => 5],
  ])('follows from all points that came, also where they %s', async (_, answer, value) => {
    await pollOnce(answer, value === undefined ? {} : { value });
    const [window] = asked as [Window];
    const row = await database.row<{ length: number }>(
      `select (learned ->> 'length')::float8 as length from stream where covered = tstzmultirange(tstzrange(at_instant($1), at_instant($2)))`,
      [window.from, window.to],
    );
    expect([asked.length, row?.length]).toEqual([1, (window.to - window.from) / 2]);
  });
});

test('late points in the older half of a window that was too much are left to history, which is due', async () => {
  const overlap = 8 * MINUTE;
  await pollOnce(() => []);
  const edge = now;
  now += 4 * MINUTE;
  // Late points in the overlap, and a burst at the edge: together they are more than a window may hold.
  const late = { from: edge - 6 * MINUTE, to: edge - 5 * MINUTE };
  const burst = each({ from: edge + MINUTE, to: edge + 3 * MINUTE }, 20_000);
  const points = [...each(late, SECOND), ...burst];
  await pollOnce(({ from, to }) => points.filter((at) => from <= at && at < to), { overlap });
  expect(asked).toContainEqual({ from: edge - 10 * MINUTE, to: now });
  const owed = await database.row<{ is: boolean }>(
    'select look_again @> tstzrange(at_instant($1), at_instant($2)) as is from stream',
    [late.from, late.to],
  );
  expect(owed?.is).toBe(true);
  expect(await historyDue()).toBeDefined();
});

const serverError = (): never => {
  throw new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500');
};
const halfAPage = (): never => {
  throw contractBroken('half a page');
};
/** A point every half second, which is more than a window of an hour may hold. */
const dense = (window: Window): Instant[] => each(window, SECOND / 2);

const historyDue = async (): Promise<Instant | undefined> =>
  (await database.row<{ due: Instant }>(`select instant_of(due_at) as due from work where kind = 'history'`))?.due;

const setAside = async (): Promise<unknown> =>
  database.rows('select instant_of(from_at) as from, instant_of(to_at) as to from unreadable order by from_at');

describe('of a window that was too much live', () => {
  it('asks for the newer part, and leaves the older one to history where it was never read', async () => {
    await pollOnce(dense);
    // An hour is 7,200 points, half an hour 3,600, which the buffer of 4,000 holds.
    const half = { from: now - HOUR / 2, to: now };
    expect(asked).toEqual([{ from: now - HOUR, to: now }, half]);
    expect(await state()).toEqual({ covered: [half], fault: null });
    expect(await historyDue()).toEqual(expect.any(Number));
  });

  it('asks for no part once its process drains', async () => {
    const drain = new AbortController();
    await pollOnce(
      (window) => {
        drain.abort();
        return dense(window);
      },
      { signal: drain.signal },
    );
    expect(asked).toHaveLength(1);
    expect(await state()).toEqual({ covered: [], fault: null });
  });

  it('has answered all the same where its process drains, so the source is in no trouble', async () => {
    await database.run('update source set failures = 2');
    const drain = new AbortController();
    const answer = (window: Window): readonly Instant[] => {
      drain.abort();
      return dense(window);
    };
    await pollOnce(answer, { signal: drain.signal });
    expect(await database.row('select failures from source')).toEqual({ failures: 0 });
  });
});

describe('a live window that fails', () => {
  it('with a 5xx is not set aside, however short it is, because the next poll asks for it again', async () => {
    await pollOnce(() => []);
    now += SECOND;
    await pollOnce(serverError);
    const shortest = { from: now - SECOND, to: now };
    expect([asked, await setAside()]).toEqual([[shortest], []]);
    await pollOnce(() => []);
    expect(asked).toEqual([shortest]);
    expect(await state()).toEqual({ covered: [{ from: now - HOUR - SECOND, to: now }], fault: null });
  });

  it('is named by the fault that the operator sees', async () => {
    await pollOnce(halfAPage);
    const [window] = asked as [Window];
    expect(await database.row(`select last_fault ->> 'where' as place from stream`)).toEqual({
      place: `stream ${formatWindow(window)}`,
    });
  });

  it('with an answer that cannot be read is set aside, and history begins with older time at once', async () => {
    await pollOnce(halfAPage, { start: now - 2 * DAY });
    const [window] = asked as [Window];
    expect(asked).toHaveLength(1);
    const half = (window.to - window.from) / 2;
    expect(await setAside()).toEqual([
      { from: window.from, to: window.from + half },
      { from: window.from + half, to: window.to },
    ]);
    expect(await database.row(`select distinct fault ->> 'lane' as lane from unreadable`)).toEqual({ lane: 'live' });
    expect(await historyDue()).toEqual(expect.any(Number));
  });
});

describe('history is made due by live', () => {
  const complete = (): Promise<void> => pollOnce(() => []);
  const unreadable = (retryAt: Instant, from = now - 2 * SECOND): Promise<number> =>
    database.run(
      `insert into unreadable (stream_id, from_at, to_at, tries, retry_at, fault)
       values ($1, at_instant($2), at_instant($3), 1, at_instant($4), '{}')`,
      [streamId, from, from + SECOND, retryAt],
    );

  it('not where nothing is missing', async () => {
    await complete();
    expect(await historyDue()).toBeUndefined();
  });

  it('not where live just read what longer windows are no longer asked for', async () => {
    // 3,000 points are three times as many as are comfortable, so the next windows are shorter.
    await pollOnce((window) => each(window, 1.2 * SECOND));
    expect(await state()).toEqual({ covered: [{ from: now - HOUR, to: now }], fault: null });
    expect(await historyDue()).toBeUndefined();
  });

  it('not where time that cannot be read waits for its next try', async () => {
    await complete();
    await unreadable(now + HOUR);
    now += SECOND;
    await complete();
    expect(await historyDue()).toBeUndefined();
  });

  it('where time that cannot be read may be tried again', async () => {
    await complete();
    await unreadable(now + SECOND);
    now += SECOND;
    await complete();
    expect(await historyDue()).toEqual(expect.any(Number));
  });

  it('not where that time lies before the start', async () => {
    await complete();
    await unreadable(now + SECOND, now - 2 * DAY);
    now += SECOND;
    await complete();
    expect(await historyDue()).toBeUndefined();
  });

  const owe = (from: Instant, to: Instant): Promise<number> =>
    database.run('update stream set look_again = tstzmultirange(tstzrange(at_instant($1), at_instant($2)))', [
      from,
      to,
    ]);

  it('where covered time is to be asked for once more', async () => {
    await complete();
    await owe(now - HOUR / 2, now - HOUR / 3);
    now += SECOND;
    await complete();
    expect(await historyDue()).toEqual(expect.any(Number));
  });

  it('not where live itself just asked for that time', async () => {
    await complete();
    const owed = now - 20 * SECOND;
    await owe(owed, owed + 10 * SECOND);
    now += MINUTE;
    await pollOnce(() => [], { overlap: 2 * MINUTE });
    expect(asked[0]?.from).toBeLessThanOrEqual(owed);
    expect(await historyDue()).toBeUndefined();
  });

  it('where it is due already it stays as it was', async () => {
    const due = now - DAY;
    await dueHistories(database, 'from stream', { at: `at_instant(${due})` });
    await pollOnce(dense);
    expect(await historyDue()).toBe(due);
  });
});
