import { once } from 'node:events';
import { connect } from 'node:net';

/** A keep-alive connection for prepared requests, because the process that makes the load must use little CPU. */
export interface Connection {
  /** Sends one request and waits for its answer. Throws if the connection ends before. */
  exchange(request: Buffer): Promise<{ readonly status: number; readonly body: string }>;
  close(): void;
}

/** A complete HTTP/1.1 request. */
export function requestOf(path: string, headers: Readonly<Record<string, string>>, body: Buffer): Buffer {
  const all = { Host: '127.0.0.1', ...headers, 'Content-Length': String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

export async function connectTo(url: string): Promise<Connection> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
    .setNoDelay(true)
    .setEncoding('latin1');
  let received = '';
  let waiting: PromiseWithResolvers<{ status: number; body: string }> | undefined;
  socket.on('data', (text: string) => {
    received += text;
    const answer = answerIn(received);
    if (answer === undefined) return;
    received = '';
    waiting?.resolve(answer);
  });
  const lost = (): void => waiting?.reject(new Error('the connection ended before its answer'));
  socket.on('error', lost).on('close', lost);
  await once(socket, 'connect');
  return {
    exchange(request) {
      waiting = Promise.withResolvers();
      socket.write(request);
      return waiting.promise;
    },
    close: () => void socket.destroy(),
  };
}

/** The answer, or undefined until it is whole: the API gives the length of every answer. */
function answerIn(received: string): { status: number; body: string } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${received.slice(0, end)}`);
  const body = received.slice(end + 4);
  return body.length < Number(length) ? undefined : { status: Number(received.slice(9, 12)), body };
}
