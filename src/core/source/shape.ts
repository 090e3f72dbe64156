import { z } from 'zod';

/** A schema without its wrappers, and the metadata of all its layers (that of the outermost layer wins). */
export interface Shape {
  readonly schema: z.ZodType;
  readonly description: string | undefined;
  readonly examples: readonly unknown[];
  readonly secret: boolean;
  readonly optional: boolean;
  /** The remedy for a key that the mapping does not have: `.meta({ unknownKey })`. */
  readonly unknownKey: string | undefined;
}

function inner(schema: z.ZodType): z.ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodCatch
  )
    return schema.def.innerType as z.ZodType;
  if (schema instanceof z.ZodLazy) return schema.def.getter() as z.ZodType;
  // An operator writes the input side of a pipe, except after a preprocessing step, which has no shape of its own.
  if (schema instanceof z.ZodPipe)
    return (schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in) as z.ZodType;
  return undefined;
}

/** Takes the wrappers (optional, default, transform …) off a schema. */
export function shapeOf(schema: z.ZodType): Shape {
  let description: string | undefined;
  let examples: readonly unknown[] = [];
  let secret = false;
  let optional = false;
  let unknownKey: string | undefined;
  for (let layer: z.ZodType | undefined = schema, bare = schema; ; layer = inner(layer)) {
    if (layer === undefined) return { schema: bare, description, examples, secret, optional, unknownKey };
    const meta = layer.meta();
    description ??= meta?.description;
    if (examples.length === 0 && Array.isArray(meta?.examples)) examples = meta.examples;
    if (typeof meta?.['unknownKey'] === 'string') unknownKey ??= meta['unknownKey'];
    secret ||= meta?.['secret'] === true;
    optional ||=
      layer instanceof z.ZodOptional ||
      layer instanceof z.ZodExactOptional ||
      layer instanceof z.ZodDefault ||
      layer instanceof z.ZodPrefault;
    bare = layer;
  }
}

/** The schemas for `key` below a schema: several where it is a union, none where the key is not allowed. */
export function below(schema: z.ZodType, key: PropertyKey): readonly z.ZodType[] {
  const bare = shapeOf(schema).schema;
  if (bare instanceof z.ZodObject) {
    const shape = bare.shape as Readonly<Record<PropertyKey, z.ZodType>>;
    const named = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const found = named ?? (bare.def.catchall as z.ZodType | undefined);
    return found === undefined || found instanceof z.ZodNever ? [] : [found];
  }
  if (bare instanceof z.ZodArray) return [bare.element as z.ZodType];
  if (bare instanceof z.ZodRecord) return [bare.valueType as z.ZodType];
  if (bare instanceof z.ZodTuple)
    return [bare.def.items[Number(key)] as z.ZodType | undefined].filter((item) => !!item);
  if (bare instanceof z.ZodUnion) return bare.options.flatMap((option) => below(option as z.ZodType, key));
  return [];
}

/** The schema at a path below a schema; of several (a union) the first. */
export function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let found: readonly z.ZodType[] = [schema];
  for (const key of path) found = found.flatMap((one) => below(one, key));
  return found[0];
}

/** The keys a mapping may have, in the order they are declared. */
export function schemaKeys(schema: z.ZodType | undefined): readonly string[] {
  const bare = schema === undefined ? undefined : shapeOf(schema).schema;
  if (bare instanceof z.ZodObject) return Object.keys(bare.shape);
  if (bare instanceof z.ZodUnion)
    return [...new Set(bare.options.flatMap((option) => schemaKeys(option as z.ZodType)))];
  return [];
}
