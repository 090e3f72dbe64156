import { expect, it } from 'vitest';
import { HOUR } from './instant.ts';
import { formatWindow, holds, lengthOf } from './window.ts';

it('a window holds its start and not its end', () => {
  const window = { from: HOUR, to: 2 * HOUR };
  const instants = [HOUR - 1, HOUR, 2 * HOUR - 1, 2 * HOUR];
  expect(instants.map((instant) => holds(window, instant))).toEqual([false, true, true, false]);
  expect(lengthOf(window)).toBe(HOUR);
});

it('a window is written as an interval of ISO 8601', () => {
  expect(formatWindow({ from: 0, to: HOUR })).toBe('1970-01-01T00:00:00Z/1970-01-01T01:00:00Z');
});
