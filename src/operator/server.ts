import type { Server } from 'node:http';
import cookie from '@fastify/cookie';
import fastify from 'fastify';
import type { FastifyHttpOptions, FastifyInstance, FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { brokenRequestAnswerer } from '../api/broken-request.ts';
import type { Certificate } from '../api/certificate.ts';
import { countRequests } from '../api/meters.ts';
import { PROBLEM_URN } from '../api/problems.ts';
import { refusedAuthenticationsOf } from '../api/refused-authentications.ts';
import type { RefusedAuthentication } from '../api/refused-authentications.ts';
import { REQUEST_ID, requestIdOf } from '../api/request-id.ts';
import { SAFE_HEADERS, TLS_ONLY } from '../api/safe-headers.ts';
import { hostsOf } from '../api/server.ts';
import { sharedAttemptsOf } from '../api/shared-attempts.ts';
import { isDatabaseAway, isRolledBack } from '../database/away.ts';
import { addAuthentication } from './authenticate.ts';
import { addBulkRoutes } from './bulk.ts';
import { addCompression } from './compression.ts';
import type { OperatorRoute } from './authenticate.ts';
import { addAccessRoutes } from './access.ts';
import { addAlertRoutes } from './alerts.ts';
import { addApplyManyRoutes } from './apply-many.ts';
import { addApplyRoutes } from './apply.ts';
import { addAuditRoutes } from './audit.ts';
import { addBackfillRoutes } from './backfills.ts';
import { addLateRoutes } from './late.ts';
import { addCoverageRoutes } from './coverage.ts';
import { addEventRoutes } from './events.ts';
import { addConsoleRoutes } from './console.ts';
import { addContractRoutes } from './contract.ts';
import { addFactRoutes } from './facts.ts';
import { addFormerRoutes } from './former.ts';
import { addHeldNameRoutes } from './held-names.ts';
import { addIdempotency } from './idempotency.ts';
import { addIngestionRoutes } from './ingestion.ts';
import { addLinkRoutes } from './links.ts';
import { addMeRoutes } from './me.ts';
import { addMetricsRoute } from './metrics.ts';
import { addOidcRoutes } from './oidc.ts';
import { addOperatorRoutes } from './operators.ts';
import { addOverviewRoutes } from './overview.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem, noSuch, operatorProblemOf, sendOperatorProblem } from './problem.ts';
import { addPlatformRoutes } from './platforms.ts';
import { addProjectKeepRoutes } from './project-keep.ts';
import { addProjectRoutes } from './projects.ts';
import { addKeyRoutes } from './keys.ts';
import { addSeriesRoutes } from './series.ts';
import { addSourceRoutes } from './sources.ts';
import { addSourceStreamRoutes } from './source-streams.ts';
import { addTrialRoutes } from './trials.ts';
import { addReadingRoutes } from './readings.ts';
import { addOperatorReference } from './reference.ts';
import { addRefusalRoutes } from './refusals.ts';
import { addSessionRoutes } from './sessions.ts';
import { assertStorable } from './storable.ts';
import { addTurns } from './turns.ts';

/** How long the header lines of a request, and a whole request, may take to arrive, ms. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** How long an idle connection stays open, ms. */
const IDLE_MS = 65_000;
/** Operators are few; a flood of connections ends here. */
const MOST_CONNECTIONS = 500;
/** How often the refused requests are summed, ms. */
const SUM_MS = 60_000;
/** Bytes of a body that declares no other limit. */
const BODY_BYTES = 65_536;

/** The operator API as a server that does not listen yet, and its routes. Throws for a route that declares no role. */
export async function operatorServer(
  parts: OperatorParts & {
    /** Undefined where the server itself speaks no TLS. */
    readonly certificate: Certificate | undefined;
    /** Adds more routes. */
    readonly addRoutes?: ((app: FastifyInstance) => void) | undefined;
  },
): Promise<{ readonly app: FastifyInstance; readonly routes: readonly OperatorRoute[] }> {
  const { settings, log, certificate } = parts;
  const app = fastify(optionsOf(parts));
  app.server.maxConnections = MOST_CONNECTIONS;
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler);
  app.removeContentTypeParser('text/plain');
  const refused = refusedAuthenticationsOf(log);
  const sums = setInterval(refused.sum, SUM_MS).unref();
  app.addHook('onClose', (_app, done) => {
    clearInterval(sums);
    refused.sum();
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = operatorProblemOf(error, request, log);
    request.isEndUnknown = isDatabaseAway(error) && !isRolledBack(error);
    if (isRefusal(problem)) refused.note(refusalOf(request, problem));
    return sendOperatorProblem(request, reply, problem);
  });
  app.setNotFoundHandler((request, reply) => sendOperatorProblem(request, reply, noSuch('such path')));
  const isPrivate = certificate !== undefined || settings.operator.publicOrigin?.startsWith('https:');
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SAFE_HEADERS).header(REQUEST_ID, request.id);
    if (isPrivate) reply.headers(TLS_ONLY);
    const isOdd = hostsOf(request.raw.rawHeaders) > 1;
    done(isOdd ? new OperatorProblem('bad-request', 'Send one Host header.') : undefined);
  });
  // After validation, because a body then has no more levels than its schema.
  app.addHook('preHandler', (request, _reply, done) => {
    assertStorable(request);
    done();
  });
  if (parts.metrics) countRequests(app, 'operator', parts.metrics.api);
  await app.register(cookie);
  const counting = { ...parts, attempts: sharedAttemptsOf(parts.database) };
  app.addHook('onClose', (_app, done) => {
    counting.attempts.close();
    done();
  });
  const { routes, operatorBehind } = addAuthentication(app, counting);
  addIdempotency(app, parts);
  addTurns(app);
  addCompression(app);
  await addOperatorReference(app, settings.operator);
  addConsoleRoutes(app, parts);
  addMeRoutes(app);
  addOverviewRoutes(app, parts);
  addOperatorRoutes(app, parts);
  addSessionRoutes(app, counting);
  addLinkRoutes(app, counting);
  addOidcRoutes(app, counting);
  addSourceRoutes(app, parts);
  addSourceStreamRoutes(app, parts);
  addApplyRoutes(app, parts);
  addApplyManyRoutes(app, parts);
  addBulkRoutes(app, parts);
  addPlatformRoutes(app, parts);
  addBackfillRoutes(app, parts);
  addLateRoutes(app, parts);
  addContractRoutes(app, parts);
  addFactRoutes(app, parts);
  addRefusalRoutes(app, parts);
  addFormerRoutes(app, parts);
  addCoverageRoutes(app, parts);
  addTrialRoutes(app, parts);
  addAccessRoutes(app, parts);
  addKeyRoutes(app, parts);
  addProjectRoutes(app, parts);
  addProjectKeepRoutes(app, parts);
  addHeldNameRoutes(app, parts);
  addIngestionRoutes(app, parts);
  addAuditRoutes(app, parts);
  addReadingRoutes(app, parts);
  addSeriesRoutes(app, parts);
  addAlertRoutes(app, parts);
  addEventRoutes(app, parts, operatorBehind);
  if (parts.metrics) addMetricsRoute(app, { ...parts, metrics: parts.metrics });
  parts.addRoutes?.(app);
  await app.ready();
  return { app, routes };
}

/** Whether a problem refuses a request for its credential, its role or its number. Routes of sign-in write lines of their own. */
const isRefusal = ({ status, type }: OperatorProblem): boolean =>
  [401, 403, 429].includes(status) && !/:(?:wrong-password|password-change-needed)$/.test(type);

/** A refused request for the log, without its parameters. */
const refusalOf = (request: FastifyRequest, { status, type }: OperatorProblem): RefusedAuthentication => ({
  requestId: request.id,
  address: request.ip,
  reason: type.slice(PROBLEM_URN.length),
  operator: request.operator?.name,
  route: status === 401 ? undefined : `${request.method} ${request.routeOptions.url ?? ''}`,
});

function optionsOf({
  settings,
  certificate,
  log,
}: Pick<OperatorParts, 'settings' | 'log'> & {
  readonly certificate: Certificate | undefined;
}): FastifyHttpOptions<Server> {
  const times = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: 1_000 };
  const shared = {
    logger: false,
    trustProxy: settings.operator.trustProxy ?? false,
    bodyLimit: BODY_BYTES,
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle' as const,
    return503OnClosing: false,
    genReqId: requestIdOf,
    requestIdHeader: false as const,
    routerOptions: { maxParamLength: 300 },
    clientErrorHandler: brokenRequestAnswerer(PROBLEM_URN),
    frameworkErrors: (
      error: unknown,
      request: Parameters<typeof sendOperatorProblem>[0],
      reply: Parameters<typeof sendOperatorProblem>[1],
    ) => void sendOperatorProblem(request, reply, operatorProblemOf(error, request, log)),
  };
  return certificate === undefined
    ? { ...shared, http: times }
    : // The types of fastify know no server that may be either.
      ({ ...shared, https: { ...times, ...certificate.read() } } as typeof shared);
}
