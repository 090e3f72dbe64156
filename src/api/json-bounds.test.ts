import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { jsonMeasure } from './json-bounds.ts';
import type { JsonBounds } from './json-bounds.ts';

const MANY = 1_000_000;
const FREE: JsonBounds = { levels: 32, elements: MANY, values: MANY, containers: MANY, names: MANY };

/** The bound that a text outgrows, which arrives in pieces of `size` bytes. */
function outgrown(json: string, bounds: Partial<JsonBounds>, size = MANY): keyof JsonBounds | undefined {
  const measure = jsonMeasure({ ...FREE, ...bounds });
  const bytes = Buffer.from(json);
  for (let from = 0; from < bytes.length; from += size) {
    const found = measure(bytes.subarray(from, from + size));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All arrays and objects of a parsed value. */
function containersOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersOf)];
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function boundsOf(value: unknown): JsonBounds {
  const all = containersOf(value);
  const names = all.flatMap((one) => (Array.isArray(one) ? [] : Object.keys(one)));
  return {
    levels: depthOf(value),
    elements: Array.isArray(value) ? Math.max(1, value.length) : MANY,
    // A comma for each element but the first, and one for each container.
    values: all.reduce<number>((sum, one) => sum + 1 + Math.max(0, Object.keys(one).length - 1), 0),
    containers: all.length,
    names: new Set(names).size,
  };
}

/** Texts of characters that are structure outside of a string. */
const text = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ':', ',', 'é', '\n', '😀') });

const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, text, fc.integer(), fc.constant(null), tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(text, tie('value'), { maxKeys: 3 }),
}));

describe('the measure of JSON', () => {
  it('lets a text pass whose parsed value is within all bounds, in pieces of any size, and no larger one', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), fc.integer({ min: 1, max: 20 }), (value, space, size) => {
        const written = JSON.stringify(value, undefined, space);
        const parsed: unknown = JSON.parse(written);
        const bounds = boundsOf(parsed);
        expect(outgrown(written, bounds, size)).toBeUndefined();
        for (const name of ['levels', 'values', 'containers'] as const) {
          const less = { [name]: bounds[name] - 1 };
          expect(outgrown(written, less, size)).toBe(bounds[name] > 0 ? name : undefined);
        }
        if (Array.isArray(parsed) && parsed.length > 1) {
          expect(outgrown(written, { elements: parsed.length - 1 }, size)).toBe('elements');
        }
      }),
    );
  });

  it('tells different names apart, not repeated ones and not text', () => {
    const objects = (name: (index: number) => string): string =>
      JSON.stringify(Array.from({ length: 3_000 }, (_, index) => ({ [name(index)]: `value ${index}`, same: 'x' })));
    expect(
      outgrown(
        objects((index) => `name${index}`),
        { names: 1_000 },
      ),
    ).toBe('names');
    expect(
      outgrown(
        objects((index) => `name${index % 500}`),
        { names: 1_000 },
      ),
    ).toBeUndefined();
    expect(outgrown(JSON.stringify(Array.from({ length: 3_000 }, String)), { names: 1 })).toBeUndefined();
  });

  test.each([
    ['', undefined],
    ['[[[', 'levels'],
    ['{"a":{"b":[', 'levels'],
    ['[[]]]]]]', undefined],
    ['["[[[[[[[', undefined],
    ['["\\"[[[[', undefined],
    ['["\\\\"[[', 'levels'],
    ['\ufeff[[[]]]', 'levels'],
    ['@@@@`{{', undefined],
  ])('of two levels in %j, which may be broken, is %s', (broken, expected) => {
    for (const size of [1, 2, 3, 100]) expect(outgrown(broken, { levels: 2 }, size)).toBe(expected);
  });
});
