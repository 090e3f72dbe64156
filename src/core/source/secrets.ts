import type { z } from 'zod';
import { formatPath, isMapping } from './path.ts';
import { below, shapeOf } from './shape.ts';

/**
 * Paths of the secrets a source holds, like `connection.password` or `options.headers.token`: every text, number or
 * boolean below a field with `.meta({ secret: true })` in the schema of its kind or in the options of its platform.
 * Where the schema is not known, every value of the block counts as secret.
 */
export function secretPaths(
  kind: z.ZodType | undefined,
  platform: { readonly options: z.ZodType } | undefined,
  raw: unknown,
): readonly string[] {
  if (!isMapping(raw)) return [];
  return [
    ...collect(raw['connection'], kind === undefined ? undefined : [kind], ['connection']),
    ...collect(raw['options'], platform === undefined ? undefined : [platform.options], ['options']),
  ];
}

/** `schemas` undefined: every value is secret. So is a value with an empty list: no schema knows its key. */
function collect(value: unknown, schemas: readonly z.ZodType[] | undefined, path: readonly PropertyKey[]): string[] {
  const inside = schemas?.length === 0 || schemas?.some((schema) => shapeOf(schema).secret) ? undefined : schemas;
  if (Array.isArray(value)) return value.flatMap((item, index) => collectBelow(item, inside, path, index));
  if (isMapping(value)) return Object.entries(value).flatMap(([key, item]) => collectBelow(item, inside, path, key));
  return inside === undefined && value !== undefined && value !== null ? [formatPath(path)] : [];
}

const collectBelow = (
  value: unknown,
  schemas: readonly z.ZodType[] | undefined,
  path: readonly PropertyKey[],
  key: PropertyKey,
): string[] =>
  collect(
    value,
    schemas?.flatMap((schema) => below(schema, key)),
    [...path, key],
  );
