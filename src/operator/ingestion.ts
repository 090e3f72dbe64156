import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { formatInstant } from '../core/instant.ts';
import { checkRemote } from '../delivery/check.ts';
import { remoteRefusals } from '../delivery/refusals.ts';
import type { RemoteRefusal } from '../delivery/refusals.ts';
import { ingestionDocument, listIngestions, removeRemote, resumeRemote, setRemote } from '../delivery/remote.ts';
import { outgoingFetch } from '../platform/connection/outgoing.ts';
import { operatorOf, seesOrganisation } from './authenticate.ts';
import { answered, shows } from './documents.ts';
import {
  changing,
  flag,
  noCursor,
  pageBehind,
  pageIn,
  pageQuery,
  pageSchemaOf,
  projectIn,
  projectParams,
  textsIn,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem } from './problem.ts';

const REMOTE = { url: 'https://ingest.example', applicationId: 'app_0123456789abcdef0123' };
const PUSHED_TO = { organisation: 'default', code: 'pump-hall', mostWaiting: 10_000_000 };

const ingestionSchema = shows<ReturnType<typeof ingestionDocument>>()(
  z
    .object({
      project: z.string(),
      organisation: z.string(),
      ingestion: z.enum(['store', 'push']),
      url: z.string().nullable().describe('The other service; null, as the fields below, where there is none.'),
      remoteOrganisation: z.string().nullable(),
      remoteProject: z.string().nullable(),
      applicationId: z.string().nullable(),
      state: z.enum(['active', 'stopped']).nullable(),
      waiting: z.int().nullable().describe('Readings that are not delivered yet.'),
      mostWaiting: z.int().nullable().describe('At so many its sources are not asked.'),
      oldestAt: z.string().nullable().describe('When the oldest of them was stored.'),
      fullSince: z.string().nullable(),
      heldUntil: z.string().nullable(),
      lastDeliveryAt: z.string().nullable(),
      delivered24h: z.int(),
      refused24h: z.int(),
      fault: z
        .object({ code: z.string(), message: z.string(), remedy: z.string().optional(), at: z.string() })
        .nullable(),
    })
    .meta({
      id: 'Ingestion',
      examples: [
        {
          project: 'pump-hall',
          organisation: 'default',
          ingestion: 'push',
          url: REMOTE.url,
          remoteOrganisation: 'default',
          remoteProject: 'pump-hall',
          applicationId: REMOTE.applicationId,
          state: 'active',
          waiting: 0,
          mostWaiting: 10_000_000,
          oldestAt: null,
          fullSince: null,
          heldUntil: null,
          lastDeliveryAt: '2026-11-22T10:00:05Z',
          delivered24h: 86_400,
          refused24h: 0,
          fault: null,
        },
      ],
    }),
);
const remoteRefusalSchema = shows<RemoteRefusal>()(
  z
    .object({
      id: z.int(),
      source: z.string().nullable().describe('Null for a reading that a client pushed.'),
      sensor: z.string(),
      variable: z.string(),
      at: z.string(),
      raw: z.string().describe('The value, and the reason and message of the other service.'),
      notedAt: z.string(),
    })
    .meta({
      id: 'RemoteRefusal',
      examples: [
        {
          id: 31,
          source: 'hall-3',
          sensor: 'pump-7',
          variable: 'flow',
          at: '2026-11-22T10:00:00Z',
          raw: '4.25: too-old: the reading is older than 20 years',
          notedAt: '2026-11-22T10:00:05Z',
        },
      ],
    }),
);

const PROJECT = '/api/v1/ingestion/:organisation/:code';

/** The routes that decide where the readings of a project go. */
export function addIngestionRoutes(app: FastifyInstance, { database, sealing, settings }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const reads = { role: 'viewer' } as const;
  const admin = { role: 'admin' } as const;
  const tags = ['Ingestion'];
  const seen = (request: FastifyRequest) => projectIn(database, request);
  typed.get(
    '/api/v1/ingestion',
    {
      config: reads,
      schema: {
        operationId: 'listIngestion',
        summary: 'Where the readings of each project go, and the state of their delivery',
        tags,
        querystring: pageQuery,
        response: { 200: pageSchemaOf(ingestionSchema) },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      const all = (await listIngestions(database)).filter((one) => seesOrganisation(operator, one.organisation));
      const { items, next } = pageIn(all, request.query, (one) => `${one.organisation}/${one.project}`);
      return { items: items.map((one) => answered(ingestionDocument(one))), next };
    },
  );
  typed.post(
    `${PROJECT}/push`,
    {
      config: { ...admin, needsProof: true },
      schema: {
        operationId: 'pushIngestion',
        summary: 'Hand the readings of a project over to another service, too',
        tags,
        params: projectParams,
        querystring: z.object({ check: z.enum(['true', 'false']).default('true').describe('Ask the service first.') }),
        body: z
          .strictObject({
            url: z.string().max(2000),
            organisation: z.string().max(128).default('default'),
            project: z.string().max(128).optional(),
            applicationId: z.string().max(128),
            secret: z.string().min(1).max(1000),
            mostWaiting: z.int().min(1).default(10_000_000),
          })
          .meta({ examples: [{ ...REMOTE, secret: 'secret-of-the-application' }] }),
        response: {
          200: z
            .object({
              project: z.string(),
              ingestion: z.literal('push'),
              checked: z.boolean(),
              remote: z.object({
                url: z.string(),
                organisation: z.string(),
                code: z.string(),
                applicationId: z.string(),
                mostWaiting: z.int(),
              }),
            })
            .meta({
              examples: [
                { project: 'pump-hall', ingestion: 'push', checked: true, remote: { ...REMOTE, ...PUSHED_TO } },
              ],
            }),
        },
      },
    },
    async (request) => {
      const project = await seen(request);
      const { secret, project: remoteProject, ...given } = request.body;
      if (!given.url.startsWith('https://'))
        throw new OperatorProblem('invalid', 'The secret and the readings would travel in clear.', {
          remedy: 'Give an https:// address.',
          errors: [{ pointer: '/url', detail: 'does not begin with https://' }],
        });
      const shown = { ...given, code: remoteProject ?? project.code };
      const checked = request.query.check === 'true';
      if (checked) await checkRemote({ ...shown, secret }, outgoingFetch(settings.egress));
      await setRemote(database, sealing, project, { ...shown, secret }, actorOf(operatorOf(request)));
      return { project: project.code, ingestion: 'push' as const, checked, remote: shown };
    },
  );
  typed.post(
    `${PROJECT}/store`,
    {
      config: { ...admin, needsProof: true },
      schema: {
        operationId: 'storeIngestion',
        summary: 'Keep the readings of a project here only',
        tags,
        params: projectParams,
        querystring: z.object({ discard: flag.describe('Discard the readings that wait; they stay stored here.') }),
        response: {
          200: z.object({ project: z.string(), ingestion: z.literal('store'), discarded: z.int() }).meta({
            examples: [{ project: 'pump-hall', ingestion: 'store', discarded: 0 }],
          }),
        },
      },
    },
    async (request) => {
      const project = await seen(request);
      const discard = request.query.discard === 'true';
      const discarded = await changing(() =>
        removeRemote(database, project, { discard }, actorOf(operatorOf(request))),
      );
      return { project: project.code, ingestion: 'store' as const, discarded: discarded ?? 0 };
    },
  );
  typed.post(
    `${PROJECT}/resume`,
    {
      config: { role: 'operator' },
      schema: {
        operationId: 'resumeIngestion',
        summary: 'Let a stopped delivery go on, and a waiting one try now',
        tags,
        params: projectParams,
        response: {
          200: z
            .object({ project: z.string(), resumed: z.literal(true) })
            .meta({ examples: [{ project: 'pump-hall', resumed: true }] }),
        },
      },
    },
    async (request) => {
      const project = await seen(request);
      if (!(await resumeRemote(database, project, actorOf(operatorOf(request)))))
        throw new OperatorProblem('conflict', `Readings of ${project.code} are not pushed.`);
      return { project: project.code, resumed: true as const };
    },
  );
  typed.get(
    `${PROJECT}/refusals`,
    {
      config: reads,
      schema: {
        operationId: 'listIngestionRefusals',
        summary: 'The readings that the other service refused, the newest first',
        tags,
        params: projectParams,
        querystring: pageQuery,
        response: { 200: pageSchemaOf(remoteRefusalSchema) },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query;
      const texts = textsIn(cursor, 2);
      const [notedAt = NaN, id = NaN] = (texts ?? []).map(Number);
      if (texts !== undefined && !(Number.isSafeInteger(notedAt) && Number.isSafeInteger(id))) throw noCursor();
      const project = await seen(request);
      const rows = await remoteRefusals(database, project, limit, texts && { notedAt, id });
      return pageBehind(
        rows,
        limit,
        (row) => ({ ...row, at: formatInstant(row.at), notedAt: formatInstant(row.notedAt) }),
        (row) => [row.notedAt, row.id].map(String),
      );
    },
  );
}
