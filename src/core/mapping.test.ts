import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { givenNames, rulesOf } from './mapping.ts';
import type { GivenName, Mapping } from './mapping.ts';
import type { SensorChoice } from './source/source.ts';

const mapping = { booleans: 'refuse', bad: 'refuse', labels: [], dst: 'earlier' } as const;
const rules = (sensors: 'all' | readonly SensorChoice[] = 'all', labels: string[] = []) =>
  rulesOf({ sensors, mapping: { ...mapping, labels } });
const plain = { scale: 1, offset: 0 };

describe('a mapping', () => {
  test('leaves the names of the platform unchanged, except characters a valueName may not hold', () => {
    const { series } = rules();
    expect(series('Hall 3/Pump', 'temp °C')).toEqual({
      sensorId: 'Hall 3/Pump',
      valueName: 'temp__C',
      ...plain,
      labels: [],
    });
    expect(series('s', '')).toMatchObject({ valueName: 'none' });
  });

  test('tells the name of a variable without rules, and of one that is not chosen or can have none nothing', () => {
    const nameOf = givenNames([{ id: 's', as: 'pump', values: { t: { as: 'temperature', scale: 1, offset: 0 } } }]);
    expect(nameOf('s', 't')).toEqual({ sensorId: 'pump', valueName: 'temperature' });
    expect(nameOf('s', 'p 1')).toEqual({ sensorId: 'pump', valueName: 'p_1' });
    expect(nameOf('other', 't')).toBeUndefined();
    expect(givenNames('all')('other', 't')).toEqual({ sensorId: 'other', valueName: 't' });
    expect(givenNames('all')('', 't')).toBeUndefined();
  });

  test('renames, scales and labels where the source says so', () => {
    const { series } = rules(
      [
        {
          id: 's',
          as: 'pump',
          values: {
            t: { as: 'temperature', scale: 0.1, offset: -40, unit: '°C', labels: ['hall 3', 'plant'] },
            p: { scale: 1, offset: 0, unit: 'bar' },
          },
        },
      ],
      ['plant', '°C'],
    );
    expect(series('s', 't')).toEqual({
      sensorId: 'pump',
      valueName: 'temperature',
      scale: 0.1,
      offset: -40,
      labels: ['hall 3', 'plant', '°C'],
    });
    expect(series('s', 'p')).toMatchObject({ labels: ['bar', 'plant', '°C'] });
    expect(series('s', 'other')).toMatchObject({ sensorId: 'pump', valueName: 'other', ...plain });
  });

  test('gives states the numbers of the source', () => {
    const { series } = rules([{ id: 's', values: { valve: { scale: 1, offset: 0, states: { Open: 1 } } } }]);
    expect(series('s', 'valve')).toMatchObject({ states: { Open: 1 } });
  });

  test('has no rule for sensors the source did not choose', () => {
    expect(rules([{ id: 's' }]).series('t', 'x')).toBeUndefined();
  });

  test('refuses names that are not valid', () => {
    const { series } = rules();
    expect(series('bell\u0007', 'x')).toBe('bad-sensor-id');
    expect(series('', 'x')).toBe('bad-sensor-id');
    expect(series('s', 'x'.repeat(129))).toBe('bad-value-name');
    // Also where sensor and variable joined would read like a valid pair.
    expect(series('a\nb', 'c')).toBe('bad-sensor-id');
    expect(series('a', 'b\nc')).toMatchObject({ sensorId: 'a', valueName: 'b_c' });
  });

  test('lets the first of two variables keep a name, of one sensor or of two', () => {
    const within = rules();
    expect(within.series('s', 'a b')).toMatchObject({ valueName: 'a_b' });
    expect(within.series('s', 'a_b')).toBe('name-collision');
    expect(within.series('s', 'a b')).toMatchObject({ valueName: 'a_b' });
    const over = rules([
      { id: 's', as: 'pump' },
      { id: 't', as: 'pump' },
    ]);
    expect(over.series('s', 'x')).toMatchObject({ sensorId: 'pump' });
    expect(over.series('t', 'x')).toBe('name-collision');
    expect(over.series('t', 'y')).toMatchObject({ sensorId: 'pump', valueName: 'y' });
  });

  test('gives a name to the variable that had it first in another process', () => {
    const mapped = rules();
    expect(mapped.series('s', 'a b')).toMatchObject({ valueName: 'a_b' });
    expect(mapped.series('s', 'a-b')).toBe('name-collision');
    const holder = JSON.stringify(['s', 'a b']);
    expect(mapped.unconfirmed()).toEqual([{ sensorId: 's', valueName: 'a_b', holder }]);
    mapped.confirm([{ sensorId: 's', valueName: 'a_b', holder: JSON.stringify(['s', 'a-b']), owned: true }]);
    expect(mapped.corrections).toBe(1);
    expect(mapped.unconfirmed()).toEqual([]);
    expect(mapped.series('s', 'a b')).toBe('name-collision');
    expect(mapped.series('s', 'a-b')).toMatchObject({ valueName: 'a_b' });
    mapped.confirm([{ sensorId: 's', valueName: 'a_b', holder: JSON.stringify(['s', 'a-b']), owned: true }]);
    expect(mapped.corrections).toBe(1);
  });

  test('keeps a name for a variable that this process has not seen yet', () => {
    const mapped = rules();
    mapped.confirm([{ sensorId: 's', valueName: 'a_b', holder: JSON.stringify(['s', 'a-b']), owned: true }]);
    expect(mapped.corrections).toBe(0);
    expect(mapped.series('s', 'a b')).toBe('name-collision');
  });

  const name = fc.string({ unit: fc.constantFrom('a', '_', ' ', '\n', '"', ','), maxLength: 4 });

  test('gives a name to the same variable in two processes, in any order of their questions', () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ process: fc.nat(1), sensor: name, variable: name, keep: fc.boolean() }), {
          maxLength: 40,
        }),
        (steps) => {
          const processes = [rules(), rules()];
          const table = new Map<string, GivenName>();
          for (const { process, sensor, variable, keep } of steps) {
            const mapped = processes[process] as Mapping;
            mapped.series(sensor, variable);
            if (!keep) continue;
            for (const given of mapped.unconfirmed()) {
              const key = JSON.stringify([given.sensorId, given.valueName]);
              if (!table.has(key)) table.set(key, given);
              mapped.confirm([{ ...(table.get(key) as GivenName), owned: true }]);
            }
            // Every other process comes to the confirmed holders, too.
            const rule = mapped.series(sensor, variable);
            const holder = JSON.stringify([sensor, variable]);
            if (typeof rule === 'object')
              expect(table.get(JSON.stringify([rule.sensorId, rule.valueName]))?.holder).toBe(holder);
          }
        },
      ),
      { numRuns: 500 },
    ));

  test('never makes two variables one series, and gives each the same rule every time', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name), { maxLength: 30 }), (asked) => {
        const { series } = rules();
        const holders = new Map<string, string>();
        const said = new Map<string, string>();
        for (const [sensor, variable] of asked) {
          const who = JSON.stringify([sensor, variable]);
          const rule = series(sensor, variable);
          const what = JSON.stringify(rule);
          expect(said.get(who) ?? what).toBe(what);
          said.set(who, what);
          if (typeof rule !== 'object') continue;
          expect(rule.sensorId).toBe(sensor);
          const key = JSON.stringify([rule.sensorId, rule.valueName]);
          expect(holders.get(key) ?? who).toBe(who);
          holders.set(key, who);
        }
      }),
      { numRuns: 500 },
    ));
});
