import { describe, expect, it } from 'vitest';
import { BridgeError, throttled } from '../../src/core/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import { serverError, useManyStreams } from './many-streams.ts';

// Which stream of a source is next, over many polls.

const plant = useManyStreams();

describe('a stream that always fails', () => {
  it('waits alone, longer and longer, while every other stream is asked in every poll', async () => {
    await plant.storeStreams(20);
    for (let round = 0; round < 6; round += 1) {
      await plant.pollOnce((stream) => {
        if (stream === 's04') throw serverError();
      });
    }
    const counts = plant.timesAsked(20);
    expect(counts.filter((_, index) => index !== 4)).toEqual(Array.from({ length: 19 }, () => 6));
    expect(counts[4]).toBeLessThan(6);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: true });
    expect(await plant.database.row(`select last_fault ->> 'code' as code from source`)).toEqual({
      code: 'unavailable',
    });
    expect(
      await plant.database.row(`select failures, last_fault ->> 'code' as code from stream where key = 's04'`),
    ).toEqual({
      failures: counts[4],
      code: 'unavailable',
    });
  });

  it('is asked again after its wait, and its failures end with an answer', async () => {
    await plant.storeStreams(3);
    const down = (stream: string): void => {
      if (stream === 's01') throw serverError();
    };
    await plant.pollOnce(down);
    plant.now += HOUR;
    await plant.pollOnce(() => undefined);
    expect(plant.timesAsked(3)).toEqual([2, 2, 2]);
    expect(await plant.database.row(`select failures, retry_at, last_fault from stream where key = 's01'`)).toEqual({
      failures: 0,
      retry_at: null,
      last_fault: null,
    });
  });
});

describe('a stream that fails for ever in a source that was in trouble', () => {
  // Each poll got an answer, then a failure of this stream, and counted that as one more failure of the source.
  it.each([1, 3])('does not keep the source in trouble, with %d requests at a time', async (concurrency) => {
    await plant.storeStreams(4);
    await plant.database.run('update source set failures = 2');
    const rounds = 6;
    for (let round = 0; round < rounds; round += 1) {
      await plant.pollOnce(
        (stream) => {
          if (stream === 's00') throw serverError();
        },
        { concurrency },
      );
      await plant.database.run('update source set held_until = null');
    }
    const [broken, ...healthy] = plant.timesAsked(4);
    // The stream that fails is the probe of the first poll, because it was asked longest ago; it is not that of the second.
    expect(healthy).toEqual([rounds - 1, rounds - 1, rounds - 1]);
    expect(broken).toBeLessThan(rounds);
    expect(await plant.database.row('select failures from source')).toEqual({ failures: 0 });
  });
});

describe('a platform that answers 5xx for everything', () => {
  it('holds the source after two streams, and one request is the probe from then on', async () => {
    await plant.storeStreams(20);
    const down = (): void => {
      throw serverError();
    };
    await plant.pollOnce(down);
    expect(plant.asked).toHaveLength(2);
    expect(await plant.held()).toMatchObject({ failures: 1, held: true });
    await plant.database.run('update source set held_until = null');
    await plant.pollOnce(down);
    expect(plant.asked).toHaveLength(3);
    await plant.database.run('update source set held_until = null');
    await plant.pollOnce(() => undefined);
    // The first two wait on their own; all others are asked at once.
    expect(new Set(plant.asked.slice(3)).size).toBeGreaterThanOrEqual(17);
    expect(await plant.held()).toMatchObject({ failures: 0, succeeded: true });
  });
});

describe('a platform that goes away while one stream waits alone', () => {
  it('holds the source, and all streams are asked as soon as it answers', async () => {
    await plant.storeStreams(2);
    const only = (bad: string) => (stream: string) => {
      if (stream === bad) throw serverError();
    };
    for (let round = 0; round < 3; round += 1) {
      await plant.database.run('update stream set retry_at = null');
      await plant.pollOnce(only('s00'));
    }
    // From now on s00 waits for longer than the outage of the platform takes.
    await plant.database.run(`update stream set retry_at = at_instant($1) where key = 's00'`, [plant.now + HOUR]);
    plant.asked = [];
    await plant.pollOnce(() => {
      throw serverError();
    });
    expect([plant.asked, await plant.held()]).toEqual([['s01'], { failures: 1, held: true, succeeded: true }]);
    await plant.database.run('update source set held_until = null');
    await plant.database.run('update work set well_at = null');
    plant.asked = [];
    await plant.pollOnce(() => undefined);
    expect(plant.asked.toSorted()).toEqual(['s00', 's01']);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: true });
  });

  it('does not look healthy while all its streams wait', async () => {
    await plant.storeStreams(2);
    await plant.database.run('update stream set failures = 1, retry_at = at_instant($1)', [plant.now + HOUR]);
    await plant.database.run('update source set failures = 2');
    await plant.pollOnce(() => undefined);
    expect([plant.asked, await plant.held()]).toEqual([[], { failures: 2, held: false, succeeded: false }]);
  });
});

describe('a platform that answers no long window', () => {
  const ends: [string, () => BridgeError][] = [
    ['a 504', () => new BridgeError({ code: 'unavailable', why: 'status', status: 504 }, '504')],
    ['no answer in time', () => new BridgeError({ code: 'unavailable', why: 'time-out' }, 'no answer')],
    ['an answer that breaks off', () => new BridgeError({ code: 'unavailable', why: 'reset' }, 'broke off')],
  ];

  it.each(ends)(
    'but %s is asked for less and less by live after a downtime, until the edge is reached',
    async (_what, error) => {
      await plant.storeStreams(2);
      await plant.database.run(`update stream set learned = $1`, [JSON.stringify({ length: 48 * HOUR })]);
      const lengths: number[] = [];
      const heavy = ({ from, to }: Window): void => {
        lengths.push(to - from);
        if (to - from > 10 * MINUTE) throw error();
      };
      // The longest window, a day, is a fourth after each failure: 6 h, 1.5 h, 22.5 min, 5.6 min. Streams take turns with failures.
      for (let round = 0; round < 14; round += 1) {
        await plant.pollOnce(() => undefined, { start: plant.now - 48 * HOUR, heavy });
        await plant.database.run('update source set held_until = null');
        await plant.database.run('update stream set retry_at = null');
      }
      expect(Math.max(...lengths)).toBe(DAY);
      expect(Math.min(...lengths)).toBeLessThanOrEqual(10 * MINUTE);
      expect(await plant.database.rows('select instant_of(upper(covered)) as edge from stream')).toEqual([
        { edge: plant.now },
        { edge: plant.now },
      ]);
    },
  );
});

describe('a platform with a quota', () => {
  it('that has none left for one stream alone is asked for the others, once that stream was refused again', async () => {
    await plant.storeStreams(3);
    for (let round = 0; round < 4; round += 1) {
      await plant.pollOnce((stream) => {
        if (stream === 's00') throw throttled(plant.now + 5 * SECOND, '429');
      });
      await plant.database.run('update source set held_until = null');
    }
    expect(plant.asked.slice(0, 5)).toEqual(['s00', 's00', 's00', 's01', 's02']);
  });

  it('hears of every stream: each poll begins where the refused one ended', async () => {
    await plant.storeStreams(40);
    for (let round = 0; round < 8; round += 1) {
      let left = 25;
      await plant.pollOnce(() => {
        if (left === 0) throw throttled(plant.now + 5 * SECOND, '429');
        left -= 1;
      });
      await plant.database.run('update source set held_until = null');
    }
    // 8 rounds of 25 answers for 40 streams: five each. A refused request moves its stream back, too.
    for (const count of plant.timesAsked(40)) expect(count).toBeGreaterThanOrEqual(4);
  });
});
