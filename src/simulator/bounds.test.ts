import { expect, test } from 'vitest';
import { askedWindow } from './bounds.ts';

test.each([
  ['[)', 5, 9, [5, 6, 7, 8]],
  ['[]', 5, 9, [5, 6, 7, 8, 9]],
  ['(]', 5, 9, [6, 7, 8, 9]],
  ['()', 5, 9, [6, 7, 8]],
  ['(]', 5.5, 7.5, [6, 6.5, 7, 7.5]],
  ['[)', 5.5, 7.5, [5.5, 6, 6.5, 7]],
  ['()', 5, 5, []],
  ['[]', 5, 5, [5]],
] as const)('the instants in %s from %d to %d', (bounds, from, to, expected) => {
  const asked = askedWindow(bounds, from, to);
  const halves = Number.isInteger(from) ? [] : [0.5];
  const instants = Array.from({ length: 12 }, (_, ms) => [ms, ...halves.map((half) => ms + half)]).flat();
  const around = instants.filter((ts) => asked.fromMs <= ts && ts < asked.toMs);
  expect(around.filter((ts) => asked.holds(ts))).toEqual(expected);
});
