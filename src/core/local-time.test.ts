import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesIn, oracleInstants } from '../../test/kit/time-changes.ts';
import { examplesOf } from './batch.ts';
import type { Batch } from './batch.ts';
import { HOUR, MINUTE, formatInstant, parseInstant, parseLocal } from './instant.ts';
import { AMBIGUOUS_TIME } from './local-time.ts';
import type { LocalTimes } from './local-time.ts';
import { normaliser } from './normalise.ts';
import { edgeOf, settledAt } from './plan.ts';
import { holds } from './window.ts';
import type { Window } from './window.ts';
import { localWindows, zoneOf } from './zone.ts';

const at = (text: string): number => parseInstant(text) ?? NaN;
const berlin = zoneOf('Europe/Berlin');

/** A window as the bridge reads it from a platform that has a point at each of these local times; the value is its place. */
function read(locals: readonly number[], window: Window, localTimes: LocalTimes): Batch {
  const pages = normaliser({
    rules: {
      booleans: 'refuse',
      bad: 'refuse',
      localTimes,
      series: (sensorId, valueName) => ({ sensorId, valueName, scale: 1, offset: 0, labels: [] }),
    },
    window,
    maxReadings: Infinity,
  });
  for (const part of localWindows(localTimes.zone, window)) {
    const found = [...locals.entries()].filter(([, local]) => holds(part, local));
    pages.take({
      sensor: 's',
      variable: 'x',
      at: found.map(([, local]) => local),
      values: found.map(([place]) => place),
    });
  }
  return pages.seal();
}

const dst = fc.constantFrom('earlier', 'later', 'refuse');

const scene = fc
  .record({
    zone: fc.constantFrom(
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'America/Santiago',
      'Asia/Tehran',
    ),
    year: fc.integer({ min: 2005, max: 2027 }),
    pick: fc.nat(9),
    dst,
    locals: fc.uniqueArray(fc.integer({ min: -5 * 3600, max: 5 * 3600 }), { minLength: 1, maxLength: 25 }),
    cuts: fc.array(fc.integer({ min: -4 * 3600, max: 4 * 3600 }), { maxLength: 12 }),
  })
  .map(({ zone, year, pick, locals, cuts, ...rest }) => {
    const changes = changesIn(zone, year);
    const middle = changes[pick % changes.length] ?? at(`${year}-07-01T00:00:00Z`);
    const local = middle + zoneOf(zone).offsetAt(middle);
    const bounds = [-24 * 3600, ...cuts.toSorted((one, other) => one - other), 24 * 3600];
    return {
      ...rest,
      zone,
      locals: locals.map((seconds) => local + seconds * 1_000_000),
      windows: bounds
        .slice(1)
        .map((to, index) => ({ from: middle + (bounds[index] ?? 0) * 1_000_000, to: middle + to * 1_000_000 }))
        .filter(({ from, to }) => from < to),
    };
  });

describe('local times', () => {
  test('become one reading or one refusal each, in whatever windows they are asked, over zones and years', () =>
    fc.assert(
      fc.property(scene, ({ zone, locals, windows, dst: choice }) => {
        const batches = windows.map((window) => read(locals, window, { zone: zoneOf(zone), dst: choice }));
        const readings = batches.flatMap(({ columns }) =>
          columns.flatMap(({ segments }) =>
            segments.flatMap((segment) =>
              segment.at.map((instant, index) => [segment.value[index], instant, ...segment.labels].join(' ')),
            ),
          ),
        );
        const expected = locals.flatMap((local, place) => {
          const instants = oracleInstants(zone, local);
          const instant = choice === 'later' ? instants.at(-1) : instants[0];
          if (instant === undefined || (instants.length > 1 && choice === 'refuse')) return [];
          return [[place, instant, ...(instants.length > 1 ? [AMBIGUOUS_TIME] : [])].join(' ')];
        });
        expect(readings.toSorted()).toEqual(expected.toSorted());
        const refused = (reason: 'local-time-missing' | 'local-time-repeated'): number =>
          batches.reduce((sum, batch) => sum + (batch.refused.get(reason) ?? 0), 0);
        const shown = (times: number): number =>
          locals.filter((local) => oracleInstants(zone, local).length === times).length;
        expect(refused('local-time-missing')).toBe(shown(0));
        expect(refused('local-time-repeated')).toBe(choice === 'refuse' ? shown(2) : 0);
        expect(batches.reduce((sum, batch) => sum + batch.outside, 0)).toBe(0);
      }),
      { numRuns: 150 },
    ));

  test('that never existed or are taken for no instant are shown to an operator as they are', () => {
    const locals = ['2025-03-30T02:30:00', '2025-10-26T02:15:00.5'].map((text) => parseLocal(text) ?? NaN);
    const whole = { from: at('2025-01-01T00:00:00Z'), to: at('2026-01-01T00:00:00Z') };
    const { refusals } = read(locals, whole, { zone: berlin, dst: 'refuse' });
    const examples = examplesOf(refusals);
    expect(new Set(examples.map(({ at: instant, raw, reason }) => `${instant} ${raw} ${reason}`))).toEqual(
      new Set([
        'undefined 2025-03-30T02:30:00 local-time-missing',
        'undefined 2025-10-26T02:15:00.500 local-time-repeated',
      ]),
    );
    // Windows that end elsewhere find them in the same places.
    expect(refusals.map(({ places }) => places.map((place) => formatInstant(place)))).toEqual([
      ['2025-03-30T01:30:00Z'],
      ['2025-10-26T00:15:00.500Z'],
    ]);
  });

  test('keep the quality and the labels of their points', () => {
    const pages = normaliser({
      rules: {
        booleans: 'refuse',
        bad: 'refuse',
        qualities: { good: 100, uncertain: 50 },
        localTimes: { zone: berlin, dst: 'later' },
        series: (sensorId, valueName) => ({ sensorId, valueName, scale: 1, offset: 0, labels: [] }),
      },
      window: { from: at('2025-10-26T00:00:00Z'), to: at('2025-10-26T04:00:00Z') },
      maxReadings: 9,
    });
    pages.take({
      sensor: 's',
      variable: 'x',
      at: ['never', '2025-10-26T02:30:00', '2025-10-26T03:30:00'].map((text) => parseLocal(text) ?? NaN),
      rawInstants: ['never', '2025-10-26T02:30:00', '2025-10-26T03:30:00'],
      values: [1, 2, 3],
      quality: ['good', 'uncertain', 'good'],
      labels: ['hall'],
    });
    const { columns, refusals } = pages.seal();
    expect(columns[0]?.segments).toEqual([
      { at: [at('2025-10-26T01:30:00Z')], value: [2], precision: [50], labels: [AMBIGUOUS_TIME, 'hall'] },
      { at: [at('2025-10-26T02:30:00Z')], value: [3], precision: [100], labels: ['hall'] },
    ]);
    expect(examplesOf(refusals)).toMatchObject([{ raw: 'never', reason: 'bad-instant' }]);
  });
});

describe('the edge of a source with local times', () => {
  const policy = { settle: 0, align: MINUTE, zone: berlin };
  const edge = (text: string): string => formatInstant(edgeOf(policy, at(text)));

  test('waits before the hour of autumn that is shown twice, until it was shown twice', () => {
    expect(edge('2025-10-25T23:59:30Z')).toBe('2025-10-25T23:59:00Z');
    expect(edge('2025-10-26T00:30:00Z')).toBe('2025-10-26T00:00:00Z');
    expect(edge('2025-10-26T01:59:59Z')).toBe('2025-10-26T00:00:00Z');
    expect(edge('2025-10-26T02:00:00Z')).toBe('2025-10-26T02:00:00Z');
    expect(edge('2025-03-30T01:30:00Z')).toBe('2025-03-30T01:30:00Z');
  });

  test('reaches an instant exactly when that has settled', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: -3 * 3600, max: 3 * 3600 }),
        fc.constantFrom(0, 17, 7_200),
        fc.constantFrom(1, 45 * MINUTE, HOUR),
        (seconds, settleSeconds, align) => {
          const given = { settle: settleSeconds * 1_000_000, align, zone: berlin };
          const instant = at('2025-10-26T01:00:00Z') + seconds * 1_000_000;
          const settled = settledAt(given, instant);
          expect(edgeOf(given, settled)).toBeGreaterThanOrEqual(instant);
          expect(edgeOf(given, settled - 1)).toBeLessThan(instant);
        },
      ),
    ));
});
