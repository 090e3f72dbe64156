import { describe, expect, test } from 'vitest';
import { newMeter } from '../platform/connection/index.ts';
import { sizeOf } from './fetch-window.ts';

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
