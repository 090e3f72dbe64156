import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { loadedOf } from '../platform/registry.ts';
import { platformJsonSchema } from '../core/source/json-schema.ts';
import { customerText, sampleText } from '../source/draft.ts';
import type { OperatorParts } from './parts.ts';
import { noSuch } from './problem.ts';

const platformSchema = z
  .object({
    name: z.string().describe('As the file of a source names it.'),
    title: z.string().describe('For people.'),
    kinds: z.array(z.string()).describe('The kinds of credentials that it takes.'),
    docs: z.string().describe('The public page that its adapter follows.'),
  })
  .meta({
    id: 'Platform',
    examples: [
      {
        name: 'influxdb',
        title: 'InfluxDB 1.x',
        kinds: ['user-credentials'],
        docs: 'https://docs.influxdata.com/influxdb/v1/',
      },
    ],
  });

const sampleSchema = z
  .object({ platform: z.string(), yaml: z.string().describe('The file of a source, to begin with.') })
  .meta({
    id: 'PlatformSample',
    examples: [{ platform: 'influxdb', yaml: 'name: hall-3\nplatform: influxdb\n' }],
  });

const guideSchema = z
  .object({
    platform: z.string(),
    schema: z
      .string()
      .describe('The JSON schema (draft 2020-12) of the file of a source of this platform, as text in JSON.'),
    askTheCustomer: z
      .string()
      .nullable()
      .describe('What to ask the customer for, as Markdown; null for an adapter that is no part of this build.'),
  })
  .meta({
    id: 'PlatformGuide',
    examples: [
      {
        platform: 'influxdb',
        schema: '{"title":"databridge source"}',
        askTheCustomer: '- The address of the server, usually port 8086, and the name of the database.',
      },
    ],
  });

/** The routes of the platforms of this build, with which an operator begins the file of a source. */
export function addPlatformRoutes(app: FastifyInstance, { registry }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const config = { role: 'viewer' } as const;
  const tags = ['Sources'];
  typed.get(
    '/api/v1/platforms',
    {
      config,
      schema: {
        operationId: 'listPlatforms',
        summary: 'List the platforms that a source may name',
        tags,
        response: { 200: z.object({ items: z.array(platformSchema) }) },
      },
    },
    async () => {
      const platforms = await loadedOf(registry.platforms);
      return {
        items: platforms.map(({ name, title, kinds, docs }) => ({ name, title, kinds: Object.keys(kinds), docs })),
      };
    },
  );
  typed.get(
    '/api/v1/platforms/:name/sample',
    {
      config,
      schema: {
        operationId: 'getPlatformSample',
        summary: 'The sample file of a platform',
        tags,
        params: z.object({ name: z.string().max(63) }),
        response: { 200: sampleSchema },
      },
    },
    async (request) => {
      const { name } = request.params;
      const [platform] = await loadedOf(registry.platforms, [name]);
      if (platform === undefined) throw noSuch(`platform ${name}`);
      return { platform: name, yaml: await sampleText(platform) };
    },
  );
  typed.get(
    '/api/v1/platforms/:name/guide',
    {
      config,
      schema: {
        operationId: 'getPlatformGuide',
        summary: 'The fields of a source of a platform, and what to ask the customer for',
        tags,
        params: z.object({ name: z.string().max(63) }),
        response: { 200: guideSchema },
      },
    },
    async (request) => {
      const { name } = request.params;
      const [platform] = await loadedOf(registry.platforms, [name]);
      if (platform === undefined) throw noSuch(`platform ${name}`);
      return {
        platform: name,
        schema: JSON.stringify(platformJsonSchema(platform, registry.kinds)),
        askTheCustomer: await customerText(platform),
      };
    },
  );
}
