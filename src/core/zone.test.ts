import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesIn, oracleInstants, oracleOffset } from '../../test/kit/time-changes.ts';
import { totalLength } from './coverage.ts';
import { DAY, HOUR, MILLISECOND, MINUTE, SECOND, formatLocal, parseInstant, parseLocal } from './instant.ts';
import { holds } from './window.ts';
import { localWindows, repeatedAround, zoneOf } from './zone.ts';

const at = (text: string): number => parseInstant(text) ?? NaN;

const ZONES = Intl.supportedValuesOf('timeZone');
/** Zones with changes of half an hour, of a day, at midnight, in Ramadan, and of the southern half. */
const ODD_ZONES = ['Australia/Lord_Howe', 'Pacific/Apia', 'America/Havana', 'Africa/Casablanca', 'America/Santiago'];

/** A zone and an instant, nearly always close to a change of its clocks. */
const scene = fc
  .record({
    zone: fc.oneof(fc.constantFrom('Europe/Berlin', ...ODD_ZONES), fc.constantFrom(...ZONES)),
    year: fc.integer({ min: 1970, max: 2037 }),
    pick: fc.nat(20),
    near: fc.oneof(fc.integer({ min: -7_200, max: 7_200 }), fc.integer({ min: -100_000, max: 100_000 })),
    odd: fc.constantFrom(0, 0, 1, 999_999),
  })
  .map(({ zone, year, pick, near, odd }) => {
    const changes = changesIn(zone, year);
    const around = changes[pick % changes.length] ?? at(`${year}-07-01T00:00:00Z`);
    return { zone, instant: around + near * SECOND + odd };
  });

const check = <T>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: 150 });

describe('a zone, against the calendar', () => {
  test('gives every local time its instants, over all zones and years', () =>
    check(
      fc.property(scene, ({ zone, instant }) => {
        const { offsets, from, to } = zoneOf(zone).localStretchAt(instant);
        expect(from <= instant && instant < to).toBe(true);
        expect(offsets.map((offset) => instant - offset)).toEqual(oracleInstants(zone, instant));
      }),
    ));

  test('asks a window for all its local times and for no other that exists', () =>
    check(
      fc.property(scene, fc.integer({ min: 1, max: 3 * HOUR }), fc.nat(), ({ zone, instant }, length, pick) => {
        const window = { from: instant, to: instant + length };
        const asked = localWindows(zoneOf(zone), window);
        const within = instant + (pick % length);
        const local = within + oracleOffset(zone, within);
        expect(asked.some((part) => holds(part, local))).toBe(true);
        const [part] = [asked[pick % asked.length]];
        if (part === undefined) throw new Error('a window asks for nothing');
        const somewhere = part.from + (pick % (part.to - part.from));
        const instants = oracleInstants(zone, somewhere);
        expect(instants.length === 0 || instants.some((one) => holds(window, one))).toBe(true);
      }),
    ));

  test('parts a range into stretches of one offset each, none of them empty', () =>
    check(
      fc.property(scene, fc.integer({ min: 1, max: 300 * DAY }), ({ zone, instant }, length) => {
        const stretches = zoneOf(zone).stretches({ from: instant, to: instant + length });
        expect([stretches[0]?.from, stretches.at(-1)?.to]).toEqual([instant, instant + length]);
        for (const [index, { from, to, offset }] of stretches.entries()) {
          const next = stretches[index + 1];
          expect(from).toBeLessThan(to);
          expect(offset).toBe(oracleOffset(zone, from));
          if (next !== undefined) expect([next.from === to, next.offset === offset]).toEqual([true, false]);
        }
      }),
    ));

  test('knows the time whose local times are shown twice', () =>
    check(
      fc.property(scene, ({ zone, instant }) => {
        const repeated = repeatedAround(zoneOf(zone), instant);
        const twice = oracleInstants(zone, instant + oracleOffset(zone, instant)).length > 1;
        expect(repeated !== undefined).toBe(twice);
        if (repeated === undefined) return;
        expect(holds(repeated, instant)).toBe(true);
        for (const end of [repeated.from, repeated.to - MILLISECOND])
          expect(oracleInstants(zone, end + oracleOffset(zone, end)).length).toBe(2);
      }),
    ));
});

test('a window in the repeated hour of autumn is asked once, however often its local times were shown', () => {
  const berlin = zoneOf('Europe/Berlin');
  const parts = localWindows(berlin, { from: at('2025-10-26T00:00:00Z'), to: at('2025-10-26T02:00:00Z') });
  expect(parts.map(({ from, to }) => [formatLocal(from), formatLocal(to)])).toEqual([
    ['2025-10-26T02:00:00', '2025-10-26T03:00:00'],
  ]);
  const across = localWindows(berlin, { from: at('2025-10-26T00:59:00Z'), to: at('2025-10-26T01:01:00Z') });
  expect(totalLength(across)).toBe(2 * MINUTE);
});

test('the time whose local times are shown twice holds its start and not its end', () => {
  const repeated = { from: at('2025-10-26T00:00:00Z'), to: at('2025-10-26T02:00:00Z') };
  const berlin = zoneOf('Europe/Berlin');
  expect(repeatedAround(berlin, repeated.from)).toEqual(repeated);
  expect(repeatedAround(berlin, repeated.to - 1)).toEqual(repeated);
  expect(repeatedAround(berlin, repeated.from - 1)).toBeUndefined();
  expect(repeatedAround(berlin, repeated.to)).toBeUndefined();
});

test('a range that ends where the clocks change is one stretch', () => {
  const change = at('2025-10-26T01:00:00Z');
  expect(zoneOf('Europe/Berlin').stretches({ from: change - DAY, to: change })).toEqual([
    { from: change - DAY, to: change, offset: 2 * HOUR },
  ]);
});

test('a window of a year is asked in one part, except for the hours of its changes', () => {
  const year = localWindows(zoneOf('Europe/Berlin'), {
    from: at('2025-01-01T00:00:00Z'),
    to: at('2026-01-01T00:00:00Z'),
  });
  expect(year).toHaveLength(1);
  expect(totalLength(year)).toBe(365 * DAY);
});

test('a million local times take no look into the calendar each', () => {
  const zone = zoneOf('Europe/Berlin');
  const begin = parseLocal('2025-10-25T00:00:00') ?? NaN;
  const known = new Set<object>();
  for (let second = 0; second < 1_000_000; second += 1) known.add(zone.localStretchAt(begin + second * SECOND));
  // Eleven and a half days, one of them in three stretches.
  expect(known.size).toBe(14);
});

test('the answers of fifty years are remembered, but not those of all time', () => {
  const zone = zoneOf('Etc/GMT-3');
  const years = (count: number): object[] =>
    Array.from({ length: count * 365 }, (_, day) => zone.localStretchAt(day * DAY));
  const fifty = years(50);
  expect(years(50).every((stretch, day) => stretch === fifty[day])).toBe(true);
  years(150);
  expect(zone.localStretchAt(0)).toEqual(fifty[0]);
  expect(zone.localStretchAt(0)).not.toBe(fifty[0]);
});

test('a zone is opened once', () => {
  expect(zoneOf('Asia/Tokyo')).toBe(zoneOf('Asia/Tokyo'));
});

test('a local time is a text without a zone', () => {
  expect(parseLocal('2025-10-26T02:30:00.25')).toBe(at('2025-10-26T02:30:00.25Z'));
  for (const text of ['2025-10-26T02:30:00Z', '2025-10-26T02:30:00+01:00', '2025-02-30T00:00:00', 'now'])
    expect(parseLocal(text)).toBeUndefined();
});

test('a zone that does not exist is refused', () => {
  expect(() => zoneOf('Europe/Berln')).toThrow(expect.objectContaining({ code: 'config-invalid' }));
});
