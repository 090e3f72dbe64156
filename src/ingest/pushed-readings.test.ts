import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, parseInstant } from '../core/instant.ts';
import {
  judgeInstant,
  judgeLabels,
  judgePrecision,
  judgeSensorId,
  judgeValue,
  judgeValueName,
} from '../core/reading.ts';
import { UNKNOWN_LISTED } from './pushed-fields.ts';
import { REFUSALS_LISTED, judgePushed } from './pushed-readings.ts';
import type { Pushed } from './pushed-readings.ts';

const NOW = parseInstant('2026-11-21T08:00:00Z') ?? NaN;
const clock = { now: NOW };
const DATE = '2026-11-20T08:15:30Z';
const good = { sensorId: 'a', date: DATE, value: 1 };

const linesOf = ({ columns }: Pushed): string[] =>
  columns.flatMap(({ sensorId, valueName, segments }) =>
    segments.flatMap(({ at, value, precision, labels }) =>
      at.map((instant, index) =>
        [sensorId, valueName, instant, value[index], precision?.[index] ?? '-', labels.join(',')].join(' '),
      ),
    ),
  );

describe('a pushed reading', () => {
  it('is refused with the field that is wrong', () => {
    const cases: [unknown, string, string][] = [
      [7, '', 'not-an-object'],
      [null, '', 'not-an-object'],
      [[good], '', 'not-an-object'],
      ['text', '', 'not-an-object'],
      [{ ...good, sensorId: undefined }, '/sensorId', 'bad-sensor-id'],
      [{ ...good, sensorId: 7 }, '/sensorId', 'bad-sensor-id'],
      [{ ...good, sensorId: 'a\0b' }, '/sensorId', 'bad-sensor-id'],
      [{ ...good, valueName: 'a-b' }, '/valueName', 'bad-value-name'],
      [{ ...good, date: undefined }, '/date', 'no-date'],
      [{ ...good, date: null }, '/date', 'no-date'],
      [{ ...good, date: 1_795_000_000_000 }, '/date', 'bad-instant'],
      [{ ...good, date: '2026-11-20' }, '/date', 'date-without-time'],
      [{ ...good, date: '2026-11-22T08:00:00.000001Z' }, '/date', 'in-the-future'],
      [{ ...good, value: undefined }, '/value', 'no-value'],
      [{ ...good, value: '1' }, '/value', 'text-number'],
      [{ ...good, value: true }, '/value', 'boolean'],
      [{ ...good, value: null }, '/value', 'null'],
      [{ ...good, value: JSON.parse('1e999') }, '/value', 'not-finite'],
      [{ ...good, value: [1] }, '/value', 'not-a-scalar'],
      [{ ...good, precision: 99.5 }, '/precision', 'bad-precision'],
      [{ ...good, labels: 'x' }, '/labels', 'bad-label'],
      [{ ...good, labels: [''] }, '/labels', 'bad-label'],
      [{ ...good, labels: Array.from({ length: 33 }, (_, index) => `l${index}`) }, '/labels', 'too-many-labels'],
    ];
    for (const [element, field, reason] of cases) {
      const pushed = judgePushed([good, element], clock);
      expect(pushed).toMatchObject({ readings: 1, refusedCount: 1 });
      expect(pushed.refusals, JSON.stringify(element)).toEqual([{ index: 1, pointer: `/1${field}`, reason }]);
    }
  });

  it('may be at most a day ahead of the clock, or of the limit it is given', () => {
    const ahead = { ...good, date: '2026-11-22T08:00:00Z' };
    expect(judgePushed([ahead], clock).readings).toBe(1);
    expect(judgePushed([ahead], { now: NOW, ahead: DAY - HOUR }).readings).toBe(0);
  });

  it('gets a default name and sorted labels, and no field from its prototype', () => {
    const labelled = { ...good, labels: ['b', 'a', 'b'], precision: 0 };
    const elsewhere = { ...labelled, date: '2026-11-20T09:15:30+01:00' };
    expect(judgePushed([labelled, elsewhere], clock)).toMatchObject({ readings: 1, repeats: 1, refusedCount: 0 });
    const instant = parseInstant(DATE) ?? NaN;
    expect(linesOf(judgePushed([labelled], clock))).toEqual([`a none ${instant} 1 0 a,b`]);
    const poisoned: unknown = JSON.parse(
      `[{"__proto__": {"sensorId": "a", "value": 1}, "date": "${DATE}", "constructor": 1}]`,
    );
    expect(judgePushed(poisoned as unknown[], clock)).toMatchObject({
      refusedCount: 1,
      unknownFields: 2,
      refusals: [{ pointer: '/0/sensorId', reason: 'bad-sensor-id' }],
    });
    expect(({} as { sensorId?: unknown }).sensorId).toBeUndefined();
  });
});

describe('a pushed body', () => {
  it('keeps the last of repeated readings, in any order', () => {
    const at = (second: number, value: number): unknown => ({
      sensorId: 'a',
      date: `2026-11-20T08:15:0${second}Z`,
      value,
    });
    const pushed = judgePushed([at(3, 1), at(1, 2), at(3, 3), at(2, 4), at(1, 5)], clock);
    expect(pushed).toMatchObject({ readings: 3, repeats: 0, refusedCount: 2 });
    expect(pushed.refusals).toEqual([
      { index: 0, pointer: '/0', reason: 'same-instant' },
      { index: 1, pointer: '/1', reason: 'same-instant' },
    ]);
    const values = pushed.columns[0]?.segments.flatMap(({ value }) => value);
    expect(values).toEqual([5, 4, 3]);
  });

  it('lists at most REFUSALS_LISTED refusals and counts all', () => {
    const pushed = judgePushed(Array<unknown>(REFUSALS_LISTED + 5).fill(null), clock);
    expect(pushed.refusals).toHaveLength(REFUSALS_LISTED);
    expect(pushed).toMatchObject({ refusedCount: REFUSALS_LISTED + 5, readings: 0, columns: [] });
  });

  it('takes an equal reading for a repeat, and refuses one with another value, precision or label', () => {
    const graded = { ...good, precision: 50, labels: ['x', 'y'] };
    const pushed = judgePushed(
      [
        { ...graded, labels: ['y', 'x', 'x'] },
        { ...graded, value: 2 },
        { ...graded, precision: 51 },
        { ...graded, labels: ['x'] },
        good,
        { ...graded, date: '2026-11-20T08:15:30.0000009Z' },
      ],
      clock,
    );
    expect(pushed).toMatchObject({ readings: 1, repeats: 1, refusedCount: 4 });
    expect(pushed.refusals.map(({ index }) => index)).toEqual([1, 2, 3, 4]);
  });

  it('lists refusals in the order of the body, also where the rest of the body shows them', () => {
    const bad = { ...good, value: 'x' };
    const { refusals } = judgePushed([bad, good, bad, { ...good, value: 2 }, bad], clock);
    expect(refusals.map(({ index, reason }) => [index, reason])).toEqual([
      [0, 'not-a-number'],
      [1, 'same-instant'],
      [2, 'not-a-number'],
      [4, 'not-a-number'],
    ]);
    const many = [good, ...Array<unknown>(REFUSALS_LISTED).fill(null), { ...good, value: 2 }];
    const pushed = judgePushed(many, clock);
    expect(pushed.refusedCount).toBe(REFUSALS_LISTED + 1);
    expect(pushed.refusals).toHaveLength(REFUSALS_LISTED);
    expect(pushed.refusals[0]).toMatchObject({ index: 0, reason: 'same-instant' });
  });

  it('counts fields that no reading has, and names the first of them once', () => {
    const pushed = judgePushed(
      [
        { ...good, unit: 'mm', plant: 1 },
        { ...good, unit: 1, value: 'x' },
      ],
      clock,
    );
    expect(pushed).toMatchObject({ unknownFields: 3, readings: 1, refusedCount: 1 });
    expect(pushed.unknownFieldNames).toEqual(['unit', 'plant']);
    expect(UNKNOWN_LISTED).toBe(20);
    const names = Array.from({ length: 2 * UNKNOWN_LISTED }, (_, index) => `${'n'.repeat(200)}${index}`);
    const many = judgePushed([{ ...good, ...Object.fromEntries(names.map((name) => [name, 1])) }], clock);
    expect(many.unknownFields).toBe(names.length);
    expect(many.unknownFieldNames).toEqual(Array(UNKNOWN_LISTED).fill('n'.repeat(128)));
  });

  it('refuses a reading with a field that is misspelt, and names the field', () => {
    const { sensorId: _, ...without } = good;
    for (const [field, wrong] of [
      ['valuename', { ...good, valuename: 'axis_x' }],
      ['ValueName', { ...good, ValueName: 'axis_x' }],
      ['value_name', { ...good, value_name: 'axis_x' }],
      ['sensor-id', { ...without, 'sensor-id': 'a' }],
      ['VALUE', { ...good, VALUE: 2 }],
      ['Labels ', { ...good, 'Labels ': ['x'] }],
    ] as [string, unknown][]) {
      const pushed = judgePushed([wrong, { ...good, unit: 1, units: 2, values: 3 }], clock);
      expect(pushed.refusals, field).toEqual([{ index: 0, pointer: `/0/${field}`, reason: 'misspelt-field' }]);
      expect(pushed).toMatchObject({ readings: 1, refusedCount: 1, unknownFields: 3 });
    }
  });

  const text = fc.oneof(fc.constantFrom('a', 'b', '', 'x y', 'none', 'a\0', '\ud800'), fc.string({ maxLength: 3 }));
  const element = fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
    {
      weight: 9,
      arbitrary: fc.record(
        {
          sensorId: fc.oneof(fc.constantFrom('a', 'b'), text, fc.constant(1)),
          valueName: fc.oneof(fc.constantFrom('none', 'x'), text, fc.constant(null)),
          date: fc.oneof(
            fc.integer({ min: 0, max: 9 }).map((second) => `2026-11-20T08:15:0${second}Z`),
            fc.constantFrom('2026-11-20', 'now', 7, '2036-01-01T00:00:00Z'),
          ),
          value: fc.oneof(fc.integer(), fc.double(), fc.constantFrom('1', null, true)),
          precision: fc.oneof(fc.integer({ min: -1, max: 101 }), fc.constantFrom(1.5, null, '5')),
          labels: fc.oneof(fc.array(text, { maxLength: 3 }), fc.constant('a')),
        },
        { requiredKeys: ['sensorId', 'date', 'value'] },
      ),
    },
  );

  it('holds exactly the readings that the rules accept one by one', () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 20 }), (elements) => {
        const lines = elements.map(judgedAlone);
        const expected = new Map(lines.filter((line) => line !== undefined).map(({ key, whole }) => [key, whole]));
        const isKept = (line: (typeof lines)[number]): boolean => line?.whole === expected.get(line?.key ?? '');
        const refused = lines.filter((line) => line === undefined || !isKept(line)).length;
        const repeats = lines.length - refused - expected.size;
        const pushed = judgePushed(elements, clock);
        expect(linesOf(pushed).toSorted()).toEqual([...expected.values()].toSorted());
        expect(pushed).toMatchObject({ readings: expected.size, repeats, refusedCount: refused });
        expect(pushed.refusals.map(({ index }) => index)).toEqual(
          lines.flatMap((line, index) => (line === undefined || !isKept(line) ? [index] : [])),
        );
        for (const { segments } of pushed.columns) {
          const instants = segments.flatMap(({ at }) => at);
          expect(instants).toEqual([...new Set(instants)].toSorted((one, other) => one - other));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The same rules, applied to one reading without any of the shortcuts. */
function judgedAlone(item: unknown): { key: string; whole: string } | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
  const fields = item as Record<string, unknown>;
  const sensor = judgeSensorId(fields['sensorId']);
  const name = judgeValueName(fields['valueName']);
  const at = typeof fields['date'] === 'string' ? judgeInstant(fields['date'], clock) : 'bad-instant';
  const value = judgeValue(fields['value'], { booleans: 'refuse' });
  const precision = judgePrecision(fields['precision']);
  const labels = judgeLabels(fields['labels']);
  if (typeof sensor !== 'string' || typeof name !== 'string' || typeof at === 'string') return undefined;
  if (typeof value === 'string' || typeof precision === 'string' || typeof labels === 'string') return undefined;
  return {
    key: `${sensor} ${name} ${at}`,
    whole: [sensor, name, at, value, precision ?? '-', labels.join(',')].join(' '),
  };
}

it('readings of a renamed name are those of its series, also where both names are in one body', () => {
  const renamed = new Map([['Pump-7\nnone', { sensorId: 'pump-7', valueName: 'flow' }]]);
  const at = (second: number, sensorId: string, more = {}) => ({
    sensorId,
    date: `2026-03-01T00:00:0${second}Z`,
    value: second,
    ...more,
  });
  const body = [
    at(1, 'Pump-7'),
    at(0, 'pump-7', { valueName: 'flow' }),
    at(1, 'pump-7', { valueName: 'flow' }),
    at(2, 'Pump-7'),
  ];
  const pushed = judgePushed(body, clock, new Map(), renamed);
  expect(pushed).toMatchObject({ readings: 3, repeats: 1, refusedCount: 0 });
  expect(pushed.columns.map(({ sensorId, valueName }) => `${sensorId} ${valueName}`)).toEqual(['pump-7 flow']);
  expect(judgePushed(body, clock, new Map([['pump-7\nflow', 'series-of-another']]), renamed)).toMatchObject({
    readings: 0,
    refusedCount: 4,
  });
});
