import { describe, expect, test } from 'vitest';
import { BridgeError, contractBroken, throttled, tooCostly, tooMuch, tooMuchAtOnce } from '../core/errors.ts';
import { HOUR, MINUTE } from '../core/instant.ts';
import { unavailable } from '../platform/connection/unreachable.ts';
import { halvedAfter, learnedOf, sizeOf } from './fetch-window.ts';
import type { OpenSource } from './open/open-source.ts';
import { isWindowAtFault } from './set-aside.ts';

describe('the size of a window', () => {
  test('is its number of points, also of those that became no readings', () =>
    expect(sizeOf({ samples: 60_000, bytes: 3_000_000 })).toBe(60_000));

  test('is larger where each point came with many bytes', () =>
    expect(sizeOf({ samples: 10_000, bytes: 51_200_000 })).toBe(100_000));

  test('grows with the points even where the answer is large for every window', () => {
    expect(sizeOf({ samples: 10, bytes: 51_200_000 })).toBe(200);
    expect(sizeOf({ samples: 0, bytes: 51_200_000 })).toBe(0);
  });
});

describe('a window that was too much', () => {
  const window = { from: 0, to: 10 * MINUTE };

  test('is halved, down to the shortest one that the platform can be asked for', () => {
    expect(halvedAfter(tooMuch('no'), { length: HOUR }, window, MINUTE)).toEqual({
      length: 5 * MINUTE,
      tooMuch: 10 * MINUTE,
    });
    expect(() => halvedAfter(tooMuch('no'), { length: HOUR }, window, 10 * MINUTE)).toThrow(
      expect.objectContaining({
        code: 'contract-broken',
        message: 'no, and a shorter window cannot be asked for',
      }),
    );
  });

  test('is halved where a shorter answer costs less, and stays too costly where there is none', () => {
    const error = tooCostly('no', 'options.x', true);
    expect(halvedAfter(error, { length: HOUR }, window, MINUTE)).toMatchObject({ length: 5 * MINUTE });
    expect(() => halvedAfter(error, { length: HOUR }, window, 10 * MINUTE)).toThrow(error);
  });

  // At one instant no shorter window helps, and neither where an expression loops.
  test.each([
    tooMuchAtOnce('many at once'),
    tooCostly('loops', 'options.x', false),
    throttled(1, 'wait'),
    contractBroken('what?'),
    new Error('too-much'),
  ])('is not what %o says', (error) =>
    expect(() => halvedAfter(error, { length: HOUR }, window, MINUTE)).toThrow(error),
  );
});

test('the first window of a stream is an hour long, or as long as the source allows, and later ones as was learned', () => {
  const source = (maxWindow: number) => ({ policy: { maxWindow } }) as unknown as OpenSource;
  expect(learnedOf(source(24 * HOUR).policy, { learned: null })).toEqual({ length: HOUR });
  expect(learnedOf(source(MINUTE).policy, { learned: null })).toEqual({ length: MINUTE });
  expect(learnedOf(source(MINUTE).policy, { learned: { length: 7 } })).toEqual({ length: 7 });
});

describe('a window', () => {
  const source = { platform: { facts: { minWindow: 5 * MINUTE } } } as unknown as OpenSource;
  const isAtFault = (error: Parameters<typeof isWindowAtFault>[0], minutes: number, failures = 0): boolean =>
    isWindowAtFault(error, { from: 0, to: minutes * MINUTE }, { source, failures });

  test('is at fault where its answer cannot be read', () => {
    expect(isAtFault(contractBroken('what?'), 60, 3)).toBe(true);
    expect(isAtFault(new BridgeError({ code: 'bug' }, 'ours'), 60, 3)).toBe(true);
    expect(isAtFault(tooMuch('no'), 60, 3)).toBe(true);
    expect(isAtFault(throttled(1, 'wait'), 5)).toBe(false);
  });

  test.each(['status', 'time-out'] as const)(
    'that is short is at fault where the platform gives no answer (%s) and was well before',
    (why) => {
      expect(isAtFault(unavailable(why, 'no answer'), 5)).toBe(true);
      expect(isAtFault(unavailable(why, 'no answer'), 6)).toBe(false);
      expect(isAtFault(unavailable(why, 'no answer'), 5, 1)).toBe(false);
    },
  );

  test('is not at fault where the platform cannot be reached', () =>
    expect(isAtFault(unavailable('refused', 'no connection'), 5)).toBe(false));
});
