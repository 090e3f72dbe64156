import { describe, expect, it } from 'vitest';
import { assertCode, assertName, isApplicationId, isCode, newApplicationId } from './names.ts';

describe('a code', () => {
  it.each(['a', '7', 'pump-hall', 'North_Works-2', 'x'.repeat(128)])('may be %j', (text) => {
    expect(isCode(text)).toBe(true);
    expect(() => {
      assertCode(text, 'an organisation id', 'id');
    }).not.toThrow();
  });

  it.each(['', '-a', '_a', 'a b', 'a/b', 'a\0', 'a\n', 'ä', "a';drop table reading;--", 'x'.repeat(129)])(
    'may not be %j',
    (text) => {
      expect(isCode(text)).toBe(false);
      expect(() => {
        assertCode(text, 'an organisation id', 'id');
      }).toThrow('is not an organisation id');
    },
  );
});

describe('a name', () => {
  it.each(['Pump hall', "O'Hara & Söhne <7>", '泵房', 'x'.repeat(200)])('may be %j', (text) => {
    expect(() => {
      assertName(text);
    }).not.toThrow();
  });

  it.each(['', '  ', 'a\0b', 'a\nb', '\u001b[31m', '\ud800', 'x'.repeat(201)])('may not be %j', (text) => {
    expect(() => {
      assertName(text);
    }).toThrow('is not a name');
  });
});

describe('an application id', () => {
  it('is recognised, and no other text is', () => {
    const id = newApplicationId();
    expect(isApplicationId(id)).toBe(true);
    for (const other of ['', id.slice(1), `${id}0`, id.toUpperCase(), `${id}\n`, id.replace('app_', 'app_\0')]) {
      expect(isApplicationId(other)).toBe(false);
    }
  });
});
