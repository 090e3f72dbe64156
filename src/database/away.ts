import { BridgeError } from '../core/errors.ts';

/** Codes of PostgreSQL and of sockets that mean: the database is gone for now, not: the statement is wrong. */
const AWAY = new Set([
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

/** Deadlock or serialization failure: nothing was written, and the same again will work. */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('40');

/**
 * Whether an error says that the database is away. Platforms cannot cause it: what they do arrives as a BridgeError
 * of another code than `bug`; a `bug` may carry what pacer or tokens met. Deadlocks and serialization failures count
 * too: nothing was committed and the same again will work.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof BridgeError) return error.code === 'bug' && isDatabaseAway(error.cause);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return AWAY.has(code) || /^(08|40)/.test(code) || AWAY_MESSAGES.test(error.message);
}
