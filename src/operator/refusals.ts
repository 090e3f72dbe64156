import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { instantOrNull } from '../core/instant.ts';
import { refusalsDocument } from '../core/kept-refusals.ts';
import { PLACE_PARTS, placeOfRefusal, reasonsOfSources, refusalsOfSources } from '../source/refusals-of-all.ts';
import { operatorOf } from './authenticate.ts';
import type { OperatorParts } from './parts.ts';
import { reasonSumSchema, refusalQuery } from './refusal-shapes.ts';
import { organisationsOf, pageBehind, pageQuery, textsIn } from './route-shapes.ts';

const { reason, sensor } = refusalQuery.shape;

const refusedSchema = z
  .object({
    organisation: z.string(),
    source: z.string(),
    project: z.string(),
    sensor: z.string(),
    variable: z.string(),
    reason: z.string(),
    refused: z.int(),
    first: z.string().nullable(),
    last: z.string().nullable(),
  })
  .meta({
    id: 'RefusalOfSource',
    examples: [
      {
        organisation: 'default',
        source: 'hall-3',
        project: 'pump-hall',
        sensor: 'pump-7',
        variable: 'state',
        reason: 'text-number',
        refused: 12,
        first: '2026-11-22T10:00:00Z',
        last: '2026-11-22T10:11:00Z',
      },
    ],
  });

/** `GET /api/v1/refusals`. */
export function addRefusalRoutes(app: FastifyInstance, { database }: OperatorParts): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    '/api/v1/refusals',
    {
      config: { role: 'viewer', costly: true },
      schema: {
        operationId: 'listRefusalsOfAll',
        summary: 'The points of all sources that are refused, by source, sensor and reason',
        description:
          'In the order of organisation, source, sensor, variable and reason. The first page has the sums by reason, over all pages.',
        tags: ['Sources'],
        querystring: pageQuery.extend({
          organisation: z.string().max(128).optional(),
          source: z.string().max(63).optional(),
          project: z.string().max(128).optional(),
          reason,
          sensor,
        }),
        response: {
          200: z.object({
            reasons: z.array(reasonSumSchema).nullable().describe('Null on pages behind the first.'),
            items: z.array(refusedSchema),
            next: z.string().nullable(),
          }),
        },
      },
    },
    async (request) => {
      const { limit, cursor, organisation, ...choice } = request.query;
      const wanted = { ...choice, organisations: organisationsOf(operatorOf(request), organisation) };
      const after = textsIn(cursor, PLACE_PARTS);
      const found = await refusalsOfSources(database, wanted, { after, limit });
      const page = pageBehind(
        found,
        limit,
        (one) => ({ ...one, first: instantOrNull(one.first), last: instantOrNull(one.last) }),
        placeOfRefusal,
      );
      if (cursor !== undefined) return { reasons: null, ...page };
      const reasons = await reasonsOfSources(database, wanted);
      return { reasons: refusalsDocument({ reasons, series: [] }, 'operator').reasons, ...page };
    },
  );
}
