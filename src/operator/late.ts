import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { adviceDocument, adviseSource } from '../source/advise.ts';
import { FATES, traceDocument, traceOf } from '../source/trace.ts';
import { answered, shows } from './documents.ts';
import { changing, instantOfField, sourceIn, sourceParams, timeField } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';

const SOURCE = '/api/v1/sources/:organisation/:name';

const waits = z.object({ settle: z.string(), overlap: z.string() });

const adviceSchema = shows<ReturnType<typeof adviceDocument>>()(
  z
    .object({
      name: z.string(),
      organisation: z.string(),
      revisionTag: z.string().describe('The state that was read, for `If-Match` of a change by this advice.'),
      share: z.number(),
      present: waits.describe('As the source is configured.'),
      advice: waits
        .extend({
          points: z.int().describe('Points of the last 14 days.'),
          late: z.int().describe('Those of them that came late.'),
          found: z.number().describe('The share that the present waits find, 0 to 1.'),
          reaches: z.boolean().describe('Whether the proposed waits reach the share, or end at a limit.'),
        })
        .nullable()
        .describe('Null where too few points have come to tell.'),
      lookBackAtMost: z.string().describe('Of points that came later, nothing is known.'),
    })
    .meta({
      id: 'SourceAdvice',
      examples: [
        {
          name: 'hall-3',
          organisation: 'default',
          revisionTag: '3-0a1b2c3d',
          share: 0.9999,
          present: { settle: '10s', overlap: '5m' },
          advice: { settle: '40s', overlap: '20m', points: 1_000_000, late: 50_565, found: 0.9994, reaches: true },
          lookBackAtMost: '1d',
        },
      ],
    }),
);

const traceSchema = shows<ReturnType<typeof traceDocument>>()(
  z
    .object({
      sensor: z.string(),
      at: z.string(),
      fate: z.enum(FATES),
      message: z.string(),
      remedy: z.string().nullable(),
      streams: z.array(z.string()),
      askedAt: z.string().nullable().describe('When its time was asked for last, as far as the log reaches.'),
      readings: z.array(z.object({ sensorId: z.string(), valueName: z.string(), value: z.number() })),
      before: z.string().nullable().describe('The nearest reading of the sensor before it.'),
      after: z.string().nullable().describe('The nearest reading of the sensor after it.'),
    })
    .meta({
      id: 'TracedPoint',
      examples: [
        {
          sensor: 'pump-7',
          at: '2026-11-22T08:30:00Z',
          fate: 'refused',
          message: 'it was refused: text-number, the platform sent "n/a"',
          remedy:
            'correct the mapping, then databridge backfill start hall-3 --what refused --from 2026-11-22T08:30:00Z',
          streams: ['pumps'],
          askedAt: '2026-11-22T08:30:12Z',
          readings: [],
          before: '2026-11-22T08:29:00Z',
          after: '2026-11-22T08:31:00Z',
        },
      ],
    }),
);

/** The routes on late and missing points. */
export function addLateRoutes(app: FastifyInstance, { database, registry, clock }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(
    `${SOURCE}/trace`,
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'tracePoint',
        summary: 'What became of one point that a sensor should have',
        tags: ['Sources'],
        params: sourceParams,
        querystring: z.object({
          sensor: z.string().min(1).max(500).describe('As the platform or as readings call it.'),
          at: timeField,
        }),
        response: { 200: traceSchema },
      },
    },
    async (request) => {
      const { sensor, at } = request.query;
      const source = await sourceIn(database, request);
      const wanted = { sensor, at: instantOfField(at, clock.now(), 'at') };
      return answered(traceDocument(await changing(() => traceOf(database, source, wanted))));
    },
  );
  typed.get(
    `${SOURCE}/advice`,
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'adviseSource',
        summary: 'How long a source should wait for late data, from what came late so far',
        tags: ['Sources'],
        params: sourceParams,
        querystring: z.object({
          share: z.coerce.number().min(0.5).max(1).default(0.9999).describe('The share of points to find, 0.5 to 1.'),
        }),
        response: { 200: adviceSchema },
      },
    },
    async (request) => {
      const source = await sourceIn(database, request);
      return answered(
        adviceDocument(await changing(() => adviseSource(database, registry, source, request.query.share))),
      );
    },
  );
}
