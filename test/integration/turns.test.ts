import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeError, throttled } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import type { Selection } from '../../src/platform/contract.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';

// Polls of a source with many streams on a real database. The platform is a function that fails for some streams.

const databases = useDatabases();
let database: Database;
let stored: StoredSource;
let asked: string[];
let now: number;

beforeEach(async () => {
  database = await databases.create();
  stored = await storeSource(database);
  asked = [];
  now = (parseInstant('2026-03-01T00:00:00Z') ?? 0) + DAY;
});

const nameOf = (index: number): string => `s${String(index).padStart(2, '0')}`;

async function storeStreams(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await database.run(`insert into stream (source_id, key, selection, sensors) values ($1, $2, $3, '[]')`, [
      stored.sourceId,
      nameOf(index),
      JSON.stringify({ sensors: [nameOf(index)] }),
    ]);
  }
}

/** One poll by a new process. `fails` may throw for a stream; the platform has a point every second. */
async function pollOnce(
  fails: (stream: string) => void,
  {
    start = now - HOUR,
    heavy = () => undefined,
    concurrency = 1,
  }: { start?: number; heavy?: (window: Window) => void; concurrency?: number } = {},
): Promise<void> {
  now += 10 * SECOND;
  const source = openSourceOf(stored, {
    policy: { start, settle: 0, align: SECOND, overlap: 0, maxWindow: DAY },
    concurrency,
    read: (window, { sensors }: Selection) => {
      const [sensor = ''] = sensors ?? [];
      asked.push(sensor);
      fails(sensor);
      heavy(window);
      return [{ sensor, variable: 'flow', at: [window.from], values: [1] }];
    },
  });
  const bridge = bridgeOf(database, { source, now: () => now, workerId: randomUUID() });
  await poll(bridge, stored.sourceId, new AbortController().signal);
}

const timesAsked = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => asked.filter((stream) => stream === nameOf(index)).length);

const serverError = (): BridgeError => new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500');

const held = async (): Promise<unknown> =>
  database.row('select failures, held_until is not null as held, last_success_at is not null as succeeded from source');

describe('a stream that always fails', () => {
  it('waits alone, longer and longer, while every other stream is asked in every poll', async () => {
    await storeStreams(20);
    for (let round = 0; round < 6; round += 1) {
      await pollOnce((stream) => {
        if (stream === 's04') throw serverError();
      });
    }
    const counts = timesAsked(20);
    expect(counts.filter((_, index) => index !== 4)).toEqual(Array.from({ length: 19 }, () => 6));
    expect(counts[4]).toBeLessThan(6);
    expect(await held()).toEqual({ failures: 0, held: false, succeeded: true });
    expect(await database.row(`select last_fault ->> 'code' as code from source`)).toEqual({ code: 'unavailable' });
    expect(await database.row(`select failures, last_fault ->> 'code' as code from stream where key = 's04'`)).toEqual({
      failures: counts[4],
      code: 'unavailable',
    });
  });

  it('is asked again after its wait, and its failures end with an answer', async () => {
    await storeStreams(3);
    const down = (stream: string): void => {
      if (stream === 's01') throw serverError();
    };
    await pollOnce(down);
    now += HOUR;
    await pollOnce(() => undefined);
    expect(timesAsked(3)).toEqual([2, 2, 2]);
    expect(await database.row(`select failures, retry_at, last_fault from stream where key = 's01'`)).toEqual({
      failures: 0,
      retry_at: null,
      last_fault: null,
    });
  });
});

describe('a stream that fails for ever in a source that was in trouble', () => {
  // Each poll got an answer, then a failure of this stream, and counted that as one more failure of the source.
  it.each([1, 3])('does not keep the source in trouble, with %d requests at a time', async (concurrency) => {
    await storeStreams(4);
    await database.run('update source set failures = 2');
    const rounds = 6;
    for (let round = 0; round < rounds; round += 1) {
      await pollOnce(
        (stream) => {
          if (stream === 's00') throw serverError();
        },
        { concurrency },
      );
      await database.run('update source set held_until = null');
    }
    const [broken, ...healthy] = timesAsked(4);
    // The stream that fails is the probe of the first poll, because it was asked longest ago; it is not that of the second.
    expect(healthy).toEqual([rounds - 1, rounds - 1, rounds - 1]);
    expect(broken).toBeLessThan(rounds);
    expect(await database.row('select failures from source')).toEqual({ failures: 0 });
  });
});

describe('a platform that answers 5xx for everything', () => {
  it('holds the source after two streams, and one request is the probe from then on', async () => {
    await storeStreams(20);
    const down = (): void => {
      throw serverError();
    };
    await pollOnce(down);
    expect(asked).toHaveLength(2);
    expect(await held()).toMatchObject({ failures: 1, held: true });
    await database.run('update source set held_until = null');
    await pollOnce(down);
    expect(asked).toHaveLength(3);
    await database.run('update source set held_until = null');
    await pollOnce(() => undefined);
    // The first two wait on their own; all others are asked at once.
    expect(new Set(asked.slice(3)).size).toBeGreaterThanOrEqual(17);
    expect(await held()).toMatchObject({ failures: 0, succeeded: true });
  });
});

describe('a platform that goes away while one stream waits alone', () => {
  it('holds the source, and all streams are asked as soon as it answers', async () => {
    await storeStreams(2);
    const only = (bad: string) => (stream: string) => {
      if (stream === bad) throw serverError();
    };
    for (let round = 0; round < 3; round += 1) {
      await database.run('update stream set retry_at = null');
      await pollOnce(only('s00'));
    }
    // From now on s00 waits for longer than the outage of the platform takes.
    await database.run(`update stream set retry_at = at_instant($1) where key = 's00'`, [now + HOUR]);
    asked = [];
    await pollOnce(() => {
      throw serverError();
    });
    expect([asked, await held()]).toEqual([['s01'], { failures: 1, held: true, succeeded: true }]);
    await database.run('update source set held_until = null, last_success_at = null');
    asked = [];
    await pollOnce(() => undefined);
    expect(asked.toSorted()).toEqual(['s00', 's01']);
    expect(await held()).toEqual({ failures: 0, held: false, succeeded: true });
  });

  it('does not look healthy while all its streams wait', async () => {
    await storeStreams(2);
    await database.run('update stream set failures = 1, retry_at = at_instant($1)', [now + HOUR]);
    await database.run('update source set failures = 2');
    await pollOnce(() => undefined);
    expect([asked, await held()]).toEqual([[], { failures: 2, held: false, succeeded: false }]);
  });
});

describe('a platform that answers no long window', () => {
  it('is asked for less and less by live itself after a downtime, until it answers, and the edge is reached', async () => {
    await storeStreams(2);
    await database.run(`update stream set learned = $1`, [JSON.stringify({ length: 48 * HOUR })]);
    const lengths: number[] = [];
    const heavy = ({ from, to }: Window): void => {
      lengths.push(to - from);
      if (to - from > 10 * MINUTE) throw new BridgeError({ code: 'unavailable', why: 'status', status: 504 }, '504');
    };
    // The longest window, a day, is a fourth after each failure: 6 h, 1.5 h, 22.5 min, 5.6 min. Streams take turns with failures.
    for (let round = 0; round < 14; round += 1) {
      await pollOnce(() => undefined, { start: now - 48 * HOUR, heavy });
      await database.run('update source set held_until = null');
      await database.run('update stream set retry_at = null');
    }
    expect(Math.max(...lengths)).toBe(DAY);
    expect(Math.min(...lengths)).toBeLessThanOrEqual(10 * MINUTE);
    expect(await database.rows('select instant_of(upper(covered)) as edge from stream')).toEqual([
      { edge: now },
      { edge: now },
    ]);
  });
});

describe('a platform with a quota', () => {
  it('hears of every stream: each poll begins where the refused one ended', async () => {
    await storeStreams(40);
    for (let round = 0; round < 8; round += 1) {
      let left = 25;
      await pollOnce(() => {
        if (left === 0) throw throttled(now + 5 * SECOND, '429');
        left -= 1;
      });
      await database.run('update source set held_until = null');
    }
    // 8 rounds of 25 answers for 40 streams: five each. A refused request moves its stream back, too.
    for (const count of timesAsked(40)) expect(count).toBeGreaterThanOrEqual(4);
  });
});
