import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOfPassword } from './password-rules.ts';

describe('a password', () => {
  it.each([
    'a horse on a staple',
    'köß-ünï-cödé 7',
    '            x',
    '0192837465abc',
    '🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🔋',
    'anna likes pumps',
  ])('may be %s', (password) => {
    expect(faultOfPassword(password, 'anna')).toBeUndefined();
  });

  it.each([
    ['elevenchars', 'at least 12'],
    ['', 'at least 12'],
    ['🐎'.repeat(11), 'at least 12'],
    [`${'ab'.repeat(64)}c`, 'at most 128'],
    ['Password1234', 'guessed first'],
    ['aaaaaaaaaaaa', 'guessed first'],
    ['123456789012', 'guessed first'],
    ['mnopqrstuvwxyz', 'guessed first'],
    ['987654321098', 'guessed first'],
    ['Anna.AnnaAnna.Anna', undefined],
    ['annaannaanna', 'the name'],
    ['AnnaannaANNA123', 'the name'],
    ['twelve chars\ud800', 'no valid text'],
  ])('%j: %s', (password, fault) => {
    if (fault === undefined) expect(faultOfPassword(password, 'bert')).toBeUndefined();
    else expect(faultOfPassword(password, 'anna')).toContain(fault);
  });

  it('is judged by its length in characters', () => {
    const characters = fc.string({ minLength: 0, maxLength: 140, unit: 'grapheme' });
    fc.assert(
      fc.property(characters, (password) => {
        const length = Array.from(password).length;
        const fault = faultOfPassword(password, 'zz-top-zz');
        if (length < 12 || length > 128) expect(fault).toContain('characters');
        else expect(fault ?? '').not.toContain('characters');
      }),
    );
  });
});
