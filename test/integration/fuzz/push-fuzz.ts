import type { ApiUnderTest, Client } from '../api-rig.ts';
import { drawOf } from './draw.ts';
import type { Draw } from './draw.ts';
import { faultOf } from './judge.ts';
import type { FuzzAnswer } from './judge.ts';
import type { OpenApiDocument, Operation } from './operations.ts';
import { poolOf } from './pool.ts';
import { findingsOf, readDocument, turnsOf } from './turns.ts';
import type { Findings, Presented, Turn } from './turns.ts';

/** Requests that are under way at a time. */
const AT_ONCE = 20;

/** The two that have a fuzz of their own are asked less. */
const WEIGHTS: Readonly<Record<string, number>> = { pushReadings: 0.5, createToken: 0.3 };

/** Statuses of 5xx that the fuzz causes: few read-backs are counted at a time, and it asks for more. */
const CAUSED: Readonly<Record<string, readonly number[]>> = { listPushedSensors: [503] };

/** The pages that the document does not describe, because they are for people. */
const PAGES: readonly Operation[] = [
  '/docs',
  '/docs/problems',
  '/docs/problems/{name}',
  '/docs/json',
  '/docs/yaml',
  '/docs/static/{name}',
  '/openapi.json',
  '/{name}',
].map((path) => ({
  id: `GET ${path}`,
  method: 'GET',
  path,
  parameters: path.includes('{') ? [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }] : [],
  bodies: new Map(),
  answers: new Map([
    ['default', new Map([['application/problem+json', {}]])],
    ['302', new Map()],
  ]),
  isPublic: true,
}));

/** An application, and the organisation that its token is for; undefined where the token counts for nothing. */
interface Pusher extends Presented {
  readonly organisation: string | undefined;
}

const WORDS: Readonly<Record<string, (draw: Draw) => unknown>> = {
  organisation_id: (draw) => draw.one(['default', 'default', 'north']),
  ml_project: (draw) => draw.one(['hall', 'hall', 'mill']),
  name: (draw) =>
    draw.one(['not-json', 'bad-query', 'index.html', 'favicon-32x32.png', 'swagger-ui.css', 'docs', 'v0']),
  from: (draw) => draw.one(['2026-11-20T00:00:00Z', '2026-11-01T00:00:00Z', '2020-01-01T00:00:00Z']),
  to: (draw) => draw.one(['2026-11-21T00:00:00Z', '2026-11-22T00:00:00+01:00']),
  date: (draw) => `2026-11-20T08:15:${10 + draw.below(50)}Z`,
  sensor: (draw) => draw.one(['*', 'pump-?', 'a']),
  grant_type: (draw) => draw.one(['client_credentials', 'refresh_token']),
};

/**
 * Sends requests to every operation that the push API describes, and to its pages. Judges each answer by the document and by the token,
 * and the readings that the pushes added by the database.
 */
export async function fuzzPushApi(
  api: ApiUnderTest,
  given: { readonly requests: number; readonly seed: number },
): Promise<Findings> {
  const { walker, operations } = readDocument((await api.server.inject('/openapi.json')).json<OpenApiDocument>());
  const findings = findingsOf();
  const pool = poolOf(WORDS);
  const clients = [api.client, await api.application('north', { organisation: 'north' })];
  // A read-back is allowed once a second, so several applications take turns.
  for (let index = 0; index < 8; index += 1) clients.push(await api.application(`reader-${index}`));
  const of = (client: Client, place: number): Pusher => ({
    name: `application ${place}`,
    organisation: place === 1 ? 'north' : 'default',
    headers: () => ({ authorization: `Bearer ${client.token}` }),
    weight: 2,
  });
  const credentials: readonly Pusher[] = [
    ...clients.map(of),
    { name: 'no token', organisation: undefined, headers: () => ({}), weight: 1 },
    { name: 'another word', organisation: undefined, headers: () => ({ authorization: 'Bearer none' }), weight: 1 },
    {
      name: 'the id and secret',
      organisation: undefined,
      headers: () => ({
        authorization: `Basic ${Buffer.from(`${api.client.applicationId}:${api.client.secret}`).toString('base64')}`,
      }),
      weight: 1,
    },
  ];
  const secrets = clients.flatMap(({ secret, token }) => [secret, token.split('.')[2] ?? token]);
  const draw = drawOf(given.seed);
  const turn = turnsOf({ operations: [...operations, ...PAGES], walker, credentials, draw, pool, rare: WEIGHTS });
  let accepted = 0;

  async function ask({ request, credential, address }: Turn<Pusher>): Promise<FuzzAnswer> {
    const { method, url, payload } = request;
    const answer = await api.server.inject({
      method: method as 'GET',
      url,
      headers: { ...request.headers, ...credential.headers() },
      remoteAddress: address,
      ...(payload !== undefined && { payload }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body };
  }

  function judge(one: Turn<Pusher>, answer: FuzzAnswer): void {
    const { request, credential } = one;
    const { operation, url, method } = request;
    const { status, text } = answer;
    findings.count(operation, status);
    const isPage = operation.id.startsWith('GET ');
    // A page is text for people, with examples of code.
    const fault = isPage
      ? status < 500
        ? undefined
        : `it is answered ${status}`
      : faultOf(request, answer, { walker, secrets, causedStatus: CAUSED[operation.id] ?? [] });
    const needsToken = !operation.isPublic && operation.path.includes('/data/') && !request.strayed;
    const own = credential.organisation !== undefined && url.includes(`/organisations/${credential.organisation}/`);
    const refusal = needsToken && !own && status < 300 ? `a token without rights is answered ${status}` : undefined;
    if (fault !== undefined || refusal !== undefined) findings.ofAnswer(one, answer, fault ?? refusal ?? '');
    if (status !== 200 || isPage) return;
    pool.learn(operation, text);
    if (operation.id !== 'pushReadings' || method !== 'POST' || /dryRun=true/.test(url)) return;
    accepted += (JSON.parse(text) as { accepted: number }).accepted;
  }

  for (let sent = 0; sent < given.requests; sent += AT_ONCE) {
    const turns = Array.from({ length: AT_ONCE }, turn);
    const answers = await Promise.all(turns.map(ask));
    for (const [place, answer] of answers.entries()) judge(turns[place] as Turn<Pusher>, answer);
  }
  const stored = (await api.database.row<{ readings: number }>('select count(*) as readings from reading'))?.readings;
  if (stored !== accepted) findings.add('the readings are not as the answers said', `${stored} instead of ${accepted}`);
  if (api.log().includes('a request of the API failed')) findings.add('the log has an error', '');
  return findings;
}
