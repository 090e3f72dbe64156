import { z } from 'zod';
import { jwtCheck } from '../../../src/simulator/authorisation-server.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedPlatform, SimulatedProduct, SimulatedRequest } from '../../../src/simulator/contract.ts';
import { accountsField, clientsOnly } from '../../../src/simulator/clients.ts';
import { Refused, route, simulate } from '../../../src/simulator/route.ts';
import type { Question } from '../../../src/simulator/route.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { eventFields, eventPages, eventsQuestion } from './simulator/events.ts';
import { describeStream, streamsOf, streamsOfTruth, typeOfStream, type SdsStream } from './simulator/streams.ts';

const options = z.strictObject({
  /** The identity service whose tokens count; the discovery document of the API's own host names it. */
  authUrl: z.string(),
  audience: z.string().optional(),
  /** The clients that have rights here; unless told, every one of the authorisation server. */
  accounts: accountsField.optional(),
  ...eventFields,
  tenant: z.string().default('11111111-1111-4111-8111-111111111111'),
  namespace: z.string().default('plant'),
  /** The largest page of streams. */
  mostStreams: z.int().min(1).default(1000),
});

const index = z.string().regex(/^\d+$/).transform(Number);
const listQuestion = z.strictObject({
  query: z.string().default('*'),
  skip: index.default(0),
  count: index.pipe(z.int().min(1)).default(100),
  orderby: z.enum(['id', 'id asc', 'id desc']).optional(),
});

/** Filters, views, summaries, interpolation and bulk reads are not simulated: they are refused. */
function avevaDataHub(given: unknown, clock: SimulatedClock): SimulatedPlatform {
  const known = options.parse(given);
  const { authUrl, audience, truth } = known;
  const tokens = jwtCheck({ authUrl, ...(audience !== undefined && { audience }) }, clock);
  const streams = streamsOfTruth(truth);
  const pages = eventPages(known, clock);
  let operations = 0;

  /** The streams of the namespace in the path; the token has no rights for any other one. */
  function here({ place }: Pick<Question<unknown, unknown>, 'place'>): readonly SdsStream[] {
    if (place['tenant'] !== known.tenant) throw new Refused(403, 'The client does not belong to this tenant.');
    if (place['namespace'] !== known.namespace) throw new Refused(404, 'The namespace was not found.');
    return streams;
  }

  function streamOf(question: Pick<Question<unknown, unknown>, 'place'>, request?: SimulatedRequest): SdsStream {
    const stream = here(question).find(({ id }) => id === question.place['stream']);
    const as = request?.badSensors.find((bad) => bad.device === stream?.device.id)?.as;
    if (as === 'forbidden') throw new Refused(403, 'The client has no read access to the stream.');
    if (as === 'broken') throw new Refused(500, 'An error occurred while processing the request.');
    if (!stream || as === 'missing') throw new Refused(404, `The stream ${question.place['stream']} was not found.`);
    return stream;
  }

  const namespace = '/api/v1/Tenants/:tenant/Namespaces/:namespace';
  return simulate({
    check: clientsOnly(tokens.check, known.accounts),
    invalidateTokens: tokens.invalidate,
    error(status, message) {
      operations += 1;
      const Error = status === 404 ? 'The specified resource was not found.' : 'The request failed.';
      const Resolution = 'Correct the request and try again.';
      const body = { OperationId: String(operations), Error, Reason: message, Resolution, Parameters: {} };
      return { status, body: JSON.stringify(body) };
    },
    routes: {
      'GET /identity/.well-known/openid-configuration': route({
        open: true,
        answer: async () => await (await fetch(`${authUrl}/.well-known/openid-configuration`)).json(),
      }),
      [`GET ${namespace}/Streams`]: route({
        query: listQuestion,
        answer({ place, query }) {
          if (query.count > known.mostStreams) throw new Refused(400, `count must be at most ${known.mostStreams}`);
          const found = matching(here({ place }), query.query);
          const sorted =
            query.orderby === undefined ? found : found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
          const ordered = query.orderby === 'id desc' ? sorted.toReversed() : sorted;
          const body = JSON.stringify(ordered.slice(query.skip, query.skip + query.count).map(describeStream));
          return { status: 200, body, headers: { 'total-count': String(found.length) } };
        },
      }),
      [`GET ${namespace}/Streams/:stream`]: route({ answer: (question) => describeStream(streamOf(question)) }),
      [`GET ${namespace}/Streams/:stream/Type`]: route({
        answer: (question) => typeOfStream(streamOf(question), known),
      }),
      [`GET ${namespace}/Streams/:stream/Resolved`]: route({
        answer(question) {
          const stream = streamOf(question);
          return { ...describeStream(stream), Type: typeOfStream(stream, known) };
        },
      }),
      [`GET ${namespace}/Streams/:stream/Data`]: route({
        query: eventsQuestion,
        answer: ({ place, query, request }) => pages(streamOf({ place }, request), query, request),
      }),
    },
  });
}

/** `*`, words with asterisks such as `pump*`, and `Id:`, `Name:` or `TypeId:` before them, all joined by ` AND `. */
function matching(streams: readonly SdsStream[], query: string): readonly SdsStream[] {
  return query.split(' AND ').reduce<readonly SdsStream[]>((left, term) => {
    const [, field, words = ''] = /^(?:(id|name|typeid):)?([^:\s]+)$/i.exec(term) ?? [];
    if (words === '') throw new Refused(400, `not simulated: query=${query}`);
    const pattern = new RegExp(`^${words.replaceAll(/[^\w*]/g, String.raw`\$&`).replaceAll('*', '.*')}$`, 'i');
    return left.filter((stream) => {
      const { Id, Name, TypeId } = describeStream(stream);
      const texts = { id: [Id], name: [Name], typeid: [TypeId] }[field?.toLowerCase() ?? ''] ?? [Id, Name, TypeId];
      return texts.some((text) => pattern.test(text));
    });
  }, streams);
}

/** AVEVA Data Hub (CONNECT data services) as far as a bridge uses it. */
export const simulatedAvevaDataHub: SimulatedProduct = {
  platform: 'aveva-data-hub',
  title: 'AVEVA Data Hub',
  open: avevaDataHub,
  sourceOptions: { tenant: '11111111-1111-4111-8111-111111111111', namespace: 'plant' },
  hasAuthorisationServer: true,
  holds: ['boolean', 'text', 'state', 'system-state', 'quality', 'null', 'NaN', 'finer'],
  pagesOf: (cap) => ({ source: { pageLimit: cap } }),
  seriesOf(device, key) {
    const stream = streamsOf(device).find(({ keys }) => keys.includes(key));
    return { group: '', sensorId: stream?.id ?? '', valueName: stream?.isPi ? 'Value' : key.name };
  },
};

if (import.meta.main) await runSimulator(simulatedAvevaDataHub);
