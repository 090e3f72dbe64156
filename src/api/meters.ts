import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The counters of the APIs. A process that nobody monitors has none. Each call is about a request, never about one reading. */
export interface ApiMeters {
  /** A request was answered, or its client went away. */
  request(answered: {
    readonly api: 'push' | 'operator';
    /** As it was declared, with the names of its parameters; undefined where no route fits. */
    readonly route: string | undefined;
    readonly method: string;
    readonly status: number;
    readonly seconds: number;
    /** Bytes of its connection since the request before it, heads included. */
    readonly received: number;
    readonly sent: number;
  }): void;
  /** A body of readings was stored; `refused` by reason. */
  pushed(counts: {
    readonly accepted: number;
    readonly duplicates: number;
    readonly revised: number;
    readonly refused: ReadonlyMap<string, number>;
  }): void;
  /** An authentication was refused, for one of few reasons. */
  unauthenticated(reason: string): void;
  /** A request was answered with a problem of this type. */
  problem(type: string): void;
}

/** Counts the requests of a server. Bytes are those of the connections, so that heads and packed bodies are counted as they travel. */
export function countRequests(app: FastifyInstance, api: 'push' | 'operator', meters: ApiMeters): void {
  const seen = new WeakMap<Socket, { readonly received: number; readonly sent: number }>();
  app.addHook('onResponse', (request, reply, done) => {
    const { socket } = request.raw;
    const before = seen.get(socket) ?? { received: 0, sent: 0 };
    const now = { received: socket.bytesRead, sent: socket.bytesWritten };
    seen.set(socket, now);
    meters.request({
      api,
      route: request.is404 ? undefined : request.routeOptions.url,
      method: request.method,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
      received: Math.max(0, now.received - before.received),
      sent: Math.max(0, now.sent - before.sent),
    });
    done();
  });
}
