import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { MINUTE, SECOND } from './instant.ts';
import type { Instant } from './instant.ts';
import { WAITS, retryDelay } from './retry.ts';
import { blameFor, inTurn } from './turn.ts';

describe('the turn', () => {
  it('begins with streams that were never asked, then with the one asked longest ago', () => {
    const stream = (id: number, askedAt: Instant | null, retryAt: Instant | null = null) => ({ id, askedAt, retryAt });
    const order = inTurn(
      [stream(1, 30), stream(2, 10), stream(3, null), stream(4, 20, 41), stream(5, 10), stream(6, 5, 40)],
      40,
    );
    expect(order.map(({ id }) => id)).toEqual([3, 6, 2, 5, 1]);
  });
});

describe('the blame for a request without an answer', () => {
  const fresh = { othersWell: true, sourceFailures: 0, streamFailures: 0, freshFailures: 0 };
  test.each([
    ['the first stream that fails', fresh, 'stream'],
    ['a second healthy one after it', { ...fresh, freshFailures: 1 }, 'source'],
    ['a stream that has been failing', { ...fresh, streamFailures: 3, freshFailures: 1 }, 'stream'],
    ['any stream while the source is in trouble', { ...fresh, sourceFailures: 1, streamFailures: 3 }, 'source'],
    ['a stream beside which no other is well', { ...fresh, othersWell: false, streamFailures: 3 }, 'source'],
  ] as const)('%s', (_, turn, blame) => {
    expect(blameFor(turn)).toBe(blame);
  });
});

/** A stream as the poll path keeps it. */
interface Simulated {
  readonly id: number;
  readonly fails: boolean;
  askedAt: Instant | null;
  retryAt: Instant | null;
  failures: number;
  longestWait: number;
}

const QUOTA_EVERY = MINUTE;

/**
 * Polls a source for a while as src/pull does: a request takes a second, and the platform answers `quota` requests a minute;
 * a 429 ends the poll. Some streams always fail. Returns the longest wait of each stream between two turns, without its own
 * back-off.
 */
function simulate(given: { count: number; failing: ReadonlySet<number>; quota: number; seconds: number }): Simulated[] {
  const streams: Simulated[] = Array.from({ length: given.count }, (_, id) => ({
    id,
    fails: given.failing.has(id),
    askedAt: null,
    retryAt: null,
    failures: 0,
    longestWait: 0,
  }));
  let now = 0;
  let sourceFailures = 0;
  let left = given.quota;
  let refillAt = QUOTA_EVERY;
  while (now < given.seconds * SECOND) {
    let freshFailures = 0;
    let answered = false;
    const wellBefore = streams.filter(({ failures }) => failures === 0);
    for (const stream of inTurn(streams, now)) {
      now += SECOND;
      const waited = now - (stream.askedAt ?? 0);
      stream.longestWait = Math.max(
        stream.longestWait,
        waited - Math.max(0, (stream.retryAt ?? 0) - (stream.askedAt ?? 0)),
      );
      if (now >= refillAt) [left, refillAt] = [given.quota, now + QUOTA_EVERY];
      if (left === 0) {
        // 429 with the time at which the quota is there again.
        now = refillAt;
        break;
      }
      left -= 1;
      stream.askedAt = now;
      if (!stream.fails) {
        Object.assign(stream, { failures: 0, retryAt: null });
        [freshFailures, sourceFailures, answered] = [0, 0, true];
        continue;
      }
      const blame = blameFor({
        othersWell: answered || wellBefore.filter((other) => other !== stream).length > freshFailures,
        sourceFailures,
        streamFailures: stream.failures,
        freshFailures,
      });
      if (stream.failures === 0) freshFailures += 1;
      if (blame === 'source') {
        sourceFailures += 1;
        now += retryDelay(WAITS.source, sourceFailures, 0.5);
        for (const waiting of streams) waiting.retryAt = null;
        break;
      }
      stream.retryAt = now + retryDelay(WAITS.silentStream, stream.failures + 1, 0.5);
      stream.failures += 1;
    }
    now += SECOND;
  }
  // Also a stream that was never asked has waited, until now.
  for (const stream of streams) {
    const since = Math.max(stream.askedAt ?? 0, stream.retryAt ?? 0);
    stream.longestWait = Math.max(stream.longestWait, now - since);
  }
  return streams;
}

describe('no stream of a reachable platform starves', () => {
  it('whichever streams always fail and however small the quota of the platform is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.uniqueArray(fc.nat(39), { maxLength: 15 }),
        fc.integer({ min: 1, max: 30 }),
        (count, failing, quota) => {
          // At least one stream is healthy: otherwise the platform is not reachable.
          const bad = new Set(failing.filter((id) => id < count - 1));
          const streams = simulate({ count, failing: bad, quota, seconds: 3_000 });
          // A round asks each stream once and costs a minute for each `quota` requests. The failing streams may hold the source
          // once each before they are known, which takes seconds, and they are asked in between.
          const requests = count + 2 * bad.size;
          const round = requests + Math.ceil(requests / quota) * 60 + bad.size * 8;
          for (const stream of streams) expect(stream.longestWait / SECOND).toBeLessThanOrEqual(2 * round);
        },
      ),
      { numRuns: 300 },
    );
  });
});
