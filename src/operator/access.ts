import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  applicationDocument,
  createApplication,
  listApplications,
  revokeApplication,
  rotateSecret,
  showApplication,
} from '../access/applications.ts';
import { actorOf } from '../access/operators.ts';
import { createOrganisation, listOrganisations } from '../access/organisations.ts';
import { formatInstant } from '../core/instant.ts';
import { refusalsDocument } from '../core/kept-refusals.ts';
import { pushRefusalsOf } from '../ingest/pushed-refusals.ts';
import { resemblingDocument, resemblingIn } from '../source/held-names.ts';
import { assertSeen, assertSeesAll, operatorOf, seesOrganisation } from './authenticate.ts';
import { APPLICATION, SECRET, applicationSchema, organisationSchema } from './access-shapes.ts';
import { answered } from './documents.ts';
import { refusalQuery, refusalsAnswer, refusalsSchema, variablesBehind } from './refusal-shapes.ts';
import { boundsIn, changing, pageIn, pageQuery, pageSchemaOf } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { noSuch } from './problem.ts';

const idParams = z.object({ id: z.string().max(100) });
const name = z.string().max(200);

/** The routes of organisations and applications. */
export function addAccessRoutes(app: FastifyInstance, { database, clock }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const reads = { role: 'viewer' } as const;
  const admin = { role: 'admin' } as const;
  typed.get(
    '/api/v1/organisations',
    {
      config: reads,
      schema: {
        operationId: 'listOrganisations',
        summary: 'List organisations',
        tags: ['Access'],
        querystring: pageQuery,
        response: { 200: pageSchemaOf(organisationSchema) },
      },
    },
    async (request) => {
      const all = (await listOrganisations(database)).filter(({ id }) => seesOrganisation(operatorOf(request), id));
      const { items, next } = pageIn(all, request.query, ({ id }) => id);
      return { items: items.map((one) => ({ ...one, createdAt: formatInstant(one.createdAt) })), next };
    },
  );
  typed.post(
    '/api/v1/organisations',
    {
      config: { ...admin, idempotent: true },
      schema: {
        operationId: 'createOrganisation',
        summary: 'Create an organisation; its id is part of the path to which readings are pushed',
        tags: ['Access'],
        body: z
          .strictObject({ id: z.string().max(200), name: name.optional().describe('For people; default: the id.') })
          .meta({ examples: [{ id: 'north-works', name: 'North works' }] }),
        response: {
          200: z
            .object({ id: z.string(), created: z.boolean().describe('False where it exists already.') })
            .meta({ examples: [{ id: 'north-works', created: true }] }),
        },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      assertSeesAll(operator, 'A new organisation is made by operators of all organisations');
      const { id, name: its = id } = request.body;
      return { id, created: await createOrganisation(database, { id, name: its }, actorOf(operator)) };
    },
  );

  /** Throws 404 for an application that does not exist, or that the operator does not see. */
  const seen = async (request: FastifyRequest): Promise<string> => {
    const { id } = request.params as z.infer<typeof idParams>;
    const row = await database.row<{ organisation: string }>(
      'select organisation_id as organisation from application where id = $1',
      [id],
    );
    if (row === undefined || !seesOrganisation(operatorOf(request), row.organisation))
      throw noSuch(`application ${id}`);
    return id;
  };
  typed.get(
    '/api/v1/applications',
    {
      config: reads,
      schema: {
        operationId: 'listApplications',
        summary: 'List applications, which push readings',
        tags: ['Access'],
        querystring: pageQuery,
        response: { 200: pageSchemaOf(applicationSchema) },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      const all = (await listApplications(database)).filter((one) => seesOrganisation(operator, one.organisation));
      const { items, next } = pageIn(all, request.query, ({ applicationId }) => applicationId);
      return { items: items.map((one) => answered(applicationDocument(one))), next };
    },
  );
  typed.post(
    '/api/v1/applications',
    {
      config: {
        ...admin,
        needsProof: true,
        idempotent: { made: 'applicationId', remedy: 'Give it another secret: rotateApplication.' },
      },
      schema: {
        operationId: 'createApplication',
        summary: 'Create an application; the answer is the only place that holds its secret',
        tags: ['Access'],
        body: z
          .strictObject({
            organisation: z.string().max(128).default('default'),
            name,
            projects: z.array(z.string().max(128)).max(1000).optional(),
          })
          .meta({ examples: [{ name: APPLICATION.name, projects: ['pump-hall'] }] }),
        response: {
          201: z
            .object({
              applicationId: z.string(),
              secret: z.string(),
              organisation: z.string(),
              name: z.string(),
              projects: z.array(z.string()).nullable(),
            })
            .meta({
              id: 'ApplicationSecret',
              examples: [{ ...APPLICATION, secret: SECRET, projects: ['pump-hall'] }],
            }),
        },
      },
    },
    async (request, reply) => {
      const operator = operatorOf(request);
      const { organisation, projects } = request.body;
      assertSeen(operator, organisation, `organisation ${organisation}`);
      const { applicationId, secret } = await createApplication(database, request.body, actorOf(operator));
      const answer = { applicationId, secret, organisation, name: request.body.name, projects: projects ?? null };
      return await reply.code(201).send(answer);
    },
  );
  typed.get(
    '/api/v1/applications/:id',
    {
      config: reads,
      schema: {
        operationId: 'getApplication',
        summary: 'Show an application with its pushes and the number of its refused readings',
        tags: ['Access'],
        params: idParams,
        response: { 200: applicationSchema },
      },
    },
    async (request) => answered(applicationDocument(await showApplication(database, await seen(request)))),
  );
  typed.post(
    '/api/v1/applications/:id/rotate',
    {
      config: { ...admin, needsProof: true },
      schema: {
        operationId: 'rotateApplication',
        summary: 'Give an application a new secret; the answer is the only place that holds it',
        tags: ['Access'],
        params: idParams,
        body: z
          .strictObject({ overlapHours: z.number().min(0).max(720).default(24) })
          .meta({ examples: [{ overlapHours: 24 }] }),
        response: {
          200: z.object({ applicationId: z.string(), secret: z.string(), previousSecretUntil: z.string() }).meta({
            examples: [
              {
                applicationId: APPLICATION.applicationId,
                secret: SECRET,
                previousSecretUntil: '2026-11-23T10:00:00Z',
              },
            ],
          }),
        },
      },
    },
    async (request) => {
      const applicationId = await seen(request);
      const { secret, previousUntil } = await changing(() =>
        rotateSecret(database, applicationId, request.body, actorOf(operatorOf(request))),
      );
      return { applicationId, secret, previousSecretUntil: formatInstant(previousUntil) };
    },
  );
  typed.post(
    '/api/v1/applications/:id/revoke',
    {
      config: { ...admin, needsProof: true },
      schema: {
        operationId: 'revokeApplication',
        summary: 'End an application and its tokens',
        tags: ['Access'],
        params: idParams,
        response: {
          200: z
            .object({ applicationId: z.string(), revoked: z.boolean().describe('False where it was revoked before.') })
            .meta({ examples: [{ applicationId: APPLICATION.applicationId, revoked: true }] }),
        },
      },
    },
    async (request) => {
      const applicationId = await seen(request);
      const revoked = await revokeApplication(database, applicationId, actorOf(operatorOf(request)));
      return { applicationId, revoked };
    },
  );
  typed.get(
    '/api/v1/applications/:id/refusals',
    {
      config: reads,
      schema: {
        operationId: 'listPushRefusals',
        summary: 'The refused readings of an application by reason and sensor',
        tags: ['Access'],
        params: idParams,
        querystring: refusalQuery,
        response: { 200: refusalsSchema },
      },
    },
    async (request) => {
      const applicationId = await seen(request);
      const { limit, cursor, ...choice } = request.query;
      const after = variablesBehind(cursor);
      const wanted = { applicationId, ...choice, ...boundsIn(choice, clock.now()), after };
      const refusals = await pushRefusalsOf(database, wanted, limit);
      const held = resemblingDocument(await resemblingIn(database, refusals, { applicationId }));
      return refusalsAnswer({ ...refusalsDocument(refusals, 'pusher'), ...held }, limit);
    },
  );
}
