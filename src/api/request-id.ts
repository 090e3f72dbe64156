import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header of a request id, in requests and in answers. */
export const REQUEST_ID = 'x-request-id';

/** 1 to 128 characters that mean nothing in a log, a header or a URN. */
const VALID = /^[A-Za-z0-9._-]{1,128}$/;

/** Drawn anew in each process, so that two processes never give the same id. */
const PROCESS = randomBytes(8).toString('hex');
let count = 0;

/** An id that no other request has. A counter instead of randomness, because every push needs one. */
export const newRequestId = (): string => `${PROCESS}-${(count += 1)}`;

/** The id that the client gave to its request; a new id where there is none, or none that is valid. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && VALID.test(given) ? given : newRequestId();
}

/** The request as a URI, for `instance` of a problem (RFC 9457, section 3.1.5): it names the request and leads to no page. */
export const instanceOf = (requestId: string): string => `urn:databridge:request:${requestId}`;
