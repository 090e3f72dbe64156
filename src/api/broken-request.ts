import type { Socket } from 'node:net';
import { PROBLEM_TYPE, HttpProblem } from './problem.ts';

/** Answers what never became a request: malformed HTTP, headers that are too large, bodies that come too slowly. */
export function answerBrokenRequests(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new HttpProblem('too-slow', 'Send smaller bodies.')
      : new HttpProblem('bad-request', 'The request line or a header is malformed or too large.');
  const body = JSON.stringify(problem.document);
  const reason = problem.status === 408 ? 'Request Timeout' : 'Bad Request';
  socket.end(
    `HTTP/1.1 ${problem.status} ${reason}\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
