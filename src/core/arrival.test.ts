import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adviceOf } from './arrival.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';

const present = { settle: 10 * SECOND, overlap: 5 * MINUTE };

test('too few points tell nothing', () => {
  expect(adviceOf({ points: 999, late: [] }, present, 0.9999)).toBeUndefined();
});

test('without late data nothing needs to be asked for twice', () => {
  expect(adviceOf({ points: 1_000_000, late: [] }, present, 0.9999)).toEqual({
    settle: 10 * SECOND,
    overlap: 0,
    points: 1_000_000,
    late: 0,
    found: 1,
    reaches: true,
  });
});

test('the overlap reaches the share, and the settle what would come late too often', () => {
  const late = [
    { points: 50_000, age: 40 * SECOND },
    { points: 500, age: 20 * MINUTE },
    { points: 60, age: 3 * HOUR },
    { points: 5, age: 2 * DAY },
  ];
  expect(adviceOf({ points: 1_000_000, late }, present, 0.9999)).toEqual({
    settle: 40 * SECOND,
    overlap: 20 * MINUTE - 40 * SECOND + 40 * SECOND,
    points: 1_000_000,
    late: 50_565,
    found: 1 - 565 / 1_000_000,
    reaches: true,
  });
  expect(adviceOf({ points: 1_000_000, late }, present, 0.99999)).toMatchObject({ overlap: 3 * HOUR, reaches: true });
  expect(adviceOf({ points: 1_000_000, late }, present, 1)).toMatchObject({ overlap: DAY, reaches: false });
});

test('the proposed waits find the share, or end at a limit', () => {
  const lates = fc.array(fc.record({ points: fc.integer({ min: 1, max: 50 }), age: fc.nat(2 * DAY) }), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(lates, fc.double({ min: 0.9, max: 1, noNaN: true }), (late, share) => {
      const advice = adviceOf({ points: 2_000, late }, present, share);
      if (advice === undefined) throw new Error('no advice');
      const beyond = late.filter(({ age }) => age > advice.settle + advice.overlap);
      const left = beyond.reduce((sum, one) => sum + one.points, 0);
      if (advice.reaches) expect(left).toBeLessThanOrEqual((1 - share) * 2_000 + 1e-9);
      else expect(advice.overlap).toBe(DAY);
    }),
  );
});
