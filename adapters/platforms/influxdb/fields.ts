import type { Block } from './answer.ts';
import type { TypedField } from './query.ts';

/** The types of each field of a measurement: at most one for each shard, so nearly always one. */
export type FieldTypes = Map<string, Set<string>>;

/** Adds a block of SHOW FIELD KEYS, whose rows are `[field, type]`. */
export function addFields(fields: FieldTypes, { rows }: Block): void {
  for (const [field, type] of rows() as readonly (readonly [string, string])[]) {
    const types = fields.get(field) ?? new Set();
    fields.set(field, types.add(type));
  }
}

/** Whether numbers of the field may be 64-bit integers. Those of a field that is too new to be listed may be. */
export function mayBeInteger(fields: FieldTypes, field: string): boolean {
  const types = fields.get(field);
  return types === undefined || types.has('integer') || types.has('unsigned');
}

export const isText = (fields: FieldTypes, field: string): boolean => {
  const types = fields.get(field);
  return types?.size === 1 && types.has('string');
};

/**
 * The fields and types that SELECT * leaves out without an error: where shards have different types for a field, it
 * returns the first of number, string and boolean that a shard has, and no other (influxdata/influxdb#8535) [ran].
 */
export function passedOver(fields: FieldTypes): TypedField[] {
  return [...fields].flatMap(([field, types]) => {
    const others = ['string', 'boolean'].filter((type) => types.has(type));
    const hasNumbers = types.size > others.length;
    return others.slice(hasNumbers ? 0 : 1).map((type) => ({ field, type }));
  });
}
