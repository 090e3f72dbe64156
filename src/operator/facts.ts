import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { parseDuration } from '../core/duration.ts';
import { refusalsDocument } from '../core/kept-refusals.ts';
import { resemblingDocument, resemblingIn } from '../source/held-names.ts';
import { requestsByHost } from '../source/host-requests.ts';
import type { HostRequests } from '../source/host-requests.ts';
import { isSilent, newestDocument, newestReadings } from '../source/newest.ts';
import { refusalsOf } from '../source/refusals.ts';
import { explainSource, whyDocument } from '../source/why-facts.ts';
import { operatorOf } from './authenticate.ts';
import { answered, shows } from './documents.ts';
import { refusalQuery, refusalsAnswer, refusalsSchema, variablesBehind } from './refusal-shapes.ts';
import { boundsIn, pageIn, pageQuery, pageSchemaOf, sourceIn, sourceParams } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem } from './problem.ts';
import { LINE, requestsFields } from './source-shapes.ts';

const SOURCE = '/api/v1/sources/:organisation/:name';

const whySchema = shows<ReturnType<typeof whyDocument>>()(
  z
    .object({
      name: z.string(),
      condition: z.string(),
      lagSeconds: z.number().nullable(),
      overdueSeconds: z.number().nullable(),
      newestAt: z.string().nullable(),
      causes: z
        .array(
          z.object({
            cause: z.string().describe('For programs, such as `http` or `pace`.'),
            seconds: z.number().nullable().describe('Its part of the lag; null where it has no length.'),
            message: z.string(),
            remedy: z.string(),
          }),
        )
        .describe('The longest first.'),
    })
    .meta({
      id: 'Why',
      examples: [
        {
          name: 'hall-3',
          condition: 'behind',
          lagSeconds: 90,
          overdueSeconds: 40,
          newestAt: '2026-11-22T10:00:00Z',
          causes: [
            {
              cause: 'http',
              seconds: 40,
              message: 'the platform takes its time to answer',
              remedy: 'raise pace.concurrency, if the platform bears it, or choose fewer sensors',
            },
          ],
        },
      ],
    }),
);
const newestSchema = shows<ReturnType<typeof newestDocument>>()(
  z
    .object({
      sensor: z.string().describe('As the platform calls it.'),
      sensorId: z.string().nullable().describe('As readings call it; null where it has none, or several.'),
      series: z.int(),
      newestAt: z.string().nullable(),
      ageSeconds: z.number().nullable(),
      silent: z.boolean().describe('Whether it is silent by its own rhythm.'),
      longestGapSeconds: z
        .number()
        .nullable()
        .describe('The longest time without a reading that it is known for; null where no two readings showed it yet.'),
      muted: z
        .object({ until: z.string(), reason: z.string(), by: z.string() })
        .nullable()
        .describe('Why and until when nobody is told of its silence, and who muted it; null where it is told.'),
      askedAgain: z
        .object({ from: z.string(), to: z.string(), answered: z.boolean() })
        .nullable()
        .describe(
          'The time of its present silence that was asked for once more before the silence is believed, and whether the platform has answered; null where it was not.',
        ),
      askedFrom: z.string().nullable().describe('Since when its time is covered; null where it was not asked yet.'),
      refused: z.string().nullable().describe('Why its newest point of a day was refused, where it is silent.'),
    })
    .meta({
      id: 'NewestReading',
      examples: [
        {
          sensor: 'pump-7',
          sensorId: 'pump-7',
          series: 2,
          newestAt: '2026-11-22T10:00:00Z',
          ageSeconds: 41.2,
          silent: false,
          longestGapSeconds: 60,
          muted: { until: '2026-11-24T10:00:00Z', reason: 'the line is down', by: 'operator:anna' },
          askedAgain: null,
          askedFrom: '2026-11-01T00:00:00Z',
          refused: null,
        },
      ],
    }),
);
const hostSchema = shows<HostRequests & { readonly sourcesInAll?: number }>()(
  z
    .object({
      host: z.string().describe('Its origin.'),
      ...requestsFields,
      share: z.number().nullable().describe('The part of `allowed` that was sent, mostly 0 to 1.'),
      pace: z
        .number()
        .nullable()
        .describe('Requests a second from all sources together; null where the host has no pace.'),
      fullestSecond: z.number().nullable().describe('The most requests that the paces let leave in one second.'),
      advice: z.string().nullable().describe('Why the host should get a pace.'),
      sources: z
        .array(z.object({ name: z.string(), organisation: z.string(), ...requestsFields }))
        .describe('Those with the most requests first, at most 100.'),
      sourcesInAll: z.int().optional().describe('Their number, where more are left out.'),
    })
    .meta({
      id: 'Host',
      examples: [
        {
          host: 'https://influx.example',
          ...LINE.example.requestsLastHour,
          share: 0.017,
          pace: null,
          fullestSecond: 3,
          advice: null,
          sources: [{ name: 'hall-3', organisation: 'default', ...LINE.example.requestsLastHour }],
        },
      ],
    }),
);

const MOST_SOURCES_OF_HOST = 100;

const schemaOf = (operationId: string, summary: string) => ({ operationId, summary, tags: ['Sources'] });

/** The routes that tell facts of one source, and the requests of all. */
export function addFactRoutes(app: FastifyInstance, parts: OperatorParts): void {
  const { database, registry, clock } = parts;
  const paces = parts.settings.egress.hostPaces;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const config = { role: 'viewer' } as const;
  typed.get(
    `${SOURCE}/why`,
    {
      config,
      schema: {
        ...schemaOf('explainSource', 'Why the readings of a source are as old as they are'),
        params: sourceParams,
        response: { 200: whySchema },
      },
    },
    async (request) => {
      const source = await sourceIn(database, request);
      return answered(whyDocument(await explainSource(database, registry.platforms, source)));
    },
  );
  typed.get(
    `${SOURCE}/newest`,
    {
      config,
      schema: {
        ...schemaOf('listNewest', 'The newest reading of each sensor, the longest silent first'),
        params: sourceParams,
        querystring: pageQuery.extend({
          silent: z.string().max(20).optional().describe('Only sensors without a reading for so long, such as `1d`.'),
        }),
        response: { 200: pageSchemaOf(newestSchema) },
      },
    },
    async (request) => {
      const source = await sourceIn(database, request);
      const { silent, ...page } = request.query;
      const length = silent === undefined ? undefined : parseDuration(silent);
      if (silent !== undefined && length === undefined)
        throw new OperatorProblem('invalid', 'silent is not a length of time.', {
          remedy: 'Write it like 1d, 12h or 30m.',
          errors: [{ pointer: '/silent', detail: 'is not a length of time' }],
        });
      const now = clock.now();
      const all = await newestReadings(database, source);
      const chosen = length === undefined ? all : all.filter((one) => isSilent(one, now, length));
      const { items, next } = pageIn(chosen, page, ({ sensor }) => sensor);
      return { items: items.map((one) => newestDocument(one, now)), next };
    },
  );
  typed.get(
    `${SOURCE}/refusals`,
    {
      config,
      schema: {
        ...schemaOf('listRefusals', 'The refused points of a source by reason and variable'),
        params: sourceParams,
        querystring: refusalQuery,
        response: { 200: refusalsSchema },
      },
    },
    async (request) => {
      const { id: sourceId } = await sourceIn(database, request);
      const { limit, cursor, ...choice } = request.query;
      const after = variablesBehind(cursor);
      const wanted = { sourceId, ...choice, ...boundsIn(choice, clock.now()), after };
      const refusals = await refusalsOf(database, wanted, limit);
      const held = resemblingDocument(await resemblingIn(database, refusals, { sourceId }));
      return refusalsAnswer({ ...refusalsDocument(refusals, 'operator'), ...held, undated: refusals.undated }, limit);
    },
  );
  typed.get(
    '/api/v1/requests',
    {
      config,
      schema: {
        ...schemaOf('listRequests', 'The requests of the last hour for each host, against the pace'),
        querystring: pageQuery,
        response: { 200: pageSchemaOf(hostSchema) },
      },
    },
    async (request) => {
      const organisations = operatorOf(request).organisations ?? undefined;
      const hosts = (await requestsByHost(database, { listed: registry.platforms, paces, organisations })).map(
        (host) => ({
          ...host,
          sources: host.sources.slice(0, MOST_SOURCES_OF_HOST),
          ...(host.sources.length > MOST_SOURCES_OF_HOST && { sourcesInAll: host.sources.length }),
        }),
      );
      const { items, next } = pageIn(hosts, request.query, ({ host }) => host);
      return { items: answered([...items]), next };
    },
  );
}
