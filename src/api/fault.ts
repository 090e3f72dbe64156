import type { Logger } from 'pino';
import { isTemporary } from '../ingest/pushed-intake.ts';
import { HttpProblem, retryAfterHeader } from './problem.ts';

/** How long a client should leave a database alone that is away, s. */
const AWAY_SECONDS = 5;

/**
 * Whatever was thrown, as an answer. What is nobody's fault but ours goes into the log with its stack, and nothing of
 * it into the answer.
 */
export function problemOf(error: unknown, log: Logger): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (isTemporary(error)) {
    const detail =
      'The database does not answer in time. Send the same again: what is stored already is not stored twice.';
    return new HttpProblem('database-away', detail, { headers: retryAfterHeader(AWAY_SECONDS) });
  }
  if (
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode < 500
  ) {
    return new HttpProblem('bad-request', 'The request line or a header is malformed.');
  }
  log.error({ err: error }, 'a request of the API failed');
  return new HttpProblem('internal', 'The service has noted what happened. Sending the same again is harmless.');
}
