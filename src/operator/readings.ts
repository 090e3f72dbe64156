import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { readingDocument } from '../core/reading.ts';
import { storedReadings } from '../ingest/stored-readings.ts';
import { operatorOf, seesOrganisation } from './authenticate.ts';
import { instantOfField, timeField } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem, noSuch } from './problem.ts';
import { openStreamsOf } from './streams.ts';

const MOST_STREAMS = { each: 2, all: 8 };
const MOST_READINGS = 1_000_000;

/** `GET /api/v1/projects/:organisation/:code/readings`. */
export function addReadingRoutes(app: FastifyInstance, { database, clock }: OperatorParts): void {
  const streams = openStreamsOf(app, MOST_STREAMS);
  app.withTypeProvider<ZodTypeProvider>().get(
    '/api/v1/projects/:organisation/:code/readings',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'readReadings',
        summary: 'Read the stored readings of a project, series by series',
        tags: ['Readings'],
        params: z.object({ organisation: z.string().max(128), code: z.string().max(128) }),
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
      const { organisation, code } = request.params;
      const { from, to, sensor, limit } = request.query;
      const row = seesOrganisation(operatorOf(request), organisation)
        ? await database.row<{ id: number }>('select id from ml_project where organisation_id = $1 and code = $2', [
            organisation,
            code,
          ])
        : undefined;
      if (row === undefined) throw noSuch(`project ${code} in organisation ${organisation}`);
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
        for await (const page of storedReadings(database, { projectId: row.id, range, sensor })) {
          if (signal.aborted || left <= 0) return;
          const shown = page.slice(0, left);
          left -= shown.length;
          yield shown.map((reading) => `${JSON.stringify(readingDocument(reading))}\n`).join('');
        }
      });
    },
  );
}
