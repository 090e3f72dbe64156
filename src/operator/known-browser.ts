import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sealing } from '../access/sealing.ts';
import type { SessionCookie } from './browser.ts';

type Digest = Pick<Sealing, 'digest'>;

const DAYS_90 = 90 * 86_400;

/**
 * The cookie of a browser in which an operator signed in before. It opens nothing: tries of a password in that browser count apart from
 * those of strangers behind the same address.
 */
export const knownBrowserCookieOf = (session: SessionCookie): SessionCookie => ({
  name: `${session.name}-known`,
  options: { ...session.options, maxAge: DAYS_90 },
});

const markOf = (id: string, name: string, { digest }: Digest): string => digest(`known browser ${id} ${name}`);

/** A new text of that cookie, for an operator of this name. */
export function textOfKnownBrowser(name: string, sealing: Digest): string {
  const id = randomBytes(16).toString('base64url');
  return `${id}.${markOf(id, name, sealing)}`;
}

/** The id of a browser in which an operator of this name signed in before; undefined where this bridge did not make the text. */
export function knownBrowserOf(text: string | undefined, name: string, sealing: Digest): string | undefined {
  const [id = '', mark = ''] = (text ?? '').split('.');
  if (id.length !== 22) return undefined;
  const [given, expected] = [Buffer.from(mark), Buffer.from(markOf(id, name, sealing))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined;
}
