import { isCancel } from 'axios';
import { BridgeError, asBridgeError } from '../../core/errors.ts';
import type { Fault } from '../../core/errors.ts';
import { cancelled } from './layer.ts';

type Redact = (text: string) => string;

/** At most this many nested causes are kept. */
const CAUSES = 3;

/**
 * Any thrown value as a BridgeError that holds only redacted text: neither it nor its causes refer to a request, a
 * header, a configuration or an answer.
 */
export function cleanError(error: unknown, redact: Redact): BridgeError {
  if (isCancel(error)) return cancelled('cancelled');
  const known = asBridgeError(error);
  const clean = new BridgeError(cleanFault(known.fault, redact), redact(known.message), {
    remedy: known.remedy === undefined ? undefined : redact(known.remedy),
    cause: cleanCause(known.cause, redact, CAUSES),
  });
  if (known.stack !== undefined) clean.stack = redact(known.stack);
  return clean;
}

/** A page that is kept for the operator is at most this long. */
const PAGE_LENGTH = 4_000;
/** So much of a page is searched for secrets, which is more than is kept, because a cut may leave half of one. */
const SEARCHED_LENGTH = 100_000;

const cleanFault = (fault: Fault, redact: Redact): Fault =>
  fault.code === 'contract-broken' && fault.page !== undefined
    ? { ...fault, page: redact(fault.page.slice(0, SEARCHED_LENGTH)).slice(0, PAGE_LENGTH) }
    : fault;

/** Keeps name, code, message and stack, because a bug report needs them. */
function cleanCause(cause: unknown, redact: Redact, depth: number): Error | string | undefined {
  if (cause === undefined || cause === null || depth === 0) return undefined;
  if (!(cause instanceof Error)) return typeof cause === 'string' ? redact(cause) : undefined;
  const inner = cleanCause(cause.cause, redact, depth - 1);
  const clean = new Error(redact(cause.message), inner === undefined ? undefined : { cause: inner });
  clean.name = cause.name;
  if (cause.stack !== undefined) clean.stack = redact(cause.stack);
  if ('code' in cause && typeof cause.code === 'string') Object.assign(clean, { code: redact(cause.code) });
  return clean;
}
