import type { Socket } from 'node:net';
import { PROBLEM_TYPE, HttpProblem } from './problem.ts';

/** Answers where no whole request arrives: malformed HTTP, headers that are too large, a body that comes too slowly. */
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
