import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterHeader } from '../api/problem.ts';
import { operatorOf } from './authenticate.ts';
import { OperatorProblem } from './problem.ts';

/** Answers that go on until the client leaves or the work is done. */
export interface Streams {
  /**
   * Answers with a stream of text. `work` gets a signal that aborts when the client leaves and when the server stops. Throws 429 where
   * the operator, or the process, has as many open as are allowed. A handler returns the result, which has no type, because the types
   * of routes know no streams.
   */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    type: 'text/event-stream' | 'application/x-ndjson',
    work: (signal: AbortSignal) => AsyncIterable<string>,
  ): never;
}

/** Counts the streams of each operator. They end when the server stops, because it waits for its answers. */
export function openStreamsOf(app: FastifyInstance, most: { readonly each: number; readonly all: number }): Streams {
  const open = new Map<AbortController, number>();
  app.addHook('preClose', (done) => {
    for (const leaving of open.keys()) leaving.abort();
    done();
  });
  return {
    answer(request, reply, type, work) {
      const { id } = operatorOf(request);
      const own = [...open.values()].filter((one) => one === id).length;
      if (own >= most.each || open.size >= most.all) {
        throw new OperatorProblem('too-many-requests', `You have ${own} of these open, of at most ${most.each}.`, {
          remedy: 'Close one of them.',
          headers: retryAfterHeader(5),
        });
      }
      const leaving = new AbortController();
      open.set(leaving, id);
      reply.raw.once('close', () => {
        leaving.abort();
        open.delete(leaving);
      });
      // A proxy that collects the answer would hold the parts back. A connection that stayed open after it would keep a server that
      // stops waiting.
      reply.headers({ 'x-accel-buffering': 'no', connection: 'close' }).type(type);
      return reply.send(Readable.from(work(leaving.signal), { objectMode: false, highWaterMark: 16_384 })) as never;
    },
  };
}
