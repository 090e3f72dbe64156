import type { Instant } from './instant.ts';

/**
 * Why a platform could not be reached; it decides the remedy an operator is shown.
 * `name` DNS, `refused` nobody listens, `time-out` black hole or too slow, `tls` certificate or protocol,
 * `reset` connection broke off, `status` a 5xx answer, `blocked` the egress guard forbids the address.
 */
export type Unreachable = 'name' | 'refused' | 'time-out' | 'tls' | 'reset' | 'status' | 'blocked';

/**
 * The closed list of what may go wrong between a platform and the database. Each code is an instruction to the
 * poll path, not a description:
 *
 * | code | what the poll path does |
 * |---|---|
 * | `throttled` | the whole source waits until `retryAt`; not a failure |
 * | `unavailable` | retried with growing, jittered delay; the breaker opens after n, then one probe at a time |
 * | `too-much` | the window is halved, the length that works is remembered |
 * | `credentials-rejected` | one fresh token, then the source stops until an operator acts |
 * | `contract-broken` | the window stays uncovered, the redacted page is kept, slow retry |
 * | `unsupported`, `config-invalid` | the source stops until an operator acts |
 * | `cancelled` | drain, deadline or an operator's cancel: nothing happened, nothing is counted |
 * | `bug` | the window stays uncovered, the stack is logged, slow retry |
 */
export type Fault =
  | { code: 'throttled'; retryAt: Instant; stated: boolean; own?: true }
  | { code: 'unavailable'; why: Unreachable; status?: number }
  | { code: 'too-much' }
  | { code: 'credentials-rejected'; right: boolean }
  | { code: 'contract-broken'; page?: string }
  | { code: 'unsupported' }
  | { code: 'config-invalid'; path?: string }
  | { code: 'cancelled' }
  | { code: 'bug' };

export type FaultCode = Fault['code'];

/**
 * An error with its consequence. `message` says what happened in an operator's words ("reading page 3: …"),
 * `remedy` what they can do about it; neither ever holds a secret.
 */
export class BridgeError extends Error {
  readonly fault: Fault;
  readonly remedy: string | undefined;

  constructor(fault: Fault, message: string, more: { remedy?: string | undefined; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'BridgeError';
    this.fault = fault;
    this.remedy = more.remedy;
  }

  get code(): FaultCode {
    return this.fault.code;
  }
}

/** Slow down: the platform asked for silence until `retryAt` (`stated`: it named the time itself). */
export const throttled = (retryAt: Instant, message: string, stated = true): BridgeError =>
  new BridgeError({ code: 'throttled', retryAt, stated }, message);

/** The bridge's own pace, quiet hours or manners make a request wait until `retryAt`; the platform was not asked. */
export const ownPace = (retryAt: Instant, message: string): BridgeError =>
  new BridgeError({ code: 'throttled', retryAt, stated: true, own: true }, message);

/** The answer or window is larger than the platform or this bridge takes in one go. */
export const tooMuch = (message: string): BridgeError => new BridgeError({ code: 'too-much' }, message);

/** The platform answered something its documentation does not allow. `page` is kept for the operator, redacted. */
export const contractBroken = (message: string, page?: string): BridgeError =>
  new BridgeError(page === undefined ? { code: 'contract-broken' } : { code: 'contract-broken', page }, message);

/** User, password, secret or token were refused. */
export const credentialsRejected = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'credentials-rejected', right: false }, message, { remedy });

/** Who we are is accepted, but not what we ask for (HTTP 403 and its kin). */
export const rightMissing = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'credentials-rejected', right: true }, message, { remedy });

/** A setting cannot be right; `path` is the field of the source, like `options.database`. */
export const configInvalid = (message: string, remedy: string, path?: string): BridgeError =>
  new BridgeError(path === undefined ? { code: 'config-invalid' } : { code: 'config-invalid', path }, message, {
    remedy,
  });

/** The platform cannot do what the source asks for, and no retry will change that. */
export const unsupported = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'unsupported' }, message, { remedy });

/** Whatever was thrown, as a BridgeError: what is not one already is a bug of ours. */
export function asBridgeError(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new BridgeError({ code: 'bug' }, message, { cause: error });
}
