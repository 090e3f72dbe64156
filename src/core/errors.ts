import type { Instant } from './instant.ts';

/**
 * Why a platform could not be reached; it decides the remedy an operator is shown. `name`: the name did not resolve.
 * `refused`: no process listens there, or no route leads there. `time-out`: no answer in time. `tls`: the certificate
 * or the protocol. `reset`: the connection broke off. `status`: an answer with a 5xx. `blocked`: the egress guard
 * forbids the address. `proxy`: the proxy of the bridge, or the way behind it.
 */
export type Unreachable = 'name' | 'refused' | 'time-out' | 'tls' | 'reset' | 'status' | 'blocked' | 'proxy';

/**
 * The closed list of failures between a platform and the database. Each code is an instruction to the poll path, not a
 * description:
 *
 * | code | what the poll path does |
 * |---|---|
 * | `throttled` | the whole source waits until `retryAt`, longer each time where the platform named no time or refuses again after the silence it asked for; a wait of history for the own pace holds that history alone |
 * | `unavailable` | the source waits, longer each time; from the third failure in a row history rests. After a 5xx, a time-out or an answer that broke off only the stream waits, or the history of it, where other streams are answered (core/turn.ts) |
 * | `too-much` | the window is halved, the length that works is remembered; with `oneInstant` it is set aside as after `contract-broken` |
 * | `credentials-rejected` | the source stops until an operator acts; `http` had tried one fresh token before |
 * | `contract-broken` | the window is set aside (core/unreadable.ts), the page is kept, other time is asked for |
 * | `too-costly` | as after `contract-broken`; with `shorter` as after `too-much` |
 * | `unsupported`, `config-invalid` | the source stops until an operator acts; only the stream waits, or the history of it, where other streams are well |
 * | `cancelled` | nothing: a drain, a deadline or an operator ended the work; nothing is counted |
 * | `bug` | the window is set aside, the stack is logged |
 *
 * `stated`: the platform named `retryAt` itself. `own`: the bridge's own pace made the request wait, and the platform
 * was not asked; or a setting or file of the bridge itself is wrong, so that stream waits a minute and nothing is counted. `right`: the credentials are valid but lack a right. `page`: the beginning of the answer, for the
 * operator. `oneInstant`: one instant alone is too much, so no shorter window helps, only a larger page.
 * `shorter`: the length of the answer explains what it cost, because a shorter one of the source cost its share of that.
 * `path`: the field of the source.
 */
export type Fault =
  | { code: 'throttled'; retryAt: Instant; stated: boolean; own?: true }
  | { code: 'unavailable'; why: Unreachable; status?: number }
  | { code: 'too-much'; oneInstant?: true }
  | { code: 'credentials-rejected'; right: boolean }
  | { code: 'contract-broken'; page?: string }
  | { code: 'too-costly'; path: string; shorter?: true }
  | { code: 'unsupported' }
  | { code: 'config-invalid'; path?: string; own?: true }
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

/**
 * Whether a request got a 5xx, no answer in time, or an answer that broke off. A question that is too heavy may end in each of
 * these ways. Other faults of the network say that the platform cannot be reached at all.
 */
export const isUnanswered = ({ fault }: BridgeError): boolean =>
  fault.code === 'unavailable' && (fault.why === 'status' || fault.why === 'time-out' || fault.why === 'reset');

/** Whether an answer cannot be read: it breaks its contract, is more than fits, or our own code fails over it. */
export const isUnreadable = ({ code }: BridgeError): boolean =>
  code === 'contract-broken' || code === 'too-much' || code === 'too-costly' || code === 'bug';

/** Whether a fault stays until an operator, or the platform's owner, changes something. */
export const isPermanent = (error: BridgeError): boolean =>
  (error.code === 'unsupported' || error.code === 'config-invalid') && !isOfBridge(error);

/** Whether a setting or file of the bridge itself is wrong, which says nothing of the source or its platform. */
export const isOfBridge = ({ fault }: BridgeError): boolean => fault.code === 'config-invalid' && fault.own === true;

/** The platform asked for silence until `retryAt`. `stated`: it named the time itself. */
export const throttled = (retryAt: Instant, message: string, stated = true): BridgeError =>
  new BridgeError({ code: 'throttled', retryAt, stated }, message);

/** The bridge's own pace, quiet hours included, makes a request wait until `retryAt`; the platform was not asked. */
export const ownPace = (retryAt: Instant, message: string): BridgeError =>
  new BridgeError({ code: 'throttled', retryAt, stated: true, own: true }, message, {
    remedy: 'nothing to do: the source is asked again then; pace in the file of the source decides how often',
  });

/** The answer or window is larger than the platform gives, or this bridge takes, at once. */
export const tooMuch = (message: string): BridgeError => new BridgeError({ code: 'too-much' }, message);

/** More items at one instant than the platform gives in a page: no window can be halved there. */
export const tooMuchAtOnce = (message: string): BridgeError =>
  new BridgeError({ code: 'too-much', oneInstant: true }, message, {
    remedy: 'raise the size of a page in the options of the source, or its limit on the platform',
  });

/** The platform gave an answer that its documentation does not allow. `page` is kept for the operator. */
export const contractBroken = (message: string, page?: string): BridgeError =>
  new BridgeError(page === undefined ? { code: 'contract-broken' } : { code: 'contract-broken', page }, message);

/**
 * What the file of a source says to be done with an answer takes more time or memory than it may have. `path` is the field, like
 * `options.answer.points`. `shorter`: a shorter answer would take less.
 */
export const tooCostly = (message: string, path: string, shorter: boolean): BridgeError =>
  new BridgeError(shorter ? { code: 'too-costly', path, shorter } : { code: 'too-costly', path }, message, {
    remedy: `simplify ${path}; where it is right, make answers shorter by a page size in the options or by schedule.maxWindow`,
  });

/** The platform refused the user, password, secret or token. */
export const credentialsRejected = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'credentials-rejected', right: false }, message, { remedy });

/** The platform accepts the credentials, but they lack the right to this request (HTTP 403 and the like). */
export const rightMissing = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'credentials-rejected', right: true }, message, { remedy });

/** A setting cannot be right; `path` is the field of the source, like `options.database`. */
export const configInvalid = (message: string, remedy: string, path?: string): BridgeError =>
  new BridgeError(path === undefined ? { code: 'config-invalid' } : { code: 'config-invalid', path }, message, {
    remedy,
  });

/** A setting or file of the bridge itself is wrong, which no source or platform is to blame for; `path` is the setting. */
export const bridgeInvalid = (message: string, remedy: string, path: string, cause?: unknown): BridgeError =>
  new BridgeError({ code: 'config-invalid', path, own: true }, message, { remedy, cause });

/** The platform cannot do what the source asks for, and no retry will change that. */
export const unsupported = (message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'unsupported' }, message, { remedy });

/** Any thrown value as a BridgeError. A value that is not one yet is a bug of the bridge. */
export function asBridgeError(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new BridgeError({ code: 'bug' }, message, { cause: error });
}
