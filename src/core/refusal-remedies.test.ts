import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REFUSALS } from './reading.ts';
import type { RefusalReason } from './reading.ts';
import { messageOf, remedyOf } from './refusal-remedies.ts';

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly $ref?: string;
};

const root = JSON.parse(readFileSync(new URL('../../config/source.schema.json', import.meta.url), 'utf8')) as Schema & {
  readonly $defs?: Readonly<Record<string, Schema>>;
};

/** The schemas that a step of a path leads to: `sensors[]` a property and its items, `<variable>` a property of any name. */
function step(schema: Schema, name: string): Schema[] {
  const key = name.replace('[]', '');
  const among = [schema, ...alternatives(schema)];
  const found = among.flatMap(({ properties, additionalProperties }) =>
    key.startsWith('<')
      ? typeof additionalProperties === 'object'
        ? [additionalProperties]
        : []
      : properties !== undefined && Object.hasOwn(properties, key)
        ? [properties[key] as Schema]
        : [],
  );
  return name.endsWith('[]')
    ? found.flatMap((one) => [one, ...alternatives(one)].flatMap(({ items }) => items ?? []))
    : found;
}

function alternatives(schema: Schema): Schema[] {
  const named = schema.$ref === undefined ? [] : [root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {}];
  const direct = [...named, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return direct.flatMap((one) => [one, ...alternatives(one)]);
}

const schemasAt = (path: string): Schema[] =>
  path.split('.').reduce<Schema[]>((at, name) => at.flatMap((schema) => step(schema, name)), [root]);

const FIELD = /\b((?:mapping|sensors|schedule|options|connection)(?:\[\]|\.[a-z<][\w<>]*(?:\[\])?)+)(?:: (\w+))?/g;
const reasons = Object.keys(REFUSALS) as RefusalReason[];

test('every reason has a remedy for an operator and one for a pusher, in words of their own', () => {
  expect(reasons.length).toBeGreaterThan(20);
  for (const reason of reasons) {
    const [operator, pusher] = [remedyOf(reason, 'operator'), remedyOf(reason, 'pusher')];
    expect(operator, reason).toMatch(/^[A-Z].{20,}\.$/);
    expect(pusher, reason).toMatch(/^[A-Z].{20,}\.$/);
    expect(operator).not.toBe(pusher);
    expect(pusher, reason).not.toMatch(/mapping|sensors\[|source take-over/);
  }
});

test('every field that a remedy names is one of a source, and takes the value that the remedy gives it', () => {
  const named = reasons.flatMap((reason) => [...remedyOf(reason, 'operator').matchAll(FIELD)]);
  expect(named.map(([text]) => text)).toContain('mapping.booleans: number');
  expect(named.length).toBeGreaterThan(12);
  for (const [text, path = '', value] of named) {
    const schemas = schemasAt(path);
    expect(schemas.length, text).toBeGreaterThan(0);
    if (value !== undefined) {
      const allowed = schemas.flatMap((one) => [one, ...alternatives(one)]).flatMap((one) => one.enum ?? []);
      expect(allowed, text).toContain(value);
    }
  }
  expect(schemasAt('mapping.boolean')).toEqual([]);
});

test('the answer to a push has the meaning of a reason and its remedy', () => {
  const message = messageOf('null', 'pusher');
  expect(message).toBe(`${REFUSALS.null} ${remedyOf('null', 'pusher')}`);
});
