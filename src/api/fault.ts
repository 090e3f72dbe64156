import type { Logger } from 'pino';
import { isTemporary } from '../ingest/pushed-intake.ts';
import { HttpProblem, retryAfterHeader } from './problem.ts';

/** Seconds after which a client should try again while the database is away. */
const AWAY_SECONDS = 5;

/** The answer to any error. An error of this program goes into the log with its stack, and nothing of it into the answer. */
export function problemOf(error: unknown, requestId: string, log: Logger): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (isTemporary(error)) {
    const detail = 'The database does not answer in time. Send the same request again: no reading is stored twice.';
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
  log.error({ requestId, err: error }, 'a request of the API failed');
  return new HttpProblem(
    'internal',
    'The error stands in the log of the service, with the id of this request. Sending the same request again is harmless.',
  );
}
