import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Operator } from '../access/operators.ts';
import { operatorOfToken } from '../access/operator-tokens.ts';
import type { OperatorTokenRefusal } from '../access/operator-tokens.ts';
import { holderOfSession } from '../access/operator-sessions.ts';
import type { SessionHolder } from '../access/operator-sessions.ts';
import { attemptsOf, clientOf } from '../api/attempts.ts';
import { retryAfterHeader } from '../api/problem.ts';
import { includesRole } from '../core/operator-role.ts';
import type { OperatorRole } from '../core/operator-role.ts';
import type { ServerParts } from './parts.ts';
import { assertOwnPage, sessionCookieOf } from './browser.ts';
import { OperatorProblem, noSuch } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may use the route of the operator API. */
    readonly role?: OperatorRole;
    /** Any client may use the route of the operator API without signing in. */
    readonly access?: 'public';
    /** Says of a request to the operator API that it needs no sign-in; others need `role`. */
    readonly opensTo?: (request: FastifyRequest) => boolean;
    /** An operator may use the route before it has chosen a password. */
    readonly withTemporaryPassword?: boolean;
    /**
     * The route hands out or takes away access, so a session may use it only shortly after its operator signed in or gave its
     * password again: a browser that was left open, or its stolen cookie, is not enough. Personal tokens are exempt.
     */
    readonly needsProof?: boolean;
  }
  interface FastifyRequest {
    /** The operator that signed in; null on public routes and before authentication. */
    operator: Operator | null;
    /** Its session and the secret of that; null where a token was sent. */
    operatorSession: SessionHolder | null;
    sessionSecret: string | null;
  }
}

/** A route of the operator API, as it was declared. */
export interface OperatorRoute {
  readonly method: string;
  /** With its parameters, such as `/api/v1/sources/:organisation/:name`. */
  readonly path: string;
  readonly role: OperatorRole | 'public';
}

/** The routes with their roles, and the operators behind credentials. */
export interface Authentication {
  /** They grow as routes are added. */
  readonly routes: readonly OperatorRoute[];
  /** The operator whose credential a request carries, as it is now. Throws 401 where the credential is not accepted. */
  readonly operatorBehind: (request: FastifyRequest) => Promise<Operator>;
}

/** A page sends it as `true` with each request that it makes by itself, so that the session ends as if it had not been sent. */
const UNATTENDED = 'x-databridge-unattended';

/** Failed authentications a minute of one address. */
const FAILURES_PER_MINUTE = 60;

/**
 * Adds authentication before any route. A route has to declare in its `config` the least role that may use it, or that it is
 * public; else adding it throws, so the server does not start.
 */
export function addAuthentication(
  app: FastifyInstance,
  { database, settings, attempts: by }: Pick<ServerParts, 'database' | 'settings' | 'attempts'>,
): Authentication {
  const routes: OperatorRoute[] = [];
  const failures = attemptsOf(FAILURES_PER_MINUTE, { shared: { by, name: 'refused operators' } });
  const cookie = sessionCookieOf(settings.operator);
  for (const name of ['operator', 'operatorSession', 'sessionSecret']) app.decorateRequest(name, null);
  app.addHook('onRoute', ({ method, url, config }) => {
    const role = config?.access ?? config?.role;
    if (role === undefined || (config?.access !== undefined && config.role !== undefined)) {
      throw new TypeError(
        `route ${String(method)} ${url} declares neither the role that may use it nor that it is public`,
      );
    }
    for (const one of [method].flat()) routes.push({ method: one, path: url, role });
  });
  app.addHook('onRequest', async (request) => {
    const { access, role, opensTo, withTemporaryPassword, needsProof } = request.routeOptions.config;
    if (request.is404 || access === 'public' || opensTo?.(request)) return;
    request.operator = await operatorBehind(request);
    if (request.operatorSession?.mustChangePassword && withTemporaryPassword !== true) {
      throw new OperatorProblem('password-change-needed', 'Your password was given to you.', {
        remedy: 'Choose another one: PUT /api/v1/password.',
      });
    }
    if (role === undefined || !includesRole(request.operator.role, role)) {
      throw new OperatorProblem('forbidden', `This needs the role ${role}; yours is ${request.operator.role}.`, {
        remedy: 'Ask an admin for the role.',
      });
    }
    // A token is presented anew with each request by a program that cannot be asked.
    if (needsProof === true && request.operatorSession?.isProved === false) {
      throw new OperatorProblem('confirmation-needed', 'You signed in more than ten minutes ago.', {
        remedy: 'Give your password again with POST /api/v1/me/confirm, or sign in again at /api/v1/oidc/start.',
      });
    }
  });

  async function operatorBehind(request: FastifyRequest): Promise<Operator> {
    const { authorization } = request.headers;
    const secret = request.cookies[cookie.name];
    if (authorization === undefined) {
      if (secret === undefined) throw unauthenticated('it carries no credential');
      // A stream that looks again is no use, and neither is a page that asks by itself: an open page alone keeps no session.
      const isUse = request.operator === null && request.headers[UNATTENDED] !== 'true';
      const session = await holderOfSession(database, secret, { isUse });
      if (session === undefined) throw failed(request, 'the session has ended');
      assertOwnPage(request, settings.operator, secret);
      request.operatorSession = session;
      request.sessionSecret = secret;
      return session.operator;
    }
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1] ?? '';
    const known = await operatorOfToken(database, token);
    if ('operator' in known) return known.operator;
    throw failed(request, REFUSED[known.refused]);
  }

  /** Counts a failure. A valid credential is taken all the same, so an address that fails stops no neighbour behind it. */
  function failed(request: FastifyRequest, why: string): OperatorProblem {
    const wait = failures.take(clientOf(request.ip));
    if (wait === 0) return unauthenticated(why);
    return new OperatorProblem('too-many-requests', 'This address was refused too often.', {
      remedy: 'Wait before you try again.',
      headers: retryAfterHeader(wait),
    });
  }
  return { routes, operatorBehind };
}

/** Only the holder of a token that was valid once learns more than that it is not accepted. */
const REFUSED: Readonly<Record<OperatorTokenRefusal, string>> = {
  unknown: 'the token is not known',
  expired: 'the token has expired',
  revoked: 'the token was revoked',
  disabled: 'the operator of the token is disabled',
};

const unauthenticated = (why: string): OperatorProblem =>
  new OperatorProblem('unauthenticated', `The request is not signed in: ${why}.`, {
    remedy:
      'Sign in with POST /api/v1/session, or send a personal token as "Authorization: Bearer dbo_…" from databridge operator token create.',
    headers: { 'www-authenticate': 'Bearer realm="databridge"' },
  });

/** The operator that signed in, on a route that is not public. */
export function operatorOf(request: FastifyRequest): Operator {
  if (request.operator !== null) return request.operator;
  throw new Error('the route is public and has no operator');
}

/** Whether an operator sees an organisation. */
export const seesOrganisation = ({ organisations }: Operator, organisation: string): boolean =>
  organisations === null || organisations.includes(organisation);

/** Throws 403 where an operator sees some organisations only. `why`: the reason, such as "The keys are those of all organisations". */
export function assertSeesAll({ organisations }: Operator, why: string): void {
  if (organisations === null) return;
  throw new OperatorProblem('forbidden', `${why}, and you see some of them.`, {
    remedy: 'Use a token of an operator that sees all organisations.',
  });
}

/** Throws 404, as if the thing did not exist, where it belongs to an organisation that the operator does not see. */
export function assertSeen(operator: Operator, organisation: string, what = 'such organisation'): void {
  if (!seesOrganisation(operator, organisation)) throw noSuch(what);
}
