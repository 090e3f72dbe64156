import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { changeOwnPassword, confirmSession, signIn } from '../access/operator-passwords.ts';
import { endSession, sessionsOf } from '../access/operator-sessions.ts';
import type { SessionHolder } from '../access/operator-sessions.ts';
import { actorOf } from '../access/operators.ts';
import { PasswordsBusy } from '../access/password.ts';
import { clientOf } from '../api/attempts.ts';
import { retryAfterHeader } from '../api/problem.ts';
import { formatInstant } from '../core/instant.ts';
import { operatorOf } from './authenticate.ts';
import { assertNotForeign, sessionCookieOf } from './browser.ts';
import type { OperatorParts, ServerParts } from './parts.ts';
import { OperatorProblem, noSuch } from './problem.ts';
import { beginAnswer, fromOf, sessionDocument, sessionSchema } from './session-answer.ts';
import { knownBrowserCookieOf, knownBrowserOf, textOfKnownBrowser } from './known-browser.ts';
import { signInLimitsOf } from './sign-in-limits.ts';

/** A session in a list. */
export const listedSchema = z
  .object({
    id: z.string(),
    createdAt: z.string(),
    usedAt: z.string().describe('To the minute.'),
    endsAt: z.string(),
    address: z.string(),
    agent: z.string(),
    current: z.boolean(),
  })
  .meta({
    id: 'ListedSession',
    examples: [
      {
        id: 'ses_0123456789abcdef0123',
        createdAt: '2026-11-22T10:00:00Z',
        usedAt: '2026-11-22T10:41:00Z',
        endsAt: '2026-11-22T22:00:00Z',
        address: '192.0.2.7',
        agent: 'Mozilla/5.0',
        current: true,
      },
    ],
  });

/** Longer texts are refused before a hash of them is computed. */
const text = z.string().max(1_024);

const waysSchema = z
  .object({
    password: z.boolean().describe('By name and password: POST /api/v1/session.'),
    oidc: z.boolean().describe('At an OpenID provider: GET /api/v1/oidc/start.'),
  })
  .meta({ id: 'WaysToSignIn', examples: [{ password: true, oidc: false }] });

/** The routes of sign-in: sessions of browsers and passwords. */
export function addSessionRoutes(
  app: FastifyInstance,
  { database, settings, sealing, log, attempts }: ServerParts,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const limits = signInLimitsOf({ by: attempts });
  const cookie = sessionCookieOf(settings.operator);
  const known = knownBrowserCookieOf(cookie);
  const browserOf = (request: FastifyRequest, name: string): string | undefined =>
    knownBrowserOf(request.cookies[known.name], name, sealing);

  /** Counts a try of a password, and makes `check` in its turn. */
  async function tried<T>(request: FastifyRequest, name: string, check: () => Promise<T | undefined>): Promise<T> {
    const address = clientOf(request.ip);
    const wait = limits.begin(address, name, browserOf(request, name));
    if (wait > 0) {
      throw new OperatorProblem('too-many-requests', 'Too many passwords were tried from this address.', {
        remedy: 'Wait before you try again.',
        headers: retryAfterHeader(wait),
      });
    }
    const result = await check().catch((error: unknown) => {
      if (!(error instanceof PasswordsBusy)) throw error;
      throw new OperatorProblem('unavailable', 'Too many passwords are being checked.', {
        remedy: 'Send the same request again.',
        headers: retryAfterHeader(2),
      });
    });
    if (result !== undefined) {
      limits.succeeded(address, name);
      return result;
    }
    // Not the name, because a password may have been typed there.
    log.warn({ address: request.ip, request: request.id }, 'a sign-in of an operator was refused');
    throw new OperatorProblem('wrong-password', 'Name and password do not belong together.', {
      remedy: 'Try again, or ask an admin: databridge operator password NAME sets another one.',
    });
  }
  typed.get(
    '/api/v1/sign-in',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getSignIn',
        summary: 'The ways to sign in that this bridge has',
        tags: ['Sessions'],
        response: { 200: waysSchema },
      },
    },
    () => ({ password: settings.operator.takesPasswords, oidc: settings.operator.oidc !== undefined }),
  );
  typed.post(
    '/api/v1/session',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'signIn',
        summary: 'Sign in with a password',
        description:
          'Begins a session and sets its cookie. Programs send a personal token instead and need no session.',
        tags: ['Sessions'],
        body: z
          .object({ name: text, password: text })
          .meta({ examples: [{ name: 'anna', password: 'correct horse battery staple' }] }),
        response: { 200: sessionSchema },
      },
    },
    async (request, reply) => {
      assertNotForeign(request, settings.operator);
      if (!settings.operator.takesPasswords) {
        throw noPasswords();
      }
      const { name, password } = request.body;
      const secret = await tried(request, name, () => signIn(database, { name, password }, fromOf(request)));
      log.info({ operator: name, address: request.ip, request: request.id }, 'an operator signed in');
      const answer = await beginAnswer({ database, cookie }, reply, secret);
      if (browserOf(request, name) === undefined) {
        reply.setCookie(known.name, textOfKnownBrowser(name, sealing), known.options);
      }
      return answer;
    },
  );

  typed.get(
    '/api/v1/session',
    {
      config: { role: 'viewer', withTemporaryPassword: true, secret: true },
      schema: {
        operationId: 'getSession',
        summary: 'The present session',
        tags: ['Sessions'],
        response: { 200: sessionSchema },
      },
    },
    (request) => {
      const { session, secret } = ownSession(request);
      return sessionDocument(session, secret);
    },
  );

  typed.delete(
    '/api/v1/session',
    {
      config: { role: 'viewer', withTemporaryPassword: true },
      schema: { operationId: 'signOut', summary: 'Sign out', tags: ['Sessions'], response: { 204: z.null() } },
    },
    async (request, reply) => {
      const { session } = ownSession(request);
      await endSession(database, session.operator.id, session.sessionId);
      // The cookie alone, because `"cookies"` would end those of other programs on hosts of this domain, too.
      reply.clearCookie(cookie.name, cookie.options).header('clear-site-data', '"cache", "storage"');
      return await reply.code(204).send(null);
    },
  );

  typed.get(
    '/api/v1/sessions',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listSessions',
        summary: 'Your sessions, the newest first',
        tags: ['Sessions'],
        response: { 200: z.object({ sessions: z.array(listedSchema) }) },
      },
    },
    async (request) => {
      return { sessions: await listedSessions(database, operatorOf(request).id, request) };
    },
  );

  typed.delete(
    '/api/v1/sessions/:id',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'endSession',
        summary: 'End one of your sessions',
        tags: ['Sessions'],
        params: z.object({ id: text }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      if (!(await endSession(database, operatorOf(request).id, id))) throw noSuch('such session of yours');
      return await reply.code(204).send(null);
    },
  );

  typed.post(
    '/api/v1/me/confirm',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'confirmSession',
        summary: 'Give your password again, so that the session may hand out and take away access for ten minutes',
        description: 'A wrong one counts as one at sign-in does.',
        tags: ['Sessions'],
        body: z.strictObject({ password: text }).meta({ examples: [{ password: 'correct horse battery staple' }] }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { session } = ownSession(request);
      if (!settings.operator.takesPasswords) throw noPasswords();
      const { operator, sessionId } = session;
      const { password } = request.body;
      await tried(request, operator.name, () =>
        confirmSession(database, { operatorId: operator.id, sessionId, password }),
      );
      log.info(
        { operator: operator.name, address: request.ip, request: request.id },
        'an operator gave the password again',
      );
      return await reply.code(204).send(null);
    },
  );

  typed.put(
    '/api/v1/password',
    {
      config: { role: 'viewer', withTemporaryPassword: true },
      schema: {
        operationId: 'changePassword',
        summary: 'Change your password',
        description:
          'Ends all your sessions and begins a new one. `current` is left out in a session that a one-time link began for an operator that has chosen no password yet.',
        tags: ['Sessions'],
        body: z.object({ current: text.optional(), password: text }).meta({
          examples: [{ current: 'correct horse battery staple', password: 'another long password' }],
        }),
        response: { 200: sessionSchema },
      },
    },
    async (request, reply) => {
      const operator = operatorOf(request);
      const { current, password: next } = request.body;
      const mayChoose = request.operatorSession?.mayChoosePassword === true;
      if (current === undefined && !mayChoose) {
        throw new OperatorProblem('invalid', 'The present password is missing.', {
          remedy: 'Give it as current.',
          errors: [{ pointer: '/current', detail: 'is missing' }],
        });
      }
      const change = { name: operator.name, current: current ?? null, next, list: settings.operator.passwordList };
      const secret = await tried(request, operator.name, () =>
        changeOwnPassword(database, change, fromOf(request), actorOf(operator)),
      );
      return await beginAnswer({ database, cookie }, reply, secret);
    },
  );
}

/** The sessions of an operator as answers list them. */
export async function listedSessions(
  database: OperatorParts['database'],
  operatorId: number,
  { operatorSession }: Pick<FastifyRequest, 'operatorSession'>,
): Promise<z.infer<typeof listedSchema>[]> {
  const sessions = await sessionsOf(database, operatorId);
  return sessions.map(({ createdAt, usedAt, endsAt, ...session }) => ({
    ...session,
    createdAt: formatInstant(createdAt),
    usedAt: formatInstant(usedAt),
    endsAt: formatInstant(endsAt),
    current: session.id === operatorSession?.sessionId,
  }));
}

const noPasswords = (): OperatorProblem =>
  new OperatorProblem('sign-in-refused', 'This bridge takes no passwords.', {
    remedy: 'Sign in at /api/v1/oidc/start.',
  });

function ownSession(request: FastifyRequest): { readonly session: SessionHolder; readonly secret: string } {
  const { operatorSession: session, sessionSecret: secret } = request;
  if (session !== null && secret !== null) return { session, secret };
  throw new OperatorProblem('conflict', 'The request carries a token, so there is no session.', {
    remedy: 'Send the cookie of a session and no Authorization header.',
  });
}
