import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from './instant.ts';
import { refusedDelay, retryDelay } from './retry.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the delay', () => {
  test('lies between half and all of a length that doubles up to the longest', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: MINUTE }),
        fc.integer({ min: 1, max: HOUR }),
        random,
        (failures, first, most, chance) => {
          const delay = retryDelay({ first, most }, failures, chance);
          const longest = Math.min(most, first * 2 ** (failures - 1));
          expect(Number.isSafeInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(Math.floor(longest / 2));
          expect(delay).toBeLessThanOrEqual(longest);
        },
      ),
      { numRuns: 1_000 },
    ));

  test('is 1, 2, 4 … and then stays at the longest', () => {
    const delays = [1, 2, 3, 4, 50].map((n) => retryDelay({ first: SECOND, most: 6 * SECOND }, n, 1) / SECOND);
    expect(delays).toEqual([1, 2, 4, 6, 6]);
  });
});

describe('the wait after a refusal', () => {
  const given = { first: 4 * SECOND, most: MINUTE };

  test.each([
    ['is the stated one the first time', 3 * SECOND, 0, 3 * SECOND],
    ['is the stated one the first time, also where it is short', SECOND, 0, SECOND],
    ['is the first delay where none was stated the first time', undefined, 0, 2 * SECOND],
    ['is at least the stated one later', MINUTE, 2, MINUTE],
    ['grows where the stated one was kept and did not help', SECOND, 3, 16 * SECOND],
    ['grows where none was stated', undefined, 1, 4 * SECOND],
  ])('%s', (_what, stated, failures, wait) => expect(refusedDelay(given, failures, 0, stated)).toBe(wait));
});
