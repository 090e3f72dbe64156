/** The fields of a source as the bridge declares them for a platform. */

export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly writeOnly?: boolean;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly if?: FieldSchema;
  readonly then?: FieldSchema;
  readonly allOf?: readonly FieldSchema[];
}

type Values = Readonly<Record<string, unknown>>;

const matches = (condition: FieldSchema, values: Values): boolean =>
  Object.entries(condition.properties ?? {}).every(([key, field]) =>
    field.const !== undefined ? values[key] === field.const : (field.enum?.includes(String(values[key])) ?? true),
  ) && (condition.required ?? []).every((key) => values[key] !== undefined);

/** The properties of a source with these values: kind and platform decide on some of them. */
export function propertiesFor(schema: FieldSchema, values: Values): Readonly<Record<string, FieldSchema>> {
  let properties = schema.properties ?? {};
  for (const { if: condition, then } of schema.allOf ?? []) {
    if (condition === undefined || then === undefined || condition.properties === undefined) continue;
    if (matches(condition, values)) properties = { ...properties, ...then.properties };
  }
  return properties;
}

/** A field of the form: its path in the source, such as `connection.url`. */
export interface FormField {
  readonly path: readonly string[];
  readonly schema: FieldSchema;
  readonly isRequired: boolean;
}

const isSimple = ({ type, enum: choices, items }: FieldSchema): boolean =>
  choices !== undefined ||
  ['string', 'boolean', 'integer', 'number'].includes(type ?? '') ||
  (type === 'array' && items?.type === 'string');

/** The fields of a part of the source that a form can show; others are written in the YAML. */
export function fieldsOf(part: string, schema: FieldSchema | undefined): FormField[] {
  return Object.entries(schema?.properties ?? {})
    .filter(([, field]) => isSimple(field))
    .map(([key, field]) => ({
      path: [part, key],
      schema: field,
      isRequired: schema?.required?.includes(key) ?? false,
    }));
}
