import { describe, expect, it } from 'vitest';
import { bucketOf, countOf, gridOf, lengthsIn, lettersOf, rangeOf, runsOf, stateOf } from './buckets.ts';
import { DAY, HOUR, MINUTE, SECOND, formatInstant, parseInstant } from './instant.ts';
import { zoneOf } from './zone.ts';

const TUESDAY = 20_774 * DAY;

describe('a grid of usual buckets', () => {
  it.each([
    [DAY, 58, 30 * MINUTE, 48],
    [7 * DAY, 58, 3 * HOUR, 56],
    [HOUR, 58, 2 * MINUTE, 30],
    [50 * SECOND, 58, SECOND, 50],
    [365 * DAY, 58, 7 * DAY, 53],
    [DAY, 1, DAY, 1],
  ])('cuts %i µs into at most %i buckets', (range, most, length, count) => {
    const grid = gridOf({ from: TUESDAY, to: TUESDAY + range }, { most });
    expect(grid.length).toBe(length);
    expect(countOf(grid)).toBeLessThanOrEqual(Math.max(2, most));
    expect(Math.abs(countOf(grid) - count)).toBeLessThanOrEqual(1);
  });

  it('lies on whole multiples of its length and holds the whole range', () => {
    const range = { from: TUESDAY + 7 * MINUTE, to: TUESDAY + DAY + 1 };
    const grid = gridOf(range, { most: 58 });
    expect([grid.edges[0], grid.length, countOf(grid)]).toEqual([TUESDAY, 30 * MINUTE, 49]);
    expect(rangeOf(grid).to).toBeGreaterThanOrEqual(range.to);
    expect(bucketOf(grid, 2)).toEqual({ from: TUESDAY + HOUR, to: TUESDAY + HOUR + 30 * MINUTE });
  });
});

describe('a grid of so many buckets', () => {
  it.each([365, 500, 1, 7])('has exactly %i, which are the range together', (exactly) => {
    const range = { from: TUESDAY + 1, to: TUESDAY + 365 * DAY };
    const grid = gridOf(range, { exactly });
    expect(countOf(grid)).toBe(exactly);
    expect(rangeOf(grid)).toEqual(range);
    expect(grid.edges).toEqual(grid.edges.map(Math.round).toSorted((one, other) => one - other));
  });

  it('has none that is empty', () => {
    expect(gridOf({ from: 5, to: 8 }, { exactly: 500 }).edges).toEqual([5, 6, 7, 8]);
  });
});

describe('a grid of days', () => {
  const daysIn = (zone: string, from: string, to: string): readonly string[] =>
    gridOf({ from: parseInstant(from) ?? 0, to: parseInstant(to) ?? 0 }, { daysOf: zoneOf(zone) }).edges.map(
      formatInstant,
    );

  it('begins and ends at midnight of the zone, also where its clocks change', () => {
    expect(daysIn('Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([
      '2026-03-27T23:00:00Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T22:00:00Z',
      '2026-03-30T22:00:00Z',
    ]);
    expect(daysIn('Asia/Kolkata', '2026-03-28T18:30:00Z', '2026-03-29T18:30:00Z')).toEqual([
      '2026-03-28T18:30:00Z',
      '2026-03-29T18:30:00Z',
    ]);
  });

  it('begins a day without midnight at its first instant, and knows a day that an island left out', () => {
    expect(daysIn('America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-04T12:00:00Z')).toEqual([
      '2018-11-03T03:00:00Z',
      '2018-11-04T03:00:00Z',
      '2018-11-05T02:00:00Z',
    ]);
    const apia = daysIn('Pacific/Apia', '2011-12-29T12:00:00Z', '2012-01-01T00:00:00Z');
    expect(apia).toEqual([...new Set(apia)].toSorted());
  });
});

it('shares the time of a coverage out to the buckets', () => {
  const grid = { edges: [0, 10, 20, 35], length: 10 };
  const coverage = [
    { from: -5, to: 4 },
    { from: 9, to: 22 },
    { from: 30, to: 60 },
  ];
  expect([...lengthsIn(grid, coverage)]).toEqual([5, 10, 7]);
  expect([...lengthsIn(grid, [])]).toEqual([0, 0, 0]);
});

describe('the state of a bucket', () => {
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

it('joins neighbours of one state, also as text', () => {
  expect(runsOf([])).toEqual([]);
  expect(runsOf(['data', 'data', 'empty', 'data'])).toEqual([
    { state: 'data', first: 0, end: 2 },
    { state: 'empty', first: 2, end: 3 },
    { state: 'data', first: 3, end: 4 },
  ]);
  expect(lettersOf([])).toBe('');
  expect(lettersOf(['before-start', 'data', 'data', 'missing', 'data'])).toBe('bd2md');
});
