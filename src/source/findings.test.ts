import { describe, expect, test } from 'vitest';
import type { Batch } from '../core/batch.ts';
import { MINUTE, SECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { clockFinding, latenessFinding, refusalsInWords } from './findings.ts';

describe("the platform's clock", () => {
  const noon = 1_000_000 * SECOND;
  const skew = (clock: Instant | undefined, took = 0): ReturnType<typeof clockFinding> =>
    clockFinding(clock, { asked: noon, answered: noon + took, settle: 30 * SECOND });

  test('whole seconds and the time a check takes are no difference', () => {
    expect(skew(noon)).toEqual({ detail: 'agrees with ours within 1s', warning: false });
    expect(skew(noon - SECOND).warning).toBe(false);
    expect(skew(noon + 2 * SECOND).warning).toBe(false);
    // It was read within the minute that the check took.
    expect(skew(noon + 40 * SECOND, MINUTE).warning).toBe(false);
  });

  test('a clock that is ahead costs time, one that is behind needs a longer settle', () => {
    expect(skew(noon + 8 * SECOND)).toMatchObject({
      warning: true,
      detail: expect.stringMatching(/8s ahead of ours/) as string,
    });
    const behind = skew(noon - 8 * SECOND);
    expect(behind.warning).toBe(true);
    expect(behind.detail).toMatch(/7s behind ours.*let settle be 37s \(it is 30s\)/);
  });

  test('not every platform shows one', () => {
    expect(skew(undefined).detail).toMatch(/does not show/);
  });
});

describe('lateness', () => {
  const window = { from: 0, to: MINUTE };
  const batch = (...series: number[][]): Batch => ({
    columns: series.map((seconds, index) => ({
      sensorId: `s${index}`,
      valueName: 'none',
      segments: [{ at: seconds.map((second) => second * SECOND), value: seconds, precision: undefined, labels: [] }],
    })),
    readings: series.flat().length,
    repeats: 0,
    outside: 0,
    refused: new Map(),
    refusedFirst: new Map(),
    examples: [],
  });

  test('series that stop before the end of a settled window look late', () => {
    expect(latenessFinding(batch([0, 5, 10, 15, 20], [0, 5, 10, 15]), window, 10 * SECOND)).toMatchObject({
      warning: true,
    });
  });

  test('series that go on to the end do not, and neither does one of many', () => {
    const full = [0, 10, 20, 30, 40, 50];
    expect(latenessFinding(batch(full, full), window, 0)).toEqual({
      detail: 'the newest is 10s before its end',
      warning: false,
    });
    expect(latenessFinding(batch(full, full, [0, 1, 2]), window, 0).warning).toBe(false);
  });

  test('rare points say nothing', () => {
    expect(latenessFinding(batch([0, 1]), window, 0).warning).toBe(false);
    expect(latenessFinding(batch(), window, 0)).toEqual({ detail: 'no readings in it', warning: false });
  });
});

test('refusals are told with the most frequent first', () => {
  expect(
    refusalsInWords(
      new Map([
        ['null', 1],
        ['boolean', 20],
      ]),
    ),
  ).toBe('21 refused (boolean 20, null 1)');
  expect(refusalsInWords(new Map())).toBe('none refused');
});
