import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { streamReportsOf } from '../source/report.ts';
import type { FaultRecord } from '../source/report.ts';
import { shownStream, streamDocument, windowDocument } from '../source/showing.ts';
import type { ShownStream } from '../source/showing.ts';
import { loggedWindows, withoutId } from '../source/window-log.ts';
import type { ListedWindow } from '../source/window-log.ts';
import { answered } from './documents.ts';
import { noCursor, pageBehind, pageQuery, pageSchemaOf, sourceIn, sourceParams, textsIn } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { streamSchema, windowSchema } from './source-parts.ts';

/** The streams that a source shows with it. */
export const STREAMS_SHOWN = 50;

/** The pages of platforms are long, so a list has none; the fault of the source itself has the newest. */
function withoutPage(given: FaultRecord): FaultRecord {
  const { page: _, ...fault } = given;
  return fault;
}

/** Streams as a page of `listStreams`. */
export const streamsAnswer = (streams: readonly ShownStream[], limit: number) =>
  pageBehind(
    streams,
    limit,
    (stream) =>
      answered(
        streamDocument({
          ...stream,
          fault: stream.fault && withoutPage(stream.fault),
          unreadable: stream.unreadable.map((stretch) => ({ ...stretch, fault: withoutPage(stretch.fault) })),
        }),
      ),
    ({ key }) => [key],
  );

const windowsAnswer = (windows: readonly ListedWindow[], limit: number) =>
  pageBehind(
    windows,
    limit,
    (window) => answered(windowDocument(withoutId(window))),
    ({ askedAt, streamId, from }) => [String(askedAt), String(streamId), String(from)],
  );

/** The cursor of `listWindows` behind the first windows of a source. */
export const windowsCursor = async (database: Database, sourceId: number, shown: number): Promise<string | null> =>
  shown === 0 ? null : windowsAnswer(await loggedWindows(database, sourceId, { limit: shown }), shown).next;

/** The window behind which a page begins. */
function windowIn(cursor: string | undefined) {
  const texts = textsIn(cursor, 3);
  if (texts === undefined) return {};
  const [askedAt, streamId, from] = texts.map((text) => (/^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN));
  const given = { askedAt, streamId, from };
  const whole = z.object({ askedAt: z.int(), streamId: z.int32(), from: z.int() }).safeParse(given);
  if (!whole.success) throw noCursor();
  return { behind: whole.data };
}

/** The routes that list the streams and the windows of a source, page by page. */
export function addSourceStreamRoutes(app: FastifyInstance, { database }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const page = pageQuery.extend({ limit: z.coerce.number().int().min(1).max(100).default(STREAMS_SHOWN) });
  typed.get(
    '/api/v1/sources/:organisation/:name/streams',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listStreams',
        summary: 'The streams of a source in the order of their keys',
        tags: ['Sources'],
        params: sourceParams,
        querystring: page,
        response: { 200: pageSchemaOf(streamSchema) },
      },
    },
    async (request) => {
      const { id } = await sourceIn(database, request);
      const { limit, cursor } = request.query;
      const [behind] = textsIn(cursor, 1) ?? [];
      const streams = await streamReportsOf(database, id, { limit, behind });
      const row = await database.row<{ config: unknown }>('select config from source where id = $1', [id]);
      return streamsAnswer(
        streams.map((stream) => shownStream(stream, row?.config)),
        limit,
      );
    },
  );
  typed.get(
    '/api/v1/sources/:organisation/:name/windows',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listWindows',
        summary: 'The windows that a source was asked for, the last ones first',
        tags: ['Sources'],
        params: sourceParams,
        querystring: page,
        response: { 200: pageSchemaOf(windowSchema) },
      },
    },
    async (request) => {
      const { id } = await sourceIn(database, request);
      const { limit, cursor } = request.query;
      return windowsAnswer(await loggedWindows(database, id, { limit, ...windowIn(cursor) }), limit);
    },
  );
}
