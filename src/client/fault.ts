/** Why nobody answered. `broken`: the connection ended, or was no use, before the answer was complete. */
export type WhyUnreachable = 'refused' | 'unknown-host' | 'time-out' | 'tls' | 'broken';

/**
 * The closed list of what may go wrong with a push, by what a caller does about it:
 *
 * | code | from | what to do |
 * |---|---|---|
 * | `unreachable` | no complete answer, or 408 | send again: nothing is known about what was stored, and twice is harmless |
 * | `overloaded` | 429, 503 | send again after `retryAfterMs` |
 * | `failed` | other 5xx | send again later |
 * | `credentials-rejected` | `invalid_client`, or 401 for a token just issued | a person has to give other credentials |
 * | `forbidden`, `unknown-target` | 403, 404 | a person has to give another organisation, project or application |
 * | `too-large` | 413: bytes or number of readings | send fewer at a time |
 * | `rejected` | 400, 415 and other 4xx | a mistake of this program |
 * | `not-a-bridge` | an answer the service never gives | look at the address, or at what stands in between |
 *
 * `not-a-bridge` are HTML in place of 4xx JSON, a redirect, a 2xx other than 200, and counts that do not add up.
 */
export type PushFault =
  | { readonly code: 'unreachable'; readonly why: WhyUnreachable }
  | { readonly code: 'overloaded'; readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly code: 'failed'; readonly status: number }
  | { readonly code: 'credentials-rejected' }
  | { readonly code: 'forbidden' }
  | { readonly code: 'unknown-target' }
  | { readonly code: 'too-large' }
  | { readonly code: 'rejected'; readonly status: number }
  | { readonly code: 'not-a-bridge' };

/** What the service says about an error (RFC 9457). */
export interface PushProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

/** A push that was not answered. The message is for people; it never holds a secret or a token. */
export class PushError extends Error {
  readonly fault: PushFault;
  readonly problem: PushProblem | undefined;

  constructor(fault: PushFault, message: string, problem?: PushProblem) {
    super(message);
    this.name = 'PushError';
    this.fault = fault;
    this.problem = problem;
  }
}

/** An answer that is not what the service answers. */
export const notABridge = (message: string): PushError => new PushError({ code: 'not-a-bridge' }, message);

const LONGEST_QUOTE = 500;

/** Text of the other side, fit to be shown: on one line, not too long, and without what we sent as a secret. */
export function quoted(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '…');
  const line = shown.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length <= LONGEST_QUOTE ? line : `${line.slice(0, LONGEST_QUOTE)}…`;
}
