import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';
import { DAY, HOUR, LAST_INSTANT, MILLISECOND, MINUTE, SECOND } from './instant.ts';

describe('parseDuration', () => {
  test.each([
    ['10s', 10 * SECOND],
    ['1m30s', 90 * SECOND],
    ['1h 30m', 90 * MINUTE],
    ['7d', 7 * DAY],
    ['2w', 14 * DAY],
    ['500ms', 500 * MILLISECOND],
    ['15us', 15],
    ['1.5h', 90 * MINUTE],
    ['1.1h', 66 * MINUTE],
    ['0.000001s', 1],
    ['0s', 0],
    ['PT1H', HOUR],
    ['PT1M', MINUTE],
    ['P1DT12H', 36 * HOUR],
    ['P2W', 14 * DAY],
    ['PT0.5S', 500 * MILLISECOND],
  ])('%s', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  const notOurs = ['', '10', 's', '10 s', '-10s', '+10s', '10S', ' 10s', '10s ', '1h\n', '1.s', '.5s', '1e3s', '1,5h'];
  const outOfOrder = ['30s1m', '1m1m', 'PT1H1D', 'P', 'PT', 'P1DT', 'pt1h'];
  const noFixedLength = ['1mo', '1y', 'P1M', 'P1Y'];
  const notExact = ['0.0000001s', '0.5us', '999999999w'];
  test.each([notOurs, outOfOrder, noFixedLength, notExact].flat())('%j is not a duration', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

test('a formatted duration is read back, to the µs', () =>
  fc.assert(
    fc.property(fc.nat(LAST_INSTANT), (duration) => {
      expect(parseDuration(formatDuration(duration))).toBe(duration);
    }),
    { numRuns: 1_000 },
  ));

test.each([
  [0, '0s'],
  [90 * MINUTE, '1h30m'],
  [14 * DAY, '14d'],
  [SECOND + MILLISECOND + 1, '1s1ms1us'],
  [-10 * SECOND, '-10s'],
])('%i µs → %s', (duration, text) => {
  expect(formatDuration(duration)).toBe(text);
});
