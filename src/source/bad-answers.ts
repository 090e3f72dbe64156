import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FaultCode } from '../core/errors.ts';

/**
 * An answer that no documentation allows, for any request; `code` is the error that must follow, where only one may.
 */
export interface BadAnswer {
  readonly send: (response: ServerResponse) => void;
  readonly code?: FaultCode;
}

const json =
  (body: string, status = 200): BadAnswer['send'] =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
const page =
  (status: number, headers: Readonly<Record<string, string>> = {}): BadAnswer['send'] =>
  (response) => {
    response
      .writeHead(status, { 'content-type': 'text/html', ...headers })
      .end(`<!doctype html><html><body><h1>${status}</h1><form action="/login"></form></body></html>`);
  };

/**
 * Answers of proxies, portals, broken servers and other products. An empty object or list is not here on purpose,
 * because it is a good answer to some requests: the platform's own tests check it.
 */
export const BAD_ANSWERS: Readonly<Record<string, BadAnswer>> = {
  'a web page': { send: page(200) },
  'JSON that ends early': { send: json('{"data":[{"id":{"id":"x"},"name":"y"},{"na') },
  'an answer that breaks off': {
    send: (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"data":[');
      setImmediate(() => response.destroy());
    },
    code: 'unavailable',
  },
  nothing: { send: (response) => void response.writeHead(200).end() },
  'no content': { send: (response) => void response.writeHead(204).end() },
  'a number': { send: json('42') },
  'a text': { send: json('"ok"') },
  null: { send: json('null') },
  'a list of numbers': { send: json('[1,2,3]') },
  'an error with status 200': { send: json('{"error":"boom","status":500,"message":"boom"}') },
  'fields of other types': { send: json('{"data":5,"hasNext":"no","results":{"a":1},"Items":"x","value":{}}') },
  401: { send: json('{"message":"no"}', 401), code: 'credentials-rejected' },
  '403': { send: json('{"message":"no"}', 403) },
  '404': { send: json('{"message":"no"}', 404) },
  '404 as a web page': { send: page(404) },
  413: { send: page(413), code: 'too-much' },
  429: { send: page(429, { 'retry-after': '7' }), code: 'throttled' },
  500: { send: json('{"message":"no"}', 500), code: 'unavailable' },
  '502 as a web page': { send: page(502), code: 'unavailable' },
};

export interface BadServer {
  readonly url: string;
  /** Sets the answer to every later request; undefined: no answer. */
  answer(send: BadAnswer['send'] | undefined): void;
  /** Requests since the last `answer`, as `GET /path`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** A server on loopback that gives every request the same answer. */
export async function startBadServer(): Promise<BadServer> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  let send: BadAnswer['send'] | undefined;
  const server = createServer((request: IncomingMessage, response) => {
    asked.push(`${request.method} ${request.url?.replace(/\?.*/, '')}`);
    request.resume().once('end', () => send?.(response));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(next) {
      send = next;
      asked.length = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
