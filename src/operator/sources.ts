import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { CONDITIONS } from '../core/condition.ts';
import type { Condition } from '../core/condition.ts';
import { isSourceKeptWaiting } from '../delivery/waiting.ts';
import { exportSource } from '../source/export.ts';
import { listedSources, sourceLineDocument } from '../source/listing.ts';
import { showSource, sourceDocument } from '../source/showing.ts';
import { changeSource } from '../source/state-change.ts';
import type { SourceChange } from '../source/state-change.ts';
import { ownerNamed, takeOver, takeOverDocument } from '../source/take-over.ts';
import { operatorOf } from './authenticate.ts';
import {
  changing,
  looseDocument,
  expectedIn,
  flag,
  organisationsOf,
  pageIn,
  pageSchemaOf,
  pageQuery,
  revisionHeader,
  sourceIn,
  sourceParams,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';

const conditions = Object.keys(CONDITIONS) as [Condition, ...Condition[]];

const lineFields = {
  name: z.string(),
  organisation: z.string(),
  project: z.string(),
  platform: z.string(),
  state: z.enum(['active', 'paused', 'stopped']).describe('As an operator or a fault left it.'),
  condition: z.enum(conditions).describe('One word for all there is to know.'),
  every: z.string().describe('The interval of its polls, such as `1m`.'),
  streams: z.int(),
  lagSeconds: z.number().nullable().describe('From the end of its coverage to now; null without streams.'),
  overdueSeconds: z.number().nullable().describe('The part of the lag that its schedule does not allow.'),
  newestAt: z.string().nullable().describe('The instant of its newest reading.'),
  gaps: z.boolean().nullable().describe('Whether older time is missing.'),
  readings24h: z.int().describe('New and revised readings of the last 24 hours.'),
  allRefused: z
    .looseObject({ reason: z.string(), remedy: z.string() })
    .nullable()
    .describe('Why its newest point was refused, where every one of the last 24 hours was.'),
  failures: z.int().describe('Failures in a row.'),
  fault: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
};

const EXAMPLE = {
  name: 'hall-3',
  organisation: 'default',
  project: 'pump-hall',
  platform: 'influxdb',
  state: 'active',
  condition: 'well',
  every: '1m',
  streams: 2,
  lagSeconds: 41.2,
  overdueSeconds: 0,
  newestAt: '2026-11-22T10:00:00Z',
  gaps: false,
  readings24h: 86400,
  allRefused: null,
  failures: 0,
  fault: null,
} as const;

const lineSchema = looseDocument(lineFields, 'SourceLine');
const sourceSchema = looseDocument(
  {
    ...lineFields,
    revision: z.int(),
    revisionTag: z.string().describe('The value of `ETag`, for `If-Match` of a change.'),
    config: z.unknown().describe('The configuration; a secret reads `(secret)`.'),
    streams: z.array(z.looseObject({ key: z.string() })),
    windows: z.array(z.looseObject({})).describe('The last windows that were asked for.'),
  },
  'Source',
  {
    ...EXAMPLE,
    revision: 3,
    revisionTag: '3-0a1b2c3d',
    config: { name: 'hall-3', platform: 'influxdb', connection: { password: '(secret)' } },
    streams: [{ key: 'pump' }],
    windows: [],
  },
);

const listQuery = pageQuery.extend({
  state: z.enum(conditions).optional().describe('Only sources in this condition.'),
  behind: flag.describe('Only sources that lack time which their schedule promised.'),
  organisation: z.string().max(128).optional(),
  project: z.string().max(128).optional(),
  platform: z.string().max(63).optional(),
  text: z.string().max(100).optional().describe('A part of the name, in capital letters or not.'),
  sort: z.enum(['name', 'lag', 'requests']).optional(),
});

const changedSchema = z
  .looseObject({
    source: z.string(),
    organisation: z.string(),
    action: z.enum(['pause', 'resume', 'poll', 'remove']),
    outboxFull: z.boolean().optional().describe('Of a poll: it waits until the outbox of its project has room.'),
  })
  .meta({ id: 'SourceChanged', examples: [{ source: 'hall-3', organisation: 'default', action: 'pause' }] });

const takeOverBody = z
  .strictObject({
    from: z.string().max(63).optional().describe('The source that has the series, also one that was removed.'),
    fromPushed: z
      .boolean()
      .default(false)
      .describe('Series that applications pushed so far, in the place of a source.'),
    sensors: z.array(z.string().max(300)).min(1).max(1000).optional().describe('Only series of these sensorIds.'),
  })
  .meta({ examples: [{ from: 'old-historian' }, { fromPushed: true, sensors: ['pump-1'] }] });
const takenSchema = z
  .object({
    source: z.string(),
    organisation: z.string(),
    from: z.string().nullable().describe('The former owner; null: pushing applications.'),
    series: z.int(),
  })
  .meta({
    id: 'TakenOver',
    examples: [{ source: 'hall-3', organisation: 'default', from: 'old-historian', series: 120 }],
  });

const exportedSchema = z
  .object({
    name: z.string(),
    organisation: z.string(),
    file: z.string().describe('A name for the file, unique among the sources of a bridge.'),
    yaml: z.string(),
    variables: z.array(z.string()).describe('Environment variables whose references stand in the places of secrets.'),
  })
  .meta({
    id: 'ExportedSource',
    examples: [
      {
        name: 'hall-3',
        organisation: 'default',
        file: 'hall-3.yaml',
        yaml: 'name: hall-3\nproject: pump-hall\n',
        variables: ['HALL_3_PASSWORD'],
      },
    ],
  });

const CHANGES = [
  ['pause', 'Stop asking a source until it is resumed'],
  ['resume', 'Ask a source again, after a pause or a stop; the missed time is fetched'],
  ['poll', 'Poll a source now, besides its schedule, and look for new sensors'],
] as const;

/** The routes that list, show, export, pause, resume, poll and remove sources, and hand series over to them. */
export function addSourceRoutes(app: FastifyInstance, { database, registry }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(
    '/api/v1/sources',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listSources',
        summary: 'List sources with lag, gaps, new readings, requests and last fault',
        tags: ['Sources'],
        querystring: listQuery,
        response: { 200: pageSchemaOf(lineSchema).meta({ examples: [{ items: [EXAMPLE], next: null }] }) },
      },
    },
    async (request) => {
      const { behind, state, organisation, limit, cursor, ...choice } = request.query;
      let next: string | null = null;
      const { lines, platforms } = await listedSources(database, registry.platforms, {
        ...choice,
        behind: behind === 'true',
        condition: state,
        organisations: organisationsOf(operatorOf(request), organisation),
        page: (chosen) => {
          const page = pageIn(chosen, { limit, cursor }, (line) => `${line.organisation}/${line.name}`);
          next = page.next;
          return page.items;
        },
      });
      return { items: lines.map((line) => sourceLineDocument(line, platforms)) as z.infer<typeof lineSchema>[], next };
    },
  );
  typed.get(
    '/api/v1/sources/:organisation/:name',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'getSource',
        summary: 'Show a source: configuration without secrets, revision, state, streams, last windows, refusals',
        tags: ['Sources'],
        params: sourceParams,
        response: { 200: sourceSchema },
      },
    },
    async (request, reply) => {
      const shown = await showSource(database, registry, await sourceIn(database, request));
      reply.headers(revisionHeader(shown.report.revisionTag));
      return sourceDocument(shown) as z.infer<typeof sourceSchema>;
    },
  );
  const change = async (request: Parameters<typeof sourceIn>[1], action: SourceChange) => {
    const { name, organisation } = await sourceIn(database, request);
    const actor = actorOf(operatorOf(request));
    const { id } = await changing(() =>
      changeSource(database, action, { name, organisation }, actor, expectedIn(request)),
    );
    const waits = action === 'poll' && (await isSourceKeptWaiting(database, id));
    return { source: name, organisation, action, ...(action === 'poll' && { outboxFull: waits }) };
  };
  for (const [action, summary] of CHANGES) {
    typed.post(
      `/api/v1/sources/:organisation/:name/${action}`,
      {
        config: { role: 'operator' },
        schema: {
          operationId: `${action}Source`,
          summary,
          tags: ['Sources'],
          params: sourceParams,
          response: { 200: changedSchema },
        },
      },
      (request) => change(request, action),
    );
  }
  typed.post(
    '/api/v1/sources/:organisation/:name/take-over',
    {
      config: { role: 'operator' },
      schema: {
        operationId: 'takeSeriesOver',
        summary: 'Hand series over to a source, such as one that replaces another platform',
        description:
          'A series belongs to the source that wrote it first, or to pushing applications. Points of another source for it are refused; afterwards `startBackfill` with `again` reads those that were.',
        tags: ['Sources'],
        params: sourceParams,
        body: takeOverBody,
        response: { 200: takenSchema },
      },
    },
    async (request) => {
      const { name, organisation } = await sourceIn(database, request);
      const { sensors, ...owner } = request.body;
      const wanted = { source: { name, organisation }, from: ownerNamed(owner), sensors };
      return takeOverDocument(await takeOver(database, wanted, actorOf(operatorOf(request))), wanted.from);
    },
  );
  typed.get(
    '/api/v1/sources/:organisation/:name/export',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'exportSource',
        summary: 'A source as the file that `applySource` takes, with references in the places of its secrets',
        tags: ['Sources'],
        params: sourceParams,
        response: { 200: exportedSchema },
      },
    },
    async (request) => {
      const { variables, ...exported } = await exportSource(database, registry, await sourceIn(database, request));
      return { ...exported, variables: [...variables] };
    },
  );
  typed.delete(
    '/api/v1/sources/:organisation/:name',
    {
      config: { role: 'operator' },
      schema: {
        operationId: 'removeSource',
        summary: 'Remove a source and its coverage; its readings and its last configuration stay',
        description: '`If-Match` with the `ETag` of the source removes it only while it is as it was read.',
        tags: ['Sources'],
        params: sourceParams,
        response: { 200: changedSchema },
      },
    },
    (request) => change(request, 'remove'),
  );
}
