import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { KINDS_OF_BACKFILL, STATES_OF_BACKFILL } from '../core/backfill.ts';
import { asBridgeError } from '../core/errors.ts';
import { changeBackfill } from '../source/backfill/change.ts';
import { quoteBackfill, quoteDocument, startQuoted } from '../source/backfill/quote.ts';
import { activeSources } from '../source/backfill/start.ts';
import type { WantedBackfill } from '../source/backfill/start.ts';
import { backfillDocument, backfillState, listBackfills } from '../source/backfill/state.ts';
import type { BackfillState } from '../source/backfill/state.ts';
import { platformsBehind } from '../source/demand.ts';
import { operatorOf, seesOrganisation } from './authenticate.ts';
import { backfillSchema, quoteSchema, startedSchema } from './backfill-shapes.ts';
import { answered } from './documents.ts';
import {
  changing,
  idIn,
  instantOfField,
  organisationsOf,
  pageBehind,
  pageBelow,
  pageSchemaOf,
  pageQuery,
  sourceIn,
  sourceParams,
  textsIn,
  timeField,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { noSuch } from './problem.ts';

const idParams = z.object({ id: z.coerce.number().int().min(1).max(999_999_999) });

const wish = {
  from: timeField
    .optional()
    .describe('Begin. `refused` alone may leave it out: it begins with the first refused hour.'),
  to: timeField.optional().describe('End, not included; without it the newest settled time.'),
  what: z
    .enum(KINDS_OF_BACKFILL)
    .default('missing')
    .describe(
      '`missing`: time that is not covered; `failed`: time that could not be read; `refused`: hours of which points were refused; `all`: covered time, too, so that revised values replace the old ones.',
    ),
  order: z.enum(['oldest', 'newest']).default('oldest').describe('The time that is asked for first.'),
  sensors: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(100)
    .optional()
    .describe('Only the streams with these sensors or keys. Sensors that are fetched with them are asked for, too.'),
  requestsPerDay: z.int().min(1).max(999_999_999).optional().describe('At most so many requests on a day of UTC.'),
};

const startBody = z.strictObject(wish).meta({ examples: [{ from: '7d' }] });

const startAllBody = z
  .strictObject({
    ...wish,
    organisation: z.string().max(128).optional().describe('Only its sources; without it all that the operator sees.'),
    cursor: pageQuery.shape.cursor.describe(
      '`next` of the answer before: goes on with the sources behind those of that one.',
    ),
  })
  .meta({ examples: [{ from: '7d', requestsPerDay: 5_000 }] });

/** Sources of one request that starts backfills. Each is quoted, which takes some tenths of a second for a source of a thousand streams. */
const MOST_STARTED = 50;

/** The routes that quote, start, list, show, pause, resume and cancel backfills. */
export function addBackfillRoutes(app: FastifyInstance, { database, registry, clock, settings }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const documents = async (states: readonly BackfillState[]) => {
    const platforms = await platformsBehind(
      states.map(({ demand }) => demand),
      registry.platforms,
    );
    return states.map((state) => answered(backfillDocument(state, platforms)));
  };
  const document = async (id: number) => {
    const [one] = await documents([(await backfillState(database, id)) as BackfillState]);
    return one as NonNullable<typeof one>;
  };
  const seen = async (request: FastifyRequest): Promise<BackfillState> => {
    const { id } = request.params as z.infer<typeof idParams>;
    const state = await backfillState(database, id);
    if (state === undefined || !seesOrganisation(operatorOf(request), state.organisation))
      throw noSuch(`backfill ${id}`);
    return state;
  };
  const wanted = (body: z.infer<typeof startBody>, source: WantedBackfill['source']): WantedBackfill => {
    const now = clock.now();
    const { from, to, ...more } = body;
    return {
      ...more,
      source,
      from: from === undefined ? undefined : instantOfField(from, now, 'from'),
      to: to === undefined ? undefined : instantOfField(to, now, 'to'),
    };
  };
  const begin = (request: FastifyRequest, wish: WantedBackfill): Promise<number> =>
    startQuoted(
      database,
      registry,
      { ...wish, requestedBy: actorOf(operatorOf(request)) },
      settings.windowReadings,
      settings.egress.hostPaces,
    );
  typed.post(
    '/api/v1/sources/:organisation/:name/backfills/quote',
    {
      config: { role: 'viewer', costly: true },
      schema: {
        operationId: 'quoteBackfill',
        summary: 'What a backfill would take; nothing is started, and the platform is not asked',
        tags: ['Backfills'],
        params: sourceParams,
        body: startBody,
        response: { 200: quoteSchema },
      },
    },
    async (request) => {
      const wish = wanted(request.body, await sourceIn(database, request));
      return answered(
        quoteDocument(
          await changing(() =>
            quoteBackfill(database, registry, wish, settings.windowReadings, settings.egress.hostPaces),
          ),
        ),
      );
    },
  );
  typed.post(
    '/api/v1/sources/:organisation/:name/backfills',
    {
      config: { role: 'operator', idempotent: true },
      schema: {
        operationId: 'startBackfill',
        summary: 'Fetch a past range of a source, beside its live polls',
        tags: ['Backfills'],
        params: sourceParams,
        body: startBody,
        response: { 201: backfillSchema },
      },
    },
    async (request, reply) => {
      const wish = wanted(request.body, await sourceIn(database, request));
      const id = await changing(() => begin(request, wish));
      return await reply
        .code(201)
        .header('location', `/api/v1/backfills/${id}`)
        .send(await document(id));
    },
  );
  typed.post(
    '/api/v1/backfills',
    {
      config: { role: 'operator', costly: true, idempotent: true },
      schema: {
        operationId: 'startBackfills',
        summary: `Fetch a past range of every active source, of ${MOST_STARTED} a request; where one cannot be started, the others are`,
        tags: ['Backfills'],
        body: startAllBody,
        response: { 201: startedSchema },
      },
    },
    async (request, reply) => {
      const { organisation, cursor, ...body } = request.body;
      const operator = operatorOf(request);
      const chosen = await activeSources(database, {
        organisation,
        organisations: organisationsOf(operator, organisation),
        behind: textsIn(cursor, 2),
        limit: MOST_STARTED,
      });
      const items: z.infer<typeof startedSchema>['items'] = [];
      for (const one of chosen) {
        // Also for a client that has left: the answer is kept for its Idempotency-Key, and a part of it would pass for the last page.
        const begun = await begin(request, wanted(body, one)).catch((error: unknown) => asBridgeError(error));
        const isBegun = typeof begun === 'number';
        items.push({
          organisation: one.organisation,
          source: one.name,
          backfill: isBegun ? begun : null,
          fault: isBegun ? null : begun.message,
        });
      }
      const answer = pageBehind(
        items,
        MOST_STARTED,
        (item) => item,
        (item) => [item.organisation, item.source],
      );
      return await reply.code(201).send(answer);
    },
  );
  typed.get(
    '/api/v1/backfills',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listBackfills',
        summary: 'List backfills, newest first',
        tags: ['Backfills'],
        querystring: pageQuery.extend({
          organisation: z.string().max(128).optional(),
          source: z.string().max(63).optional(),
          state: z.enum(STATES_OF_BACKFILL).optional(),
        }),
        response: { 200: pageSchemaOf(backfillSchema) },
      },
    },
    async (request) => {
      const { limit, cursor, organisation, source, state } = request.query;
      const organisations = organisationsOf(operatorOf(request), organisation);
      const states = await listBackfills(database, limit, { before: idIn(cursor), organisations, source, state });
      return pageBelow(await documents(states), limit);
    },
  );
  typed.get(
    '/api/v1/backfills/:id',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'getBackfill',
        summary: 'Show a backfill',
        tags: ['Backfills'],
        params: idParams,
        response: { 200: backfillSchema },
      },
    },
    async (request) => {
      const [document] = await documents([await seen(request)]);
      return document as NonNullable<typeof document>;
    },
  );
  const changes = [
    ['pause', 'Ask for nothing more until it is resumed; windows under way are stored'],
    ['resume', 'Let a paused backfill go on'],
    ['cancel', 'Stop a backfill; the time it covered stays covered'],
  ] as const;
  for (const [change, summary] of changes) {
    typed.post(
      `/api/v1/backfills/:id/${change}`,
      {
        config: { role: 'operator' },
        schema: {
          operationId: `${change}Backfill`,
          summary,
          tags: ['Backfills'],
          params: idParams,
          response: { 200: backfillSchema },
        },
      },
      async (request) => {
        const { id } = await seen(request);
        await changing(() => changeBackfill(database, id, change, actorOf(operatorOf(request))));
        return await document(id);
      },
    );
  }
}
