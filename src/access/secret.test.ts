import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fingerprint, matches, newSecret, newSeed, successor } from './secret.ts';

describe('a secret', () => {
  it('is 256 bits in base64url, and different each time', () => {
    const secrets = Array.from({ length: 1_000 }, newSecret);
    expect(new Set(secrets).size).toBe(1_000);
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    }
  });

  it('has the SHA-256 of its text as fingerprint', () => {
    expect(fingerprint('a').toString('hex')).toBe(createHash('sha256').update('a').digest('hex'));
    expect(matches(fingerprint('a'), fingerprint('a'))).toBe(true);
    expect(matches(fingerprint('a'), fingerprint('b'))).toBe(false);
    expect(matches(fingerprint('a'), Buffer.alloc(0))).toBe(false);
  });

  it('has one successor for a seed, and a different successor for another token or another seed', () => {
    const [token, seed] = [newSecret(), newSeed()];
    const next = successor(token, seed);
    expect(next).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(successor(token, seed)).toBe(next);
    expect(successor(token, newSeed())).not.toBe(next);
    expect(successor(newSecret(), seed)).not.toBe(next);
  });
});
