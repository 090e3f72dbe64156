import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { StoredSealing } from '../access/stored-sealing.ts';
import { BridgeError } from '../core/errors.ts';
import { inTime } from '../database/patience.ts';
import { HttpProblem, retryAfterHeader } from './problem.ts';
import { malformed, problemResponse } from './push-documentation.ts';

const wellSchema = z.object({ status: z.literal('ok') }).meta({ examples: [{ status: 'ok' }] });
const wellResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: wellSchema, example: { status: 'ok' } } },
});

/** How long the database may take to answer, ms. */
const PATIENCE_MS = 2_000;
/** How long its answer holds for the requests that follow, ms. */
const REMEMBERED_MS = 500;

/**
 * `/healthz`: the process lives. `/readyz`: the process can work, because the database answers and this process has the key of the
 * secrets in it.
 */
export function addHealth(app: FastifyInstance, sealing: StoredSealing): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(
    '/healthz',
    {
      schema: {
        operationId: 'isAlive',
        summary: 'Whether the process lives',
        tags: ['Health'],
        security: [],
        response: { 200: wellResponse('The process lives.'), 400: malformed },
      },
    },
    () => ({ status: 'ok' as const }),
  );
  const hindrance = remembered(() => hindranceOf(sealing), REMEMBERED_MS);
  const well = wellResponse('The database answers, and the stored secrets can be opened.');
  const away = problemResponse(
    'The database does not answer, or the service does not have the key of the stored secrets.',
    'database-away',
    AWAY,
  );
  typed.get(
    '/readyz',
    {
      schema: {
        operationId: 'isReady',
        summary: 'Whether the service can work',
        tags: ['Health'],
        security: [],
        response: { 200: well, 400: malformed, 503: away },
      },
    },
    async () => {
      const found = await hindrance();
      if (found === undefined) return { status: 'ok' as const };
      const detail = found === 'wrong-key' ? WRONG_KEY : AWAY;
      throw new HttpProblem(found, detail, { headers: retryAfterHeader(5) });
    },
  );
}

const AWAY = 'The database does not answer.';
const WRONG_KEY =
  'The secrets in the database are sealed with a key that this process does not have. databridge doctor on its host says how to go on.';

const hindranceOf = (sealing: StoredSealing): Promise<'database-away' | 'wrong-key' | undefined> =>
  inTime(PATIENCE_MS, sealing.verify()).then(
    () => undefined,
    (error: unknown) =>
      error instanceof BridgeError && error.code === 'config-invalid' ? 'wrong-key' : 'database-away',
  );

/** Asks once for all requests of the next `forMs`. */
function remembered<T>(ask: () => Promise<T>, forMs: number): () => Promise<T> {
  let last: Promise<T> | undefined;
  let askedAt = -Infinity;
  return () => {
    if (last === undefined || performance.now() - askedAt > forMs) {
      askedAt = performance.now();
      last = ask();
    }
    return last;
  };
}
