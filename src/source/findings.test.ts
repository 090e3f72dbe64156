import { describe, expect, test } from 'vitest';
import type { Batch } from '../core/batch.ts';
import { MINUTE, SECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { basic } from '../platform/authorisation/basic.ts';
import { clockFinding, latenessFinding, lockFinding, refusalsInWords } from './findings.ts';

describe("the platform's clock", () => {
  const noon = 1_000_000 * SECOND;
  const skew = (clock: Instant | undefined, took = 0): ReturnType<typeof clockFinding> =>
    clockFinding(clock, { asked: noon, answered: noon + took, settle: 30 * SECOND });

  test('agrees with ours where only whole seconds and the time of the check lie between them', () => {
    expect(skew(noon)).toEqual({ detail: 'agrees with ours within 1s', warning: false });
    expect(skew(noon - SECOND).warning).toBe(false);
    expect(skew(noon + 2 * SECOND).warning).toBe(false);
    // The platform may have read its clock at any instant of the minute that the check took.
    expect(skew(noon + 40 * SECOND, MINUTE).warning).toBe(false);
  });

  test('warns of readings that come later where it is ahead, and of a longer settle where it is behind', () => {
    expect(skew(noon + 8 * SECOND)).toMatchObject({
      warning: true,
      detail: expect.stringMatching(/8s ahead of ours/) as string,
    });
    const behind = skew(noon - 8 * SECOND);
    expect(behind.warning).toBe(true);
    expect(behind.detail).toMatch(/7s behind ours.*set settle to 37s \(it is 30s\)/);
  });

  test('is no warning on a platform that shows none', () => {
    expect(skew(undefined).detail).toMatch(/does not show/);
  });
});

describe('an account that may be locked', () => {
  const pace = (concurrency: number) => ({ requestsPerSecond: 1, burst: 1, concurrency, quietHours: [] }) as never;
  const connection = { url: 'http://plant', username: 'u', password: '${env:P}' };
  const token = { ...basic(), obtain: () => Promise.reject(new Error('not asked')) };

  test('is told where more requests than may be refused carry its password', () => {
    expect(lockFinding({ connection, pace: pace(8) }, basic())).toMatch(
      /8 of them .* set pace.concurrency to 2 or fewer/,
    );
    expect(lockFinding({ connection, pace: pace(2) }, basic())).toBeUndefined();
    expect(lockFinding({ connection, pace: pace(8) }, token)).toBeUndefined();
    expect(lockFinding({ connection: { url: 'http://plant', key: 'k' }, pace: pace(8) }, basic())).toBeUndefined();
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
    unchosen: 0,
    refused: new Map(),
    refusals: [],
  });

  test('is a warning where series stop well before the end of a settled window', () => {
    expect(latenessFinding(batch([0, 5, 10, 15, 20], [0, 5, 10, 15]), window, 10 * SECOND)).toMatchObject({
      warning: true,
    });
  });

  test('is no warning where series go on to the end, or only one of many stops', () => {
    const full = [0, 10, 20, 30, 40, 50];
    expect(latenessFinding(batch(full, full), window, 0)).toEqual({
      detail: 'the newest is 10s before the end of the window',
      warning: false,
    });
    expect(latenessFinding(batch(full, full, [0, 1, 2]), window, 0).warning).toBe(false);
  });

  test('is no warning where points are too rare to tell', () => {
    expect(latenessFinding(batch([0, 1]), window, 0).warning).toBe(false);
    expect(latenessFinding(batch(), window, 0)).toEqual({
      detail: 'no reading shows how late points arrive',
      warning: false,
    });
  });
});

test('refusals in words begin with the most frequent reason', () => {
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
