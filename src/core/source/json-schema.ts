import { z } from 'zod';
import type { KindSchemas, SourcePlatform } from './source.ts';
import { commonFields } from './schema.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * One zod schema as JSON schema (draft 2020-12) of the text an operator writes. Secrets become `writeOnly`. Durations,
 * zones and addresses, which JSON schema cannot check, become text with examples.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema['secret'] === true) jsonSchema.writeOnly = true;
      delete jsonSchema['secret'];
      delete jsonSchema['unknownKey'];
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return rest;
}

/**
 * The JSON schema of a whole source: `kind` decides `connection`; `platform` decides `options` and the choice of
 * kinds.
 */
export function sourceJsonSchema(platforms: readonly SourcePlatform[], kinds: KindSchemas): JsonSchema {
  const common = jsonSchemaOf(z.strictObject(commonFields));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'databridge source',
    description: 'One registered connection to one platform of a customer',
    ...common,
    properties: {
      ...(common['properties'] as JsonSchema),
      kind: { enum: Object.keys(kinds), description: 'Which credentials the customer hands over' },
      platform: { type: 'string', description: 'The product whose API is asked' },
      connection: { type: 'object', description: 'Address and credentials; kind decides which fields there are' },
      options: { type: 'object', description: 'Settings of the platform; platform decides which there are' },
    },
    required: [...(common['required'] as string[]), 'kind', 'platform', 'connection'],
    allOf: [
      {
        if: { required: ['adapter'] },
        else: { properties: { platform: { enum: platforms.map(({ name }) => name) } } },
      },
      ...Object.entries(kinds).map(([kind, schema]) =>
        when('kind', kind, { properties: { connection: jsonSchemaOf(schema) } }),
      ),
      ...platforms.map((platform) => {
        const options = jsonSchemaOf(platform.options);
        const required = Array.isArray(options['required']) && options['required'].length > 0;
        const then = { properties: { kind: { enum: Object.keys(platform.kinds) }, options } };
        return when('platform', platform.name, required ? { ...then, required: ['options'] } : then);
      }),
    ],
  };
}

/** The JSON schema of a source of one platform of this build. */
export function platformJsonSchema(platform: SourcePlatform, kinds: KindSchemas): JsonSchema {
  const own = Object.fromEntries(Object.entries(kinds).filter(([kind]) => kind in platform.kinds)) as KindSchemas;
  const schema = sourceJsonSchema([platform], own);
  const { adapter: _, ...properties } = schema['properties'] as JsonSchema;
  return { ...schema, properties };
}

const when = (key: string, value: string, then: JsonSchema): JsonSchema => ({
  if: { properties: { [key]: { const: value } }, required: [key] },
  // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON schema
  then,
});
