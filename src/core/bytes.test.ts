import { expect, test } from 'vitest';
import { formatBytes } from './bytes.ts';

test('an amount of bytes is shown in the largest unit it fills', () => {
  expect([0, 999, 1000, 1_550_000, 2e12, 5e15].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '1.6 MB',
    '2.0 TB',
    '5000.0 TB',
  ]);
});
