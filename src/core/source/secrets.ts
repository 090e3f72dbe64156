import type { z } from 'zod';
import { formatPath, isMapping } from './path.ts';
import { below, shapeOf } from './shape.ts';

/**
 * Paths of the secrets a source holds, as `connection.password` or `options.headers.token`: every text, number or
 * flag below a field with `.meta({ secret: true })` in the schema of its kind or in the options of its platform.
 * Where the schemas are not known, everything in the block is taken for secret. Used to seal and to redact.
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

/** `schemas` undefined: all of it is secret. An empty list is a key that no schema knows, so nothing vouches for it. */
function collect(value: unknown, schemas: readonly z.ZodType[] | undefined, path: readonly PropertyKey[]): string[] {
  const inside = schemas?.length === 0 || schemas?.some((schema) => shapeOf(schema).secret) ? undefined : schemas;
  if (Array.isArray(value)) return value.flatMap((item, index) => step(item, inside, path, index));
  if (isMapping(value)) return Object.entries(value).flatMap(([key, item]) => step(item, inside, path, key));
  return inside === undefined && value !== undefined && value !== null ? [formatPath(path)] : [];
}

const step = (
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
