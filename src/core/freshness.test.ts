import { describe, expect, test } from 'vitest';
import { RHYTHM_PERIOD, silentFrom, stepRhythm } from './freshness.ts';
import type { SensorRhythm } from './freshness.ts';
import { HOUR, MINUTE } from './instant.ts';

const rhythm = (more: Partial<SensorRhythm> = {}): SensorRhythm => ({
  newestAt: 100 * HOUR,
  longest: null,
  before: null,
  ...more,
});
const asked = { every: MINUTE, askedFrom: 90 * HOUR };

describe('a sensor is silent', () => {
  test.each([
    ['after three of its longest gaps', rhythm({ longest: HOUR, before: MINUTE }), 3 * HOUR],
    ['also where the longest one was in the period before', rhythm({ longest: MINUTE, before: 2 * HOUR }), 6 * HOUR],
    ['after a quarter of an hour at least', rhythm({ longest: 1 }), 15 * MINUTE],
    ['after six hours where no gap is known', rhythm(), 6 * HOUR],
  ])('%s', (_, known, length) => {
    expect(silentFrom(known, asked)).toBe(100 * HOUR + length);
  });

  test('after three intervals of its source at least', () => {
    expect(silentFrom(rhythm({ longest: 1 }), { ...asked, every: HOUR })).toBe(103 * HOUR);
  });

  test('without any reading when it was asked for long enough, and not before it was asked', () => {
    const never = rhythm({ newestAt: null });
    expect(silentFrom(never, asked)).toBe(90 * HOUR + 15 * MINUTE);
    expect(silentFrom(never, { ...asked, askedFrom: null })).toBeNull();
  });
});

describe('its rhythm', () => {
  const at = { reachedBefore: 100 * HOUR, isNewPeriod: false };
  const nothing = { nextAt: null, newestAt: null, gap: null };

  test('begins with the gaps that are stored', () => {
    const seen = { nextAt: null, newestAt: 5 * HOUR, gap: MINUTE };
    expect(stepRhythm(undefined, seen, at)).toEqual({ newestAt: 5 * HOUR, longest: MINUTE, before: null });
    expect(stepRhythm(rhythm({ newestAt: null }), seen, at)).toMatchObject({ newestAt: 5 * HOUR, longest: MINUTE });
  });

  test('takes the gap before a new reading, and no longer silence that goes on', () => {
    const known = rhythm({ longest: MINUTE });
    expect(stepRhythm(known, nothing, { ...at, reachedBefore: 130 * HOUR })).toEqual(known);
    const seen = { nextAt: 102 * HOUR, newestAt: 103 * HOUR, gap: null };
    expect(stepRhythm(known, seen, at)).toEqual(rhythm({ newestAt: 103 * HOUR, longest: 40 * MINUTE }));
    expect(stepRhythm(rhythm({ longest: 9 * HOUR }), seen, at).longest).toBe(9 * HOUR);
  });

  test('takes a failure for no rhythm at once, and a gap that comes again for one', () => {
    const after = (known: SensorRhythm, gap: number): SensorRhythm => {
      const newestAt = (known.newestAt ?? 0) + gap;
      return stepRhythm(known, { nextAt: newestAt, newestAt, gap: null }, { ...at, reachedBefore: null });
    };
    const failed = after(rhythm({ longest: MINUTE }), 12 * HOUR);
    expect(failed.longest).toBe(4 * HOUR);
    expect(silentFrom(failed, asked)).toBe(112 * HOUR + 12 * HOUR);
    expect(after(failed, 12 * HOUR).longest).toBe(12 * HOUR);
    expect(after(rhythm({ longest: MINUTE }), 15 * MINUTE).longest).toBe(15 * MINUTE);
  });

  test('takes the time that the bridge waited for a reading that came late', () => {
    const seen = { nextAt: 100 * HOUR + 1, newestAt: 100 * HOUR + 1, gap: null };
    expect(stepRhythm(rhythm(), seen, { ...at, reachedBefore: 101 * HOUR }).longest).toBe(HOUR);
  });

  test('takes no gap that holds time which was not asked', () => {
    const seen = { nextAt: null, newestAt: 130 * HOUR, gap: null };
    expect(stepRhythm(rhythm({ longest: 5 }), seen, at)).toEqual(rhythm({ newestAt: 130 * HOUR, longest: 5 }));
  });

  test('forgets a gap of the period before the last one, where another one is known', () => {
    const old = stepRhythm(rhythm({ longest: 7, before: 9 }), nothing, { ...at, isNewPeriod: true });
    expect(old).toEqual(rhythm({ longest: null, before: 7 }));
    // A sensor may give readings more seldom than a period is long.
    expect(stepRhythm(old, nothing, { ...at, isNewPeriod: true })).toEqual(old);
    expect(RHYTHM_PERIOD).toBeGreaterThan(7 * 24 * HOUR);
  });
});
