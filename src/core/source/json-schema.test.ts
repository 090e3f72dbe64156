import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exampleKinds, examplePlatforms } from '../../../test/kit/source-example.ts';
import { jsonSchemaOf, sourceJsonSchema } from './json-schema.ts';
import { optionTable } from './option-table.ts';

describe('the JSON schema of a source', () => {
  const made = () => sourceJsonSchema(examplePlatforms, exampleKinds);

  it('takes the keys a source takes, and no other', () => {
    const schema = made();
    const keys = 'name organisation adapter project tls schedule pace sensors mapping kind platform connection options';
    expect(Object.keys(schema['properties'] as object)).toStrictEqual(keys.split(' '));
    expect(schema['required']).toStrictEqual(['name', 'project', 'schedule', 'kind', 'platform', 'connection']);
    expect(schema['additionalProperties']).toBe(false);
  });

  it('lets kind and platform decide connection and options', () => {
    const schema = made();
    const decides = (index: number) => `allOf[${index + 1}]`;
    expect(schema['allOf']).toHaveLength(5);
    expect(schema).toHaveProperty(`${decides(0)}.if.properties.kind.const`, 'user-credentials');
    expect(schema).toHaveProperty(`${decides(0)}.then.properties.connection.required`, ['url', 'username', 'password']);
    expect(schema).toHaveProperty(`${decides(0)}.then.properties.connection.additionalProperties`, false);
    expect(schema).toHaveProperty(`${decides(1)}.if.properties.kind.const`, 'custom');
    expect(schema).toHaveProperty(`${decides(2)}.if.properties.platform.const`, 'influxdb');
    expect(schema).toHaveProperty(`${decides(2)}.then.properties.kind.enum`, ['user-credentials']);
    expect(schema).toHaveProperty(`${decides(2)}.then.properties.options.required`, ['database']);
    expect(schema).toHaveProperty(`${decides(2)}.then.required`, ['options']);
    expect(schema).toHaveProperty(`${decides(3)}.if.properties.platform.const`, 'thingsboard');
    expect(schema).not.toHaveProperty(`${decides(3)}.then.required`);
  });

  it('marks secrets as writeOnly and holds no metadata of databridge', () => {
    const text = JSON.stringify(made());
    expect(text).toContain('"description":"Password of that user","writeOnly":true');
    expect(text).not.toContain('"secret"');
    expect(text).not.toContain('unknownKey');
  });

  it('shows durations as text with examples', () => {
    expect(made()).toHaveProperty('properties.schedule.properties.every', {
      type: 'string',
      description: 'How often the platform is asked for new points',
      examples: ['10s', '1m30s', '7d', 'PT1H'],
    });
  });

  it('has a hint for an editor at each field, and says which JSON schema it is', () => {
    const schema = made();
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: expect.stringMatching(/./),
    });
    for (const described of [schema, ...Object.values(schema['properties'] as Record<string, unknown>)])
      expect(described).toHaveProperty('description', expect.stringMatching(/./));
  });

  it('names the kinds, and the platforms unless another adapter is given', () => {
    const schema = made();
    expect(schema).toHaveProperty('properties.kind.enum', ['user-credentials', 'custom']);
    expect(schema).toHaveProperty('allOf[0]', {
      if: { required: ['adapter'] },
      else: { properties: { platform: { enum: ['influxdb', 'thingsboard'] } } },
    });
    for (const index of [1, 2]) expect(schema).toHaveProperty(`allOf[${index}].if.required`, ['kind']);
    for (const index of [3, 4]) expect(schema).toHaveProperty(`allOf[${index}].if.required`, ['platform']);
    for (const key of ['platform', 'connection', 'options'])
      expect(schema).toHaveProperty(`properties.${key}.type`, key === 'platform' ? 'string' : 'object');
  });

  it('bounds whole numbers where the platform does, and not where only the language does', () => {
    const schema = jsonSchemaOf(z.strictObject({ page: z.int().max(500), port: z.int().optional(), any: z.custom() }));
    expect(schema['properties']).toMatchObject({ page: { type: 'integer', maximum: 500 }, any: {} });
    expect(schema).not.toHaveProperty('properties.port.maximum');
  });
});

describe('the table of options', () => {
  it('has a row for each option and the defaults of the platform', () => {
    expect(optionTable(examplePlatforms[0])).toBe(
      `
| Option      | Takes                     | Default  | Meaning                   |
| ----------- | ------------------------- | -------- | ------------------------- |
| \`database\`  | text                      | required | The database that is read |
| \`epoch\`     | \`ms\`, \`us\`                | \`us\`     |                           |
| \`token\`     | text                      |          | A token (secret)          |
| \`read\`      | \`all\` or list of mappings |          |                           |
| \`read[].id\` | text                      | required |                           |

| Setting of the source    | Default for this platform     |
| ------------------------ | ----------------------------- |
| \`kind\`                   | \`user-credentials\`            |
| \`schedule.settle\`        | 10s                           |
| \`schedule.overlap\`       | 1m                            |
| \`schedule.maxWindow\`     | 1d, which is also the longest |
| \`pace.requestsPerSecond\` | 5                             |
| \`pace.burst\`             | 10                            |
| \`pace.concurrency\`       | 2                             |
`.trim(),
    );
  });

  it('shows options of every form, in one line each', () => {
    const options = z.strictObject({
      either: z.boolean().default(false).describe('One | the\n  other'),
      texts: z.array(z.string()).default(['a', 'b']),
      sides: z.array(z.enum(['left', 'right'])).optional(),
      lists: z.array(z.union([z.string(), z.number()])).optional(),
      any: z.unknown(),
      block: z.strictObject({ size: z.int().min(1) }).optional(),
    });
    const platform = {
      ...examplePlatforms[0],
      kinds: { 'user-credentials': {}, custom: {} },
      options,
      declaredBy: () => ({ facts: examplePlatforms[0].facts }),
    };
    const rows = optionTable(platform)
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' '));
    expect(rows).toEqual(
      expect.arrayContaining([
        '| `either` | true or false | `false` | One \\| the other |',
        '| `texts` | list of texts | `["a","b"]` | |',
        '| `sides` | list of `left`, `right` | | |',
        '| `lists` | list of anything | | |',
        '| `any` | anything | required | |',
        '| `block` | mapping | | |',
        '| `block.size` | whole number | required | |',
        '| `kind` | `user-credentials` or `custom` |',
        '| `schedule.maxWindow` | as the options declare, which is also the longest |',
      ]),
    );
  });

  it('says so where a platform has no options', () => {
    expect(optionTable(examplePlatforms[1])).toMatch(/^This platform has no options\.\n\n\| Setting of the source /);
  });
});
