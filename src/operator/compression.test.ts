import { expect, it } from 'vitest';
import { codingOf } from './compression.ts';

it.each([
  ['gzip, deflate, br', 'br'],
  ['gzip;q=0.5, br;q=0', 'gzip'],
  ['GZIP', 'gzip'],
  ['*', undefined],
  ['*, gzip', 'gzip'],
  ['identity', undefined],
  ['', undefined],
  [undefined, undefined],
])('%s: %s', (accepted, coding) => {
  expect(codingOf(accepted)).toBe(coding);
});
