import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Sealing } from '../access/sealing.ts';
import type { Instant } from '../core/instant.ts';

const flowSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), endsAt: z.number() });

/** A sign-in at the issuer that was begun: the values that its end has to show. */
export type OidcFlow = z.infer<typeof flowSchema>;

type Digest = Pick<Sealing, 'digest'>;

const markOf = (text: string, { digest }: Digest): string => digest(`oidc ${text}`);

/** The flow as the cookie of the browser that began it holds it, with a mark that only this bridge can make. */
export function textOfFlow(flow: OidcFlow, sealing: Digest): string {
  const text = Buffer.from(JSON.stringify(flow)).toString('base64url');
  return `${text}.${markOf(text, sealing)}`;
}

/** The flow of a cookie; undefined where this bridge did not begin it, or too long ago. */
export function flowOfText(cookie: string, sealing: Digest, now: Instant): OidcFlow | undefined {
  const [text = '', mark = ''] = cookie.split('.');
  const [given, expected] = [Buffer.from(mark), Buffer.from(markOf(text, sealing))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const flow = flowSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  return flow.endsAt < now ? undefined : flow;
}
