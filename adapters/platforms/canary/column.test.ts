import { expect, test } from 'vitest';
import { parseInstant } from '../../../src/core/instant.ts';
import { columnOf } from './column.ts';

const time = '2026-01-01T12:00:00.0000019+00:00';
const at = parseInstant('2026-01-01T12:00:00.000001Z');
const tag = 'Plant.Pump.speed';

test('objects and lists are the same points, and equal qualities are one', () => {
  const objects = columnOf(tag, [{ t: time, v: 43.2, q: 192 }], [tag]);
  expect(objects).toEqual({
    sensor: tag,
    variable: 'value',
    at: [at],
    values: [43.2],
    quality: 192,
    rawInstants: [time],
  });
  expect(columnOf(tag, [[time, 43.2, 192]], [tag])).toEqual(objects);
});

test.each([
  [192, 192],
  [192 + 0x100, 192],
  [200, 192],
  [216, 216],
  [64, 64],
  [88, 64],
  [0, 0],
  [24, 0],
  [32_768, 32_768],
])('quality %i counts as %i', (code, expected) => {
  expect(columnOf(tag, [{ t: time, v: 1, q: code }], [tag]).quality).toBe(expected);
});

test('different qualities stay with their points, and a time that is none keeps its text', () => {
  const rows = [
    { t: time, v: null, q: 0 },
    { t: 'noon', v: 'RUN', q: 192 },
  ];
  expect(columnOf(tag, rows, [tag])).toMatchObject({
    at: [at, Number.NaN],
    values: [null, 'RUN'],
    quality: [0, 192],
    rawInstants: [time, 'noon'],
  });
});

test.each([
  ['without a value', [{ t: time, q: 192 }]],
  ['without a quality', [[time, 1]]],
  ['with a quality that is a text', [{ t: time, v: 1, q: 'Good' }]],
  ['that is a number', [5]],
])('a point %s is contract-broken', (_, rows) => {
  expect(() => columnOf(tag, rows, [tag])).toThrow(expect.objectContaining({ code: 'contract-broken' }));
});

test('a tag that was not asked for is contract-broken', () => {
  expect(() => columnOf('Plant.Other', [], [tag])).toThrow(expect.objectContaining({ code: 'contract-broken' }));
});
