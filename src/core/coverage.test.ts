import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coverageOf, covers, equal, intersect, missing, subtract, totalLength, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import type { Window } from './window.ts';

const SPAN = 48;

const window = fc
  .tuple(fc.integer({ min: 0, max: SPAN - 1 }), fc.integer({ min: 1, max: 12 }))
  .map(([from, length]): Window => ({ from, to: Math.min(SPAN, from + length) }));
const windows = fc.array(window, { maxLength: 10 });
const coverage = windows.map(coverageOf);

/** The naive oracle: one character for each instant. */
const bitmap = (of: readonly Window[]): string =>
  Array.from({ length: SPAN }, (_, at) => (of.some((each) => at >= each.from && at < each.to) ? '#' : '.')).join('');

const combine = (a: string, b: string, keep: (a: boolean, b: boolean) => boolean): string =>
  Array.from(a, (bit, at) => (keep(bit === '#', b[at] === '#') ? '#' : '.')).join('');

const isCanonical = (of: Coverage): boolean =>
  of.every((each, index) => each.from < each.to && (index === 0 || (of[index - 1]?.to ?? 0) < each.from));

/** The result covers exactly what the oracle says, in canonical form. */
function expectCoverage(actual: Coverage, oracle: string): void {
  expect(bitmap(actual)).toBe(oracle);
  expect(isCanonical(actual)).toBe(true);
}

const check = <T>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: 500 });

describe('coverage against one bit an instant', () => {
  test('coverageOf', () =>
    check(
      fc.property(windows, (given) => {
        expectCoverage(coverageOf(given), bitmap(given));
      }),
    ));

  test('union', () =>
    check(
      fc.property(coverage, coverage, (a, b) => {
        expectCoverage(
          union(a, b),
          combine(bitmap(a), bitmap(b), (x, y) => x || y),
        );
      }),
    ));

  test('subtract', () =>
    check(
      fc.property(coverage, coverage, (a, b) => {
        expectCoverage(
          subtract(a, b),
          combine(bitmap(a), bitmap(b), (x, y) => x && !y),
        );
      }),
    ));

  test('intersect', () =>
    check(
      fc.property(coverage, window, (a, b) => {
        expectCoverage(
          intersect(a, b),
          combine(bitmap(a), bitmap([b]), (x, y) => x && y),
        );
      }),
    ));

  test('missing', () =>
    check(
      fc.property(coverage, window, (a, within) => {
        expectCoverage(
          missing(within, a),
          combine(bitmap([within]), bitmap(a), (x, y) => x && !y),
        );
      }),
    ));

  test('covers, totalLength and equal', () =>
    check(
      fc.property(coverage, coverage, window, (a, b, within) => {
        expect(covers(a, within)).toBe(bitmap(a).slice(within.from, within.to).indexOf('.') < 0);
        expect(totalLength(a)).toBe(bitmap(a).replaceAll('.', '').length);
        expect(equal(a, b)).toBe(bitmap(a) === bitmap(b));
        expect(equal(a, coverageOf(a.toReversed()))).toBe(true);
      }),
    ));

  test('a part that is subtracted and united again gives the whole', () =>
    check(
      fc.property(coverage, window, (a, within) => {
        expect(equal(union(missing(within, a), intersect(a, within)), [within])).toBe(true);
      }),
    ));
});

test('empty windows cover no time and miss none', () => {
  expect(coverageOf([{ from: 5, to: 5 }])).toEqual([]);
  expect(missing({ from: 5, to: 5 }, [])).toEqual([]);
  expect(missing({ from: 9, to: 5 }, [])).toEqual([]);
  expect(
    missing({ from: 9, to: 5 }, [
      { from: 0, to: 3 },
      { from: 4, to: 6 },
      { from: 7, to: 12 },
    ]),
  ).toEqual([]);
});

test.each([
  [[{ from: 1, to: 3 }], true],
  [[{ from: 1, to: 4 }], false],
  [[{ from: 2, to: 3 }], false],
  [[], false],
])('%j is equal to the time from 1 to 3: %s', (coverage, isEqual) => {
  expect(equal(coverage, [{ from: 1, to: 3 }])).toBe(isEqual);
});

test('ten thousand stretches are joined in one pass', () => {
  const stretches = Array.from({ length: 10_000 }, (_, index) => ({ from: index * 10, to: index * 10 + 5 }));
  const gaps = missing({ from: 0, to: 100_000 }, stretches);
  expect(gaps).toHaveLength(10_000);
  expect(union(stretches, gaps)).toEqual([{ from: 0, to: 100_000 }]);
});
