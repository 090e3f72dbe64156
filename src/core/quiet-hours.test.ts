import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MILLISECOND, MINUTE, formatInstant, parseInstant, toMillis } from './instant.ts';
import type { Instant } from './instant.ts';
import { nextAllowed } from './quiet-hours.ts';
import type { QuietHours, Weekday } from './quiet-hours.ts';

const at = (text: string): Instant => parseInstant(text) ?? NaN;
const after = (quiet: readonly QuietHours[], from: string): string | undefined => {
  const instant = nextAllowed(quiet, at(from));
  return instant === undefined ? undefined : formatInstant(instant);
};

const DAYS: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The oracle: the wall clock of luxon's calendar. */
function isQuiet(quiet: readonly QuietHours[], instant: Instant): boolean {
  return quiet.some(({ from, to, zone, days = DAYS }) => {
    const wall = DateTime.fromMillis(toMillis(instant), { zone });
    const time = wall.toFormat('HH:mm');
    const begins = (weekday: number): boolean => days.includes(DAYS[(weekday + 6) % 7] ?? 'mon');
    if (from < to) return time >= from && time < to && begins(wall.weekday);
    return (time >= from && begins(wall.weekday)) || (time < to && begins(wall.weekday - 1));
  });
}

const time = fc
  .tuple(fc.nat(23), fc.constantFrom('00', '15', '30', '45'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);

/** Time changes: forward and back in Berlin and Santiago, Apia's lost Friday, and Kolkata, which has none. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/Santiago', '2026-04-05T03:00:00Z'],
  ['America/Santiago', '2026-09-06T04:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Asia/Kolkata', '2026-03-29T01:00:00Z'],
] as const;

const scene = fc.constantFrom(...CHANGES).chain(([zone, change]) =>
  fc.record({
    quiet: fc.array(
      fc
        .record({ from: time, to: time, days: fc.option(fc.subarray([...DAYS]), { nil: undefined }) })
        .map(({ days, ...range }): QuietHours => (days === undefined ? { ...range, zone } : { ...range, zone, days })),
      { minLength: 1, maxLength: 3 },
    ),
    instant: fc.integer({ min: -120, max: 60 }).map((quarters) => at(change) + quarters * 15 * MINUTE),
    odd: fc.nat(15 * MINUTE - 1),
  }),
);

test('around every time change, all time before the answer is quiet and the answer is not', () =>
  fc.assert(
    fc.property(scene, ({ quiet, instant, odd }) => {
      const begin = instant + odd;
      const allowed = nextAllowed(quiet, begin);
      const end = Math.min(allowed ?? Infinity, begin + 2 * DAY);
      expect(isQuiet(quiet, begin)).toBe(allowed !== begin);
      if (allowed === begin) return;
      for (let quarter = instant + 15 * MINUTE; quarter < end; quarter += 15 * MINUTE) {
        if (!isQuiet(quiet, quarter)) throw new Error(`${formatInstant(quarter)} is not quiet`);
      }
      if (allowed !== undefined) expect(isQuiet(quiet, allowed)).toBe(false);
      expect(isQuiet(quiet, end - MILLISECOND)).toBe(true);
    }),
    { numRuns: 400 },
  ));

describe('a night in Berlin', () => {
  const night: QuietHours[] = [{ from: '22:00', to: '06:00', zone: 'Europe/Berlin' }];

  test('wraps midnight', () => {
    expect(after(night, '2026-01-10T20:59:59.999999Z')).toBe('2026-01-10T20:59:59.999999Z');
    expect(after(night, '2026-01-10T21:00:00Z')).toBe('2026-01-11T05:00:00Z');
    expect(after(night, '2026-01-11T04:59:59.999999Z')).toBe('2026-01-11T05:00:00Z');
    expect(after(night, '2026-01-11T05:00:00Z')).toBe('2026-01-11T05:00:00Z');
  });

  test('is an hour shorter in March and an hour longer in October', () => {
    expect(after(night, '2026-03-28T21:00:00Z')).toBe('2026-03-29T04:00:00Z');
    expect(after(night, '2026-10-24T20:00:00Z')).toBe('2026-10-25T05:00:00Z');
  });

  test('begins on the days it names', () => {
    const friday = night.map((range) => ({ ...range, days: ['fri' as const] }));
    expect(after(friday, '2026-01-09T23:30:00Z')).toBe('2026-01-10T05:00:00Z');
    expect(after(friday, '2026-01-09T04:00:00Z')).toBe('2026-01-09T04:00:00Z');
    expect(after(friday, '2026-01-10T22:00:00Z')).toBe('2026-01-10T22:00:00Z');
  });
});

describe('a time change', () => {
  test('ends quiet hours that would have ended in the skipped hour', () => {
    const early = [{ from: '01:00', to: '02:30', zone: 'Europe/Berlin' }];
    expect(after(early, '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00Z');
  });

  test('swallows quiet hours that lie in the skipped hour', () => {
    const skipped = [{ from: '02:00', to: '03:00', zone: 'Europe/Berlin' }];
    expect(after(skipped, '2026-03-29T00:59:59Z')).toBe('2026-03-29T00:59:59Z');
    expect(after(skipped, '2026-03-29T01:00:00Z')).toBe('2026-03-29T01:00:00Z');
  });

  test('makes a repeated hour quiet both times', () => {
    const twice = [{ from: '02:15', to: '02:45', zone: 'Europe/Berlin' }];
    expect(after(twice, '2026-10-25T00:15:00Z')).toBe('2026-10-25T00:45:00Z');
    expect(after(twice, '2026-10-25T00:45:00Z')).toBe('2026-10-25T00:45:00Z');
    expect(after(twice, '2026-10-25T01:15:00Z')).toBe('2026-10-25T01:45:00Z');
  });

  test('at midnight in Santiago and over the lost Friday of Apia', () => {
    const santiago = [{ from: '23:00', to: '00:30', zone: 'America/Santiago' }];
    // Clocks jump from 00:00 to 01:00, so quiet ends at the change.
    expect(after(santiago, '2026-09-06T03:00:00Z')).toBe('2026-09-06T04:00:00Z');
    const apia = [{ from: '12:00', to: '12:00', zone: 'Pacific/Apia', days: ['thu' as const] }];
    expect(after(apia, '2011-12-29T22:00:00Z')).toBe('2011-12-30T10:00:00Z');
  });
});

describe('several ranges', () => {
  test('are joined where one ends inside the next', () => {
    const ranges: QuietHours[] = [
      { from: '03:00', to: '05:00', zone: 'Asia/Kolkata' },
      { from: '01:00', to: '03:30', zone: 'Asia/Kolkata' },
      { from: '23:00', to: '00:30', zone: 'UTC' },
    ];
    expect(after(ranges, '2026-05-01T20:00:00Z')).toBe('2026-05-02T00:30:00Z');
  });

  test('that leave no time never end', () => {
    expect(after([{ from: '00:00', to: '00:00', zone: 'UTC' }], '2026-05-01T20:00:00Z')).toBeUndefined();
    expect(after([{ from: '00:00', to: '24:00', zone: 'UTC' }], '2026-05-01T20:00:00Z')).toBeUndefined();
    expect(after([{ from: '24:00', to: '24:00', zone: 'UTC' }], '2026-05-01T20:00:00Z')).toBeUndefined();
    const halves = ['00:00', '12:00'].map((from) => ({ from, to: from === '00:00' ? '12:00' : '00:00', zone: 'UTC' }));
    expect(after(halves, '2026-05-01T20:00:00Z')).toBeUndefined();
  });

  test('that leave a gap in summer only end in summer', () => {
    const ranges: QuietHours[] = [
      { from: '08:00', to: '07:00', zone: 'Europe/Berlin' },
      { from: '06:00', to: '07:00', zone: 'UTC' },
    ];
    expect(after(ranges, '2026-11-01T06:30:00Z')).toBe('2027-03-28T05:00:00Z');
  });

  test('on no day are never quiet', () => {
    const never: QuietHours[] = [{ from: '00:00', to: '00:00', zone: 'UTC', days: [] }];
    expect(nextAllowed(never, 7 * HOUR)).toBe(7 * HOUR);
  });
});

test('a time of day or a zone that does not exist is refused with a remedy', () => {
  for (const wrong of ['6:00', '24:01', '12:60', 'noon', '', 'x06:00', '06:00x']) {
    expect(() => nextAllowed([{ from: wrong, to: '07:00', zone: 'UTC' }], 0)).toThrow('not a time of day');
  }
  expect(() => nextAllowed([{ from: '06:00', to: '07:00', zone: 'Mars/Olympus' }], 0)).toThrow('no time zone');
  expect(() => nextAllowed([{ from: 'noon', to: '07:00', zone: 'UTC' }], 0)).toThrow(
    expect.objectContaining({
      message: 'quiet hours: "noon" is not a time of day',
      remedy: 'write hours and minutes, like 06:30',
    }),
  );
});
