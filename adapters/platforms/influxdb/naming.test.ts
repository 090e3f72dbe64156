import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renamed, seriesNaming, tagsOf } from './naming.ts';
import { influxOptions } from './options.ts';
import type { InfluxOptions } from './options.ts';
import type { Series } from './series-name.ts';

const plain = influxOptions.parse({ database: 'plant' });
const byTag = influxOptions.parse({ database: 'plant', sensorTag: 'sensor' });
const without = influxOptions.parse({ database: 'plant', ignoreTags: ['firmware'] });
const series: Series = {
  measurement: 'temp',
  tags: [
    ['sensor', 'S,1'],
    ['firmware', '1.2'],
  ],
};

describe('sensor and variable', () => {
  test('by default the sensor is named by measurement and all tags', () => {
    const { sensor, labels, variable } = seriesNaming(series, plain);
    expect([sensor, labels, variable('value')]).toEqual([String.raw`temp,firmware=1.2,sensor=S\,1`, [], 'value']);
  });

  test('an ignored tag becomes a label', () => {
    const { sensor, labels, variable } = seriesNaming(series, without);
    expect([sensor, labels, variable('value')]).toEqual([String.raw`temp,sensor=S\,1`, ['firmware=1.2'], 'value']);
  });

  test('one tag names the sensor, and the measurement moves to the variable', () => {
    const { sensor, labels, variable } = seriesNaming(series, byTag);
    expect([sensor, labels, variable('value')]).toEqual([String.raw`S\,1`, ['firmware=1.2'], 'temp.value']);
  });

  test('a dot in the measurement differs from the dot before the field', () => {
    const { variable } = seriesNaming({ measurement: 'a.b', tags: [['sensor', 'S1']] }, byTag);
    expect(variable('c')).toBe(String.raw`a\.b.c`);
  });

  test('a series without that tag keeps a name of its own', () => {
    const { sensor, variable } = seriesNaming({ measurement: 'temp', tags: [['unit', 'C']] }, byTag);
    expect([sensor, variable('value')]).toEqual(['temp,sensor=,unit=C', 'value']);
  });

  test('a label that is too long is left out', () => {
    const long: Series = { measurement: 'temp', tags: [['firmware', 'x'.repeat(200)]] };
    expect(seriesNaming(long, without).labels).toEqual([]);
  });
});

describe('back from the name', () => {
  const word = fc.string({ unit: fc.constantFrom('a', '.', '\\', ',', '=', ' ', '\t'), minLength: 1, maxLength: 4 });
  const dotted = fc.string({ unit: fc.constantFrom('a', '.', '\\'), minLength: 1, maxLength: 3 });
  const key = fc.constantFrom('sensor', 'firmware', 'unit', 'a,b');
  const anySeries = fc.record({
    measurement: word,
    tags: fc.uniqueArray(fc.tuple(key, word), { selector: ([name]) => name }),
  });

  test.each<[string, InfluxOptions]>([
    ['plain', plain],
    ['sensorTag', byTag],
    ['ignoreTags', without],
  ])('%s: the name gives back the tags of the series', (_name, given) => {
    fc.assert(
      fc.property(anySeries, (one) => {
        const { measurement, tags } = tagsOf(seriesNaming(one, given).sensor, given);
        const own = new Map<string, string>(one.tags);
        expect(measurement ?? one.measurement).toBe(one.measurement);
        for (const [name, value] of tags) expect(value).toBe(own.get(name) ?? '');
      }),
    );
  });

  test('under other options is told only where it is right', () => {
    const named = (one: Series, given: InfluxOptions) => {
      const { sensor, variable } = seriesNaming(one, given);
      return { sensor, variable: variable('value') };
    };
    const options = [plain, byTag, without, influxOptions.parse({ database: 'plant', sensorTag: 'unit' })];
    let told = 0;
    fc.assert(
      fc.property(anySeries, fc.constantFrom(...options), fc.constantFrom(...options), (one, before, after) => {
        const { sensor, variable } = named(one, before);
        const found = renamed({ sensor: { id: sensor }, variable }, before, after);
        if (found !== undefined) expect(found).toEqual(named(one, after));
        told += found === undefined ? 0 : 1;
        // Nothing is left out of a name that shows all tags.
        if (before === plain || before === after) expect(found).toBeDefined();
      }),
    );
    expect(told).toBeGreaterThan(20);
  });

  test('two measurements of one sensor never share a variable', () => {
    const variable = (measurement: string, field: string) =>
      seriesNaming({ measurement, tags: [['sensor', 'S1']] }, byTag).variable(field);
    fc.assert(
      fc.property(dotted, dotted, dotted, dotted, (one, field, other, otherField) => {
        if (variable(one, field) === variable(other, otherField)) expect([one, field]).toEqual([other, otherField]);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ['tags in another order', plain, 'temp,b=1,a=2'],
    ['a tag that is ignored', without, 'temp,firmware=1'],
    ['a tag without a value', plain, 'temp,sensor='],
    ['no tags where there should be', plain, 'temp,'],
    ['a value that is not escaped', byTag, 'S,1'],
  ])('%s can never match a series, so it is refused', (_what, given, sensor) => {
    expect(() => tagsOf(sensor, given)).toThrow(
      expect.objectContaining({ fault: { code: 'config-invalid', path: 'sensors' } }),
    );
  });
});

describe('options', () => {
  test('have defaults', () => {
    expect(plain).toEqual({ database: 'plant', chunkSize: 10_000, skipStringFields: false });
  });

  test.each([
    {},
    { database: '' },
    { database: 'plant', chunkSize: 50_001 },
    { database: 'plant', measurements: [] },
    { database: 'plant', ignoreTags: ['a', 'a'] },
    { database: 'plant', sensorTag: 'a', ignoreTags: ['b'] },
    { database: 'plant', db: 'plant' },
  ])('%j are refused', (given) => {
    expect(influxOptions.safeParse(given).success).toBe(false);
  });
});
