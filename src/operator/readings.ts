import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { readingDocument } from '../core/reading.ts';
import { storedReadings } from '../ingest/stored-readings.ts';
import { instantOfField, projectIn, projectParams, timeField } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem } from './problem.ts';
import { openStreamsOf } from './streams.ts';

const MOST_STREAMS = { each: 2, all: 8 };
const MOST_READINGS = 1_000_000;

/** `GET /api/v1/projects/:organisation/:code/readings`. */
export function addReadingRoutes(app: FastifyInstance, { database, clock }: OperatorParts): void {
  const streams = openStreamsOf(app, MOST_STREAMS);
  app.withTypeProvider<ZodTypeProvider>().get(
    '/api/v1/projects/:organisation/:code/readings',
    {
      config: { role: 'viewer', streams: true },
      schema: {
        operationId: 'readReadings',
        summary: 'Read the stored readings of a project, series by series',
        tags: ['Readings'],
        params: projectParams,
        querystring: z.object({
          from: timeField,
          to: timeField.optional(),
          sensor: z.string().max(300).optional().describe('A sensorId, or a pattern such as `pump-*`.'),
          limit: z.coerce.number().int().min(1).max(MOST_READINGS).default(10_000),
        }),
        response: {
          200: {
            description: 'A reading a line, as another bridge takes it.',
            content: { 'application/x-ndjson': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { from, to, sensor, limit } = request.query;
      const { id: projectId } = await projectIn(database, request);
      const now = clock.now();
      const range = {
        from: instantOfField(from, now, 'from'),
        to: to === undefined ? now : instantOfField(to, now, 'to'),
      };
      if (range.from >= range.to)
        throw new OperatorProblem('invalid', 'from is not before to.', {
          remedy: 'Give a range that begins before it ends.',
          errors: [{ pointer: '/to', detail: 'is not after from' }],
        });
      return streams.answer(request, reply, 'application/x-ndjson', async function* read(signal) {
        let left = limit;
        for await (const page of storedReadings(database, { projectId, range, sensor })) {
          if (signal.aborted || left <= 0) return;
          const shown = page.slice(0, left);
          left -= shown.length;
          yield shown.map((reading) => `${JSON.stringify(readingDocument(reading))}\n`).join('');
        }
      });
    },
  );
}
