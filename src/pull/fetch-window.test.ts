import { describe, expect, test } from 'vitest';
import { contractBroken, tooMuch, tooMuchAtOnce } from '../core/errors.ts';
import { MINUTE } from '../core/instant.ts';
import { newMeter } from '../platform/connection/index.ts';
import { halvedAfter, sizeOf } from './fetch-window.ts';
import { isWindowAtFault } from './set-aside.ts';

const meterOf = (bytesIn: number) => ({ ...newMeter(), bytesIn });

describe('the size of a window', () => {
  test('is its number of points, also of those that became no readings', () =>
    expect(sizeOf({ samples: 60_000, meter: meterOf(3_000_000) })).toBe(60_000));

  test('is larger where each point came with many bytes', () =>
    expect(sizeOf({ samples: 10_000, meter: meterOf(51_200_000) })).toBe(100_000));

  test('grows with the points even where the answer is large for every window', () => {
    expect(sizeOf({ samples: 10, meter: meterOf(51_200_000) })).toBe(200);
    expect(sizeOf({ samples: 0, meter: meterOf(51_200_000) })).toBe(0);
  });
});

describe('a window that is too much', () => {
  const window = { from: 0, to: MINUTE };
  const after = (error: unknown) => halvedAfter(error, { length: MINUTE }, window, 1);

  test('is halved', () => expect(after(tooMuch('large')).length).toBe(MINUTE / 2));

  test('at one instant is set aside as it is, because no shorter window helps', () => {
    const error = tooMuchAtOnce('many at once');
    expect(() => after(error)).toThrow(error);
    const source = { platform: { facts: { minWindow: 1 } } } as unknown as Parameters<
      typeof isWindowAtFault
    >[2]['source'];
    expect(isWindowAtFault(error, window, { source, failures: 0 })).toBe(true);
  });

  test('is no other error', () => expect(() => after(contractBroken('odd'))).toThrow('odd'));
});
