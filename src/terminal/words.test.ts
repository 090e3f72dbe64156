import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../core/instant.ts';
import { folded, roughly, short } from './words.ts';

test.each([
  [0, '0s'],
  [400_000, '<1s'],
  [1_600_000, '2s'],
  [59 * SECOND, '59s'],
  [61 * SECOND + 400_000, '1m1s'],
  [HOUR + 29 * SECOND, '1h'],
  [2 * DAY + 3 * HOUR + 31 * MINUTE, '2d4h'],
  [-90 * SECOND, '-1m30s'],
])('%i µs are roughly %s', (length, words) => {
  expect(roughly(length)).toBe(words);
});

test('a line that is too long goes on in the next one, further to the right; a long word stays whole', () => {
  const word = 'https://a-name-that-is-longer-than-a-line.example';
  expect(folded('short\n  try: one two three four', 19)).toBe('short\n  try: one two\n    three four');
  expect(folded(`see ${word} there`, 20)).toBe(`see\n  ${word}\n  there`);
  expect(folded('\u001B[31mred\u001B[39m and plain', 13)).toBe('\u001B[31mred\u001B[39m and plain');
  expect(folded('a line of a pipe', undefined)).toBe('a line of a pipe');
});

test('text is put on one line and cut', () => {
  expect(short(' a\n  b ', 10)).toBe('a b');
  expect(short('0123456789', 10)).toBe('0123456789');
  expect(short('0123456789x', 10)).toBe('012345678…');
});
