import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { parseDuration } from '../core/duration.ts';
import { formatInstant } from '../core/instant.ts';
import { refusalsDocument } from '../core/kept-refusals.ts';
import { REFUSALS } from '../core/reading.ts';
import type { RefusalReason } from '../core/reading.ts';
import { formerConfigurations, lastFormer } from '../source/former.ts';
import { resemblingDocument, resemblingIn } from '../source/held-names.ts';
import { requestsByHost } from '../source/host-requests.ts';
import { isSilent, newestDocument, newestReadings } from '../source/newest.ts';
import { applySource } from '../source/registration.ts';
import { refusalsOf } from '../source/refusals.ts';
import { explainSource, whyDocument } from '../source/why-facts.ts';
import { appliedAnswer, appliedSchema, applyQuery, wishOf } from './apply.ts';
import { operatorOf, seesOrganisation } from './authenticate.ts';
import {
  boundsIn,
  changing,
  looseDocument,
  pageIn,
  pageQuery,
  pageSchemaOf,
  sourceIn,
  sourceParams,
  timeField,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem, noSuch } from './problem.ts';

const SOURCE = '/api/v1/sources/:organisation/:name';

/** The query of a route on refused points. */
export const refusalQuery = z.object({
  reason: z.enum(Object.keys(REFUSALS) as [RefusalReason, ...RefusalReason[]]).optional(),
  sensor: z.string().max(300).optional(),
  from: timeField.optional(),
  to: timeField.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('At most this many variables.'),
});

/** The answer of a route on refused points. */
export const refusalsSchema = looseDocument(
  {
    reasons: z.array(z.looseObject({ reason: z.string(), refused: z.int(), meaning: z.string(), remedy: z.string() })),
    series: z.array(z.looseObject({ sensor: z.string(), variable: z.string(), refused: z.int() })),
    resembling: z
      .array(z.looseObject({ sensorId: z.string(), valueName: z.string() }))
      .optional()
      .describe('Names among them that are held back and resemble series of the project.'),
  },
  'Refusals',
  {
    reasons: [
      {
        reason: 'text-number',
        refused: 12,
        meaning: REFUSALS['text-number'],
        remedy: 'map the text to a number on the platform',
      },
    ],
    series: [{ sensor: 'pump-7', variable: 'state', refused: 12 }],
  },
);

const whySchema = looseDocument(
  { name: z.string(), condition: z.string(), causes: z.array(z.looseObject({ message: z.string() })) },
  'Why',
  {
    name: 'hall-3',
    condition: 'behind',
    causes: [{ cause: 'http', seconds: 40, message: 'the platform takes its time to answer' }],
  },
);
const newestSchema = looseDocument({ sensor: z.string(), newestAt: z.string().nullable() }, 'NewestReading', {
  sensor: 'pump-7',
  newestAt: '2026-11-22T10:00:00Z',
  ageSeconds: 41.2,
});
const hostSchema = looseDocument({ host: z.string(), all: z.int(), sources: z.array(z.looseObject({})) }, 'Host', {
  host: 'https://influx.example',
  all: 61,
  sources: [{ name: 'hall-3', organisation: 'default', all: 61, allowed: 3600 }],
});
const formerSchema = looseDocument({ endedAt: z.string(), endedBy: z.string(), config: z.unknown() }, 'Former', {
  endedAt: '2026-11-22T10:00:00Z',
  endedBy: 'operator:anna',
  ending: 'changed',
  config: { name: 'hall-3', schedule: { every: '1m' } },
});

const schemaOf = (operationId: string, summary: string) => ({ operationId, summary, tags: ['Sources'] });

/** The routes that tell facts of one source, and the requests of all. */
export function addFactRoutes(app: FastifyInstance, parts: OperatorParts): void {
  const { database, registry, clock } = parts;
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
      return whyDocument(await explainSource(database, registry.platforms, source)) as z.infer<typeof whySchema>;
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
      return { items: items.map((one) => newestDocument(one, now) as z.infer<typeof newestSchema>), next };
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
      const { limit, ...choice } = request.query;
      const wanted = { sourceId, ...choice, ...boundsIn(choice, clock.now()) };
      const refusals = await refusalsOf(database, wanted, limit);
      const held = resemblingDocument(await resemblingIn(database, refusals, { sourceId }));
      const document = { ...refusalsDocument(refusals, 'operator'), ...held, undated: refusals.undated };
      return document as unknown as z.infer<typeof refusalsSchema>;
    },
  );
  typed.get(
    '/api/v1/requests',
    {
      config,
      schema: {
        ...schemaOf('listRequests', 'The requests of the last hour for each host, against the pace'),
        response: { 200: z.object({ items: z.array(hostSchema) }) },
      },
    },
    async (request) => {
      const organisations = operatorOf(request).organisations ?? undefined;
      const hosts = await requestsByHost(database, registry.platforms, organisations);
      return { items: hosts as unknown as z.infer<typeof hostSchema>[] };
    },
  );
  /** The former configurations of a source. Throws 404 where there are none, and where the operator does not see its organisation. */
  const formerIn = async (request: FastifyRequest) => {
    const { organisation, name } = request.params as z.infer<typeof sourceParams>;
    const found = seesOrganisation(operatorOf(request), organisation)
      ? await formerConfigurations(parts, { organisation, name })
      : [];
    if (found.length === 0) throw noSuch(`former configuration of ${name} in organisation ${organisation}`);
    return found;
  };
  typed.get(
    `${SOURCE}/former`,
    {
      config,
      schema: {
        ...schemaOf('listFormer', 'The configurations that a source had, the newest first, also of a removed one'),
        params: sourceParams,
        response: { 200: z.object({ items: z.array(formerSchema) }) },
      },
    },
    async (request) => {
      return {
        items: (await formerIn(request)).map(({ endedAt, ...one }) => ({
          ...one,
          endedAt: formatInstant(endedAt),
        })) as z.infer<typeof formerSchema>[],
      };
    },
  );
  typed.post(
    `${SOURCE}/restore`,
    {
      config: { role: 'operator' },
      schema: {
        ...schemaOf('restoreSource', 'Take back the last change of a source, or its removal'),
        params: sourceParams,
        querystring: applyQuery,
        response: { 200: appliedSchema },
      },
    },
    async (request) => {
      const { organisation, name } = request.params;
      await formerIn(request);
      const former = await lastFormer(parts, { organisation, name });
      const applied = await changing(() => applySource(parts, former.source, wishOf(request, clock.now())));
      const { endedAt, endedBy, ending } = former;
      return { ...appliedAnswer(applied), endedAt: formatInstant(endedAt), endedBy, ending };
    },
  );
}
