import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { applySource } from '../source/registration.ts';
import { sourceOfText } from './apply.ts';
import { operatorOf } from './authenticate.ts';
import type { OperatorParts } from './parts.ts';
import { operatorProblemOf } from './problem.ts';
import { changing } from './route-shapes.ts';

/** Sources of one request, and bytes of its body. */
const MOST_SOURCES = 100;
const LONGEST_BODY = 4 * 1024 * 1024;
/** Errors that are told of one source. */
const MOST_ERRORS = 20;
/** Characters of a detail that may repeat what was sent. */
const LONGEST_DETAIL = 400;

const itemSchema = z.object({
  organisation: z.string().nullable().describe('Null where the text holds no source.'),
  name: z.string().nullable(),
  action: z.enum(['created', 'changed', 'unchanged']).nullable().describe('Null: it was not applied.'),
  differences: z.int().describe('Fields that changed; `applySource` with `dryRun` shows them.'),
  detail: z.string().nullable().describe('Why it was not applied.'),
  remedy: z.string().nullable(),
  errors: z
    .array(
      z.object({
        pointer: z.string(),
        detail: z.string(),
        line: z.int().optional(),
        column: z.int().optional(),
      }),
    )
    .describe('At most 20.'),
});

const answerSchema = z
  .object({
    done: z.int(),
    failed: z.int(),
    items: z.array(itemSchema).describe('In the order of `sources`.'),
  })
  .meta({
    id: 'SourcesApplied',
    examples: [
      {
        done: 1,
        failed: 0,
        items: [
          {
            organisation: 'default',
            name: 'hall-3',
            action: 'created',
            differences: 12,
            detail: null,
            remedy: null,
            errors: [],
          },
        ],
      },
    ],
  });

/** `POST /api/v1/sources/apply-many`. */
export function addApplyManyRoutes(app: FastifyInstance, parts: OperatorParts): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    '/api/v1/sources/apply-many',
    {
      config: { role: 'operator', costly: true, idempotent: true },
      bodyLimit: LONGEST_BODY,
      schema: {
        operationId: 'applySources',
        summary: 'Create or change many sources, each by itself',
        description:
          'As `applySource` for each, without `If-Match`. A source that cannot be applied holds up no other one; the answer says what became of each.',
        tags: ['Sources'],
        body: z
          .strictObject({
            sources: z.array(z.string()).min(1).max(MOST_SOURCES).describe('Each one source in YAML or JSON.'),
            dryRun: z.boolean().default(false),
            sameData: z.boolean().default(false),
            rename: z.boolean().default(false),
          })
          .meta({ examples: [{ sources: ['name: hall-3\nproject: pump-hall'], dryRun: true }] }),
        response: { 200: answerSchema },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      const { sources, ...given } = request.body;
      const items: z.infer<typeof itemSchema>[] = [];
      for (const text of sources) {
        // What was applied stays, and a client that has left needs no more of it; one that has a key will ask what became of all.
        if (request.leaving?.aborted === true && request.claimedKey === null) break;
        items.push(await applied(text));
      }
      const done = items.filter(({ action }) => action !== null).length;
      return { done, failed: items.length - done, items };

      async function applied(text: string): Promise<z.infer<typeof itemSchema>> {
        let name: { readonly organisation: string; readonly name: string } | null = null;
        try {
          const { config, registry } = await sourceOfText(parts, operator, text);
          name = config;
          const wish = { now: parts.clock.now(), actor: actorOf(operator), ...given };
          const { action, differences } = await changing(() => applySource({ ...parts, registry }, config, wish));
          const { organisation, name: its } = config;
          const nothing = { detail: null, remedy: null, errors: [] };
          return { organisation, name: its, action, differences: differences.length, ...nothing };
        } catch (error) {
          const { message, remedy, errors } = operatorProblemOf(error, request, parts.log);
          return {
            organisation: name?.organisation ?? null,
            name: name?.name ?? null,
            action: null,
            differences: 0,
            detail: message.slice(0, LONGEST_DETAIL),
            remedy: remedy?.slice(0, LONGEST_DETAIL) ?? null,
            errors: errors
              .slice(0, MOST_ERRORS)
              .map((one) => ({ ...one, detail: one.detail.slice(0, LONGEST_DETAIL) })),
          };
        }
      }
    },
  );
}
