import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { formatInstant } from '../core/instant.ts';
import { formerConfigurations, formerOf, isFormer } from '../source/former.ts';
import { applySource } from '../source/registration.ts';
import { assertSamePlace } from '../source/sent.ts';
import { appliedAnswer, appliedSchema, applyQuery, wishOf } from './apply.ts';
import { operatorOf, seesOrganisation } from './authenticate.ts';
import { answered } from './documents.ts';
import { changing, idIn, pageBelow, pageQuery, pageSchemaOf, sourceParams } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { noSuch } from './problem.ts';
import { configurationField, shortConfiguration } from './source-parts.ts';

const SOURCE = '/api/v1/sources/:organisation/:name';

const endingFields = {
  endedAt: z.string(),
  endedBy: z.string().describe('Who changed or removed it.'),
  ending: z.enum(['changed', 'removed']),
};

const formerSchema = z
  .object({
    id: z.int().describe('For `restoreSource`.'),
    ...endingFields,
    config: configurationField,
    configLeftOut: z.boolean().describe('The configuration is longer than 512 kB, and null here.'),
  })
  .meta({
    id: 'Former',
    examples: [
      {
        id: 7,
        endedAt: '2026-11-22T10:00:00Z',
        endedBy: 'operator:anna',
        ending: 'changed',
        config: { name: 'hall-3', schedule: { every: '1m' } },
        configLeftOut: false,
      },
    ],
  });

const restoredSchema = appliedSchema.extend(endingFields).meta({
  id: 'Restored',
  examples: [
    {
      name: 'hall-3',
      organisation: 'default',
      action: 'changed' as const,
      differences: [{ path: 'schedule.every', before: '5m', after: '1m' }],
      namesakes: [],
      move: { coverage: 'kept' as const, fields: [], byText: [], streams: 2 },
      renames: [],
      seriesOfOthers: [],
      repair: null,
      endedAt: '2026-11-22T10:00:00Z',
      endedBy: 'operator:anna',
      ending: 'changed' as const,
    },
  ],
});

/** The routes that list former configurations of a source, and take one back. */
export function addFormerRoutes(app: FastifyInstance, parts: OperatorParts): void {
  const { clock } = parts;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  /** The source of a path that has former configurations. Throws 404 where it has none, and where the operator does not see its organisation. */
  const formerIn = async (request: FastifyRequest): Promise<z.infer<typeof sourceParams>> => {
    const source = request.params as z.infer<typeof sourceParams>;
    const { organisation, name } = source;
    if (!seesOrganisation(operatorOf(request), organisation) || !(await isFormer(parts.database, source)))
      throw noSuch(`former configuration of ${name} in organisation ${organisation}`);
    return source;
  };
  typed.get(
    `${SOURCE}/former`,
    {
      config: { role: 'viewer', costly: true },
      schema: {
        operationId: 'listFormer',
        summary: 'The configurations that a source had, the newest first, also of a removed one',
        tags: ['Sources'],
        params: sourceParams,
        querystring: pageQuery,
        response: { 200: pageSchemaOf(formerSchema) },
      },
    },
    async (request) => {
      const { cursor, limit } = request.query;
      const found = await formerConfigurations(parts, await formerIn(request), { before: idIn(cursor), limit });
      const all = found.items.map(({ endedAt, config, ...one }) => ({
        ...one,
        endedAt: formatInstant(endedAt),
        ...shortConfiguration(config),
      }));
      // The page is full where the database has more.
      const { items, next } = pageBelow(all, found.more ? all.length : limit + 1);
      return { items: answered(items), next };
    },
  );
  typed.post(
    `${SOURCE}/restore`,
    {
      config: { role: 'operator' },
      schema: {
        operationId: 'restoreSource',
        summary: 'Take back the last change of a source, or its removal; or any former configuration',
        tags: ['Sources'],
        params: sourceParams,
        querystring: applyQuery.extend({
          former: z.coerce
            .number()
            .int()
            .min(1)
            .max(Number.MAX_SAFE_INTEGER)
            .optional()
            .describe('The `id` of the one to take back; without it the newest.'),
        }),
        response: { 200: restoredSchema },
      },
    },
    async (request) => {
      const { organisation, name } = request.params;
      const { former: id } = request.query;
      await formerIn(request);
      if (id !== undefined && !(await isFormer(parts.database, { organisation, name }, id)))
        throw noSuch(`former configuration ${id} of ${name}`);
      const { applied, endedAt, endedBy, ending } = await changing(async () => {
        const former = await formerOf(parts, { organisation, name, id });
        if (operatorOf(request).role !== 'admin') await assertSamePlace(parts, former.source);
        return { ...former, applied: await applySource(parts, former.source, wishOf(request, clock.now())) };
      });
      return { ...appliedAnswer(applied), endedAt: formatInstant(endedAt), endedBy, ending };
    },
  );
}
