import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BridgeError, throttled } from '../../src/core/errors.ts';
import { MINUTE, SECOND } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import { serverError, useManyStreams } from './many-streams.ts';

// No stream of a reachable platform starves: the real poll on a real database, on a clock of the test's own.

const plant = useManyStreams();

/** The platform answers so many requests in each of these stretches of time; to all others it says 429. */
const QUOTA_EVERY = MINUTE;
const REQUEST = SECOND;
const POLL_EVERY = 5 * SECOND;

interface Fault {
  readonly stream: number;
  /** Minutes from the begin. */
  readonly from: number;
  readonly length: number;
  readonly answer: '500' | 'time-out';
}

interface Pattern {
  readonly count: number;
  readonly quota: number;
  readonly concurrency: number;
  readonly faults: readonly Fault[];
  /** After how many requests each poll is stopped by the end of its process; 0: it is not. */
  readonly restarts: readonly number[];
}

const nameOf = (index: number): string => `s${String(index).padStart(2, '0')}`;

/** Clears what the pattern before left behind. */
async function startAnew(count: number): Promise<void> {
  const { database } = plant;
  await database.run('truncate stream cascade');
  await database.run('update source set failures = 0, held_until = null, last_fault = null');
  await plant.storeStreams(count);
}

/**
 * Polls for a while. @returns the longest time that each stream waited for its turn, µs: from its last answer, 5xx or time-out,
 * and from the end of its own back-off after that; a 429 is no turn
 */
async function longestWaits(
  { count, quota, concurrency, faults, restarts }: Pattern,
  length: number,
): Promise<number[]> {
  await startAnew(count);
  const begin = plant.now;
  const waitsSince = new Map<string, Instant>(Array.from({ length: count }, (_, index) => [nameOf(index), begin]));
  const longest = new Map<string, number>();
  let [left, refillAt] = [quota, begin + QUOTA_EVERY];
  const note = (stream: string): void => {
    const waited = plant.now - (waitsSince.get(stream) ?? begin);
    longest.set(stream, Math.max(longest.get(stream) ?? 0, waited));
  };
  const answer = (stream: string): void => {
    plant.now += REQUEST;
    while (plant.now >= refillAt) [left, refillAt] = [quota, refillAt + QUOTA_EVERY];
    if (left === 0) throw throttled(refillAt, 'over the quota');
    left -= 1;
    note(stream);
    waitsSince.set(stream, plant.now);
    const minute = (plant.now - begin) / MINUTE;
    const fault = faults.find(
      (one) => nameOf(one.stream) === stream && one.from <= minute && minute < one.from + one.length,
    );
    if (fault?.answer === '500') throw serverError();
    if (fault) throw new BridgeError({ code: 'unavailable', why: 'time-out' }, 'no answer');
  };
  for (let polls = 0; plant.now < begin + length; polls += 1) {
    const process = new AbortController();
    let requests = 0;
    const endsAfter = restarts[polls % restarts.length] ?? 0;
    await plant.pollOnce(
      (stream) => {
        requests += 1;
        if (requests === endsAfter) process.abort();
        answer(stream);
      },
      { passed: 0, start: begin - SECOND, concurrency, signal: process.signal },
    );
    for (const { key, retry } of await plant.database.rows<{ key: string; retry: Instant | null }>(
      'select key, instant_of(retry_at) as retry from stream',
    ))
      if (retry !== null && retry > (waitsSince.get(key) ?? 0)) waitsSince.set(key, retry);
    const source = await plant.database.row<{ held: Instant | null }>(
      'select instant_of(held_until) as held from source',
    );
    plant.now = Math.max(plant.now + POLL_EVERY, source?.held ?? 0);
  }
  for (const stream of waitsSince.keys()) note(stream);
  return [...longest.values()];
}

/** (Streams ÷ allowed rate), the time of requests and polls, and what failing streams may cost before they are known as such. */
const boundOf = ({ count, quota, faults }: Pattern): number =>
  (Math.ceil(count / quota) + 1) * QUOTA_EVERY + count * (REQUEST + POLL_EVERY) + faults.length * 15 * SECOND;

const patterns = fc
  .record({
    count: fc.integer({ min: 2, max: 12 }),
    quota: fc.integer({ min: 1, max: 8 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
    faults: fc.array(
      fc.record({
        stream: fc.nat(10),
        from: fc.nat(10),
        length: fc.constantFrom(1, 5, 1_000),
        answer: fc.constantFrom('500' as const, 'time-out' as const),
      }),
      { maxLength: 4 },
    ),
    restarts: fc.array(fc.constantFrom(0, 0, 0, 1, 3), { minLength: 1, maxLength: 5 }),
  })
  // The platform is reachable: the last stream never fails, and each quota has room for a request that does not fail.
  .map((pattern) => {
    const faults = pattern.faults.filter(({ stream }) => stream < pattern.count - 1);
    // Some polls come to their end.
    const restarts = [...pattern.restarts, 0];
    return { ...pattern, faults, restarts, quota: Math.max(pattern.quota, faults.length + 1, pattern.concurrency + 1) };
  });

it('no stream waits longer than the streams take at the allowed rate and its own back-off', async () => {
  await fc.assert(
    fc.asyncProperty(patterns, async (pattern) => {
      const bound = boundOf(pattern);
      for (const waited of await longestWaits(pattern, 3 * bound))
        expect(waited / SECOND).toBeLessThanOrEqual(bound / SECOND);
    }),
    {
      numRuns: 12,
      seed: 20261123,
      examples: [
        // As many streams as two quotas and the two requests that are refused: the quotas end at the same streams each time.
        [{ count: 8, quota: 3, concurrency: 1, faults: [], restarts: [0] }],
        // Every second process ends in mid-poll, so its polls never come to their end.
        [{ count: 4, quota: 3, concurrency: 2, faults: [], restarts: [3, 0] }],
      ],
    },
  );
});

it('a stream that is always refused with 429 keeps no other one from its turn', async () => {
  await plant.storeStreams(4);
  for (let polls = 0; polls < 12; polls += 1) {
    await plant.pollOnce((stream) => {
      if (stream === 's00') throw throttled(plant.now + SECOND, 'refused');
    });
    const source = await plant.database.row<{ held: Instant | null }>(
      'select instant_of(held_until) as held from source',
    );
    plant.now = Math.max(plant.now, source?.held ?? 0);
  }
  expect(Math.min(...plant.timesAsked(4))).toBeGreaterThanOrEqual(2);
});
