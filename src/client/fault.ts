/**
 * Why no complete answer came. `broken`: the connection ended or failed before the answer was complete. `blocked`: the
 * `fetch` that the caller gave forbids the address, or its proxy does; `cause` is its error.
 */
export type WhyUnreachable = 'blocked' | 'refused' | 'unknown-host' | 'time-out' | 'tls' | 'broken';

/**
 * The closed list of faults of a push, and the action that the caller has to take:
 *
 * | code | from | action |
 * |---|---|---|
 * | `unreachable` | no complete answer, or 408 | send again: the readings may be stored or not, and sending them twice is harmless |
 * | `overloaded` | 429, 503 | send again after `retryAfterMs` |
 * | `failed` | other 5xx | send again later |
 * | `credentials-rejected` | `invalid_client`, or 401 for a token just issued | a person has to give other credentials |
 * | `forbidden`, `unknown-target` | 403, 404 | a person has to give another organisation, project or application |
 * | `too-large` | 413: bytes or number of readings | send fewer at a time |
 * | `rejected` | 400, 415 and other 4xx | correct the calling program |
 * | `not-a-bridge` | an answer the service never gives | check the address and the proxies in between |
 *
 * Examples of `not-a-bridge`: HTML in place of 4xx JSON, a redirect, a 2xx other than 200, and counts that do not add up.
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

/** The service's description of an error (RFC 9457). */
export interface PushProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

/** A push that failed. The message is for people; it never holds a secret or a token. */
export class PushError extends Error {
  readonly fault: PushFault;
  readonly problem: PushProblem | undefined;

  constructor(fault: PushFault, message: string, problem?: PushProblem, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PushError';
    this.fault = fault;
    this.problem = problem;
  }
}

/** The error for an answer that the service never gives. */
export const notABridge = (message: string): PushError => new PushError({ code: 'not-a-bridge' }, message);

const MOST_QUOTED_CHARACTERS = 500;

/** Text of the service, made fit to be shown: on one line, not too long, and without the `secrets` that were sent. */
export function quoted(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '…');
  const line = shown.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length <= MOST_QUOTED_CHARACTERS ? line : `${line.slice(0, MOST_QUOTED_CHARACTERS)}…`;
}
