import type { ClientRequest } from 'node:http';
import type { BridgeError } from '../../core/errors.ts';
import type { PlatformRequest, Send } from './layer.ts';
import { codeOf } from './unreachable.ts';

/** The platform had closed a kept connection while it was idle, which is not a failure of the platform. */
export class StaleConnection extends Error {
  readonly explained: BridgeError;

  constructor(explained: BridgeError) {
    super(explained.message);
    this.explained = explained;
  }
}

/** A platform that had closed the connection says so at once. A connection that breaks later may have been cut under a query. */
const AT_ONCE_MS = 1_000;

/** Only for requests that are safe to repeat (RFC 9110, 9.2.2), and only where no answer had begun. `afterMs`: since it was sent. */
export function isStale(
  request: PlatformRequest,
  started: ClientRequest | undefined,
  failure: unknown,
  afterMs: number,
): boolean {
  if (afterMs > AT_ONCE_MS) return false;
  const repeatable = request.method === 'GET' || request.method === 'HEAD';
  return repeatable && started?.reusedSocket === true && ['ECONNRESET', 'EPIPE'].includes(codeOf(failure));
}

/** Sends a request once more over a new connection; the layers below pace and count it as a request of its own. */
export function repeatStale(send: Send): Send {
  return async (request) => {
    try {
      return await send(request);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
    }
    try {
      return await send(request);
    } catch (error) {
      throw error instanceof StaleConnection ? error.explained : error;
    }
  };
}
