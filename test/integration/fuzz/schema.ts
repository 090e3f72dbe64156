import fc from 'fast-check';
import { NASTY, ODD } from './draw.ts';
import type { Draw } from './draw.ts';

/** A JSON schema as zod writes it into an OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Keywords that the walker obeys, and those that say nothing about a value. */
const OBEYED = [
  '$ref',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'propertyNames',
  'items',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
];
const SILENT = ['title', 'description', 'default', 'examples', 'deprecated'];
const KNOWN = new Set([...OBEYED, ...SILENT]);
const TYPES = new Set([undefined, 'string', 'integer', 'number', 'boolean', 'null', 'array', 'object']);

/** What the walker does with a value of a schema. */
export interface Walker {
  /** Throws where a schema, or one that it leads to, has a keyword or type that the walker does not know. */
  assertKnown(schema: Schema): void;
  /** A valid value. `known` may give one for a named property, such as the name of a thing that exists. */
  valid(schema: Schema, draw: Draw, known?: Known): unknown;
  /** A valid value in which one place was changed. It is valid still where the change keeps to the schema. */
  nearly(schema: Schema, draw: Draw, known?: Known): unknown;
  /** The first place at which a value is not as the schema says; undefined where it is. */
  faultIn(schema: Schema, value: unknown): string | undefined;
}

/** A value for a property of this name; undefined where none is known. */
export type Known = (property: string) => unknown;

const nothing: Known = () => undefined;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Walks the schemas of an OpenAPI document. */
export function walkerOf(document: { readonly components?: unknown }): Walker {
  const { schemas = {} } = (document.components ?? {}) as { readonly schemas?: Readonly<Record<string, Schema>> };

  function behind(schema: Schema): Schema {
    const { $ref, type, ...others } = schema as { readonly $ref?: string; readonly type?: unknown };
    // A list of types is one kind for each of them.
    if (Array.isArray(type)) return { anyOf: (type as readonly string[]).map((one) => ({ ...others, type: one })) };
    if ($ref === undefined) return schema;
    const found = schemas[$ref.replace('#/components/schemas/', '')];
    if (found === undefined) throw new Error(`no schema at ${$ref}`);
    return behind(found);
  }

  function assertKnown(schema: Schema, seen = new Set<Schema>()): void {
    if (seen.has(schema)) return;
    seen.add(schema);
    const unknown = Object.keys(schema).find((keyword) => !KNOWN.has(keyword));
    if (unknown !== undefined) throw new Error(`the walker does not know the keyword ${unknown}`);
    const type = [schema['type']].flat().find((one) => !TYPES.has(one as string | undefined));
    if (type !== undefined) throw new Error(`the walker does not know the type ${JSON.stringify(type)}`);
    if (schema['$ref'] !== undefined) assertKnown(behind(schema), seen);
    const { additionalProperties, propertyNames, items } = schema;
    const inner = [
      ...Object.values(propertiesOf(schema)),
      ...optionsOf(schema),
      ...[additionalProperties, propertyNames, items].filter(isObject),
    ];
    for (const one of inner) assertKnown(one, seen);
  }

  function valid(given: Schema, draw: Draw, known: Known = nothing): unknown {
    const schema = behind(given);
    if ('const' in schema) return schema['const'];
    const { enum: choices, examples, type } = schema;
    if (Array.isArray(choices)) return draw.one(choices as readonly unknown[]);
    if (Array.isArray(examples) && draw.happens(0.3)) return draw.one(examples as readonly unknown[]);
    const options = optionsOf(schema);
    if (options.length > 0) return valid(draw.one(options), draw, known);
    switch (type) {
      case 'string':
        return textOf(schema, draw);
      case 'integer':
      case 'number':
        return numberOf(schema, draw);
      case 'boolean':
        return draw.happens(0.5);
      case 'null':
        return null;
      case 'array': {
        const least = bound(schema, 'minItems', 0);
        const most = Math.max(least, Math.min(4, bound(schema, 'maxItems', 4)));
        return Array.from({ length: least + draw.below(most - least + 1) }, () =>
          valid((schema['items'] ?? {}) as Schema, draw, known),
        );
      }
      case 'object': {
        const { additionalProperties, propertyNames } = schema;
        const required = requiredOf(schema);
        const added = isObject(additionalProperties) && isObject(propertyNames) && draw.happens(0.5);
        const chosen = Object.entries(propertiesOf(schema)).filter(
          ([name]) => required.includes(name) || draw.happens(0.5),
        );
        return Object.fromEntries([
          ...(added ? [[String(valid(propertyNames, draw)), valid(additionalProperties, draw)]] : []),
          ...chosen.map(([name, inner]) => [
            name,
            (draw.happens(0.8) ? known(name) : undefined) ?? valid(inner, draw, known),
          ]),
        ]);
      }
      default:
        return draw.one(ODD);
    }
  }

  function nearly(given: Schema, draw: Draw, known: Known = nothing): unknown {
    const schema = behind(given);
    const value = valid(schema, draw, known);
    if (draw.happens(0.1)) return draw.one(ODD);
    if (isObject(value)) {
      const names = Object.keys(value);
      if (names.length === 0 || draw.happens(0.1)) return { ...value, [draw.one([...NASTY, 'more'])]: draw.one(ODD) };
      const name = draw.one(names);
      const { [name]: old, ...others } = value;
      if (draw.happens(0.15)) return others;
      if (draw.happens(0.1)) return { ...others, [name.toUpperCase()]: old };
      const inner = propertiesOf(schema)[name];
      return { ...value, [name]: inner === undefined ? draw.one(ODD) : nearly(inner, draw, known) };
    }
    if (Array.isArray(value)) {
      const most = bound(schema, 'maxItems', 50);
      const inner = (schema['items'] ?? {}) as Schema;
      if (draw.happens(0.2)) return Array.from({ length: most + 1 }, () => valid(inner, draw, known));
      return [...(value as readonly unknown[]), draw.happens(0.5) ? nearly(inner, draw, known) : draw.one(ODD)];
    }
    if (typeof value === 'number') {
      const edges = [
        bound(schema, 'minimum', 0) - 1,
        bound(schema, 'maximum', 2 ** 53) + 1,
        value + 0.5,
        String(value),
      ];
      return draw.one([...edges, ...ODD]);
    }
    if (typeof value === 'string') {
      const most = bound(schema, 'maxLength', 1_000);
      const least = bound(schema, 'minLength', 0);
      const lengths = [most, most + 1, Math.max(0, least - 1)].map((length) => 'x'.repeat(length));
      if (draw.happens(0.7)) return draw.one(NASTY);
      return draw.one<unknown>([
        ...lengths,
        `${value}\u0000`,
        `${value} `,
        value.toUpperCase(),
        'x'.repeat(70_000),
        ...ODD,
      ]);
    }
    return draw.one([...ODD, ...NASTY]);
  }

  function faultIn(given: Schema, value: unknown, place = ''): string | undefined {
    const schema = behind(given);
    const options = optionsOf(schema);
    if (options.length > 0 && options.every((option) => faultIn(option, value, place) !== undefined)) {
      return `${place} is none of its kinds`;
    }
    const { type, enum: choices, pattern } = schema;
    if (type !== undefined && !isOfType(value, type as string)) return `${place} is no ${type as string}`;
    if ('const' in schema && value !== schema['const']) return `${place} is not ${JSON.stringify(schema['const'])}`;
    if (Array.isArray(choices) && !choices.includes(value)) return `${place} is none of its words`;
    if (typeof value === 'number' && !isInBounds(schema, value)) return `${place} is out of its bounds`;
    if (typeof value === 'string') {
      const length = Array.from(value).length;
      if (length < bound(schema, 'minLength', 0) || length > bound(schema, 'maxLength', Infinity))
        return `${place} has a wrong length`;
      if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return `${place} has a wrong form`;
    }
    if (Array.isArray(value)) {
      if (value.length > bound(schema, 'maxItems', Infinity)) return `${place} has too many items`;
      if (value.length < bound(schema, 'minItems', 0)) return `${place} has too few items`;
      return firstOf(
        value.map((item, index) => [(schema['items'] ?? {}) as Schema, item, `${place}/${index}`] as const),
      );
    }
    if (!isObject(value)) return undefined;
    const missing = requiredOf(schema).find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return `${place}/${missing} is missing`;
    const properties = propertiesOf(schema);
    const { additionalProperties = true, propertyNames } = schema;
    const odd = Object.keys(value).find(
      (name) => isObject(propertyNames) && faultIn(propertyNames, name) !== undefined,
    );
    if (odd !== undefined) return `${place}/${odd} has a wrong name`;
    const others = additionalProperties === true ? {} : additionalProperties;
    const added = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
    if (others === false && added !== undefined) return `${place}/${added} is not described`;
    return firstOf(
      Object.entries(value).map(
        ([name, item]) => [properties[name] ?? (others as Schema), item, `${place}/${name}`] as const,
      ),
    );
  }

  function firstOf(inner: readonly (readonly [Schema, unknown, string])[]): string | undefined {
    for (const [schema, value, place] of inner) {
      const fault = faultIn(schema, value, place);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  return { assertKnown, valid, nearly, faultIn };
}

const propertiesOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
const requiredOf = (schema: Schema): readonly string[] => (schema['required'] ?? []) as readonly string[];
const optionsOf = (schema: Schema): readonly Schema[] =>
  (schema['anyOf'] ?? schema['oneOf'] ?? []) as readonly Schema[];
const bound = (schema: Schema, keyword: string, usual: number): number => (schema[keyword] ?? usual) as number;

const isInBounds = (schema: Schema, value: number): boolean =>
  value >= bound(schema, 'minimum', -Infinity) &&
  value <= bound(schema, 'maximum', Infinity) &&
  value > bound(schema, 'exclusiveMinimum', -Infinity) &&
  value < bound(schema, 'exclusiveMaximum', Infinity);

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isObject(value) : typeof value === type;
}

function textOf(schema: Schema, draw: Draw): string {
  const { pattern } = schema;
  if (typeof pattern === 'string') return draw.one(matching(pattern));
  const [least, most] = [bound(schema, 'minLength', 0), bound(schema, 'maxLength', 40)];
  const length = draw.one([least, Math.min(least + 1, most), Math.min(least + 8, most), Math.min(most, 40)]);
  const letters = Array.from(draw.one(['abcdefgh-_0123456789', 'äß温度😀 .', 'a']));
  return Array.from({ length }, () => draw.one(letters)).join('');
}

function numberOf(schema: Schema, draw: Draw): number {
  const least = bound(schema, 'minimum', bound(schema, 'exclusiveMinimum', -1_001) + 1);
  const most = bound(schema, 'maximum', bound(schema, 'exclusiveMaximum', 1_001) - 1);
  const inside = Math.min(most, Math.max(least, draw.below(100)));
  return draw.one([least, most, inside, inside, inside]);
}

const matches = new Map<string, readonly string[]>();

/** Texts of a pattern; drawing one costs milliseconds. */
function matching(pattern: string): readonly string[] {
  const texts = matches.get(pattern) ?? fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 30, seed: 1 });
  matches.set(pattern, texts);
  return texts;
}
