import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it.each([
  [0, '0 sources'],
  [1, '1 source'],
  [1_002, '1,002 sources'],
])('%i with its noun is %s', (count, words) => {
  expect(counted(count, 'source')).toBe(words);
});

it('takes an irregular plural', () => {
  expect(counted(2, 'stretch', 'stretches')).toBe('2 stretches');
});
