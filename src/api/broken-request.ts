import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, HttpProblem } from './problem.ts';
import { newRequestId } from './request-id.ts';
import { SAFE_HEADERS } from './safe-headers.ts';

const SAFE = Object.entries(SAFE_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** Answers where no whole request arrives: malformed HTTP, headers that are too large, a body that comes too slowly. */
export const brokenRequestAnswerer =
  (typeBase: string) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = problemOfBroken(error.code);
    const requestId = newRequestId();
    const body = JSON.stringify(problem.documentFor(requestId, typeBase));
    socket.end(
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `${SAFE}X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    );
  };

function problemOfBroken(code: string | undefined): HttpProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem('too-slow', 'Send smaller bodies.');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpProblem('headers-too-large', 'Request line and headers may have at most 16 kB together.');
  }
  return new HttpProblem('bad-request', 'The request line or a header is malformed.');
}
