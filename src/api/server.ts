import type { Server } from 'node:http';
import fastify from 'fastify';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Access } from '../access/access.ts';
import type { StoredSealing } from '../access/stored-sealing.ts';
import { JWKS_MAX_AGE_SECONDS } from '../access/signing-keys.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { inTime } from '../database/patience.ts';
import { pushedOwnershipOf } from '../ingest/pushed-ownership.ts';
import type { Intake } from '../ingest/pushed-intake.ts';
import type { PushUses } from '../ingest/pushed-use.ts';
import type { Room } from '../ingest/pushed-room.ts';
import type { ApiSettings } from '../settings-api.ts';
import { attemptsOf } from './attempts.ts';
import type { Certificate } from './certificate.ts';
import { problemOf } from './fault.ts';
import { countRequests } from './meters.ts';
import type { ApiMeters } from './meters.ts';
import { addHealth } from './health.ts';
import { HttpProblem, problemSender } from './problem.ts';
import { typeBaseOf } from './problems.ts';
import { addPushRoute } from './push.ts';
import { addReadBack } from './read-back.ts';
import { SENSORS_PATH } from './read-back-schema.ts';
import { addReference } from './reference.ts';
import { brokenRequestAnswerer } from './broken-request.ts';
import { refusedAuthenticationsOf } from './refused-authentications.ts';
import { REQUEST_ID, requestIdOf } from './request-id.ts';
import { SAFE_HEADERS, TLS_ONLY } from './safe-headers.ts';
import { targetsOf } from './targets.ts';
import { sharedAttemptsOf } from './shared-attempts.ts';
import { addToken } from './token.ts';
import { jwksDocumentation } from './token-schema.ts';

export interface ApiParts {
  readonly settings: ApiSettings;
  readonly database: Database;
  readonly clock: SharedClock;
  readonly access: Access;
  readonly sealing: StoredSealing;
  readonly intake: Intake;
  readonly uses: PushUses;
  readonly room: Room;
  readonly log: Logger;
  /** Undefined where the API itself speaks no TLS. */
  readonly certificate?: Certificate | undefined;
  readonly meters?: ApiMeters | undefined;
}

/** How long the header lines of a request may take to arrive, ms. */
const HEADERS_MS = 20_000;
/** How long an idle connection stays open, ms. */
const IDLE_MS = 65_000;

/** How often the refused authentications are summed, ms. */
const SUM_MS = 60_000;

/** The `/v0` API as a server that does not listen yet. */
export async function apiServer(parts: ApiParts): Promise<FastifyInstance> {
  const { settings, access, database, sealing, log } = parts;
  const sendProblem = problemSender(typeBaseOf(settings));
  const app = fastify(optionsOf(parts, sendProblem));
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler);
  // Handlers read bodies themselves, after all checks that need no body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(null);
  });
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error, request.id, log);
    parts.meters?.problem(problem.type);
    log.debug(
      { requestId: request.id, status: problem.status, reason: problem.message },
      'a request of the API was refused',
    );
    return sendProblem(reply, problem);
  });
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(
      reply,
      new HttpProblem('not-found', settings.docs ? 'See /docs for the paths of this API.' : 'Check the path.'),
    ),
  );
  if (parts.meters) countRequests(app, 'push', parts.meters);
  const isPrivate = parts.certificate !== undefined || settings.publicUrl?.startsWith('https:');
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SAFE_HEADERS).header(REQUEST_ID, request.id);
    if (isPrivate) reply.headers(TLS_ONLY);
    done(hostsOf(request.raw.rawHeaders) > 1 ? new HttpProblem('bad-request', 'Send one Host header.') : undefined);
  });

  if (settings.docs) await addReference(app, { publicUrl: settings.publicUrl, typeBase: typeBaseOf(settings) });
  const ownership = pushedOwnershipOf(database);
  const attempts = sharedAttemptsOf(database);
  const refused = refusedAuthenticationsOf(log, parts.meters);
  const sums = setInterval(refused.sum, SUM_MS).unref();
  app.addHook('onClose', (_app, done) => {
    clearInterval(sums);
    attempts.close();
    refused.sum();
    done();
  });
  const shared = { by: attempts, name: 'refused credentials' };
  const failures = attemptsOf(10 * settings.failuresPerMinute, { shared });
  const guard = { verify: access.verifyAccessToken, failures, refused };
  const target = { guard, targets: targetsOf(database), waitMs: settings.waitMs };
  addPushRoute(app, { ...parts, ownership, target });
  addReadBack(app, { ...parts, target, attempts });
  addToken(app, { settings, grant: access.grantToken, refused, log, attempts });
  app.get('/.well-known/jwks.json', { schema: jwksDocumentation }, async (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`)
      .send(await inTime(settings.waitMs, access.jwks())),
  );
  addHealth(app, sealing);
  const schema = { hide: true };
  for (const url of ['/v0/organisations/:organisation_id/data/:ml_project', '/v0/oauth2/token']) {
    app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url, schema, handler: only('POST') });
  }
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url: SENSORS_PATH, schema, handler: only('GET') });
  await app.ready();
  return app;
}

/** How many Host headers a request has. Node.js keeps the first; a proxy in front may have judged another one. */
export function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

function only(method: 'GET' | 'POST'): () => never {
  const allow = method === 'GET' ? 'GET, HEAD' : method;
  return () => {
    throw new HttpProblem('method-not-allowed', `Use ${method}.`, { headers: { allow } });
  };
}

function optionsOf(
  { settings, certificate, log }: ApiParts,
  sendProblem: ReturnType<typeof problemSender>,
): FastifyHttpOptions<Server> {
  const times = { headersTimeout: Math.min(HEADERS_MS, settings.requestMs), connectionsCheckingInterval: 1_000 };
  const shared = {
    logger: false,
    trustProxy: settings.trustProxy ?? false,
    requestTimeout: settings.requestMs,
    // Counts from the last byte, also while the API works on the answer.
    connectionTimeout: Math.max(settings.requestMs, settings.waitMs) + 5_000,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle' as const,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    clientErrorHandler: brokenRequestAnswerer(typeBaseOf(settings)),
    genReqId: requestIdOf,
    frameworkErrors: (error: unknown, request: { readonly id: string }, reply: FastifyReply) =>
      void sendProblem(reply, problemOf(error, request.id, log)),
  };
  return certificate === undefined
    ? { ...shared, http: times }
    : // The types of fastify know no server that may be either.
      ({ ...shared, https: { ...times, ...certificate.read() } } as typeof shared);
}
