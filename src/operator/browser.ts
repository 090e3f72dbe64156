import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { listensLocally } from '../api/listen.ts';
import type { OperatorSettings } from '../settings-operator.ts';
import { OperatorProblem } from './problem.ts';

/** The cookie of a session: no script reads it, and no other site makes a browser send it. */
export interface SessionCookie {
  readonly name: string;
  readonly options: CookieSerializeOptions;
}

/**
 * The cookie where the server speaks TLS, or a proxy before it. `__Host-` keeps other hosts of the domain from setting it.
 * On plain HTTP of loopback browsers take neither that prefix nor `Secure`.
 */
export function sessionCookieOf(settings: OperatorSettings): SessionCookie {
  const { publicOrigin, tlsCertificate, host } = settings;
  const isSecure = publicOrigin?.startsWith('https:') ?? (tlsCertificate !== undefined || !listensLocally(host));
  return {
    name: isSecure ? '__Host-databridge' : 'databridge',
    options: { httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure },
  };
}

/** The token that a browser shows besides its cookie. A page of another site can make a browser send the cookie, and cannot read this. */
export const csrfTokenOf = (sessionSecret: string): string =>
  createHmac('sha256', sessionSecret).update('csrf').digest('base64url');

const CHANGES_NOTHING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws 403 where a request with a cookie that may change something was not sent by a page of this server: it needs an `Origin`
 * or `Sec-Fetch-Site` of this server, and the token of the session.
 */
export function assertOwnPage(request: FastifyRequest, settings: OperatorSettings, sessionSecret: string): void {
  if (CHANGES_NOTHING.has(request.method)) return;
  const { origin, 'sec-fetch-site': site, 'x-csrf-token': token } = request.headers;
  if (origin === undefined && site === undefined) throw foreign('it names no origin');
  assertNotForeign(request, settings);
  const expected = Buffer.from(csrfTokenOf(sessionSecret));
  const given = Buffer.from(typeof token === 'string' ? token : '');
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw foreign('X-CSRF-Token is not that of the session; GET /api/v1/session shows it');
}

/** Throws 403 where a browser says that a page of another site sent the request. */
export function assertNotForeign(request: FastifyRequest, settings: OperatorSettings): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin') throw foreign('a page of another site sent it');
  const own = settings.publicOrigin ?? `${settings.tlsCertificate === undefined ? 'http' : 'https'}://${host}`;
  if (origin === undefined || origin === own) return;
  throw foreign(
    'its Origin is not that of this server',
    'Where a proxy or a name stands before it, set DATABRIDGE_OPERATOR_URL to the address in the browser.',
  );
}

const foreign = (why: string, remedy = 'Send it from a page of this server.'): OperatorProblem =>
  new OperatorProblem('foreign-page', `The request is refused: ${why}.`, { remedy });
