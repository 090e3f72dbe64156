import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Operator } from '../access/operators.ts';
import type { Database } from '../database/database.ts';
import { listBackfills } from '../source/backfill/state.ts';
import { eventDocument, eventsAfter, formatPosition, presentPosition, resumedPosition } from '../source/events.ts';
import type { EventPosition } from '../source/events.ts';
import { operatorOf } from './authenticate.ts';
import type { OperatorParts } from './parts.ts';
import { REPLACED, openStreamsOf } from './streams.ts';

/** How often the database is asked for events, ms. */
const LOOK_MS = 1_000;
/** Looks between two looks at the progress of backfills, and between two signs of life. */
const PROGRESS_LOOKS = 5;
const ALIVE_LOOKS = 15;
/** Looks between two looks at the credential. */
const CREDENTIAL_LOOKS = 2;
const EVENTS_AT_ONCE = 200;
const MOST_BACKFILLS = 50;

/** Open streams of one operator, such as one for each window of a browser, and of all together. */
const MOST_STREAMS = { each: 6, all: 200, newestStay: true };

interface Watch {
  readonly database: Database;
  readonly operator: Operator;
  /** The operator behind the credential now; throws where it is not accepted any more. */
  readonly again: () => Promise<Operator>;
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
}

/** One message of a stream of events; without `id` it does not count for a resumption. */
const message = (event: string, data: unknown, id?: EventPosition): string =>
  `${id === undefined ? '' : `id: ${formatPosition(id)}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

async function* watch({ database, operator, again, lastEventId, signal }: Watch): AsyncGenerator<string> {
  const organisations = operator.organisations ?? undefined;
  const resumed = lastEventId === undefined ? undefined : await resumedPosition(database, lastEventId);
  let position = resumed ?? (await presentPosition(database));
  yield `retry: 3000\n${resumed === undefined ? message(lastEventId === undefined ? 'begin' : 'reset', {}, position) : '\n'}`;
  const told = new Map<number, string>();
  for (let look = 0; !signal.aborted; look += 1) {
    if (look % CREDENTIAL_LOOKS === 1 && !(await isSame(operator, again))) {
      yield message('end', { reason: 'the credential is not accepted any more, or its rights have changed' });
      return;
    }
    const isSignDue = look % ALIVE_LOOKS === ALIVE_LOOKS - 1;
    const horizon = isSignDue ? await presentPosition(database) : undefined;
    for (;;) {
      const events = await eventsAfter(database, position, { organisations, limit: EVENTS_AT_ONCE });
      for (const event of events) {
        position = event.position;
        yield message(event.kind, eventDocument(event), position);
      }
      if (events.length < EVENTS_AT_ONCE) break;
    }
    if (look % PROGRESS_LOOKS === 0) yield* progress(database, organisations, told);
    if (horizon !== undefined) {
      // All events before the horizon were told, so a client whose last event is old can go on here.
      if (isBehind(position, horizon)) position = horizon;
      yield `id: ${formatPosition({ ...position, toldAt: horizon.toldAt })}\n: alive\n\n`;
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  if (signal.reason === REPLACED) yield message('end', { reason: 'a newer stream of yours took its place' });
}

const isBehind = (one: EventPosition, other: EventPosition): boolean => BigInt(one.xact) < BigInt(other.xact);

async function isSame({ role, organisations }: Operator, again: () => Promise<Operator>): Promise<boolean> {
  try {
    const now = await again();
    return now.role === role && JSON.stringify(now.organisations) === JSON.stringify(organisations);
  } catch {
    return false;
  }
}

/** The progress of running backfills that has changed. It is a state and no event, so it is told anew after a resumption. */
async function* progress(
  database: Database,
  organisations: readonly string[] | undefined,
  told: Map<number, string>,
): AsyncGenerator<string> {
  const running = await listBackfills(database, MOST_BACKFILLS, { organisations, state: 'running' });
  for (const {
    id,
    source,
    organisation,
    share,
    work: { readings },
  } of running) {
    const state = JSON.stringify([share, readings]);
    if (told.get(id) === state) continue;
    told.set(id, state);
    yield message('progress', { id, source, organisation, share, readings });
  }
}

const EVENT_STREAM = {
  description: 'A stream of events.',
  content: { 'text/event-stream': { schema: z.string() } },
};

/** `GET /api/v1/events`: server-sent events. */
export function addEventRoutes(
  app: FastifyInstance,
  { database }: OperatorParts,
  operatorBehind: (request: FastifyRequest) => Promise<Operator>,
): void {
  const streams = openStreamsOf(app, MOST_STREAMS);
  app.withTypeProvider<ZodTypeProvider>().get(
    '/api/v1/events',
    {
      config: { role: 'viewer', streams: true },
      schema: {
        operationId: 'watchEvents',
        summary: 'Watch what changes, as server-sent events',
        description: `Events: \`source\` (created, changed, removed; its state and fault), \`backfill\` (its state), \`audit\` (a new entry: its action, such as \`application.created\`, names the kind of the thing that changed, and \`subject\` the thing), \`alert\` (opened, changed or ended; its kind, such as \`behind\`, and its subject, such as the source that fell behind or caught up), and \`progress\` of running backfills, which is told anew after each start. \`begin\` stands at the start. With \`Last-Event-ID\` the stream goes on behind that event, without loss or repetition, for 23 hours; where it cannot, it begins with \`reset\`, and the client has to read everything anew. \`end\` says that the credential is not accepted any more.`,
        tags: ['Events'],
        headers: z.looseObject({ 'last-event-id': z.string().max(100).optional() }),
        response: { 200: EVENT_STREAM },
      },
    },
    (request, reply) =>
      streams.answer(request, reply, 'text/event-stream', (signal) =>
        watch({
          database,
          operator: operatorOf(request),
          again: () => operatorBehind(request),
          lastEventId: request.headers['last-event-id'],
          signal,
        }),
      ),
  );
}
