import { z } from 'zod';
import { contractBroken, unsupported } from '../../core/errors.ts';
import { formatPath } from '../../core/source/path.ts';
import { oauthRefusal } from '../connection/oauth-errors.ts';
import type { Grant } from '../contract.ts';

/** RFC 6749, 5.1. Some servers write the lifetime as text, or null for a field that they leave out. */
const tokenAnswer = z.object({
  // The characters that a header can carry (RFC 6750, 2.1, and what is in use).
  access_token: z.string().regex(/^[\x21-\x7e]+$/, 'is not a token'),
  token_type: z.string().nullish(),
  expires_in: z
    .union(
      [
        z.number().positive(),
        z
          .string()
          .regex(/^\d{1,9}$/)
          .transform(Number)
          .pipe(z.number().positive()),
      ],
      'is not a number of seconds',
    )
    .nullish(),
  refresh_token: z.string().min(1).nullish(),
});

const refusal = z.object({ error: z.string().min(1).max(100), error_description: z.unknown().optional() });

/** A longer text is not shown: cut off, it could end in half a secret. */
const LONGEST_WORDS = 300;

/**
 * The grant in the answer of a token endpoint. The errors quote nothing of the answer except its own words for a refusal, because
 * an answer with half a grant may hold a secret. An `error` inside a 200 counts as one with a 400.
 */
export function grantOf(data: unknown): Grant {
  const refused = refusal.safeParse(data);
  if (refused.success) {
    const { error, error_description: words } = refused.data;
    const message = `it answered 200 with an error: ${error}${typeof words === 'string' && words.length <= LONGEST_WORDS ? `: ${words}` : ''}`;
    throw oauthRefusal(error, message) ?? contractBroken(message);
  }
  const found = tokenAnswer.safeParse(data);
  if (!found.success) {
    const [issue] = found.error.issues;
    const path = formatPath(issue?.path ?? []);
    throw contractBroken(
      `the token answer is not one of OAuth2: ${path}${path === '' ? '' : ': '}${issue?.message ?? ''}`,
    );
  }
  const { access_token: token, token_type: type, expires_in: seconds, refresh_token: renewal } = found.data;
  if (type && type.toLowerCase() !== 'bearer') {
    const remedy = 'let the administrator of the authorisation server give this client bearer tokens';
    throw unsupported(`the token is of type "${type.slice(0, 40)}", not bearer`, remedy);
  }
  return {
    token,
    expiresAt: undefined,
    ...(seconds ? { expiresInSeconds: seconds } : {}),
    ...(renewal ? { renewal } : {}),
  };
}
