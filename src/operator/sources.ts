import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { sourcesKeptWaiting } from '../delivery/waiting.ts';
import { exportSource } from '../source/export.ts';
import { listedSources, sourceLineDocument } from '../source/listing.ts';
import type { ListedPlace } from '../source/listing.ts';
import { showSource, sourceDocument } from '../source/showing.ts';
import { SOURCE_SORTS, sharedStanding } from '../source/standing.ts';
import { changeSource } from '../source/state-change.ts';
import type { SourceChange } from '../source/state-change.ts';
import { ownerNamed, takeOver, takeOverDocument } from '../source/take-over.ts';
import { operatorOf } from './authenticate.ts';
import { answered } from './documents.ts';
import {
  changing,
  cursorOf,
  expectedIn,
  flag,
  organisationsOf,
  pageQuery,
  revisionHeader,
  sourceIn,
  sourceParams,
  noCursor,
  textsIn,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { shortConfiguration, sourceSchema } from './source-parts.ts';
import { conditions, sourcesSchema } from './source-shapes.ts';
import { STREAMS_SHOWN, streamsAnswer, windowsCursor } from './source-streams.ts';

/** The source behind which a page begins. */
function placeOf(cursor: string | undefined): ListedPlace | undefined {
  const texts = textsIn(cursor, 4);
  if (texts === undefined) return undefined;
  const [organisation, name, number, instant] = texts;
  if (organisation === undefined || name === undefined || !isNumber(number) || !isNumber(instant)) throw noCursor();
  return { organisation, name, rank: [Number(number), Number(instant)] };
}

const isNumber = (text: string | undefined): text is string => text !== undefined && /^-?\d{1,16}$/.test(text);

const listQuery = pageQuery.extend({
  state: z.enum(conditions).optional().describe('Only sources in this condition.'),
  behind: flag.describe('Only sources that lack time which their schedule promised.'),
  organisation: z.string().max(128).optional(),
  project: z.string().max(128).optional(),
  platform: z.string().max(63).optional(),
  text: z.string().max(100).optional().describe('A part of the name, in capital letters or not.'),
  sort: z
    .enum(SOURCE_SORTS)
    .optional()
    .describe('By name, or the longest lag, the most overdue, the worst condition or the most requests first.'),
});

const changedSchema = z
  .object({
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

const exportQuery = z.object({
  secrets: z
    .enum(['variables', 'hidden'])
    .default('variables')
    .describe(
      'What stands for secrets: references to environment variables, or `(secret)`, which `applySource` reads as the stored one.',
    ),
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
  const standing = sharedStanding(database);
  typed.get(
    '/api/v1/sources',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listSources',
        summary: 'List sources with lag, gaps, new readings, requests and last fault',
        description:
          'How the sources stand is found out at most once in a second for all that ask, with very many sources more seldom, at once after a change by an operator, and soon after an event of a source.',
        tags: ['Sources'],
        querystring: listQuery,
        response: { 200: sourcesSchema },
      },
    },
    async (request) => {
      const { behind, state, organisation, limit, cursor, ...choice } = request.query;
      const wanted = {
        ...choice,
        behind: behind === 'true',
        condition: state,
        organisations: organisationsOf(operatorOf(request), organisation),
        limit,
        behindSource: placeOf(cursor),
      };
      const { counts, matching, lines, last, platforms } = await listedSources(
        database,
        registry.platforms,
        wanted,
        await standing(),
      );
      return {
        items: lines.map((line) => answered(sourceLineDocument(line, platforms))),
        next:
          last === undefined
            ? null
            : cursorOf([0, JSON.stringify([last.organisation, last.name, ...last.rank.map(String)])]),
        matching,
        conditions: counts,
      };
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
      const source = await sourceIn(database, request);
      const shown = await showSource(database, registry, source, { limit: STREAMS_SHOWN });
      reply.headers(revisionHeader(shown.report.revisionTag));
      const { items: streams, next: nextStreams } = streamsAnswer(shown.report.streamReports, STREAMS_SHOWN);
      return {
        ...answered(sourceDocument(shown)),
        ...shortConfiguration(shown.report.config),
        streams,
        nextStreams,
        nextWindows: await windowsCursor(database, source.id, shown.report.windows.length),
      };
    },
  );
  const change = async (request: Parameters<typeof sourceIn>[1], action: SourceChange) => {
    const { name, organisation } = await sourceIn(database, request);
    const actor = actorOf(operatorOf(request));
    const { id } = await changing(() =>
      changeSource(database, action, { name, organisation }, actor, expectedIn(request)),
    );
    const waits = action === 'poll' && (await sourcesKeptWaiting(database, [id])).has(id);
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
      config: { role: 'viewer', costly: true },
      schema: {
        operationId: 'exportSource',
        summary: 'A source as the file that `applySource` takes, with references in the places of its secrets',
        description: 'The file comes whole, and is as long as `applySource` takes one: up to 4 MB.',
        tags: ['Sources'],
        params: sourceParams,
        querystring: exportQuery,
        response: { 200: exportedSchema },
      },
    },
    async (request) => {
      const source = await sourceIn(database, request);
      const { variables, ...exported } = await exportSource(database, registry, source, request.query.secrets);
      return { ...exported, variables: [...variables] };
    },
  );
  typed.delete(
    '/api/v1/sources/:organisation/:name',
    {
      config: { role: 'operator', needsProof: true },
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
