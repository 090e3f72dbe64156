import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adviceOf } from './arrival.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';

const present = { settle: 10 * SECOND, overlap: 5 * MINUTE };

test('too few points tell nothing', () => {
  expect(adviceOf({ points: 999, late: [] }, present, { share: 0.9999, longest: 7 * DAY })).toBeUndefined();
});

test('without late data the waits stay as they are', () => {
  expect(adviceOf({ points: 1_000_000, late: [] }, present, { share: 0.9999, longest: 7 * DAY })).toEqual({
    settle: 10 * SECOND,
    overlap: 5 * MINUTE,
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
  expect(adviceOf({ points: 1_000_000, late }, present, { share: 0.9999, longest: 7 * DAY })).toEqual({
    settle: 40 * SECOND,
    overlap: 20 * MINUTE - 40 * SECOND + 40 * SECOND,
    points: 1_000_000,
    late: 50_565,
    found: 1 - 565 / 1_000_000,
    reaches: true,
  });
  expect(adviceOf({ points: 1_000_000, late }, present, { share: 0.99999, longest: 7 * DAY })).toMatchObject({
    overlap: 3 * HOUR,
    reaches: true,
  });
  expect(adviceOf({ points: 1_000_000, late }, present, { share: 1, longest: 7 * DAY })).toMatchObject({
    overlap: DAY,
    reaches: false,
  });
  const bounded = adviceOf({ points: 1_000_000, late }, present, { share: 1, longest: HOUR });
  expect(bounded).toMatchObject({ overlap: HOUR, reaches: false });
});

test('the proposed waits find the share, or end at a limit', () => {
  const lates = fc.array(fc.record({ points: fc.integer({ min: 1, max: 50 }), age: fc.nat(2 * DAY) }), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(lates, fc.double({ min: 0.9, max: 1, noNaN: true }), (late, share) => {
      const advice = adviceOf({ points: 2_000, late }, present, { share, longest: 7 * DAY });
      if (advice === undefined) throw new Error('no advice');
      const beyond = late.filter(({ age }) => age > advice.settle + advice.overlap);
      const left = beyond.reduce((sum, one) => sum + one.points, 0);
      if (advice.reaches) expect(left).toBeLessThanOrEqual((1 - share) * 2_000 + 1e-9);
      else expect(advice.overlap).toBe(DAY);
    }),
  );
});
