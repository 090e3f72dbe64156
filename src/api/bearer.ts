import type { FastifyRequest } from 'fastify';
import type { AccessToken, TokenRefused } from '../access/access-tokens.ts';
import { clientOf } from './attempts.ts';
import type { Attempts } from './attempts.ts';
import { HttpProblem, retryAfterHeader } from './problem.ts';
import type { RefusedAuthentications } from './refused-authentications.ts';

export type Verify = (token: string) => Promise<AccessToken | TokenRefused>;

export interface BearerParts {
  readonly verify: Verify;
  /** Invalid tokens by address. */
  readonly failures: Attempts;
  readonly refused: RefusedAuthentications;
}

/**
 * The holder of the access token of a request. Throws 401 where no valid token is sent, and 429 where too many invalid
 * ones came from the same address. An expired token does not count, because its client will renew it and many clients
 * may share an address.
 */
export async function authenticate(
  request: FastifyRequest,
  { verify, failures, refused }: BearerParts,
): Promise<AccessToken> {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  const holder = token === undefined ? NO_TOKEN : await verify(token);
  if (!('refused' in holder)) return holder;
  const wait = holder.refused === 'expired' ? 0 : failures.take(clientOf(request.ip));
  const reason = wait > 0 ? 'too-many-failures' : REASONS[holder.reason];
  refused.note({ requestId: request.id, address: request.ip, reason, application: holder.applicationId });
  if (wait > 0) {
    throw new HttpProblem('too-many-failures', 'This address was refused too often. Wait before you try again.', {
      headers: retryAfterHeader(wait),
    });
  }
  throw new HttpProblem('invalid-token', sentence(holder.message), {
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${quotable(holder.message)}"` },
  });
}

const NO_TOKEN = {
  refused: 'invalid',
  reason: 'missing',
  message: 'there is no access token; send it as "Authorization: Bearer …"',
  applicationId: undefined,
} as const;

/** The words of the log. */
const REASONS: Readonly<Record<TokenRefused['reason'] | 'missing', string>> = {
  missing: 'no-token',
  invalid: 'invalid-token',
  expired: 'expired-token',
  revoked: 'revoked-application',
  withdrawn: 'withdrawn-token',
};

const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;

const quotable = (message: string): string => message.replaceAll(/["\\]/g, "'").replaceAll('…', '...');
