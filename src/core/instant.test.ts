import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, LAST_INSTANT, formatInstant, fromMillis, parseInstant, parseLocal, toMillis } from './instant.ts';

// oxlint-disable-next-line no-restricted-globals -- the oracle these instants are compared with
const Oracle = Date;

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
const check = <T>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: 2_000 });

const instant = fc.integer({ min: -LAST_INSTANT, max: LAST_INSTANT });
const millis = instant.map(toMillis).filter((each) => Math.abs(each * 1000) <= LAST_INSTANT);

describe('against the calendar of JavaScript', () => {
  test('text is read as the same millisecond', () =>
    check(
      fc.property(millis, (milliseconds) => {
        expect(parseInstant(new Oracle(milliseconds).toISOString())).toBe(milliseconds * 1000);
      }),
    ));

  test('an instant is written as the same text', () =>
    check(
      fc.property(millis, (milliseconds) => {
        const text = new Oracle(milliseconds).toISOString();
        expect(formatInstant(milliseconds * 1000)).toBe(text.replace('.000Z', 'Z'));
      }),
    ));

  test('a day is read exactly when the calendar has it', () =>
    check(
      fc.property(fc.integer({ min: 1685, max: 2254 }), fc.nat(13), fc.nat(32), (year, month, day) => {
        const oracle = new Oracle(Oracle.UTC(year, month - 1, day));
        const exists = oracle.getUTCMonth() === month - 1 && oracle.getUTCDate() === day && month > 0 && month < 13;
        const read = parseInstant(`${year}-${pad(month)}-${pad(day)}T00:00:00Z`);
        expect(read).toBe(exists ? oracle.getTime() * 1000 : undefined);
      }),
    ));

  test('an offset is taken off, in all the ways it is written', () => {
    const offset = fc.record({
      sign: fc.constantFrom('+', '-'),
      hours: fc.nat(18),
      minutes: fc.nat(59),
      colon: fc.boolean(),
    });
    check(
      fc.property(fc.integer({ min: -2e12, max: 4e12 }), offset, (local, { sign, hours, minutes, colon }) => {
        const wall = new Oracle(local).toISOString().slice(0, -1);
        const shift = (sign === '+' ? 1 : -1) * (hours * 60 + minutes) * 60_000;
        expect(parseInstant(`${wall}${sign}${pad(hours)}${colon ? ':' : ''}${pad(minutes)}`)).toBe(
          (local - shift) * 1000,
        );
        if (minutes === 0) expect(parseInstant(`${wall}${sign}${pad(hours)}`)).toBe((local - shift) * 1000);
      }),
    );
  });
});

test('a formatted instant is read back, to the µs', () =>
  check(
    fc.property(instant, (each) => {
      expect(parseInstant(formatInstant(each))).toBe(each);
    }),
  ));

test('the basic form is the same instant, and no local time where it has an offset', () => {
  check(
    fc.property(instant, (each) => {
      const [date = '', time = ''] = formatInstant(each).split('T');
      const basic = `${date.replaceAll('-', '')}T${time.replaceAll(':', '')}`;
      if (date.length === 10) expect(parseInstant(basic)).toBe(each);
      expect(parseLocal(basic)).toBeUndefined();
    }),
  );
});

test('digits beyond the µs are cut, also before 1970, and missing ones are zero', () => {
  const digits = fc.stringMatching(/^\d{1,12}$/);
  check(
    fc.property(fc.integer({ min: -5e9, max: 5e9 }), digits, fc.constantFrom('.', ','), (seconds, fraction, point) => {
      const text = new Oracle(seconds * 1000).toISOString().replace('.000Z', `${point}${fraction}Z`);
      expect(parseInstant(text)).toBe(seconds * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6)));
    }),
  );
});

test.each([
  ['2024-02-29T00:00:00Z', 1_709_164_800_000_000],
  ['2000-02-29T00:00:00Z', 951_782_400_000_000],
  ['2026-11-21T08:15', 1_795_248_900_000_000],
  ['2026-11-21 08:15:30', 1_795_248_930_000_000],
  ['2026-11-21T08:15:30z', 1_795_248_930_000_000],
  ['2026-11-21T08:15:30 +01:00', 1_795_245_330_000_000],
  ['2255-06-05T23:47:34.740991Z', LAST_INSTANT],
])('%s is read', (text, expected) => {
  expect(parseInstant(text)).toBe(expected);
});

const notOurs = [
  '',
  'now',
  '1795248900',
  '20261121 081530Z',
  '202611-21T08:15:30Z',
  '-2026-11-21T08:15:30Z',
  '２026-11-21T08:15:30Z',
];
const padded = [' 2026-11-21T08:15:30Z', '2026-11-21T08:15:30Z\n', '2026-11-21T08:15:30ZZ', '+2026-11-21T08:15:30Z'];
const incomplete = ['2026', '2026-11', '2026-11-21', '2026-11-21T', '2026-11-21T08', '2026-11-21T08:15:30.Z'];
const noSuchDay = ['2023-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-00-10T00:00:00Z'];
const noSuchTime = ['2026-11-21T24:00:00Z', '2026-11-21T23:60:00Z', '2026-12-31T23:59:60Z', '2026-11-21T08:15.5Z'];
const noSuchZone = ['2026-11-21T08:15:30+1', '2026-11-21T08:15:30+19:00', '2026-11-21T08:15:30+01:60'];
const outOfReach = ['2255-06-05T23:47:34.740992Z', '9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'];

test.each([notOurs, padded, incomplete, noSuchDay, noSuchTime, noSuchZone, outOfReach].flat())(
  '%j is refused',
  (text) => {
    expect(parseInstant(text)).toBeUndefined();
  },
);

describe('milliseconds', () => {
  test('keep the µs that platforms write after the decimal point', () =>
    check(
      fc.property(fc.integer({ min: -365 * DAY, max: 2 ** 43 * 1000 - 1 }), (each) => {
        const [whole, rest] = [toMillis(each), each - toMillis(each) * 1000];
        if (each >= 0) expect(fromMillis(Number(`${whole}.${pad(rest, 3)}`))).toBe(each);
        expect(fromMillis(whole)).toBe(whole * 1000);
      }),
    ));

  test('are cut, not rounded, also before 1970', () => {
    expect([toMillis(1_999), toMillis(-1), toMillis(-1_000)]).toEqual([1, -1, -1]);
  });
});
