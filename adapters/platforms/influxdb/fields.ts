import type { Block } from './answer.ts';
import type { TypedField } from './query.ts';

/** The types each field of a measurement has: one per shard at most, so nearly always one. */
export type FieldTypes = Map<string, Set<string>>;

/** Adds a block of SHOW FIELD KEYS, whose rows are `[field, type]`. */
export function addFields(fields: FieldTypes, { rows }: Block): void {
  for (const [field, type] of rows as readonly (readonly [string, string])[]) {
    const types = fields.get(field) ?? new Set();
    fields.set(field, types.add(type));
  }
}

/** Whether numbers of the field may be 64-bit integers. Of a field that appeared a moment ago it is not known. */
export function mayBeInteger(fields: FieldTypes, field: string): boolean {
  const types = fields.get(field);
  return types === undefined || types.has('integer') || types.has('unsigned');
}

export const isText = (fields: FieldTypes, field: string): boolean => {
  const types = fields.get(field);
  return types?.size === 1 && types.has('string');
};

/**
 * What SELECT * passes over in silence: where shards disagree on the type of a field, it returns the first of number,
 * string and boolean that one of them has, and nothing of the others (influxdata/influxdb#8535) [ran].
 */
export function passedOver(fields: FieldTypes): TypedField[] {
  return [...fields].flatMap(([field, types]) => {
    const others = ['string', 'boolean'].filter((type) => types.has(type));
    const hasNumbers = types.size > others.length;
    return others.slice(hasNumbers ? 0 : 1).map((type) => ({ field, type }));
  });
}
