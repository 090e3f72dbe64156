import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shareOf } from './share.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads so much that few such requests run at a time. */
    readonly costly?: boolean;
    /** The answer goes on for long, and counts its clients itself. */
    readonly streams?: boolean;
  }
  interface FastifyRequest {
    /** Aborts when the client has left. */
    leaving: AbortSignal | null;
  }
}

/** Requests of all other kinds, over the connections that the operator API has to the database. */
const ANY = { running: { all: 8, each: 6 }, waiting: { all: 200, each: 60 }, waitMs: 20_000 };
/** A costly request keeps a core of the database's host busy, which is often this one. */
const COSTLY = {
  // At most 2, because all requests of operators share a few connections.
  running: { all: Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2))), each: 1 },
  waiting: { all: 24, each: 4 },
  waitMs: 15_000,
};

/** How busy the process is, is judged by so much time, ms. */
const JUDGED_MS = 100;
/** The operator API leaves the other half of the event loop to polls and pushes. */
const MOST_USED = 0.5;

/** Says whether the event loop was at work for most of the last moments. */
function isBusyProcess(): () => boolean {
  let before = performance.eventLoopUtilization();
  let judgedAt = performance.now();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - judgedAt < JUDGED_MS) return isBusy;
    const used = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(used, before).utilization > MOST_USED;
    [before, judgedAt] = [used, now];
    return isBusy;
  };
}

/**
 * Gives each request of an operator its turn before its handler runs, so that many viewers take no more of the process than few.
 * Streams of events and of lines have limits of their own. To be added before any route.
 */
export function addTurns(app: FastifyInstance): void {
  const isBusy = isBusyProcess();
  const [any, costly] = [shareOf({ ...ANY, isBusy }), shareOf({ ...COSTLY, isBusy })];
  app.decorateRequest('leaving', null);
  app.addHook('onRoute', (route) => {
    const { config, handler } = route;
    if (config?.role === undefined || config.streams === true) return;
    const handle = handler as (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
    // Beyond their own queue costly requests wait nowhere, so they keep no light one waiting.
    const share = config.costly === true ? costly : any;
    route.handler = function inTurn(this: FastifyInstance, request, reply) {
      const { operator } = request;
      if (operator === null) return handle.call(this, request, reply);
      const leaving = new AbortController();
      if (reply.raw.destroyed) leaving.abort();
      else reply.raw.once('close', () => leaving.abort());
      request.leaving = leaving.signal;
      return share.run(operator.id, leaving.signal, async () => await handle.call(this, request, reply));
    };
  });
}
