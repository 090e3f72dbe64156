import { expect, test } from 'vitest';
import { toLike } from './stored-readings.ts';

test.each([
  ['pump-*', 'pump-%'],
  ['?-1', '_-1'],
  ['100%_a\\b', String.raw`100\%\_a\\b`],
  ['plain', 'plain'],
])('the pattern %s is %s to PostgreSQL', (glob, like) => {
  expect(toLike(glob)).toBe(like);
});
