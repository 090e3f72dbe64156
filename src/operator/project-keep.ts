import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { LONGEST_REASON, keepDocument, oldDocument, setHold, setKeep } from '../source/project-keep.ts';
import { operatorOf } from './authenticate.ts';
import type { OperatorParts } from './parts.ts';
import { PROJECT_PATH, keepFields, ofProject } from './projects.ts';
import { changing, projectIn, projectParams } from './route-shapes.ts';

const EXAMPLE = {
  code: 'pump-hall',
  organisation: 'default',
  keep: '3y',
  keptFrom: '2023-11-22T00:00:00Z',
  hold: null,
};
const HOLD = { reason: 'inquiry 2026-114', by: 'operator:anna', at: '2026-11-22T10:00:00Z' };

const setSchema = z
  .object({
    ...ofProject,
    ...keepFields,
    dryRun: z.boolean(),
    old: z
      .object({
        before: z.string().nullable().describe('Readings before would go; null where none would.'),
        days: z.int(),
        rows: z.int(),
        archivedReadings: z.int(),
        archivedBytes: z.int(),
      })
      .nullable()
      .describe('What would go; null without `dryRun`.'),
  })
  .meta({ id: 'ProjectKeepSet', examples: [{ ...EXAMPLE, dryRun: false, old: null }] });

const heldSchema = z
  .object({ ...ofProject, ...keepFields, changed: z.boolean() })
  .meta({ id: 'ProjectHold', examples: [{ ...EXAMPLE, hold: HOLD, changed: true }] });

/** How long the readings of a project are kept. Only an admin changes it, because what was removed does not come back. */
export function addProjectKeepRoutes(app: FastifyInstance, { database }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const admin = { role: 'admin' } as const;
  const tags = ['Projects'];
  typed.put(
    `${PROJECT_PATH}/keep`,
    {
      config: { ...admin, costly: true },
      schema: {
        operationId: 'setProjectKeep',
        summary:
          'Set how long the readings of a project are kept; older ones are out of sight within ten minutes, and never come back',
        tags,
        params: projectParams,
        body: z
          .strictObject({
            keep: z
              .string()
              .max(20)
              .describe(
                'A number of days, weeks, months or years of the calendar, such as `90d`, `26w`, `18mo` or `3y`, or `forever`.',
              ),
            dryRun: z.boolean().default(false).describe('Set nothing, and count what would go.'),
          })
          .meta({ examples: [{ keep: '3y', dryRun: true }] }),
        response: { 200: setSchema },
      },
    },
    async (request) => {
      const project = await projectIn(database, request);
      const { dryRun } = request.body;
      const given = { ...request.body, actor: actorOf(operatorOf(request)) };
      const { old, ...set } = await changing(() => setKeep(database, project, given));
      return { ...keepDocument(set), dryRun, old: old === null ? null : oldDocument(old) };
    },
  );
  typed.post(
    `${PROJECT_PATH}/hold`,
    {
      config: admin,
      schema: {
        operationId: 'holdProject',
        summary: 'Remove nothing of a project, however old it is, until the hold ends',
        tags,
        params: projectParams,
        body: z
          .strictObject({ reason: z.string().min(1).max(LONGEST_REASON) })
          .meta({ examples: [{ reason: HOLD.reason }] }),
        response: { 200: heldSchema },
      },
    },
    async (request) => {
      const wanted = await projectIn(database, request);
      const { reason } = request.body;
      const { changed, project } = await changing(() =>
        setHold(database, wanted, { reason, actor: actorOf(operatorOf(request)) }),
      );
      return { ...keepDocument(project), changed };
    },
  );
  typed.post(
    `${PROJECT_PATH}/unhold`,
    {
      config: admin,
      schema: {
        operationId: 'unholdProject',
        summary: 'End the hold of a project',
        tags,
        params: projectParams,
        response: { 200: heldSchema },
      },
    },
    async (request) => {
      const wanted = await projectIn(database, request);
      const given = { reason: undefined, actor: actorOf(operatorOf(request)) };
      const { changed, project } = await setHold(database, wanted, given);
      return { ...keepDocument(project), changed };
    },
  );
}
