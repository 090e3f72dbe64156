import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from './instant.ts';
import { CLOSED, afterFailure, mayTry, retryDelay } from './retry.ts';
import type { Breaker, BreakerState } from './retry.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the delay', () => {
  test('lies between half and all of a length that doubles up to the most', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: MINUTE }),
        fc.integer({ min: 1, max: HOUR }),
        random,
        (failures, first, most, chance) => {
          const delay = retryDelay(failures, { first, most, random: chance });
          const longest = Math.min(most, first * 2 ** (failures - 1));
          expect(Number.isSafeInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(Math.floor(longest / 2));
          expect(delay).toBeLessThanOrEqual(longest);
        },
      ),
      { numRuns: 1_000 },
    ));

  test('is 1, 2, 4 … and then stays', () => {
    const delays = [1, 2, 3, 4, 50].map((n) => retryDelay(n, { first: SECOND, most: 6 * SECOND, random: 1 }) / SECOND);
    expect(delays).toEqual([1, 2, 4, 6, 6]);
  });
});

const BREAKER: Breaker = { opensAfter: 3, first: SECOND, most: 10 * SECOND, probeLength: 30 * SECOND };

const failed = (times: number, now = 0): BreakerState =>
  Array.from({ length: times }).reduce<BreakerState>(
    (state) => afterFailure(BREAKER, state, { now, random: 1 }),
    CLOSED,
  );

describe('the breaker', () => {
  test('stays closed below its number of failures', () => {
    expect(mayTry(BREAKER, failed(2), 0)).toEqual({ kind: 'go', state: failed(2) });
    expect(mayTry(BREAKER, CLOSED, 0)).toEqual({ kind: 'go', state: CLOSED });
  });

  test('opens for the first delay, then lets one probe through', () => {
    expect(mayTry(BREAKER, failed(3), SECOND - 1)).toEqual({ kind: 'wait', askAgainAt: SECOND });
    const probe = mayTry(BREAKER, failed(3), SECOND);
    if (probe.kind === 'wait') throw new Error('no probe');
    expect(mayTry(BREAKER, probe.state, SECOND)).toEqual({ kind: 'wait', askAgainAt: 31 * SECOND });
    expect(mayTry(BREAKER, probe.state, 31 * SECOND).kind).toBe('go');
    const again = afterFailure(BREAKER, probe.state, { now: 5 * SECOND, random: 1 });
    expect(again).toEqual({ failures: 4, retryAt: 7 * SECOND, probeUntil: null });
  });

  test('does not count requests that were under way when it opened', () => {
    expect(afterFailure(BREAKER, failed(3), { now: 9 * SECOND, random: 1 })).toEqual(failed(3));
  });

  test('has one probe out at most, whoever asks and fails, and always lets one through in the end', () => {
    const event = fc.record({ pass: fc.nat(20 * SECOND), fails: fc.boolean(), random });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let [state, now, probeSince] = [failed(3), 0, -Infinity];
        for (const each of events) {
          now += each.pass;
          const answer = mayTry(BREAKER, state, now);
          if (answer.kind === 'go') {
            expect(now - probeSince).toBeGreaterThanOrEqual(BREAKER.probeLength);
            [state, probeSince] = [answer.state, now];
          } else expect(answer.askAgainAt).toBeLessThanOrEqual(now + BREAKER.probeLength);
          if (!each.fails) continue;
          state = JSON.parse(JSON.stringify(afterFailure(BREAKER, state, { now, random: each.random })));
          probeSince = -Infinity;
        }
      }),
      { numRuns: 500 },
    );
  });
});
