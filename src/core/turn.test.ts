import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { BridgeError } from './errors.ts';
import { MINUTE, SECOND } from './instant.ts';
import type { Instant } from './instant.ts';
import { WAITS, retryDelay } from './retry.ts';
import { inTurn, pollOutcome } from './turn.ts';

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

const silent = new BridgeError({ code: 'unavailable', why: 'time-out' }, 'no answer');
const unread = new BridgeError({ code: 'contract-broken' }, 'cannot be read');
const unsupported = new BridgeError({ code: 'unsupported' }, 'no such version');
const own = new BridgeError({ code: 'config-invalid', own: true }, 'the archive is away');
const slow = new BridgeError({ code: 'throttled', retryAt: 0, stated: true }, 'too fast');
const bug = new BridgeError({ code: 'bug' }, 'ours');

/** Streams with so many failures in a row; their ids are their places. */
const streamsWith = (...failures: number[]) => failures.map((count, id) => ({ id, failures: count }));

/** The outcome of a poll of `streams` after these `steps`: a fault of a stream, by its place, or an answer for it. */
function after(
  streams: ReturnType<typeof streamsWith>,
  steps: readonly (readonly [place: number, fault?: BridgeError])[],
  failures = 0,
) {
  const outcome = pollOutcome(streams, failures);
  const told = steps.map(([place, fault]) => {
    const stream = streams[place];
    if (fault === undefined || stream === undefined) return outcome.read();
    return outcome.fault(fault, stream);
  });
  return { outcome, last: told.at(-1), blames: told.map((one) => one?.blame ?? 'answered') };
}

describe('the blame for a fault', () => {
  test.each([
    ['a silent stream beside well ones is its own', streamsWith(0, 0, 0), [[0, silent]], ['stream']],
    [
      'of a second healthy one, too, is of the source',
      streamsWith(0, 0, 0),
      [
        [0, silent],
        [1, silent],
      ],
      ['stream', 'source'],
    ],
    [
      'of one that has been failing is its own',
      streamsWith(0, 3, 0, 0),
      [
        [0, silent],
        [1, silent],
      ],
      ['stream', 'stream'],
    ],
    ['of the only stream is of the source', streamsWith(0), [[0, silent]], ['source']],
    ['of a stream beside failing ones is of the source', streamsWith(0, 2), [[0, silent]], ['source']],
    ['of a failing one beside none that is well is of the source', streamsWith(1, 2), [[0, silent]], ['source']],
    [
      'of the last one that was well is of the source',
      streamsWith(0, 0),
      [
        [0, silent],
        [1, silent],
      ],
      ['stream', 'source'],
    ],
    [
      'after an answer begins anew',
      streamsWith(0, 0, 0),
      [[0, silent], [1], [2, silent]],
      ['stream', 'answered', 'stream'],
    ],
    ['an answer counts beside streams that all fail', streamsWith(1, 1), [[0], [1, silent]], ['answered', 'stream']],
    ['a permanent one is its own beside others', streamsWith(0, 0), [[0, unsupported]], ['stream']],
    [
      'a permanent one of a healthy stream after another is its own',
      streamsWith(0, 0, 0),
      [
        [0, silent],
        [1, unsupported],
      ],
      ['stream', 'stream'],
    ],
    ['a permanent one of the only stream is of the source', streamsWith(0), [[0, unsupported]], ['source']],
    ['the first that cannot be read is its own', streamsWith(0), [[0, unread]], ['stream']],
    ['the second that cannot be read is of the source', streamsWith(1), [[0, unread]], ['source']],
    ['one that cannot be read is its own beside well streams', streamsWith(1, 0), [[0, unread]], ['stream']],
    [
      'where no stream can be read it is of the source',
      streamsWith(1, 0),
      [
        [1, unread],
        [0, unread],
      ],
      ['stream', 'source'],
    ],
    ['where one was read it is its own', streamsWith(1, 1), [[1], [0, unread]], ['answered', 'stream']],
    ['an error of ours is as one that cannot be read', streamsWith(1), [[0, bug]], ['source']],
    ['an error of ours beside a well one is its own', streamsWith(1, 0), [[0, bug]], ['stream']],
  ] as const)('%s', (_, streams, steps, blames) => {
    expect(after(streams, steps).blames).toEqual(blames);
  });

  it("is the source's where it was in trouble before, until its platform answers", () => {
    const streams = streamsWith(0, 0, 0);
    expect(after(streams, [[0, silent]], 2)).toMatchObject({ last: { blame: 'source', failures: 2, answered: false } });
    expect(after(streams, [[0, unread]], 2)).toMatchObject({ last: { blame: 'stream', failures: 2, answered: true } });
    expect(after(streamsWith(0), [[0, unread]], 2)).toMatchObject({
      last: { blame: 'source', failures: 2, answered: true },
    });
    expect(after(streams, [[1], [0, silent]], 2)).toMatchObject({
      last: { blame: 'stream', failures: 0, answered: true },
    });
    expect(
      after(
        streams,
        [
          [1, own],
          [0, silent],
        ],
        2,
      ),
    ).toMatchObject({ last: { failures: 0, answered: true } });
    expect(
      after(
        streamsWith(1, 0),
        [
          [0, unread],
          [1, silent],
        ],
        2,
      ),
    ).toMatchObject({ last: { failures: 0 } });
    expect(
      after(
        streamsWith(1),
        [
          [0, unread],
          [0, unread],
        ],
        2,
      ),
    ).toMatchObject({ last: { failures: 2 } });
  });
});

describe('a source is well', () => {
  test.each([
    ['where its platform answered', [[0]], streamsWith(4), true, true],
    ['where it answered, and a stream failed', [[0], [1, silent]], streamsWith(0, 0), true, true],
    ['where it answered what cannot be read', [[0, unread]], streamsWith(1), true, true],
    ['where the bridge failed after the answer', [[0, own]], streamsWith(1), true, true],
    ['where nothing was asked, and one was well', [], streamsWith(3, 0), true, false],
    ['and is not where none was well', [], streamsWith(3, 1), false, false],
    ['and is not where a stream was silent', [[0, silent]], streamsWith(0, 0), false, false],
    ['and is not where a platform is not supported', [[0, unsupported]], streamsWith(0, 0), false, false],
    ['also where it was asked too fast', [[0, slow]], streamsWith(0), true, false],
  ] as const)('%s', (_, steps, streams, whole, cut) => {
    const { outcome } = after(streams, steps);
    expect([outcome.isWell(false), outcome.isWell(true)]).toEqual([whole, cut]);
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
    const outcome = pollOutcome(
      streams.map(({ id, failures }) => ({ id, failures })),
      sourceFailures,
    );
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
        outcome.read();
        sourceFailures = 0;
        continue;
      }
      if (outcome.fault(silent, stream).blame === 'source') {
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
