import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { below, schemaAt, schemaKeys, shapeOf } from './shape.ts';

const inner = z.string();

describe('a schema without its wrappers', () => {
  it.each<[what: string, wrapped: z.ZodType, optional: boolean]>([
    ['no wrapper', inner, false],
    ['optional', inner.optional(), true],
    ['exactly optional', inner.exactOptional(), true],
    ['nullable', inner.nullable(), false],
    ['with a default', inner.default('x'), true],
    ['with a default that is checked', inner.prefault('x'), true],
    ['no longer optional', z.nonoptional(inner.nullable()), false],
    ['read only', inner.readonly(), false],
    ['with a way out', inner.catch('x'), false],
    ['made later', z.lazy(() => inner), false],
    ['transformed', inner.transform(Number), false],
    ['piped into another one', inner.pipe(z.coerce.number()), false],
    ['after a preparation', z.preprocess(String, inner), false],
    ['in several', inner.nullable().optional().readonly(), true],
  ])('is found below: %s', (_, wrapped, optional) => {
    expect(shapeOf(wrapped)).toEqual({
      schema: inner,
      description: undefined,
      examples: [],
      secret: false,
      optional,
      unknownKey: undefined,
    });
  });

  it('has what the outermost layer says of it, and is secret where any layer says so', () => {
    const layers = z
      .string()
      .meta({ description: 'inner', examples: ['i'], secret: true, unknownKey: 'i' })
      .optional()
      .meta({ description: 'outer', examples: ['o'], unknownKey: 'o' });
    const said = { description: 'outer', examples: ['o'], secret: true, unknownKey: 'o' };
    expect(shapeOf(layers)).toMatchObject(said);
    expect(shapeOf(layers.unwrap().nullable())).toMatchObject({
      description: 'inner',
      examples: ['i'],
      unknownKey: 'i',
    });
    expect(shapeOf(z.string().meta({ secret: 'yes', examples: 'no list', unknownKey: 5 }))).toMatchObject({
      examples: [],
      secret: false,
      unknownKey: undefined,
    });
  });
});

describe('the schemas below a schema', () => {
  const number = z.number();
  it.each<[what: string, schema: z.ZodType, key: PropertyKey, found: readonly z.ZodType[]]>([
    ['a key of a mapping', z.strictObject({ a: inner }), 'a', [inner]],
    ['another key', z.strictObject({ a: inner }), 'b', []],
    ['a key that every mapping inherits', z.object({ a: inner }), 'constructor', []],
    ['any other key, where these have a schema', z.object({ a: inner }).catchall(number), 'b', [number]],
    ['an entry of a list', z.array(inner), 3, [inner]],
    ['a key of any name', z.record(z.string(), number), 'b', [number]],
    ['a place of a tuple', z.tuple([inner, number]), 1, [number]],
    ['a place behind a tuple', z.tuple([inner, number]), 2, []],
    [
      'a key of each alternative',
      z.union([z.strictObject({ a: inner }), z.strictObject({ b: inner }), z.strictObject({ a: number })]),
      'a',
      [inner, number],
    ],
    ['a key of a text', inner, 'a', []],
    ['a key of a wrapped mapping', z.strictObject({ a: inner }).optional(), 'a', [inner]],
  ])('are those of %s', (_, schema, key, found) => {
    expect(below(schema, key)).toEqual(found);
  });
});

test('the schema at a path is the first of several', () => {
  const number = z.number();
  const schema = z.strictObject({
    list: z.union([z.array(z.strictObject({ x: inner })), z.array(z.looseObject({ x: number }))]),
  });
  expect(schemaAt(schema, [])).toBe(schema);
  expect(schemaAt(schema, ['list', 0, 'x'])).toBe(inner);
  expect(schemaAt(schema, ['list', 0, 'y', 'z'])).toBeUndefined();
});

test('the keys of a mapping are in order, those of alternatives once each', () => {
  const schema = z.union([z.strictObject({ b: inner, a: inner }), z.strictObject({ a: inner, c: inner })]).optional();
  expect(schemaKeys(schema)).toEqual(['b', 'a', 'c']);
  expect(schemaKeys(inner)).toEqual([]);
  expect(schemaKeys(undefined)).toEqual([]);
});
