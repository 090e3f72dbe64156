import { BridgeError } from '../core/errors.ts';

/** Codes of PostgreSQL and of sockets that say that the database is away, not that the statement is wrong. */
const AWAY_CODES = new Set([
  '57P01',
  '57P02',
  '57P03',
  '53100',
  '53300',
  '25006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

const AWAY_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i;

/**
 * Whether nothing was written and a repeat of the statement works: a deadlock, a serialization failure, or a connection that
 * did not see a new partition yet (see `announce` in partitions.ts).
 */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  (error.code.startsWith('40') || ('routine' in error && error.routine === 'ExecFindPartition'));

/**
 * Whether an error says that the database is away. Faults of platforms never count, because they arrive as a BridgeError
 * with another code than `bug`. A `bug` counts by its cause, which the pacer or the tokens may have met. Deadlocks and
 * serialization failures count too, because nothing was committed and a repeat works.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof BridgeError) return error.code === 'bug' && isDatabaseAway(error.cause);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return AWAY_CODES.has(code) || code.startsWith('08') || isRolledBack(error) || AWAY_MESSAGES.test(error.message);
}
