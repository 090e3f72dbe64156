import { expect, it } from 'vitest';
import { remembering } from './series.ts';

it('numbers that are remembered stay within a bound, whatever the length of their names', () => {
  const numbers = remembering(10_000);
  for (let number = 0; number < 1_000; number += 1) {
    const name = `${number}`.padEnd(number % 500, '-');
    numbers.set(name, number);
    expect(numbers.get(name)).toBe(number);
    expect(numbers.size() * 50).toBeLessThanOrEqual(10_000);
  }
  numbers.clear();
  expect(numbers.size()).toBe(0);
  for (let again = 0; again < 1_000; again += 1) numbers.set('the same', again);
  expect(numbers.get('the same')).toBe(999);
});
