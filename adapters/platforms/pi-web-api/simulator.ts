import { z } from 'zod';
import { jwtCheck } from '../../../src/simulator/authorisation-server.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedAnswer, SimulatedPlatform, SimulatedProduct } from '../../../src/simulator/contract.ts';
import { accountsField } from '../../../src/simulator/clients.ts';
import { basicCheck } from '../../../src/simulator/credentials.ts';
import { Refused, route, simulate } from '../../../src/simulator/route.ts';
import type { CredentialCheck, Route } from '../../../src/simulator/route.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { describePoint, pointsOfTruth, serverOf, tagOf, type PiPoint } from './simulator/points.ts';
import { recordedFields, recordedQuestion, recordedValues, selected } from './simulator/recorded.ts';

const options = z.strictObject({
  /** The users that may sign in by HTTP Basic; none unless told. */
  accounts: accountsField.default([]),
  /** The authorisation server whose tokens count, and which the discovery document names; none unless told. */
  authUrl: z.string().optional(),
  audience: z.string().optional(),
  scope: z.string().optional(),
  ...recordedFields,
  /** The name of the field of a 401; not documented. */
  unauthorised: z.enum(['Message', 'Errors']).default('Message'),
  /** A longer query is refused with 414, as long lists of `webId` are; the length is not documented. */
  mostQueryLength: z.int().min(1).default(8_192),
});

const fields = z.string().min(1).optional();
const index = z.string().regex(/^\d+$/).transform(Number);
const pointsQuestion = z.strictObject({
  nameFilter: z.string().min(1).default('*'),
  startIndex: index.default(0),
  maxCount: index.pipe(z.int().min(1)).default(1000),
  selectedFields: fields,
});
const onlyFields = z.strictObject({ selectedFields: fields });
const byPath = z.strictObject({ path: z.string(), selectedFields: fields });
const setQuestion = recordedQuestion.extend({
  webId: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
});
const batch = z.record(
  z.string(),
  z.strictObject({ Method: z.literal('GET'), Resource: z.url(), Headers: z.record(z.string(), z.string()).optional() }),
);

/** Filters of values, relative times, templates and dependencies in a batch are not simulated: they are refused. */
function piWebApi(given: unknown, clock: SimulatedClock): SimulatedPlatform {
  const known = options.parse(given);
  const { accounts, authUrl, audience, scope, truth, mostReturned } = known;
  const expected = { ...(audience !== undefined && { audience }), ...(scope !== undefined && { scope }) };
  const tokens = authUrl === undefined ? undefined : jwtCheck({ authUrl, ...expected }, clock);
  const basic = basicCheck(accounts);
  const points = pointsOfTruth(truth);
  const recorded = recordedValues(known, clock);

  const check: CredentialCheck = (request) => {
    if (request.query.toString().length > known.mostQueryLength) throw new Refused(414, 'The request URI is too long');
    const isBearer = request.headers.authorization?.startsWith('Bearer ') ?? false;
    if (isBearer && tokens === undefined) throw new Refused(401, 'Bearer is not enabled');
    return isBearer && tokens ? tokens.check(request) : basic(request);
  };

  const pointOf = (webId: string): PiPoint => {
    const point = points.find((one) => one.webId === webId);
    if (!point) throw new Refused(404, `The WebID ${webId} does not name an object.`);
    return point;
  };

  const routes: Record<string, Route> = {
    'GET /piwebapi/.well-known/openid-configuration': route({
      open: true,
      async answer() {
        if (authUrl === undefined) throw new Refused(404, 'No identity provider is configured.');
        return await (await fetch(`${authUrl}/.well-known/openid-configuration`)).json();
      },
    }),
    'GET /piwebapi/dataservers': route({
      query: onlyFields,
      answer: ({ query }) => selected({ Links: {}, Items: [serverOf()] }, query.selectedFields),
    }),
    'GET /piwebapi/dataservers/:webId/points': route({
      query: pointsQuestion,
      answer({ place, query: { nameFilter, startIndex, maxCount, selectedFields } }) {
        if (place['webId'] !== serverOf().WebId) throw new Refused(404, 'The data server was not found.');
        if (maxCount > mostReturned) throw new Refused(400, 'maxCount is greater than the maximum allowed.');
        const pattern = nameFilter
          .replaceAll(/[^\w*?]/g, String.raw`\$&`)
          .replaceAll('*', '.*')
          .replaceAll('?', '.');
        const name = new RegExp(`^${pattern}$`, 'i');
        const found = points.filter((point) => name.test(point.name)).slice(startIndex, startIndex + maxCount);
        return selected({ Links: {}, Items: found.map(describePoint) }, selectedFields);
      },
    }),
    'GET /piwebapi/points': route({
      query: byPath,
      answer({ query: { path, selectedFields } }) {
        const point = points.find((one) => describePoint(one).Path.toLowerCase() === path.toLowerCase());
        if (!point) throw new Refused(404, `The point ${path} was not found.`);
        return selected(describePoint(point), selectedFields);
      },
    }),
    'GET /piwebapi/points/:webId': route({
      query: onlyFields,
      answer: ({ place, query }) => selected(describePoint(pointOf(place['webId'] ?? '')), query.selectedFields),
    }),
    'GET /piwebapi/streams/:webId/recorded': route({
      query: recordedQuestion,
      answer: ({ place, query, request }) => recorded.ofOne(pointOf(place['webId'] ?? ''), query, request),
    }),
    'GET /piwebapi/streamsets/recorded': route({
      query: setQuestion,
      answer: ({ query, request }) => recorded.ofMany(query.webId.map(pointOf), query, request),
    }),
    'POST /piwebapi/batch': route({
      body: batch,
      async answer({ body, request }) {
        if (request.headers['x-requested-with'] === undefined)
          throw new Refused(403, 'The header X-Requested-With is missing.');
        if (request.body.length > 4 * 2 ** 20) throw new Refused(413, 'The request is too large.');
        const parts: Record<string, object> = {};
        for (const [name, { Resource }] of Object.entries(body)) {
          const { pathname, searchParams } = new URL(Resource);
          const answer = await platform.answer({
            ...request,
            method: 'GET',
            path: pathname,
            query: searchParams,
            body: '',
          });
          parts[name] = { Status: answer.status, Headers: {}, Content: JSON.parse(answer.body as string) as unknown };
        }
        return { status: 207, body: JSON.stringify(parts) } satisfies SimulatedAnswer;
      },
    }),
  };

  const platform = simulate({
    check,
    invalidateTokens: () => tokens?.invalidate(),
    error: (status, message) => ({
      status,
      body: JSON.stringify(
        status === 401 && known.unauthorised === 'Message' ? { Message: message } : { Errors: [message] },
      ),
    }),
    routes,
  });
  return platform;
}

/** AVEVA PI Web API as far as a bridge uses it. */
export const simulatedPiWebApi: SimulatedProduct = {
  platform: 'pi-web-api',
  title: 'AVEVA PI Web API',
  open: piWebApi,
  path: '/piwebapi',
  hasAuthorisationServer: true,
  sourceOptions: { pointTypes: ['Float64', 'Digital', 'String', 'Blob'] },
  holds: ['boolean', 'text', 'state', 'system-state', 'quality', 'null', 'NaN', 'finer'],
  pagesOf: (cap) => ({ source: { pageLimit: cap } }),
  seriesOf: (device, key) => ({ group: '', sensorId: tagOf(device, key), valueName: 'value' }),
};

if (import.meta.main) await runSimulator(simulatedPiWebApi);
