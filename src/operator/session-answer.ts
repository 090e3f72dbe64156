import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { endSessionOfSecret, holderOfSession } from '../access/operator-sessions.ts';
import type { OperatorSession, SessionHolder } from '../access/operator-sessions.ts';
import { formatInstant } from '../core/instant.ts';
import { csrfTokenOf } from './browser.ts';
import type { SessionCookie } from './browser.ts';
import { operatorDocument, operatorSchema } from './me.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem } from './problem.ts';

/** A session in answers. */
export const sessionSchema = z
  .object({
    operator: operatorSchema,
    csrfToken: z.string().describe('To be sent as X-CSRF-Token with each request that changes something.'),
    endsAt: z
      .string()
      .describe('When the session ends whatever it does. It ends after 30 minutes without a request, too.'),
    mustChangePassword: z.boolean().describe('Nothing is allowed before PUT /api/v1/password.'),
    mayChoosePassword: z.boolean().describe('PUT /api/v1/password takes a password without the present one.'),
  })
  .meta({
    id: 'Session',
    examples: [
      {
        operator: { name: 'anna', role: 'operator', organisations: null },
        csrfToken: 'dGhlIHRva2VuIG9mIHRoaXMgc2Vzc2lvbg',
        endsAt: '2026-11-22T22:00:00Z',
        mustChangePassword: false,
        mayChoosePassword: false,
      },
    ],
  });

/** A session as answers show it. */
export const sessionDocument = (
  { operator, endsAt, mustChangePassword, mayChoosePassword }: SessionHolder,
  secret: string,
): z.infer<typeof sessionSchema> => ({
  operator: operatorDocument(operator),
  csrfToken: csrfTokenOf(secret),
  endsAt: formatInstant(endsAt),
  mustChangePassword,
  mayChoosePassword,
});

/** The answer of a sign-in: the session, whose cookie it sets. The session that the browser had ends. */
export async function beginAnswer(
  { database, cookie }: { readonly database: OperatorParts['database']; readonly cookie: SessionCookie },
  reply: FastifyReply,
  secret: string,
): Promise<z.infer<typeof sessionSchema>> {
  const holder = await holderOfSession(database, secret);
  if (holder === undefined) throw new OperatorProblem('unauthenticated', 'The session has ended already.');
  const former = reply.request.cookies[cookie.name];
  if (former !== undefined) await endSessionOfSecret(database, former);
  reply.setCookie(cookie.name, secret, cookie.options);
  return sessionDocument(holder, secret);
}

/** The browser behind a request, as its session remembers it. */
export const fromOf = (request: FastifyRequest): Pick<OperatorSession, 'address' | 'agent'> => ({
  address: request.ip,
  agent: request.headers['user-agent'] ?? '',
});
