import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import { afterNoAnswer, afterTooMuch, afterWindow, isLight } from './learn.ts';
import type { Learned } from './learn.ts';

const LIMITS = { align: 1, comfortable: 50_000, minWindow: SECOND, maxWindow: DAY };
const length = fc.integer({ min: SECOND, max: DAY });
const learned = fc
  .record({ length, tooMuch: fc.option(length, { nil: undefined }) })
  .map((each): Learned => (each.tooMuch === undefined ? { length: each.length } : { ...each, tooMuch: each.tooMuch }));

const check = <T>(property: fc.IProperty<T>, numRuns = 1_000): void => fc.assert(property, { numRuns });

/**
 * Asks for windows of the learned length until `windows` were fetched, from a platform that takes at most `most` µs.
 */
function fetchMany(from: Learned, perSecond: number, windows: number, most = Infinity) {
  let state = from;
  const lengths: number[] = [];
  let refused = 0;
  for (let done = 0; done < windows;) {
    const asked = state.length;
    if (asked > most) {
      const shorter = afterTooMuch(state, asked, LIMITS.minWindow);
      if (shorter === 'cannot-shrink') throw new Error('cannot shrink');
      state = shorter;
      refused++;
      continue;
    }
    state = afterWindow(state, { ...LIMITS, asked, size: Math.floor((perSecond * asked) / SECOND) });
    lengths.push(asked);
    done++;
  }
  return { state, lengths, refused };
}

describe('after a window', () => {
  test('the length grows although windows are cut to a grid, and a window of the live edge still says nothing', () => {
    const grid = { ...LIMITS, align: SECOND, size: 0 };
    let state: Learned = { length: HOUR };
    for (let count = 0; count < 20; count += 1) {
      const asked = Math.floor(state.length / SECOND) * SECOND;
      state = afterWindow(state, { ...grid, asked });
    }
    expect(state.length).toBe(DAY);
    expect(afterWindow({ length: HOUR }, { ...grid, asked: 10 * SECOND }).length).toBe(HOUR);
  });

  test('the length is a whole number within its bounds and grows by at most half', () =>
    check(
      fc.property(learned, length, fc.nat(10_000_000), (before, asked, size) => {
        const after = afterWindow(before, { ...LIMITS, asked, size });
        expect(Number.isInteger(after.length)).toBe(true);
        expect(after.length).toBeGreaterThanOrEqual(LIMITS.minWindow);
        expect(after.length).toBeLessThanOrEqual(LIMITS.maxWindow);
        expect(after.length).toBeLessThanOrEqual(Math.ceil(before.length * 1.5));
      }),
    ));

  test('too many readings shrink it at once to what would have been comfortable', () =>
    check(
      fc.property(learned, fc.integer({ min: 50_001, max: 5_000_000 }), (before, size) => {
        const after = afterWindow(before, { ...LIMITS, asked: before.length, size });
        const expected = Math.max(LIMITS.minWindow, Math.floor((before.length * 50_000) / size));
        expect(after.length).toBe(expected);
      }),
    ));

  test('a window shorter than the learned length never makes it grow', () =>
    check(
      fc.property(learned, length, fc.nat(50_000), (before, asked, size) => {
        fc.pre(asked < before.length);
        expect(afterWindow(before, { ...LIMITS, asked, size }).length).toBe(before.length);
      }),
    ));

  test('bounds that were narrowed hold at once', () => {
    const narrow = { ...LIMITS, maxWindow: HOUR, asked: MINUTE, size: 10 };
    expect(afterWindow({ length: DAY }, narrow).length).toBe(HOUR);
    const wide = { ...LIMITS, minWindow: HOUR, asked: SECOND, size: 10 };
    expect(afterWindow({ length: SECOND }, wide).length).toBe(HOUR);
  });

  test('even a length of one µs grows', () => {
    const outcome = { align: 1, asked: 1, size: 0, comfortable: 10, minWindow: 1, maxWindow: DAY };
    expect(afterWindow({ length: 1, tooMuch: 2 }, outcome)).toEqual({ length: 2, tooMuch: 2 });
  });
});

test('a constant density ends at a comfortable window, or at a bound', () =>
  check(
    fc.property(length, fc.integer({ min: 1, max: 40_000 }), (from, perSecond) => {
      const ideal = Math.min(DAY, Math.max(SECOND, (50_000 / perSecond) * SECOND));
      const { state } = fetchMany({ length: from }, perSecond, 60);
      expect(state.length).toBeGreaterThan(ideal * 0.95);
      expect(state.length).toBeLessThan(ideal * 1.05);
    }),
    300,
  ));

describe('after too much', () => {
  test('the next window is half as long, down to the shortest window', () =>
    check(
      fc.property(learned, length, (before, asked) => {
        const after = afterTooMuch(before, asked, SECOND);
        if (after === 'cannot-shrink') {
          expect(asked).toBe(SECOND);
          return;
        }
        expect(asked).toBeGreaterThan(SECOND);
        expect(after.length).toBe(Math.max(SECOND, Math.min(before.length, Math.floor(asked / 2))));
        expect(after.length).toBeLessThan(asked);
        expect(after.tooMuch).toBeLessThanOrEqual(asked);
      }),
    ));

  test('shrinking always comes to an end', () => {
    let state: Learned = { length: DAY };
    for (let round = 0; round < 20; round++) {
      const after = afterTooMuch(state, state.length, SECOND);
      if (after === 'cannot-shrink') {
        expect(state.length).toBe(SECOND);
        return;
      }
      state = after;
    }
    throw new Error('never ended');
  });

  test('a length that was too much is rarely asked for again', () =>
    check(
      fc.property(fc.integer({ min: 10 * SECOND, max: DAY / 2 }), (most) => {
        const { refused } = fetchMany({ length: DAY }, 0, 200, most);
        const halvings = Math.ceil(Math.log2(DAY / most));
        expect(refused).toBeLessThanOrEqual(halvings + 8);
      }),
      100,
    ));

  test('the length recovers once the platform takes longer windows again', () =>
    check(
      fc.property(fc.integer({ min: 10 * SECOND, max: DAY / 2 }), (asked) => {
        const shrunk = afterTooMuch({ length: asked }, asked, SECOND);
        if (shrunk === 'cannot-shrink') throw new Error('could have shrunk');
        const { state, lengths } = fetchMany(shrunk, 0, 100);
        expect(lengths.findIndex((each) => each >= asked)).toBeGreaterThan(30);
        expect(state).toEqual({ length: DAY });
      }),
      100,
    ));
});

describe('after a window without an answer', () => {
  test('a platform that times out above a length is asked for shorter windows until it answers, and rarely above it again', () => {
    const most = 3 * HOUR;
    let state: Learned = { length: 2 * DAY };
    let unanswered = 0;
    let fetched = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      const asked = state.length;
      if (asked > most) {
        state = afterNoAnswer(state, asked, SECOND);
        unanswered += 1;
        continue;
      }
      state = afterWindow(state, { ...LIMITS, asked, size: 10, maxWindow: 2 * DAY });
      fetched += asked;
    }
    expect(unanswered).toBeLessThan(12);
    expect(fetched / 200).toBeGreaterThan(HOUR);
  });

  test('an outage costs a few short windows: the length is back after twenty', () => {
    let state: Learned = { length: HOUR };
    for (let failure = 0; failure < 50; failure += 1) state = afterNoAnswer(state, state.length, SECOND);
    expect(state.length).toBeGreaterThanOrEqual(MINUTE);
    for (let turn = 0; turn < 20; turn += 1) {
      state = afterWindow(state, { ...LIMITS, asked: state.length, size: 10 });
    }
    expect(state.length).toBeGreaterThanOrEqual(HOUR / 2);
  });

  test('a window of the live edge is never taken for too heavy', () =>
    check(
      fc.property(learned, fc.integer({ min: 1, max: MINUTE }), (state, asked) => {
        expect(afterNoAnswer(state, asked, SECOND)).toBe(state);
      }),
    ));
});

test.each([
  [2 * MINUTE, SECOND, true],
  [2 * MINUTE + 1, SECOND, false],
  [HOUR, HOUR, true],
  [HOUR + 1, HOUR, false],
])('a window of %i µs on a platform with windows from %i µs on is short: %s', (asked, minWindow, light) => {
  expect(isLight(asked, minWindow)).toBe(light);
});

test('the bounds of what a window teaches', () => {
  const outcome = { ...LIMITS, align: SECOND, size: 10 };
  // A window as long as the one that was too much went well, so that is forgotten.
  expect(afterWindow({ length: MINUTE, tooMuch: HOUR }, { ...outcome, asked: HOUR })).toStrictEqual({
    length: 1.5 * MINUTE,
  });
  expect(afterWindow({ length: MINUTE, tooMuch: HOUR }, { ...outcome, asked: HOUR - 1 }).tooMuch).toBe(HOUR);
  // A window that is shorter than the learned length by a whole step of the grid says nothing about longer ones.
  expect(afterWindow({ length: MINUTE }, { ...outcome, asked: MINUTE - SECOND }).length).toBe(MINUTE);
  expect(afterWindow({ length: MINUTE }, { ...outcome, asked: MINUTE - SECOND + 1 }).length).toBe(1.5 * MINUTE);
});
