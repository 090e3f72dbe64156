import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isDeeper } from './nesting.ts';

const deeper = (json: string, most: number): boolean => isDeeper(Buffer.from(json), most);

/** The depth of a parsed value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Texts of characters that are structure outside of a string. */
const text = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ':', ',', 'é', '\n', '😀') });

const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, text, fc.integer(), fc.constant(null), tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(text, tie('value'), { maxKeys: 3 }),
}));

describe('the depth of JSON', () => {
  it('is that of the parsed value, with white space or without', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (value, space) => {
        const written = JSON.stringify(value, undefined, space);
        const depth = depthOf(JSON.parse(written));
        expect(deeper(written, depth)).toBe(false);
        expect(deeper(written, depth - 1)).toBe(depth > 0);
      }),
    );
  });

  test.each([
    ['', false],
    ['[[[', true],
    ['{"a":{"b":[', true],
    ['[[]]]]]]', false],
    ['["[[[[[[', false],
    ['["\\"[[[[', false],
    ['["\\\\"[[', true],
    ['\ufeff[[[]]]', true],
    ['@@@@`{{', false],
  ])('is more than 2 in %j, which may be broken: %s', (broken, expected) => {
    expect(deeper(broken, 2)).toBe(expected);
  });
});
