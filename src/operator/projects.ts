import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { createProject, listProjects } from '../access/projects.ts';
import type { Project } from '../access/projects.ts';
import { LARGEST_QUOTA, setLocked, setQuota, showProject } from '../source/project-room.ts';
import { keepDocument, projectKeep } from '../source/project-keep.ts';
import { repairDocument } from '../source/held-repair.ts';
import { assertSeen, operatorOf, seesOrganisation } from './authenticate.ts';
import { shows } from './documents.ts';
import { changing, pageIn, pageQuery, pageSchemaOf, projectIn, projectParams } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';

/** The path of the routes of one project. */
export const PROJECT_PATH = '/api/v1/projects/:organisation/:code';

/** The fields that say which project an answer is about. */
export const ofProject = { code: z.string(), organisation: z.string() };

/** How long a project keeps its readings. */
export const keepFields = {
  keep: z.string().describe('How long readings are kept, such as `3y`, or `forever`.'),
  keptFrom: z.string().nullable().describe('Readings before are not kept; null where all are.'),
  hold: z
    .object({ reason: z.string(), by: z.string(), at: z.string() })
    .nullable()
    .describe('While it is there nothing of the project is removed.'),
};

const EXAMPLE = { organisation: 'default', code: 'pump-hall' };

const lineSchema = shows<Project>()(
  z
    .object({ organisation: z.string(), code: z.string(), name: z.string(), sources: z.int(), series: z.int() })
    .meta({ id: 'Project', examples: [{ ...EXAMPLE, name: 'Pump hall', sources: 2, series: 240 }] }),
);

const roomSchema = z
  .object({
    ...ofProject,
    locked: z.boolean().describe('New names are held back until an operator releases them.'),
    quota: z.int().describe('The most series that it may have.'),
    series: z.int(),
    held: z.int().describe('Names that are held back and listed.'),
    newInHour: z.int().describe('Series that were made in the present hour or the one before, whichever had more.'),
    newInUsualHour: z.number().describe('Series that were made in an hour of the 7 days before, on average.'),
    ...keepFields,
    warnings: z.array(z.object({ message: z.string(), remedy: z.string() })),
  })
  .meta({
    id: 'ProjectRoom',
    examples: [
      {
        ...EXAMPLE,
        locked: true,
        quota: 100_000,
        series: 240,
        held: 2,
        newInHour: 0,
        newInUsualHour: 1.5,
        keep: '3y',
        keptFrom: '2023-11-22T00:00:00Z',
        hold: null,
        warnings: [],
      },
    ],
  });

/** The backfills that ask sources once more for points of names that were held back. */
export const repairsField = z
  .array(
    z.object({
      source: z.string(),
      organisation: z.string(),
      points: z.int().describe('Points that stand as refused.'),
      from: z.string(),
      to: z.string(),
      command: z.string().describe('The command that starts it. `startBackfill` with `what: all` does the same.'),
    }),
  )
  .describe('For each source the range to ask once more, because its points of these names were refused.');

/** One repair as an example. */
export const REPAIR = {
  source: 'hall-3',
  organisation: 'default',
  points: 120,
  from: '2026-11-20T08:00:00Z',
  to: '2026-11-20T09:00:00Z',
  command: 'databridge backfill start hall-3 --from 2026-11-20T08:00:00Z --to 2026-11-20T09:00:00Z --what all',
};

const lockedSchema = z
  .object({ ...ofProject, locked: z.literal(true), changed: z.boolean(), series: z.int() })
  .meta({ id: 'ProjectLocked', examples: [{ ...EXAMPLE, locked: true, changed: true, series: 240 }] });
const unlockedSchema = z
  .object({
    ...ofProject,
    locked: z.literal(false),
    changed: z.boolean(),
    held: z.int().describe('Held names. They become series when they come again.'),
    repairs: repairsField,
  })
  .meta({
    id: 'ProjectUnlocked',
    examples: [{ ...EXAMPLE, locked: false, changed: true, held: 2, repairs: [REPAIR] }],
  });

/**
 * The routes of projects: list, create, show, lock, unlock and quota. The quota needs an admin, because it protects the database that
 * all organisations share; a lock holds new names of one project back and may be taken back, so an operator sets it.
 */
export function addProjectRoutes(app: FastifyInstance, { database }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const reads = { role: 'viewer' } as const;
  const changes = { role: 'operator' } as const;
  const tags = ['Projects'];
  typed.get(
    '/api/v1/projects',
    {
      config: reads,
      schema: {
        operationId: 'listProjects',
        summary: 'List projects with the number of their sources and series',
        tags,
        querystring: pageQuery,
        response: { 200: pageSchemaOf(lineSchema) },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      const all = (await listProjects(database)).filter((one) => seesOrganisation(operator, one.organisation));
      const { items, next } = pageIn(all, request.query, (one) => `${one.organisation}/${one.code}`);
      return { items: items.map((one) => ({ ...one })), next };
    },
  );
  typed.post(
    '/api/v1/projects',
    {
      config: { ...changes, idempotent: true },
      schema: {
        operationId: 'createProject',
        summary: 'Create a project, which readings need',
        tags,
        body: z
          .strictObject({
            organisation: z.string().max(128).default('default'),
            code: z.string().max(200),
            name: z.string().max(200).optional(),
          })
          .meta({ examples: [{ ...EXAMPLE, name: 'Pump hall' }] }),
        response: {
          200: z.object({ ...ofProject, created: z.boolean() }).meta({ examples: [{ ...EXAMPLE, created: true }] }),
        },
      },
    },
    async (request) => {
      const { organisation, code } = request.body;
      assertSeen(operatorOf(request), organisation, `organisation ${organisation}`);
      const created = await createProject(database, request.body, actorOf(operatorOf(request)));
      return { code, organisation, created };
    },
  );
  typed.get(
    PROJECT_PATH,
    {
      config: reads,
      schema: {
        operationId: 'getProject',
        summary:
          'Show how many series a project has and how it grows, how long it keeps readings, and whether it is locked or on hold',
        tags,
        params: projectParams,
        response: { 200: roomSchema },
      },
    },
    async (request) => {
      const project = await projectIn(database, request);
      const { id: _, warnings, ...room } = await showProject(database, project);
      return { ...room, ...keepDocument(await projectKeep(database, project)), warnings: [...warnings] };
    },
  );
  typed.post(
    `${PROJECT_PATH}/lock`,
    {
      config: changes,
      schema: {
        operationId: 'lockProject',
        summary: 'Hold back every name that a project has no series of',
        description:
          'Points of a held name are refused (`name-held-back`) and counted. `listHeldNames` lists at most 10,000 of the names, `releaseNames` lets them in.',
        tags,
        params: projectParams,
        response: { 200: lockedSchema },
      },
    },
    async (request) => {
      const project = await projectIn(database, request);
      const { changed, room } = await setLocked(database, project, true, actorOf(operatorOf(request)));
      const { code, organisation, series } = room;
      return { code, organisation, locked: true as const, changed, series };
    },
  );
  typed.post(
    `${PROJECT_PATH}/unlock`,
    {
      config: changes,
      schema: {
        operationId: 'unlockProject',
        summary: 'Let a project take new names again',
        tags,
        params: projectParams,
        response: { 200: unlockedSchema },
      },
    },
    async (request) => {
      const project = await projectIn(database, request);
      const { changed, room, repairs } = await setLocked(database, project, false, actorOf(operatorOf(request)));
      const { code, organisation, held } = room;
      return { code, organisation, locked: false as const, changed, held, repairs: repairs.map(repairDocument) };
    },
  );
  typed.put(
    `${PROJECT_PATH}/quota`,
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'setProjectQuota',
        summary: 'Set how many series a project may have; new names beyond it are refused',
        tags,
        params: projectParams,
        body: z.strictObject({ series: z.int().min(0).max(LARGEST_QUOTA) }).meta({ examples: [{ series: 250_000 }] }),
        response: {
          200: z
            .object({ ...ofProject, quota: z.int(), series: z.int().describe('Those that it has.') })
            .meta({ id: 'ProjectQuota', examples: [{ ...EXAMPLE, quota: 250_000, series: 240 }] }),
        },
      },
    },
    async (request) => {
      const project = await projectIn(database, request);
      const room = await changing(() => setQuota(database, project, request.body.series, actorOf(operatorOf(request))));
      const { code, organisation, quota, series } = room;
      return { code, organisation, quota, series };
    },
  );
}
