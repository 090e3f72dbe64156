import { describe, expect, it } from 'vitest';
import { drawOf } from './draw.ts';
import { walkerOf } from './schema.ts';
import type { Schema } from './schema.ts';

const NODE: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 3 },
    next: { anyOf: [{ $ref: '#/components/schemas/Node' }, { type: 'null' }] },
  },
  required: ['name'],
  additionalProperties: false,
};
const walker = walkerOf({ components: { schemas: { Node: NODE } } });

const SCHEMAS: readonly Schema[] = [
  NODE,
  { $ref: '#/components/schemas/Node' },
  { type: ['integer', 'null'], minimum: 3, maximum: 9 },
  { type: 'string', pattern: '^[a-z]{2}$' },
  { enum: ['a', 'b'] },
  { const: 7 },
  { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 2 },
  { type: 'number', exclusiveMinimum: 0, maximum: 9 },
  { type: 'object', additionalProperties: { type: 'number' } },
  { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'number' } },
  {},
];

it.each(SCHEMAS)('values of %j are valid, and changed ones mostly are not', (schema) => {
  walker.assertKnown(schema);
  const draw = drawOf(1);
  const faults = Array.from({ length: 300 }, () => walker.faultIn(schema, walker.valid(schema, draw)));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  const changed = Array.from({ length: 300 }, () => walker.faultIn(schema, walker.nearly(schema, draw)));
  const isLoose = ['{}', '{"type":"object","additionalProperties":{"type":"number"}}'].includes(JSON.stringify(schema));
  expect(changed.filter((fault) => fault !== undefined).length).toBeGreaterThan(isLoose ? -1 : 100);
});

it('draws the same values from the same seed', () => {
  const drawn = (seed: number): unknown => {
    const draw = drawOf(seed);
    return Array.from({ length: 20 }, () => walker.nearly(NODE, draw));
  };
  expect(drawn(5)).toEqual(drawn(5));
  expect(drawn(5)).not.toEqual(drawn(6));
});

it('takes known values for properties', () => {
  const draw = drawOf(1);
  const names = Array.from({ length: 50 }, () =>
    walker.valid(NODE, draw, (property) => (property === 'name' ? 'oak' : undefined)),
  );
  expect(names.filter((node) => (node as { name: string }).name === 'oak').length).toBeGreaterThan(25);
});

describe('a value', () => {
  it.each<[Schema, unknown, string]>([
    [NODE, { name: 'abcd' }, '/name has a wrong length'],
    [NODE, { name: 'a', next: { name: '' } }, '/next is none of its kinds'],
    [NODE, { name: 'a', more: 1 }, '/more is not described'],
    [NODE, {}, '/name is missing'],
    [{ type: 'integer', maximum: 3 }, 4, ' is out of its bounds'],
    [{ type: 'integer' }, 1.5, ' is no integer'],
    [{ type: 'string', pattern: '^a$' }, 'b', ' has a wrong form'],
    [{ type: 'array', items: { enum: ['x'] } }, ['x', 'y'], '/1 is none of its words'],
    [{ type: 'array', maxItems: 1 }, [1, 2], ' has too many items'],
    [{ type: 'array', minItems: 1 }, [], ' has too few items'],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, ' is out of its bounds'],
    [{ type: 'object', propertyNames: { enum: ['a'] } }, { b: 1 }, '/b has a wrong name'],
    [{ const: null }, 0, ' is not null'],
    [{ type: 'object' }, [], ' is no object'],
  ])('of %j: %j %s', (schema, value, fault) => {
    expect(walker.faultIn(schema, value)).toBe(fault);
  });
});

it.each<[Schema, string]>([
  [{ type: 'string', format: 'date' }, 'the walker does not know the keyword format'],
  [{ type: 'object', properties: { a: { items: { allOf: [] } } } }, 'the walker does not know the keyword allOf'],
  [{ type: ['string', 'date'] }, 'the walker does not know the type "date"'],
  [{ $ref: '#/components/schemas/None' }, 'no schema at #/components/schemas/None'],
])('%j is not walked', (schema, message) => {
  expect(() => {
    walker.assertKnown(schema);
  }).toThrow(message);
});
