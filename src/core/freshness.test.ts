import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RHYTHM_PERIOD, believedFrom, doubtedTime, silentFrom, stepRhythm } from './freshness.ts';
import type { Doubt, SensorRhythm } from './freshness.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';

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

describe('a silence is asked about once more before it is believed', () => {
  const minutely = rhythm({ longest: MINUTE });
  const seen = { ...asked, align: SECOND, reached: 100 * HOUR + 6 * MINUTE, doubt: undefined };
  const answered: Doubt = { from: 100 * HOUR, to: seen.reached, isAnswered: true };

  test('as soon as two of its longest gaps have passed, for the last stretch of that length', () => {
    expect(doubtedTime(minutely, seen)).toEqual({ from: 100 * HOUR + MINUTE, to: seen.reached });
    expect(doubtedTime(minutely, { ...seen, reached: 100 * HOUR + 5 * MINUTE })).toBeUndefined();
    expect(doubtedTime(rhythm({ longest: HOUR }), seen)).toBeUndefined();
    expect(doubtedTime(minutely, { ...seen, doubt: answered })).toBeUndefined();
    // After a catch-up over a week only the last stretch is asked for again.
    const week = doubtedTime(minutely, { ...seen, reached: 100 * HOUR + 7 * DAY });
    expect(week && week.to - week.from).toBe(5 * MINUTE);
  });

  test('and where the pace does not let the question through it is believed all the same, later', () => {
    expect(believedFrom(minutely, { ...asked, doubt: undefined })).toBeNull();
    expect(believedFrom(minutely, { ...asked, doubt: answered })).toBe(100 * HOUR + 15 * MINUTE);
    expect(believedFrom(minutely, { ...asked, doubt: { ...answered, isAnswered: false } })).toBe(
      100 * HOUR + 21 * MINUTE,
    );
  });

  // A sensor gives readings at some ages and then nothing, and a look comes once a minute. `dark`: how long it is watched without a reading.
  test('whatever its rhythm is: one question a silence, before it counts as silent, in a stretch that should have held readings', () => {
    fc.assert(
      fc.property(
        fc.record({
          every: fc.integer({ min: 1, max: 3_600 }).map((seconds) => seconds * SECOND),
          align: fc.constantFrom(1, SECOND, MINUTE),
          longest: fc.option(fc.integer({ min: 1, max: 40 * HOUR })),
          before: fc.option(fc.integer({ min: 1, max: 40 * HOUR })),
          isNever: fc.boolean(),
          answeredAfter: fc.integer({ min: 0, max: 10_000 }),
          step: fc.integer({ min: 1, max: 5 * HOUR }),
        }),
        ({ every, align, longest, before, isNever, answeredAfter, step }) => {
          const known = rhythm({ longest, before, ...(isNever && { newestAt: null, longest: null, before: null }) });
          const of = { every, align, askedFrom: 99 * HOUR };
          const since = isNever ? of.askedFrom : 100 * HOUR;
          const silent = silentFrom(known, of) ?? 0;
          let doubt: Doubt | undefined;
          let askedAt: number | undefined;
          let questions = 0;
          for (let look = 1, reached = since; look < 2_000; look += 1) {
            reached += step;
            const isBelieved = (): boolean => reached > (believedFrom(known, { ...of, doubt }) ?? Infinity);
            if (doubt === undefined) expect(isBelieved()).toBe(false);
            const time = doubtedTime(known, { ...of, reached, doubt });
            if (time !== undefined) {
              questions += 1;
              askedAt = look;
              expect(time.to).toBe(reached);
              expect(time.from).toBeGreaterThan(since - align);
              expect(time.from % align).toBe(0);
              expect(time.to - time.from).toBeGreaterThanOrEqual(
                Math.min(2 * (isNever ? 0 : Math.max(longest ?? 0, before ?? 0)), reached - since),
              );
              doubt = { ...time, isAnswered: false };
            }
            if (doubt !== undefined && askedAt !== undefined && look >= askedAt + answeredAfter)
              doubt = { ...doubt, isAnswered: true };
            if (doubt?.isAnswered === true) expect(isBelieved()).toBe(reached > silent);
            else if (isBelieved()) expect(reached).toBeGreaterThan(silent);
            if (doubt !== undefined && reached > doubt.to + silent - since) {
              // A question that was never let through does not hide a silence for ever.
              expect(isBelieved()).toBe(true);
              break;
            }
          }
          expect(questions).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 40 },
    );
  });
});
