import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import type { SourceName } from '../core/source/source-name.ts';
import { sourceOf } from '../source/find-source.ts';
import { listedSources } from '../source/listing.ts';
import { changeSources } from '../source/state-change.ts';
import { operatorOf, seesOrganisation } from './authenticate.ts';
import { organisationsOf } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem } from './problem.ts';
import { conditions } from './source-shapes.ts';

/** Sources of one request. Each is a transaction of a few milliseconds. */
const MOST_SOURCES = 1_000;

const nameShape = z.strictObject({ organisation: z.string().max(128), name: z.string().max(63) });

const bulkBody = z
  .strictObject({
    action: z.enum(['pause', 'resume', 'poll']),
    sources: z.array(nameShape).min(1).max(MOST_SOURCES).optional().describe('These sources.'),
    filter: z
      .strictObject({
        state: z.enum(conditions).optional().describe('Only sources in this condition.'),
        organisation: z.string().max(128).optional(),
        project: z.string().max(128).optional(),
        platform: z.string().max(63).optional(),
        text: z.string().max(100).optional().describe('A part of the name, in capital letters or not.'),
      })
      .optional()
      .describe('All sources that `listSources` lists for it, at most 1,000, in the place of `sources`.'),
  })
  .meta({
    examples: [
      { action: 'resume', filter: { state: 'stopped' } },
      { action: 'pause', sources: [{ organisation: 'default', name: 'hall-3' }] },
    ],
  });

const bulkSchema = z
  .object({
    action: z.enum(['pause', 'resume', 'poll']),
    done: z.int(),
    failed: z.int(),
    items: z.array(
      z.object({
        organisation: z.string(),
        name: z.string(),
        done: z.boolean(),
        detail: z.string().nullable().describe('Why it was not done.'),
        remedy: z.string().nullable(),
      }),
    ),
  })
  .meta({
    id: 'SourcesChanged',
    examples: [
      {
        action: 'resume',
        done: 1,
        failed: 0,
        items: [{ organisation: 'default', name: 'hall-3', done: true, detail: null, remedy: null }],
      },
    ],
  });

/** `POST /api/v1/sources/actions`. */
export function addBulkRoutes(app: FastifyInstance, { database, registry }: OperatorParts): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    '/api/v1/sources/actions',
    {
      config: { role: 'operator', costly: true },
      schema: {
        operationId: 'changeSources',
        summary: 'Pause, resume or poll many sources, each by itself',
        description: 'A source that cannot be changed holds up no other one; the answer says what became of each.',
        tags: ['Sources'],
        body: bulkBody,
        response: { 200: bulkSchema },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      const { action, sources, filter } = request.body;
      if ((sources === undefined) === (filter === undefined))
        throw new OperatorProblem('invalid', 'Either sources or filter says which sources are meant.', {
          remedy: 'Give one of them.',
          errors: [{ pointer: '/sources', detail: 'is given beside filter, or neither is' }],
        });
      const wanted = sources ?? (await filtered(filter ?? {}));
      const items = [];
      for (const source of wanted) {
        // The transactions that were made stay, and a client that has left needs no more of them.
        if (request.leaving?.aborted) break;
        items.push(await changed(source));
      }
      const done = items.filter((item) => item.done).length;
      return { action, done, failed: items.length - done, items };

      async function filtered(choice: NonNullable<typeof filter>): Promise<readonly SourceName[]> {
        const { state: condition, organisation, ...rest } = choice;
        const organisations = organisationsOf(operator, organisation);
        const found = await listedSources(database, registry.platforms, {
          ...rest,
          condition,
          organisations,
          limit: MOST_SOURCES,
        });
        return found.lines;
      }

      async function changed({ organisation, name }: SourceName) {
        const item = { organisation, name, done: true, detail: null, remedy: null };
        // As if it did not exist, where the operator does not see its organisation.
        const found = seesOrganisation(operator, organisation)
          ? await sourceOf(database, { organisation, name })
          : undefined;
        if (found === undefined) return { ...item, done: false, detail: 'there is no such source' };
        const [ended] = await changeSources(database, action, [found], actorOf(operator));
        const error = ended?.error;
        return error === undefined
          ? item
          : { ...item, done: false, detail: error.message, remedy: error.remedy ?? null };
      }
    },
  );
}
