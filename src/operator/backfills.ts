import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { backfillDocument, backfillState, cancelBackfill, listBackfills, startBackfill } from '../source/backfills.ts';
import type { BackfillState } from '../source/backfills.ts';
import { platformsBehind } from '../source/demand.ts';
import { operatorOf, seesOrganisation } from './authenticate.ts';
import { answered, shows } from './documents.ts';
import {
  changing,
  idIn,
  instantOfField,
  organisationsOf,
  pageBelow,
  pageSchemaOf,
  pageQuery,
  sourceIn,
  sourceParams,
  timeField,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { noSuch } from './problem.ts';
import { faultSchema, overloadSchema } from './source-shapes.ts';

const backfillSchema = shows<ReturnType<typeof backfillDocument>>()(
  z
    .object({
      id: z.int(),
      source: z.string(),
      organisation: z.string(),
      from: z.string(),
      to: z.string(),
      again: z.boolean().describe('Whether covered time is asked for, too.'),
      state: z.enum(['running', 'done', 'cancelled']),
      share: z.number().describe('The part of its range that is covered, 0 to 1.'),
      readings: z.int(),
      createdAt: z.string(),
      finishedAt: z.string().nullable(),
      streams: z.int().describe('Streams that it is for.'),
      sourceState: z.string(),
      settlesAt: z.string().nullable().describe('When its end settles; null once that has passed.'),
      heldUntil: z.string().nullable().describe('Its source is not asked before.'),
      outboxFullSince: z.string().nullable(),
      fault: faultSchema.nullable().describe('That of its source.'),
      overload: overloadSchema.nullable(),
      unreadable: z.int().describe('Stretches of its range that cannot be read now.'),
    })
    .meta({
      id: 'Backfill',
      examples: [
        {
          id: 7,
          source: 'hall-3',
          organisation: 'default',
          from: '2026-11-15T10:00:00Z',
          to: '2026-11-22T10:00:00Z',
          again: false,
          state: 'running',
          share: 0.42,
          readings: 254_000,
          createdAt: '2026-11-22T10:00:03Z',
          finishedAt: null,
          streams: 2,
          sourceState: 'active',
          settlesAt: null,
          heldUntil: null,
          outboxFullSince: null,
          fault: null,
          overload: null,
          unreadable: 0,
        },
      ],
    }),
);

const idParams = z.object({ id: z.coerce.number().int().min(1).max(999_999_999) });

const startBody = z
  .strictObject({
    from: timeField,
    to: timeField.optional().describe('End, not included; without it the newest settled time.'),
    again: z.boolean().default(false).describe('Also ask for covered time: revised values replace the old ones.'),
  })
  .meta({ examples: [{ from: '7d', again: false }] });

/** The routes that start, list, show and cancel backfills. */
export function addBackfillRoutes(app: FastifyInstance, { database, registry, clock }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const documents = async (states: readonly BackfillState[]) => {
    const platforms = await platformsBehind(
      states.map(({ demand }) => demand),
      registry.platforms,
    );
    return states.map((state) => answered(backfillDocument(state, platforms)));
  };
  const seen = async (request: Parameters<typeof operatorOf>[0]): Promise<BackfillState> => {
    const { id } = request.params as z.infer<typeof idParams>;
    const state = await backfillState(database, id);
    if (state === undefined || !seesOrganisation(operatorOf(request), state.organisation))
      throw noSuch(`backfill ${id}`);
    return state;
  };
  typed.post(
    '/api/v1/sources/:organisation/:name/backfills',
    {
      config: { role: 'operator' },
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
      const source = await sourceIn(database, request);
      const { from, to, again } = request.body;
      const now = clock.now();
      const id = await changing(() =>
        startBackfill(database, {
          source,
          from: instantOfField(from, now, 'from'),
          to: to === undefined ? undefined : instantOfField(to, now, 'to'),
          again,
          requestedBy: actorOf(operatorOf(request)),
        }),
      );
      const [document] = await documents([(await backfillState(database, id)) as BackfillState]);
      return await reply
        .code(201)
        .header('location', `/api/v1/backfills/${id}`)
        .send(document as NonNullable<typeof document>);
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
          state: z.enum(['running', 'done', 'cancelled']).optional(),
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
  typed.post(
    '/api/v1/backfills/:id/cancel',
    {
      config: { role: 'operator' },
      schema: {
        operationId: 'cancelBackfill',
        summary: 'Stop a backfill; the time it covered stays covered',
        tags: ['Backfills'],
        params: idParams,
        response: {
          200: z
            .object({ id: z.int(), cancelled: z.boolean().describe('False where it was not running.') })
            .meta({ examples: [{ id: 7, cancelled: true }] }),
        },
      },
    },
    async (request) => {
      const { id } = await seen(request);
      return { id, cancelled: await cancelBackfill(database, id, actorOf(operatorOf(request))) };
    },
  );
}
