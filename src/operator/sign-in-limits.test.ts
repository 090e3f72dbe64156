import { describe, expect, it } from 'vitest';
import { signInLimitsOf } from './sign-in-limits.ts';

const triedAt = (limits: ReturnType<typeof signInLimitsOf>, address: string, name: string, most: number): number => {
  let tries = 0;
  while (tries < most && limits.begin(address, name) === 0) tries += 1;
  return tries;
};

describe('tries of a password', () => {
  it('end for a name at an address, and go on for the name elsewhere and for its neighbours', () => {
    const limits = signInLimitsOf({ nowMs: () => 0 });
    expect(triedAt(limits, 'a', 'anna', 50)).toBe(20);
    expect(limits.begin('a', 'anna')).toBe(45);
    expect(triedAt(limits, 'b', 'anna', 50)).toBe(20);
    expect(limits.begin('a', 'bert')).toBe(0);
  });

  it('end for an address that tries many names, except for operators that signed in there', () => {
    const limits = signInLimitsOf({ nowMs: () => 0 });
    limits.succeeded('a', 'bert');
    let tries = 0;
    while (limits.begin('a', `name-${tries}`) === 0) tries += 1;
    expect(tries).toBe(100);
    expect(limits.begin('a', 'bert')).toBe(0);
    expect(limits.begin('a', 'anna')).toBe(9);
    expect(limits.begin('b', 'anna')).toBe(0);
  });

  it('begin again with time', () => {
    let now = 0;
    const limits = signInLimitsOf({ nowMs: () => now });
    triedAt(limits, 'a', 'anna', 50);
    now = 45_000;
    expect(triedAt(limits, 'a', 'anna', 50)).toBe(1);
    now = 45_000 + 15 * 60_000;
    expect(triedAt(limits, 'a', 'anna', 50)).toBe(20);
  });
});
