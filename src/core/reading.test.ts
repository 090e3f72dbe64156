import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, LAST_INSTANT, formatInstant, parseInstant } from './instant.ts';
import {
  REFUSALS,
  judgeInstant,
  judgeLabels,
  judgePrecision,
  judgeSensorId,
  judgeValue,
  judgeValueName,
} from './reading.ts';

const refuse = { booleans: 'refuse' } as const;
const NOW = parseInstant('2026-11-21T08:00:00Z') ?? NaN;

describe('a value', () => {
  test('is any finite number, unchanged', () =>
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(judgeValue(value, refuse)).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 1_000 },
    ));

  test('is never made from another type', () =>
    fc.assert(
      fc.property(fc.anything(), (value) => {
        fc.pre(typeof value !== 'number');
        expect(Object.keys(REFUSALS)).toContain(judgeValue(value, refuse));
      }),
      { numRuns: 1_000 },
    ));

  test('-0 is stored as 0', () => {
    expect(Object.is(judgeValue(-0, refuse), 0)).toBe(true);
  });

  test.each([
    [JSON.parse('1e999'), 'not-finite'],
    [NaN, 'not-finite'],
    [-Infinity, 'not-finite'],
    [null, 'null'],
    [undefined, 'no-value'],
    [true, 'boolean'],
    ['', 'not-a-number'],
    ['No Data', 'not-a-number'],
    ['NaN', 'not-a-number'],
    ['0x10', 'not-a-number'],
    ['12', 'text-number'],
    [' -1.5e3 ', 'text-number'],
    ['1,5', 'text-number'],
    ['.5', 'text-number'],
    [[1], 'not-a-scalar'],
    [{ Name: 'Off', Value: 0 }, 'not-a-scalar'],
  ])('%o is refused: %s', (value, reason) => {
    expect(judgeValue(value, refuse)).toBe(reason);
  });

  test('is made from a boolean only where the source says so', () => {
    expect([true, false].map((value) => judgeValue(value, { booleans: 'number' }))).toEqual([1, 0]);
    expect(judgeValue(null, { booleans: 'number' })).toBe('null');
    expect(judgeValue('true', { booleans: 'number' })).toBe('not-a-number');
  });
});

describe('names', () => {
  test.each(['a', 'Pump 7/ÖL', ' ', '温度', 'x'.repeat(256), '😀'.repeat(256)])('%j is a sensorId', (id) => {
    expect(judgeSensorId(id)).toBe(id);
  });

  test.each([
    ['', undefined, null, 7, {}, 'x'.repeat(257), '😀'.repeat(257)],
    ['a\nb', '\u0000', 'a\u007f', '\u0085', '\ud800', 'a\udc00b'],
  ])('texts that are not a sensorId are refused', (...ids) => {
    for (const id of ids) expect(judgeSensorId(id)).toEqual({ refused: 'bad-sensor-id' });
  });

  test('a valueName is letters, digits and underscores; without one it is "none"', () => {
    expect(judgeValueName(undefined)).toBe('none');
    for (const good of ['x', 'AXIS_1', '_', '0', 'x'.repeat(128)]) expect(judgeValueName(good)).toBe(good);
    for (const bad of ['', 'a b', 'é', 'a-b', 'x\n', 'x'.repeat(129), 1]) {
      expect(judgeValueName(bad)).toEqual({ refused: 'bad-value-name' });
    }
  });
});

test('a precision is a whole number from 0 to 100', () => {
  for (const good of [undefined, 0, 50, 100]) expect(judgePrecision(good)).toBe(good);
  expect(Object.is(judgePrecision(-0), 0)).toBe(true);
  for (const bad of [-1, 101, 99.5, NaN, '50', true, [50]]) expect(judgePrecision(bad)).toBe('bad-precision');
});

describe('labels', () => {
  test('are sorted and kept once each', () =>
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,2}$/), { maxLength: 32 }), (labels) => {
        const judged = judgeLabels(labels);
        expect(judged).toEqual([...new Set(labels)].sort());
        expect(judgeLabels(labels.toReversed())).toEqual(judged);
      }),
    ));

  test('are refused where one is not a text or there are too many', () => {
    expect(judgeLabels(undefined)).toEqual([]);
    for (const bad of ['a', {}, [''], [1], ['a', null], ['x'.repeat(129)], ['a\n'], ['\udc00']]) {
      expect(judgeLabels(bad)).toBe('bad-label');
    }
    const labels = Array.from({ length: 33 }, (_, index) => `label ${index}`);
    expect(judgeLabels(labels)).toBe('too-many-labels');
    expect(judgeLabels(labels.slice(1))).toHaveLength(32);
  });
});

describe('an instant', () => {
  test('as a number or as text is accepted up to a day ahead', () =>
    fc.assert(
      fc.property(fc.integer({ min: NOW - 20_000 * DAY, max: NOW + 2 * DAY }), (instant) => {
        const expected = instant > NOW + DAY ? 'in-the-future' : instant;
        expect(judgeInstant(instant, { now: NOW })).toBe(expected);
        expect(judgeInstant(formatInstant(instant), { now: NOW })).toBe(expected);
      }),
      { numRuns: 500 },
    ));

  test.each([
    ['2026-11-21', 'date-without-time'],
    ['2026-02-30T00:00:00Z', 'bad-instant'],
    ['yesterday', 'bad-instant'],
    ['', 'bad-instant'],
    [NaN, 'bad-instant'],
    [Infinity, 'bad-instant'],
    [0.5, 'bad-instant'],
    [LAST_INSTANT + 1, 'bad-instant'],
    ['2026-11-22T08:00:00.000001Z', 'in-the-future'],
  ])('%j is refused: %s', (date, reason) => {
    expect(judgeInstant(date, { now: NOW })).toBe(reason);
  });

  test('may lie further ahead where the setting says so', () => {
    expect(judgeInstant(NOW + HOUR, { now: NOW, ahead: HOUR })).toBe(NOW + HOUR);
    expect(judgeInstant(NOW + HOUR, { now: NOW, ahead: HOUR - 1 })).toBe('in-the-future');
  });

  test('is refused before what its project keeps, and taken from there on', () => {
    const clock = { now: NOW, keptFrom: NOW - HOUR };
    expect(judgeInstant(NOW - HOUR, clock)).toBe(NOW - HOUR);
    expect(judgeInstant(formatInstant(NOW - HOUR - 1), clock)).toBe('not-kept');
    expect(judgeInstant(NOW - HOUR - 1, { now: NOW })).toBe(NOW - HOUR - 1);
  });
});

test('every reason has a sentence', () => {
  for (const sentence of Object.values(REFUSALS)) expect(sentence).toMatch(/^[A-Z].*\.$/);
});
