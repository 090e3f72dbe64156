import type { ClientRequest } from 'node:http';
import type { BridgeError } from '../../core/errors.ts';
import type { PlatformRequest, Send } from './layer.ts';
import { codeOf } from './unreachable.ts';

/** A kept connection that the platform had closed while it was idle: nothing is wrong with the platform. */
export class StaleConnection extends Error {
  readonly explained: BridgeError;

  constructor(explained: BridgeError) {
    super(explained.message);
    this.explained = explained;
  }
}

/** Only what may be asked twice without consequence (RFC 9110, 9.2.2), and only if no answer had begun. */
export function isStale(request: PlatformRequest, started: ClientRequest | undefined, failure: unknown): boolean {
  const harmless = request.method === 'GET' || request.method === 'HEAD';
  return harmless && started?.reusedSocket === true && ['ECONNRESET', 'EPIPE'].includes(codeOf(failure));
}

/** Asks once more over a new connection; the layers below count and pace it as the request that it is. */
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
