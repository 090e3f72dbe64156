import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Operator } from '../access/operators.ts';
import type { Database } from '../database/database.ts';
import type { BackfillState } from '../source/backfill/state.ts';
import { eventDocument, eventsAfter, formatPosition, presentPosition, resumedPosition } from '../source/events.ts';
import type { BridgeEvent, EventPosition } from '../source/events.ts';
import { operatorOf } from './authenticate.ts';
import { feedOf } from './feed.ts';
import type { Feed, Look } from './feed.ts';
import type { OperatorParts } from './parts.ts';
import { REPLACED, openStreamsOf } from './streams.ts';

/** Between two looks at the credential, ms; one more follows each change of an operator's access. */
const CREDENTIAL_MS = 5_000;
const EVENTS_AT_ONCE = 200;

/** Open streams of one operator, such as one for each window of a browser, and of all together. */
const MOST_STREAMS = { each: 6, all: 200, newestStay: true };

interface Watch {
  readonly database: Database;
  readonly feed: Feed;
  readonly operator: Operator;
  /** The operator behind the credential now; throws where it is not accepted any more. */
  readonly again: () => Promise<Operator>;
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
}

/** One message of a stream of events; without `id` it does not count for a resumption. */
const message = (event: string, data: unknown, id?: EventPosition): string =>
  `${id === undefined ? '' : `id: ${formatPosition(id)}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

async function* watch({ database, feed, operator, again, lastEventId, signal }: Watch): AsyncGenerator<string> {
  const organisations = operator.organisations ?? undefined;
  const resumed = lastEventId === undefined ? undefined : await resumedPosition(database, lastEventId);
  let position = resumed ?? (await presentPosition(database));
  yield `retry: 3000\n${resumed === undefined ? message(lastEventId === undefined ? 'begin' : 'reset', {}, position) : '\n'}`;
  const told = new Map<number, string>();
  let credentialAt = performance.now();
  let number = feed.number();
  let look: Look | undefined;
  while (!signal.aborted) {
    // Waited for before this stream reads for itself, the next look begins where that reading ends, or earlier.
    const next = feed.next();
    if (look?.number !== number + 1) {
      for (;;) {
        const events = await eventsAfter(database, position, { organisations, limit: EVENTS_AT_ONCE });
        for (const event of events) yield message(event.kind, eventDocument(event), (position = event.position));
        if (events.length < EVENTS_AT_ONCE) break;
      }
    } else {
      for (const event of look.events) {
        if (!isBefore(position, event.position) || !sees(operator, event.organisation)) continue;
        yield message(event.kind, eventDocument(event), (position = event.position));
      }
    }
    if (look !== undefined) {
      number = look.number;
      yield* progress(look.running ?? [], operator, told);
    }
    if (look?.horizon !== undefined) {
      // All events before the horizon were told, so a client whose last event is old can go on here.
      if (isBefore(position, look.horizon)) position = look.horizon;
      yield `id: ${formatPosition({ ...position, toldAt: look.horizon.toldAt })}\n: alive\n\n`;
    }
    look = await next;
    const isKnown = look.number === number + 1 && !look.events.some(changesAccess);
    if (isKnown && performance.now() - credentialAt < CREDENTIAL_MS) continue;
    credentialAt = performance.now();
    if (!(await isSame(operator, again))) {
      yield message('end', { reason: 'the credential is not accepted any more, or its rights have changed' });
      return;
    }
  }
  if (signal.reason === REPLACED) yield message('end', { reason: 'a newer stream of yours took its place' });
}

const isBefore = (one: EventPosition, other: EventPosition): boolean =>
  one.xact === other.xact ? one.id < other.id : BigInt(one.xact) < BigInt(other.xact);

const changesAccess = ({ kind, content }: BridgeEvent): boolean =>
  kind === 'audit' && String(content['action']).startsWith('operator.');

/** An event of no organisation is told to operators that see all of them. */
const sees = ({ organisations }: Operator, organisation: string | null): boolean =>
  organisations === null || (organisation !== null && organisations.includes(organisation));

async function isSame({ role, organisations }: Operator, again: () => Promise<Operator>): Promise<boolean> {
  try {
    const now = await again();
    return now.role === role && JSON.stringify(now.organisations) === JSON.stringify(organisations);
  } catch {
    return false;
  }
}

/** The progress of running backfills that has changed. It is a state and no event, so it is told anew after a resumption. */
function* progress(
  running: readonly BackfillState[],
  operator: Operator,
  told: Map<number, string>,
): Generator<string> {
  for (const {
    id,
    source,
    organisation,
    share,
    work: { readings },
  } of running) {
    const state = JSON.stringify([share, readings]);
    if (!sees(operator, organisation) || told.get(id) === state) continue;
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
  const feed = feedOf(database);
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
          feed,
          operator: operatorOf(request),
          again: () => operatorBehind(request),
          lastEventId: request.headers['last-event-id'],
          signal,
        }),
      ),
  );
}
