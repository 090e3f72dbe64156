import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, parsePath, valueAt } from './path.ts';

describe('a path', () => {
  it('is written as people write it', () => {
    expect(formatPath(['sensors', 2, 'values', 'a.b', 'as'])).toBe('sensors[2].values["a.b"].as');
    expect(formatPath([])).toBe('');
  });

  it('is parsed back from its text', () => {
    const part = fc.oneof(fc.nat(), fc.string(), fc.constantFrom('a.b', '"', ']', '[0]', '\\', ''));
    fc.assert(
      fc.property(fc.array(part), (path) => {
        expect(parsePath(formatPath(path))).toStrictEqual(path);
      }),
    );
  });

  it.each(['a[', 'a[x]', 'a["', 'a b'])('is not %s', (text) => {
    expect(parsePath(text)).toBeUndefined();
  });

  it('leads only to own keys', () => {
    expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1);
    expect(valueAt({}, ['constructor', 'name'])).toBeUndefined();
    expect(valueAt({ a: null }, ['a', 'b'])).toBeUndefined();
  });
});
