import { describe, expect, it } from 'vitest';
import { lifetimeFor } from './token-lifetime.ts';

const limits = { minSeconds: 300, maxSeconds: 3600 };

describe('the lifetime of an access token', () => {
  it.each([
    [0, 3600],
    [0.3, 3600],
    [0.5, 3600],
    [0.75, 1950],
    [1, 300],
    [7, 300],
    [-1, 3600],
    [Number.NaN, 300],
    [Number.POSITIVE_INFINITY, 300],
  ])('at load %d is %d s', (load, seconds) => {
    expect(lifetimeFor(load, limits)).toBe(seconds);
  });

  it('never grows with the load, and is a whole number', () => {
    const lifetimes = Array.from({ length: 101 }, (_, percent) => lifetimeFor(percent / 100, limits));
    expect(lifetimes).toEqual(lifetimes.toSorted((a, b) => b - a));
    expect(lifetimes.every(Number.isInteger)).toBe(true);
  });

  it('is constant where minSeconds equals maxSeconds', () => {
    expect(lifetimeFor(0.9, { minSeconds: 60, maxSeconds: 60 })).toBe(60);
  });
});
