import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { createOperatorLink, pathOfLink, signInByLink } from '../access/operator-links.ts';
import { actorOf } from '../access/operators.ts';
import { attemptsOf, clientOf } from '../api/attempts.ts';
import { retryAfterHeader } from '../api/problem.ts';
import { formatInstant } from '../core/instant.ts';
import { assertSeesAll, operatorOf } from './authenticate.ts';
import { assertNotForeign, sessionCookieOf } from './browser.ts';
import type { ServerParts } from './parts.ts';
import { OperatorProblem } from './problem.ts';
import { changing } from './route-shapes.ts';
import { beginAnswer, fromOf, sessionSchema } from './session-answer.ts';

/** Links that one address tries in a minute. A token cannot be guessed; this bounds the work. */
const TRIES_PER_MINUTE = 20;

/** The routes of links that sign a browser in once: the first sign-in of a new operator, or one without its password. */
export function addLinkRoutes(app: FastifyInstance, { database, settings, log, attempts: by }: ServerParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const cookie = sessionCookieOf(settings.operator);
  const tries = attemptsOf(TRIES_PER_MINUTE, { shared: { by, name: 'links' } });
  // A link would pass by the rules of the issuer, such as a second factor.
  const assertTaken = (): void => {
    if (settings.operator.takesPasswords) return;
    throw new OperatorProblem('sign-in-refused', 'This bridge takes no links.', {
      remedy: 'Sign in at /api/v1/oidc/start.',
    });
  };
  typed.post(
    '/api/v1/sign-in/link',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'signInByLink',
        summary: 'Sign in with a one-time link',
        description:
          'Begins a session and sets its cookie, and spends the link. Where `mustChangePassword` is true, `changePassword` takes a new password without the present one.',
        tags: ['Sessions'],
        body: z.strictObject({ token: z.string().max(200) }).meta({ examples: [{ token: 'the-part-behind-link' }] }),
        response: { 200: sessionSchema },
      },
    },
    async (request, reply) => {
      assertNotForeign(request, settings.operator);
      assertTaken();
      const wait = tries.take(clientOf(request.ip));
      if (wait > 0) {
        throw new OperatorProblem('too-many-requests', 'Too many links were tried from this address.', {
          remedy: 'Wait before you try again.',
          headers: retryAfterHeader(wait),
        });
      }
      const entered = await signInByLink(database, request.body.token, fromOf(request));
      const seen = { address: request.ip, request: request.id };
      if (entered === undefined) {
        log.warn(seen, 'a sign-in by a link was refused');
        throw new OperatorProblem('sign-in-refused', 'The link was used already, is too old, or never was.', {
          remedy: 'Ask an admin for another one: databridge operator link NAME.',
        });
      }
      log.info({ ...seen, operator: entered.name }, 'an operator signed in by a link');
      return await beginAnswer({ database, cookie }, reply, entered.secret);
    },
  );
  typed.post(
    '/api/v1/operators/:name/link',
    {
      config: {
        role: 'admin',
        needsProof: true,
        idempotent: { made: 'name', remedy: 'Make another one with a new key.' },
      },
      schema: {
        operationId: 'createOperatorLink',
        summary: 'Make a link that signs a browser in once; the answer is the only place that holds its token',
        description:
          'It is taken for 15 minutes, with `invite` for three days by an operator that chooses its first password then. It replaces the link that the operator had.',
        tags: ['Operators'],
        params: z.object({ name: z.string().max(100) }),
        body: z.strictObject({ invite: z.boolean().default(false) }).meta({ examples: [{ invite: true }] }),
        response: {
          201: z
            .object({
              name: z.string(),
              token: z.string().describe('For `signInByLink`.'),
              path: z.string().describe('Of the page that takes it, below the address of the API.'),
              expiresAt: z.string(),
            })
            .meta({
              examples: [
                {
                  name: 'anna',
                  token: 'shown-here-once',
                  path: '/#/link/shown-here-once',
                  expiresAt: '2026-11-25T10:00:00Z',
                },
              ],
            }),
        },
      },
    },
    async (request, reply) => {
      const operator = operatorOf(request);
      assertSeesAll(operator, 'Operators may see all organisations');
      assertTaken();
      const { name } = request.params;
      const kind = request.body.invite ? 'invite' : 'sign-in';
      const { token, expiresAt } = await changing(() =>
        createOperatorLink(database, { name, kind }, actorOf(operator)),
      );
      return await reply.code(201).send({ name, token, path: pathOfLink(token), expiresAt: formatInstant(expiresAt) });
    },
  );
}
