import { describe, expect, it } from 'vitest';
import { bucketOf, gridOf, rangeOf, runsOf, stateOf, timeIn } from './buckets.ts';
import type { KnownTime } from './buckets.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';

const TUESDAY = 20_774 * DAY;

describe('a grid', () => {
  it.each([
    [DAY, 58, 30 * MINUTE, 48],
    [7 * DAY, 58, 3 * HOUR, 56],
    [HOUR, 58, 2 * MINUTE, 30],
    [50 * SECOND, 58, SECOND, 50],
    [365 * DAY, 58, 7 * DAY, 53],
    [DAY, 1, DAY, 1],
  ])('cuts %i µs into at most %i buckets', (range, most, length, count) => {
    const grid = gridOf({ from: TUESDAY, to: TUESDAY + range }, most);
    expect(grid.length).toBe(length);
    expect(grid.count).toBeLessThanOrEqual(Math.max(2, most));
    expect(Math.abs(grid.count - count)).toBeLessThanOrEqual(1);
  });

  it('lies on whole multiples of its length and holds the whole range', () => {
    const range = { from: TUESDAY + 7 * MINUTE, to: TUESDAY + DAY + 1 };
    const grid = gridOf(range, 58);
    expect(grid).toEqual({ from: TUESDAY, length: 30 * MINUTE, count: 49 });
    expect(rangeOf(grid).to).toBeGreaterThanOrEqual(range.to);
    expect(bucketOf(grid, 2)).toEqual({ from: TUESDAY + HOUR, to: TUESDAY + HOUR + 30 * MINUTE });
  });
});

describe('the time of a bucket', () => {
  const known: KnownTime = {
    wanted: [{ from: 10, to: 100 }],
    covered: [
      { from: 10, to: 30 },
      { from: 50, to: 60 },
    ],
    unreadable: [{ from: 28, to: 40 }],
    asking: [{ from: 55, to: 80 }],
  };

  it('is split into kinds that do not overlap, and nothing is missing before the start or after the end', () => {
    expect(timeIn({ from: 0, to: 120 }, known)).toEqual({ covered: 30, failed: 10, missing: 30, asking: 20 });
    expect(timeIn({ from: 0, to: 10 }, known)).toEqual({ covered: 0, failed: 0, missing: 0, asking: 0 });
    expect(timeIn({ from: 55, to: 60 }, known)).toEqual({ covered: 5, failed: 0, missing: 0, asking: 0 });
  });

  it.each([
    ['failed', { failed: 1, missing: 1 }, true],
    ['missing', { missing: 1, asking: 1, covered: 1 }, true],
    ['asking', { asking: 1, covered: 1 }, true],
    ['data', { covered: 1 }, true],
    ['empty', { covered: 1 }, false],
    ['not-due', {}, false],
    ['before-start', {}, false, true],
    ['empty', { covered: 1 }, false, true],
    ['asking', { asking: 1 }, false, true],
  ])('%s', (state, time, data, early = false) => {
    const whole = { covered: 0, failed: 0, missing: 0, asking: 0, ...time };
    expect(stateOf(whole, { data, refused: false, early })).toBe(state);
  });

  it('with refused points says so, unless time is missing', () => {
    const covered = { covered: 1, failed: 0, missing: 0, asking: 0 };
    const found = { data: true, refused: true, early: false };
    expect(stateOf(covered, found)).toBe('refused');
    expect(stateOf({ ...covered, missing: 1 }, found)).toBe('missing');
  });
});

it('joins neighbours of one state', () => {
  expect(runsOf([])).toEqual([]);
  expect(runsOf(['data', 'data', 'empty', 'data'])).toEqual([
    { state: 'data', first: 0, end: 2 },
    { state: 'empty', first: 2, end: 3 },
    { state: 'data', first: 3, end: 4 },
  ]);
});
