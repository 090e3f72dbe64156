import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import {
  acknowledgeAlert,
  alertDocument,
  listAlerts,
  muteAlert,
  targetDocument,
  targetStates,
} from '../alerts/alerts.ts';
import type { Alert } from '../alerts/alerts.ts';
import { KINDS_OF_ALERTS, SEVERITIES } from '../core/alert.ts';
import { parseDuration } from '../core/duration.ts';
import type { Microseconds } from '../core/instant.ts';
import { muteSensor } from '../source/mute.ts';
import { assertSeesAll, operatorOf } from './authenticate.ts';
import {
  changing,
  idIn,
  organisationsOf,
  pageBelow,
  pageQuery,
  pageSchemaOf,
  sourceIn,
  sourceParams,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem, noSuch } from './problem.ts';

const EXAMPLE = {
  id: 12,
  kind: 'stopped' as const,
  organisation: 'default',
  subject: 'hall-3',
  severity: 'critical' as const,
  state: 'open' as const,
  what: 'stopped: 401 refused',
  remedy: 'correct the password; then databridge source resume hall-3',
  since: '2026-11-22T10:00:00Z',
  openedAt: '2026-11-22T10:00:00Z',
  lastSeenAt: '2026-11-22T10:20:00Z',
  endedAt: null,
  returns: 0,
  earlier: 0,
  owner: 'operator:anna',
  acknowledgedAt: '2026-11-22T10:10:00Z',
  note: 'new password on Monday',
  mutedUntil: null,
};

const alertSchema = z
  .object({
    id: z.int(),
    kind: z.enum(KINDS_OF_ALERTS),
    organisation: z.string().nullable().describe('Null: of the bridge as a whole.'),
    subject: z.string().describe('A source, a source and its stream, a project, a host, or `bridge`.'),
    severity: z.enum(SEVERITIES),
    state: z.enum(['open', 'ended']),
    what: z.string(),
    remedy: z.string(),
    since: z.string().describe('When its trouble was seen first.'),
    openedAt: z.string(),
    lastSeenAt: z.string(),
    endedAt: z.string().nullable(),
    returns: z.int().describe('How often the trouble came back before the alert ended.'),
    earlier: z.int().describe('Alerts of this kind and subject that ended in the day before.'),
    owner: z.string().nullable().describe('Who looks after it.'),
    acknowledgedAt: z.string().nullable(),
    note: z.string().nullable(),
    mutedUntil: z.string().nullable(),
  })
  .meta({ id: 'Alert', examples: [EXAMPLE] });

const targetSchema = z
  .object({
    name: z.string(),
    waiting: z.int().describe('Changes of alerts that it was not told yet.'),
    told: z.int().describe('Changes that it was told in the last day.'),
    lastSentAt: z.string().nullable(),
    failures: z.int().describe('In a row.'),
    heldUntil: z.string().nullable().describe('The next try.'),
    fault: z.object({ message: z.string(), remedy: z.string(), at: z.string() }).nullable(),
  })
  .meta({
    id: 'AlertTarget',
    examples: [
      { name: 'shift', waiting: 0, told: 4, lastSentAt: EXAMPLE.since, failures: 0, heldUntil: null, fault: null },
    ],
  });

const idParams = z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) });
const changed = z.object({ id: z.int(), changed: z.boolean().describe('False where it had ended.') });
const schemaOf = (operationId: string, summary: string) => ({ operationId, summary, tags: ['Alerts'] });

/** The length of time of a field `for`. */
function lengthIn(text: string): Microseconds {
  const length = parseDuration(text);
  if (length !== undefined) return length;
  throw new OperatorProblem('invalid', 'for is not a length of time.', {
    remedy: 'Write it like 2h, 3d or 30m.',
    errors: [{ pointer: '/for', detail: 'is not a length of time' }],
  });
}

/** The routes of alerts and of the targets that they are told to. */
export function addAlertRoutes(app: FastifyInstance, { database }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  /** Throws 404 for an alert that does not exist, or that the operator does not see. */
  const seen = async (request: FastifyRequest): Promise<Alert> => {
    const { id } = request.params as z.infer<typeof idParams>;
    const { organisations } = operatorOf(request);
    const [alert] = await listAlerts(database, { id, organisations: organisations ?? undefined }, 1);
    if (alert === undefined) throw noSuch(`alert ${id}`);
    return alert;
  };
  typed.get(
    '/api/v1/alerts',
    {
      config: { role: 'viewer' },
      schema: {
        ...schemaOf('listAlerts', 'List alerts, the newest first'),
        querystring: pageQuery.extend({
          state: z.enum(['open', 'ended', 'all']).default('open'),
          kind: z.enum(KINDS_OF_ALERTS).optional(),
          severity: z.enum(SEVERITIES).optional(),
          organisation: z.string().max(128).optional(),
          subject: z.string().max(300).optional(),
        }),
        response: { 200: pageSchemaOf(alertSchema) },
      },
    },
    async (request) => {
      const { limit, cursor, organisation, state, ...choice } = request.query;
      const organisations = organisationsOf(operatorOf(request), organisation);
      const wanted = { ...choice, state: state === 'all' ? undefined : state, organisations, before: idIn(cursor) };
      const alerts = await listAlerts(database, wanted, limit);
      return pageBelow(alerts.map(alertDocument), limit);
    },
  );
  typed.get(
    '/api/v1/alerts/:id',
    {
      config: { role: 'viewer' },
      schema: { ...schemaOf('getAlert', 'Show an alert'), params: idParams, response: { 200: alertSchema } },
    },
    async (request) => alertDocument(await seen(request)),
  );
  typed.post(
    '/api/v1/alerts/:id/ack',
    {
      config: { role: 'operator' },
      schema: {
        ...schemaOf('acknowledgeAlert', 'Note that an operator looks after an open alert'),
        params: idParams,
        body: z.strictObject({ note: z.string().max(1000).optional() }).meta({ examples: [{ note: EXAMPLE.note }] }),
        response: { 200: changed.meta({ examples: [{ id: 12, changed: true }] }) },
      },
    },
    async (request) => {
      const alert = await seen(request);
      const actor = actorOf(operatorOf(request));
      return { id: alert.id, changed: await acknowledgeAlert(database, alert, { actor, note: request.body.note }) };
    },
  );
  typed.post(
    '/api/v1/alerts/:id/mute',
    {
      config: { role: 'operator' },
      schema: {
        ...schemaOf('muteAlert', 'Tell nobody of an open alert for a while'),
        params: idParams,
        body: z
          .strictObject({ for: z.string().max(20).describe('A length of time such as `2h`; `0s` ends it.') })
          .meta({ examples: [{ for: '2h' }] }),
        response: { 200: changed.meta({ examples: [{ id: 12, changed: true }] }) },
      },
    },
    async (request) => {
      const alert = await seen(request);
      const length = lengthIn(request.body.for);
      const actor = actorOf(operatorOf(request));
      return { id: alert.id, changed: await muteAlert(database, alert, { actor, length }) };
    },
  );
  typed.post(
    '/api/v1/sources/:organisation/:name/mute-sensor',
    {
      config: { role: 'operator' },
      schema: {
        ...schemaOf('muteSensor', 'Tell nobody of the silence of one sensor for a while'),
        description:
          'The sensor counts in no alert, from the next look at its readings on, within a minute. The source and the sensor are shown as silent all the same.',
        params: sourceParams,
        body: z
          .strictObject({
            sensor: z.string().min(1).max(500).describe('As the platform or as readings call it.'),
            for: z.string().max(20).describe('A length of time such as `3d`, at most a year; `0s` ends it.'),
            reason: z.string().min(1).max(1000),
          })
          .meta({ examples: [{ sensor: 'pump-7', for: '30d', reason: 'the pump is away for repair' }] }),
        response: {
          200: z
            .object({ sensors: z.array(z.string()).describe('Its names at the platform.') })
            .meta({ examples: [{ sensors: ['pump-7'] }] }),
        },
      },
    },
    async (request) => {
      const source = await sourceIn(database, request);
      const { sensor, reason, for: text } = request.body;
      const wish = { sensor, reason, length: lengthIn(text), actor: actorOf(operatorOf(request)) };
      return { sensors: [...(await changing(() => muteSensor(database, source, wish)))] };
    },
  );
  typed.get(
    '/api/v1/alert-targets',
    {
      config: { role: 'viewer' },
      schema: {
        ...schemaOf('listAlertTargets', 'The targets that alerts are told to, and what they got'),
        response: { 200: z.object({ items: z.array(targetSchema) }) },
      },
    },
    async (request) => {
      assertSeesAll(operatorOf(request), 'Targets are told of all organisations');
      return { items: (await targetStates(database)).map(targetDocument) };
    },
  );
}
