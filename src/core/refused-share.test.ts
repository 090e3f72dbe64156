import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOURS_OF_REFUSALS, refusedShare, shareInWords } from './refused-share.ts';
import type { HourOfPoints } from './refused-share.ts';

const SHARE = 0.05;
const DAY_MINUTES = 24 * 60;

/** Sensors that each give a point every `period` minutes, from `phase` on. */
interface Sensors {
  readonly period: number;
  readonly good: readonly number[];
  readonly bad: readonly number[];
}

/** The hours of the points up to a minute. */
function hoursAt(minute: number, { period, good, bad }: Sensors): HourOfPoints[] {
  const countOf = (phases: readonly number[], from: number, to: number): number =>
    phases.reduce((sum, phase) => sum + Math.ceil((to - phase) / period) - Math.ceil((from - phase) / period), 0);
  return Array.from({ length: HOURS_OF_REFUSALS + 2 }, (_, age) => {
    const from = (Math.floor(minute / 60) - age) * 60;
    const to = Math.min(minute, from + 60);
    const refused = countOf(bad, from, to);
    return { age, refused, points: refused + countOf(good, from, to) };
  }).filter(({ points }) => points > 0);
}

describe('the share of refused points', () => {
  const phases = (period: number, maxLength: number) =>
    fc.array(fc.integer({ min: 0, max: period - 1 }), { maxLength });
  const sensors: fc.Arbitrary<Sensors> = fc
    .integer({ min: 1, max: DAY_MINUTES })
    .chain((period) => fc.record({ period: fc.constant(period), good: phases(period, 150), bad: phases(period, 30) }));

  it('of sensors with a steady rhythm is told once or never, whatever the hour is', () => {
    fc.assert(
      fc.property(sensors, fc.integer({ min: 5, max: 50 }), (given, step) => {
        let isTold = false;
        const told: boolean[] = [];
        for (let minute = 3 * DAY_MINUTES; minute < 5 * DAY_MINUTES; minute += step) {
          isTold = refusedShare(hoursAt(minute, given), { share: SHARE, isTold }) !== undefined;
          told.push(isTold);
        }
        expect(told.filter((one, place) => place > 0 && one !== told[place - 1]).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['most of a fast source, from its first hour on', [{ age: 0, points: 300, refused: 290 }], 290 / 300],
    ['fewer than ten points', [{ age: 0, points: 9, refused: 9 }], undefined],
    ['a share at the limit', [{ age: 1, points: 400, refused: 20 }], undefined],
    [
      'ten of a slow source, which are spread over a day',
      Array.from({ length: 24 }, (_, age) => ({ age, points: 4, refused: age < 10 ? 1 : 0 })),
      10 / 96,
    ],
    [
      'hours ago, where two whole hours have enough points since',
      [
        { age: 0, points: 10, refused: 0 },
        { age: 2, points: 300, refused: 0 },
        { age: 3, points: 300, refused: 300 },
      ],
      undefined,
    ],
    ['more than a day ago', [{ age: 25, points: 100, refused: 100 }], undefined],
  ])('%s', (_, hours, expected) => {
    expect(refusedShare(hours, { share: SHARE, isTold: false })).toBe(expected);
  });

  it('goes on until half of the limits once it is told', () => {
    const hours = [{ age: 1, points: 300, refused: 10 }];
    expect(refusedShare(hours, { share: SHARE, isTold: false })).toBeUndefined();
    expect(refusedShare(hours, { share: SHARE, isTold: true })).toBe(10 / 300);
    expect(refusedShare([{ age: 1, points: 8, refused: 4 }], { share: SHARE, isTold: true })).toBeUndefined();
  });

  it('is told in steps', () => {
    expect([1, 0.51, 0.2, 0.06, 0.001].map(shareInWords)).toEqual([
      'all',
      'more than 50 %',
      'more than 10 %',
      'more than 5 %',
      'some',
    ]);
  });
});
