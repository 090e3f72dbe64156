import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

describe('the nearest choice', () => {
  const keys = ['url', 'username', 'password', 'clientId', 'requestsPerSecond'];

  it.each([
    ['pasword', 'password'],
    ['passwrod', 'password'],
    ['user', 'username'],
    ['client_id', 'clientId'],
    ['CLIENTID', 'clientId'],
    ['requests-per-second', 'requestsPerSecond'],
    ['ulr', 'url'],
    ['urk', 'url'],
  ])('to %s is %s', (word, meant) => {
    expect(nearest(word, keys)).toBe(meant);
  });

  it.each(['', 'x', 'zebra', 'tag', 'a'.repeat(10_000)])('is undefined where no choice is near', (word) => {
    expect(nearest(word, keys)).toBeUndefined();
  });
});
