import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { DAY, formatInstant, instantOrNull } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import { binnedReadings, listSeries } from '../ingest/binned-readings.ts';
import type { ListedSeries } from '../ingest/binned-readings.ts';
import { shows } from './documents.ts';
import {
  instantOfField,
  pageBehind,
  pageQuery,
  pageSchemaOf,
  projectIn,
  projectParams,
  textsIn,
  timeField,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem, noSuch } from './problem.ts';

const MOST_BINS = 2_000;

/** The product of its microseconds and the bins stays below 2^63. */
const LONGEST = 36_525 * DAY;

const seriesSchema = shows<ListedSeries>()(
  z
    .object({
      sensorId: z.string(),
      valueName: z.string(),
      owner: z.string().nullable().describe('The source that it belongs to; null for pushing applications.'),
      newestAt: z.string().nullable().describe('The instant of its newest reading.'),
    })
    .meta({
      id: 'Series',
      examples: [
        {
          sensorId: 'pump-7',
          valueName: 'flow',
          owner: 'hall-3',
          newestAt: '2026-11-22T10:00:00Z',
        },
      ],
    }),
);

const binsSchema = z
  .object({
    sensorId: z.string(),
    valueName: z.string(),
    from: z.string(),
    to: z.string(),
    bins: z.int().describe('Equal parts of the range.'),
    items: z
      .array(
        z.object({
          bin: z.int().describe('Its number, from 0.'),
          min: z.number(),
          max: z.number(),
          mean: z.number(),
          count: z.int(),
        }),
      )
      .describe('Those that hold a reading.'),
    keptFrom: z.string().nullable().describe('Readings before are not kept; null where all are.'),
  })
  .meta({
    id: 'BinnedReadings',
    examples: [
      {
        sensorId: 'pump-7',
        valueName: 'flow',
        from: '2026-11-22T09:00:00Z',
        to: '2026-11-22T10:00:00Z',
        bins: 60,
        items: [{ bin: 0, min: 4.1, max: 4.4, mean: 4.25, count: 60 }],
        keptFrom: null,
      },
    ],
  });

const wrongRange = (why: string, detail: string): OperatorProblem =>
  new OperatorProblem('invalid', why, {
    remedy: 'Give a range that begins before it ends, of at most 100 years.',
    errors: [{ pointer: '/to', detail }],
  });

/** The routes of the series of a project, and of their readings in bins, with which a chart is drawn. */
export function addSeriesRoutes(app: FastifyInstance, { database, clock }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const tags = ['Readings'];
  typed.get(
    '/api/v1/projects/:organisation/:code/series',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listSeries',
        summary: 'List or search the series of a project',
        tags,
        params: projectParams,
        querystring: pageQuery.extend({
          text: z.string().max(300).optional().describe('A part of the sensorId or valueName, in capitals or not.'),
          sensor: z.string().max(300).optional().describe('A sensorId, or a pattern such as `pump-*`.'),
        }),
        response: { 200: pageSchemaOf(seriesSchema) },
      },
    },
    async (request) => {
      const { limit, cursor, ...choice } = request.query;
      const { id } = await projectIn(database, request);
      const [sensorId, valueName = ''] = textsIn(cursor, 2) ?? [];
      const behind = sensorId === undefined ? undefined : { sensorId, valueName };
      const series = await listSeries(database, id, { ...choice, limit, behind });
      return pageBehind(
        series,
        limit,
        (one) => ({ ...one, newestAt: instantOrNull(one.newestAt) }),
        (one) => [one.sensorId, one.valueName],
      );
    },
  );
  typed.get(
    '/api/v1/projects/:organisation/:code/bins',
    {
      config: { role: 'viewer', costly: true },
      schema: {
        operationId: 'readBins',
        summary: 'The readings of a series as least, greatest and mean value of equal parts of a range',
        tags,
        params: projectParams,
        querystring: z.object({
          sensorId: z.string().max(300),
          valueName: z.string().max(300),
          from: timeField,
          to: timeField.optional(),
          bins: z.coerce.number().int().min(1).max(MOST_BINS).default(300),
        }),
        response: { 200: binsSchema },
      },
    },
    async (request) => {
      const { sensorId, valueName, from, to, bins } = request.query;
      const { id } = await projectIn(database, request);
      const now = clock.now();
      const range: Window = {
        from: instantOfField(from, now, 'from'),
        to: to === undefined ? now : instantOfField(to, now, 'to'),
      };
      if (range.from >= range.to) throw wrongRange('from is not before to.', 'is not after from');
      if (range.to - range.from > LONGEST)
        throw wrongRange('The range is longer than 100 years.', 'is too far from from');
      const found = await binnedReadings(database, id, { sensorId, valueName, range, bins });
      if (found === undefined) throw noSuch(`series ${sensorId} ${valueName}`);
      const bounds = { from: formatInstant(range.from), to: formatInstant(range.to) };
      const { bins: items, keptFrom } = found;
      return { sensorId, valueName, ...bounds, bins, items: [...items], keptFrom: instantOrNull(keptFrom) };
    },
  );
}
