import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { examplesOf } from './batch.ts';
import type { Batch } from './batch.ts';
import { BridgeError } from './errors.ts';
import { normaliser } from './normalise.ts';
import type { Rules, SeriesRule } from './normalise.ts';
import { understood } from '../../test/kit/normalise-oracle.ts';
import type { RefusalReason } from './reading.ts';
import { state } from './samples.ts';
import type { Samples } from './samples.ts';

const SPAN = 24;
const window = { from: 4, to: 20 };
const around = fc.constantFrom(window, { from: 3, to: 20 }, { from: 2, to: 22 });

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(1, 2.5, -3, 0) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      -0,
      NaN,
      Infinity,
      1e308,
      2n ** 60n,
      null,
      undefined,
      true,
      false,
      '',
      '7',
      'x',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>([1], { a: 1 }, Symbol.iterator) },
);
const instant = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: SPAN }) },
  { weight: 1, arbitrary: fc.constantFrom(NaN, 5.5, Infinity, -Infinity) },
);
const qualities = { good: 100, uncertain: 50, substituted: 75, 192: 100, bad: 'refuse', 0: 'refuse' } as const;
const quality = fc.constantFrom('good', 'uncertain', 'substituted', 192, 'bad', 0, 'Good', 'toString');
const label = fc.constantFrom('b', 'a', 'm', 'bad\n', '');

const page: fc.Arbitrary<Samples> = fc
  .record({
    sensor: fc.constantFrom('s', 't'),
    variable: fc.constantFrom('x', 'y'),
    points: fc.array(fc.tuple(instant, value, quality), { maxLength: 12 }),
    ascending: fc.boolean(),
    graded: fc.constantFrom('not', 'each', 'all'),
    labels: fc.option(fc.array(label, { maxLength: 2 }), { nil: undefined }),
  })
  .map(({ sensor, variable, points, ascending, graded, labels }) => {
    const ordered = ascending ? points.toSorted(([one], [other]) => one - other) : points;
    return {
      sensor,
      variable,
      at: ordered.map(([at]) => at),
      values: ordered.map(([, raw]) => raw),
      ...(graded === 'each' ? { quality: ordered.map(([, , grade]) => grade) } : {}),
      ...(graded === 'all' ? { quality: ordered[0]?.[2] ?? 'good' } : {}),
      ...(labels === undefined ? {} : { labels }),
    } as Samples;
  });

const seriesRule: fc.Arbitrary<SeriesRule> = fc.record({
  sensorId: fc.constant('S'),
  valueName: fc.constantFrom('v', 'w'),
  scale: fc.constantFrom(1, 1, 10, -0.5),
  offset: fc.constantFrom(0, 0, -0, 7, -2.5),
  labels: fc.constantFrom<readonly string[]>([], ['m']),
});
const rules: fc.Arbitrary<Rules> = fc
  .record({
    booleans: fc.constantFrom('refuse', 'number'),
    bad: fc.constantFrom('refuse', 'keep'),
    table: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: seriesRule as fc.Arbitrary<SeriesRule | RefusalReason | undefined> },
        { weight: 1, arbitrary: fc.constantFrom<RefusalReason | undefined>('name-collision', undefined) },
      ),
      { minLength: 4, maxLength: 4 },
    ),
  })
  .map(({ booleans, bad, table }) => ({
    booleans,
    bad,
    qualities,
    series: (sensor, variable) => table[(sensor === 's' ? 0 : 2) + (variable === 'x' ? 0 : 1)],
  }));

/** Where the refused points of a batch stand: `sensor variable reason place`. */
const placesOf = ({ refusals }: Batch): string[] =>
  refusals
    .flatMap(({ sensor, variable, reason, places }) =>
      places.map((place) => `${sensor} ${variable} ${reason} ${place}`),
    )
    .toSorted();

function taken(given: { pages: readonly Samples[]; rules: Rules; asked: typeof window }): Batch {
  const normalising = normaliser({ ...given, window, maxReadings: Infinity });
  for (const samples of given.pages) normalising.take(samples);
  return normalising.seal();
}

describe('normalising a window', () => {
  const given = fc.record({ pages: fc.array(page, { maxLength: 6 }), rules, asked: around });

  test('makes of every sample one reading, one refusal or one counted sample that was dropped, as the naive oracle does', () =>
    fc.assert(
      fc.property(given, (each) => {
        const expected = understood(each, window, each.asked);
        const batch = taken(each);
        const readings = batch.columns.flatMap(({ sensorId, valueName, segments }) =>
          segments.flatMap(({ at, value: values, precision, labels }) =>
            at.map((instantOf, index) => ({
              series: `${sensorId}.${valueName}`,
              at: instantOf,
              value: values[index],
              precision: precision?.[index],
              labels: [...labels],
            })),
          ),
        );
        expect(
          readings.toSorted((one, other) => (one.series < other.series ? -1 : one.series > other.series ? 1 : 0)),
        ).toStrictEqual(expected.readings);
        expect(batch.readings).toBe(expected.readings.length);
        expect(batch.repeats).toBe(expected.repeats);
        expect(batch.outside).toBe(expected.outside);
        expect(batch.unchosen).toBe(expected.unchosen);
        expect(batch.refused).toEqual(expected.refused);
        expect(placesOf(batch)).toEqual(expected.places.toSorted());
        expect(readings.every((reading) => Number.isFinite(reading.value) && !Object.is(reading.value, -0))).toBe(true);
      }),
      { numRuns: 3_000 },
    ));

  test('has each series once and shows only what it counted', () =>
    fc.assert(
      fc.property(given, (each) => {
        const { columns, refusals } = taken(each);
        expect(new Set(columns.map(({ sensorId, valueName }) => `${sensorId}.${valueName}`)).size).toBe(columns.length);
        for (const { places, examples } of refusals) {
          expect(examples.length).toBeLessThanOrEqual(Math.min(5, places.length));
          expect(examples[0]?.place).toBe(places[0]);
          expect(examples.at(-1)?.place).toBe(places.at(-1));
        }
      }),
    ));
});

describe('what an operator finds', () => {
  const keeping: Rules = {
    booleans: 'refuse',
    bad: 'refuse',
    qualities,
    series: (sensorId, valueName) => ({ sensorId, valueName, scale: 1, offset: 0, labels: [] }),
  };
  const normalise = (pages: readonly Samples[]): Batch => {
    const normalising = normaliser({
      rules: keeping,
      window: { from: 0, to: 1_000 },
      maxReadings: Infinity,
    });
    for (const samples of pages) normalising.take(samples);
    return normalising.seal();
  };

  test('is the raw value in short, also of what has no JSON', () => {
    const raw = (single: unknown): string | undefined =>
      normalise([{ sensor: 's', variable: 'x', at: [1], values: [single] }]).refusals[0]?.examples[0]?.raw;
    expect(raw('No Data')).toBe('"No Data"');
    expect(raw(2n ** 64n)).toBe('18446744073709551616');
    expect(raw(undefined)).toBe('nothing');
    expect(raw([1, 2])).toBe('[1,2]');
    expect(raw(Symbol.iterator)).toBe('symbol');
    expect(raw('x'.repeat(1_000))).toHaveLength(200);
  });

  test('is the state that a platform reports instead of a value, each time, whatever its quality', () => {
    const off: Samples = {
      sensor: 's',
      variable: 'x',
      at: [1, 2, 3],
      values: [state('No Data', 248), 5, state('Shutdown')],
      quality: ['bad', 'good', 'bad'],
    };
    const batch = normalise([off]);
    expect(batch.readings).toBe(1);
    expect([...batch.refused]).toEqual([['system-state', 2]]);
    expect(examplesOf(batch.refusals).map(({ at, raw, reason }) => [at, raw, reason])).toEqual([
      [1, 'No Data (248)', 'system-state'],
      [3, 'Shutdown', 'system-state'],
    ]);
  });

  test('is a quality that is not known, with its value', () => {
    const batch = normalise([
      { sensor: 's', variable: 'x', at: [1, 2], values: [5, 6], quality: ['Sehr gut', 'good'] },
    ]);
    expect(batch.readings).toBe(1);
    expect(examplesOf(batch.refusals)).toMatchObject([
      { at: 1, raw: 'quality "Sehr gut" of 5', reason: 'unknown-quality' },
    ]);
  });

  test('is the text of an instant that could not be read', () => {
    const { refusals } = normalise([
      { sensor: 's', variable: 'x', at: [NaN], values: [1], rawInstants: ['yesterday'] },
    ]);
    const [example] = examplesOf(refusals);
    expect(refusals[0]?.places).toEqual([0]);
    expect(example).toEqual({ sensor: 's', variable: 'x', at: undefined, raw: 'yesterday', reason: 'bad-instant' });
  });

  test('is each value that another one of the same instant replaced, as the platform gave it', () => {
    const scaled: Rules = {
      ...keeping,
      series: () => ({ sensorId: 'pump 7', valueName: 'axis_x', scale: 10, offset: 1, labels: [] }),
    };
    const normalising = normaliser({ rules: scaled, window: { from: 0, to: 9 }, maxReadings: 9 });
    normalising.take({ sensor: 's', variable: 'axis x', at: [4, 4, 4], values: [1.5, 2.5, 3.5] });
    normalising.take({ sensor: 's', variable: 'axis x', at: [3, 4], values: [7, 2.5] });
    const { columns, readings, repeats, refused, refusals } = normalising.seal();
    expect(columns[0]?.segments).toMatchObject([{ at: [3, 4], value: [71, 26] }]);
    expect({ readings, repeats }).toEqual({ readings: 2, repeats: 1 });
    expect([...refused]).toEqual([['same-instant', 2]]);
    const shared = { sensor: 's', variable: 'axis x', at: 4, reason: 'same-instant' };
    expect(examplesOf(refusals)).toEqual([
      { ...shared, raw: '1.5' },
      { ...shared, raw: '3.5' },
    ]);
  });

  test('is a spectrum once, and each instant of it', () => {
    const spectra: Samples = { sensor: 's', variable: 'x', at: [1, 2, 3, 4], values: [[1], [2], [3], [4]] };
    const { refused, refusals } = normalise([spectra]);
    expect(refused.get('not-a-scalar')).toBe(1);
    expect(refusals[0]?.places).toEqual([1, 2, 3, 4]);
  });
});

test('a state becomes a number only by the mapping of its variable, before factor and offset', () => {
  const states = { Open: 1, Closed: 0 };
  const rule: SeriesRule = { sensorId: 's', valueName: 'x', scale: 10, offset: 5, states, labels: [] };
  const normalising = normaliser({
    rules: { booleans: 'refuse', bad: 'refuse', series: () => rule },
    window,
    maxReadings: 9,
  });
  const values = [state('Open', 2), state('Closed'), state('toString'), state('open')];
  normalising.take({ sensor: 's', variable: 'x', at: [5, 6, 7, 8], values });
  const batch = normalising.seal();
  expect(batch.columns[0]?.segments[0]?.value).toEqual([15, 5]);
  expect([...batch.refused]).toEqual([['system-state', 2]]);
});

test('a window that outgrows the buffer is too much, counting what is thrown away too', () => {
  const unwanted: Rules = { booleans: 'refuse', bad: 'refuse', series: () => undefined };
  const normalising = normaliser({ rules: unwanted, window, maxReadings: 3 });
  const two: Samples = { sensor: 's', variable: 'x', at: [5, 6], values: [1, 2] };
  normalising.take(two);
  const error = (() => {
    try {
      normalising.take(two);
    } catch (thrown) {
      return thrown;
    }
    return undefined;
  })();
  expect(error).toBeInstanceOf(BridgeError);
  expect(error).toMatchObject({ code: 'too-much' });
});

test('a usual page is taken without a copy', () => {
  const rule: SeriesRule = { sensorId: 's', valueName: 'x', scale: 1, offset: 0, labels: [] };
  const normalising = normaliser({
    rules: { booleans: 'refuse', bad: 'refuse', series: () => rule },
    window,
    maxReadings: 9,
  });
  const values = [1, 2];
  normalising.take({ sensor: 's', variable: 'x', at: [5, 6], values });
  expect(normalising.seal().columns[0]?.segments[0]?.value).toBe(values);
});
