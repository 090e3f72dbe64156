import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { retryAfterHeader } from '../api/problem.ts';
import { asBridgeError } from '../core/errors.ts';
import { operatorOf } from './authenticate.ts';
import { OperatorProblem } from './problem.ts';

/** Answers that go on until the client leaves or the work is done. */
export interface Streams {
  /**
   * Answers with a stream of text. `work` gets a signal that aborts when the client leaves and when the server stops. Throws 429 where
   * the operator, or the process, has as many open as are allowed and none gives way. A handler returns the result, which has no type, because the types
   * of routes know no streams.
   */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    type: 'text/event-stream' | 'application/x-ndjson' | 'text/csv',
    work: (signal: AbortSignal) => AsyncIterable<string>,
  ): never;
}

/** The reason of a stream's signal where a newer stream of the same operator took its place. */
export const REPLACED = Symbol('replaced by a newer stream');

/** How many streams may be open, of an operator and of all together. */
export interface MostStreams {
  readonly each: number;
  readonly all: number;
  /** One more of an operator ends its oldest one; without it one more is 429. */
  readonly newestStay?: boolean;
}

/** A document as a line of an answer. */
export const jsonLine = (document: Readonly<Record<string, unknown>>): string => `${JSON.stringify(document)}\n`;

/** The last line of an answer that could not go on. An error of this program goes into the log, and nothing of it into the answer. */
export function errorLine(error: unknown, log: Logger, failed: string): string {
  const { fault, message, remedy = null } = asBridgeError(error);
  if (fault.code === 'bug') log.error({ err: error }, failed);
  return jsonLine({ error: { ...fault, message: fault.code === 'bug' ? 'an error of the bridge' : message, remedy } });
}

/** The answer of a route that sends a JSON document a line. */
export const linesAnswer = (description: string) => ({
  200: { description, content: { 'application/x-ndjson': { schema: z.string() } } },
});

/** Counts the streams of each operator. They end when the server stops, because it waits for its answers. */
export function openStreamsOf(app: FastifyInstance, most: MostStreams): Streams {
  const open = new Map<AbortController, number>();
  app.addHook('preClose', (done) => {
    for (const leaving of open.keys()) leaving.abort();
    done();
  });
  return {
    answer(request, reply, type, work) {
      const { id } = operatorOf(request);
      const own = [...open].filter(([stream, one]) => one === id && !stream.signal.aborted).map(([stream]) => stream);
      if (own.length >= most.each && most.newestStay === true) own[0]?.abort(REPLACED);
      else if (own.length >= most.each || open.size >= most.all) {
        throw new OperatorProblem(
          'too-many-requests',
          `You have ${own.length} of these open, of at most ${most.each}.`,
          {
            remedy: 'Close one of them.',
            headers: retryAfterHeader(5),
          },
        );
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
