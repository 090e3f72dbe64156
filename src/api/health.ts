import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
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

/** `/healthz`: the process lives. `/readyz`: the process can work, because the database answers. */
export function addHealth(app: FastifyInstance, database: Database): void {
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
  const isReady = remembered(() => answers(database), REMEMBERED_MS);
  const well = wellResponse('The database answers.');
  const away = problemResponse('The database does not answer.', 'database-away', 'The database does not answer.');
  typed.get(
    '/readyz',
    {
      schema: {
        operationId: 'isReady',
        summary: 'Whether the database answers',
        tags: ['Health'],
        security: [],
        response: { 200: well, 400: malformed, 503: away },
      },
    },
    async () => {
      if (await isReady()) return { status: 'ok' as const };
      throw new HttpProblem('database-away', 'The database does not answer.', { headers: retryAfterHeader(5) });
    },
  );
}

const answers = (database: Database): Promise<boolean> =>
  inTime(PATIENCE_MS, database.row('select 1')).then(
    () => true,
    () => false,
  );

/** Asks once for all requests of the next `forMs`. */
function remembered(ask: () => Promise<boolean>, forMs: number): () => Promise<boolean> {
  let last: Promise<boolean> | undefined;
  let askedAt = -Infinity;
  return () => {
    if (last === undefined || performance.now() - askedAt > forMs) {
      askedAt = performance.now();
      last = ask();
    }
    return last;
  };
}
