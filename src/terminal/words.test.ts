import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../core/instant.ts';
import { roughly, short } from './words.ts';

test.each([
  [0, '0s'],
  [400_000, '0s'],
  [1_600_000, '2s'],
  [59 * SECOND, '59s'],
  [61 * SECOND + 400_000, '1m1s'],
  [HOUR + 29 * SECOND, '1h'],
  [2 * DAY + 3 * HOUR + 31 * MINUTE, '2d4h'],
  [-90 * SECOND, '-1m30s'],
])('%i µs are roughly %s', (length, words) => {
  expect(roughly(length)).toBe(words);
});

test('text is put on one line and cut', () => {
  expect(short(' a\n  b ', 10)).toBe('a b');
  expect(short('0123456789', 10)).toBe('0123456789');
  expect(short('0123456789x', 10)).toBe('012345678…');
});
