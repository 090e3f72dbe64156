import { describe, expect, it, test } from 'vitest';
import { attemptsOf, clientOf } from './attempts.ts';

describe('attempts', () => {
  it('are limited for each key to the agreed number a minute, at once or one by one', () => {
    let nowMs = 5_000;
    const attempts = attemptsOf(6, { nowMs: () => nowMs });
    for (let index = 0; index < 6; index += 1) expect(attempts.take('a')).toBe(0);
    expect(attempts.take('a')).toBe(10);
    expect(attempts.take('b')).toBe(0);
    nowMs += 4_000;
    expect(attempts.wait('a')).toBe(6);
    nowMs += 6_000;
    expect(attempts.wait('a')).toBe(0);
    expect(attempts.take('a')).toBe(0);
    expect(attempts.take('a')).toBe(10);
    nowMs += 3_600_000;
    for (let index = 0; index < 6; index += 1) expect(attempts.take('a')).toBe(0);
    expect(attempts.take('a')).toBe(10);
  });

  it('are counted for all keys or for none', () => {
    const attempts = attemptsOf(1, { nowMs: () => 0 });
    expect(attempts.take('a')).toBe(0);
    expect(attempts.take('a', 'b')).toBe(60);
    expect(attempts.wait('b')).toBe(0);
  });

  it('of the oldest keys are forgotten when there are more than 50,000 keys', () => {
    const attempts = attemptsOf(1, { nowMs: () => 0 });
    for (let index = 0; index < 60_000; index += 1) attempts.take(`k${index}`);
    expect(attempts.wait('k0')).toBe(0);
    expect(attempts.wait('k59999')).toBe(60);
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('the client at %s is %s', (address, client) => {
  expect(clientOf(address)).toBe(client);
});
