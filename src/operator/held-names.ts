import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import { heldNameDocument, heldNames, namesToRelease, releaseNames } from '../source/held-names.ts';
import { pushedRenames, renameHeld, unrename } from '../source/held-rename.ts';
import { repairDocument } from '../source/held-repair.ts';
import { operatorOf } from './authenticate.ts';
import { answered, shows } from './documents.ts';
import { PROJECT_PATH, REPAIR, ofProject, repairsField } from './projects.ts';
import {
  changing,
  pageBehind,
  pageIn,
  pageQuery,
  pageSchemaOf,
  projectIn,
  projectParams,
  textsIn,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';

const sensorId = z.string().min(1).max(300);
const valueName = z.string().min(1).max(300);

const fullName = z.object({ sensorId: z.string(), valueName: z.string() });
/** A sensorId, or one of its valueNames. */
const someName = z.strictObject({ sensorId, valueName: valueName.optional() });

const FLOW = { sensorId: 'pump-7', valueName: 'flow' };
const MISSPELT = { sensorId: 'Pump-7', valueName: 'flow' };
const PROJECT = { organisation: 'default', code: 'pump-hall' };

const heldSchema = shows<ReturnType<typeof heldNameDocument>>()(
  z
    .object({
      ...fullName.shape,
      source: z.string().nullable().describe('The source that brought it last; null for one that was pushed.'),
      application: z.string().nullable().describe('The id of the application that pushed it last.'),
      near: z.array(fullName).describe('Series of the project that it may be a misspelt form of, at most three.'),
      refused: z.int().describe('Points of it that were refused.'),
      firstSeen: z.string(),
      lastSeen: z.string(),
      first: z.string().nullable().describe('The instant of the first of them.'),
      last: z.string().nullable(),
    })
    .meta({
      id: 'HeldName',
      examples: [
        {
          ...MISSPELT,
          source: 'hall-3',
          application: null,
          near: [FLOW],
          refused: 120,
          firstSeen: '2026-11-20T08:00:05Z',
          lastSeen: '2026-11-20T09:00:05Z',
          first: '2026-11-20T08:00:00Z',
          last: '2026-11-20T08:59:30Z',
        },
      ],
    }),
);
const renameSchema = z
  .object({ from: fullName, to: fullName })
  .meta({ id: 'PushedRename', examples: [{ from: MISSPELT, to: FLOW }] });
const applications = z
  .array(z.string())
  .describe('Those that pushed some of the names: they alone can send them again.');

const releasedSchema = z
  .object({ ...ofProject, released: z.int(), repairs: repairsField, applications })
  .meta({ id: 'Released', examples: [{ ...PROJECT, released: 1, repairs: [REPAIR], applications: [] }] });
const renamedSchema = z
  .object({
    ...ofProject,
    pushed: z.array(renameSchema).describe('Names that applications push for series of other names from now on.'),
    applications,
    files: z
      .array(z.object({ source: z.string(), yaml: z.string() }))
      .describe('The lines that the file of each source needs. Its names stay held back until that is applied.'),
  })
  .meta({
    id: 'Renamed',
    examples: [
      {
        ...PROJECT,
        pushed: [{ from: MISSPELT, to: FLOW }],
        applications: ['app_0123456789abcdef0123'],
        files: [{ source: 'hall-3', yaml: 'sensors:\n  - id: "Pump-7"\n    as: "pump-7"' }],
      },
    ],
  });

/** The routes of names that a locked project holds back, and of those that are pushed for series of other names. */
export function addHeldNameRoutes(app: FastifyInstance, { database }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const reads = { role: 'viewer' } as const;
  const config = { role: 'operator' } as const;
  const tags = ['Projects'];
  const params = projectParams;
  typed.get(
    `${PROJECT_PATH}/held-names`,
    {
      config: reads,
      schema: {
        operationId: 'listHeldNames',
        summary: 'List the names that are held back, with their origin and the points that were refused',
        tags,
        params,
        querystring: pageQuery.extend({
          sensor: z.string().max(300).optional().describe('Only this sensorId; `*` stands for any text.'),
        }),
        response: { 200: pageSchemaOf(heldSchema) },
      },
    },
    async (request) => {
      const { sensor, limit, cursor } = request.query;
      const { id } = await projectIn(database, request);
      const [behind, its = ''] = textsIn(cursor, 2) ?? [];
      const after = behind === undefined ? undefined : { sensorId: behind, valueName: its };
      const names = await heldNames(database, id, { sensorId: sensor, limit, after });
      return pageBehind(
        names,
        limit,
        (name) => answered(heldNameDocument(name)),
        (name) => [name.sensorId, name.valueName],
      );
    },
  );
  typed.post(
    `${PROJECT_PATH}/release`,
    {
      config,
      schema: {
        operationId: 'releaseNames',
        summary: 'Let held names in: they become series of the project',
        tags,
        params,
        body: z
          .strictObject({
            sensorId: sensorId.optional().describe('A sensorId, or a pattern such as `pump-*`.'),
            valueName: valueName.optional().describe('One of its valueNames, or a pattern; without it all of them.'),
            all: z.boolean().default(false).describe('All held names of the project, in the place of a sensorId.'),
          })
          .meta({ examples: [{ sensorId: 'pump-*' }, { all: true }] }),
        response: { 200: releasedSchema },
      },
    },
    async (request) => {
      const { organisation, code } = await projectIn(database, request);
      const wanted = namesToRelease(request.body);
      const done = await changing(() =>
        releaseNames(database, { organisation, code }, wanted, actorOf(operatorOf(request))),
      );
      return {
        code,
        organisation,
        released: done.released,
        repairs: done.repairs.map(repairDocument),
        applications: [...done.applications],
      };
    },
  );
  typed.get(
    `${PROJECT_PATH}/renamed-names`,
    {
      config: reads,
      schema: {
        operationId: 'listRenamedNames',
        summary: 'List the names that are pushed for series of other names',
        tags,
        params,
        querystring: pageQuery,
        response: { 200: pageSchemaOf(renameSchema) },
      },
    },
    async (request) => {
      const all = await pushedRenames(database, await projectIn(database, request));
      const { items, next } = pageIn(all, request.query, ({ from }) => `${from.sensorId}\n${from.valueName}`);
      return { items: [...items], next };
    },
  );
  typed.post(
    `${PROJECT_PATH}/rename`,
    {
      config,
      schema: {
        operationId: 'renameHeldNames',
        summary: 'Take the readings of held names for series that the project has',
        description:
          'A name that applications push is mapped at once. A source has one place for its names, its file, so the answer has the lines for it.',
        tags,
        params,
        body: z
          .strictObject({
            ...someName.shape,
            as: someName.describe('The series; without a valueName, those of the name.'),
          })
          .meta({ examples: [{ sensorId: 'Pump-7', as: { sensorId: 'pump-7' } }] }),
        response: { 200: renamedSchema },
      },
    },
    async (request) => {
      const { organisation, code } = await projectIn(database, request);
      const { as, ...held } = request.body;
      const done = await changing(() =>
        renameHeld(database, { organisation, code }, held, as, actorOf(operatorOf(request))),
      );
      return {
        organisation,
        code,
        pushed: [...done.pushed],
        applications: [...done.applications],
        files: [...done.files],
      };
    },
  );
  typed.post(
    `${PROJECT_PATH}/unrename`,
    {
      config,
      schema: {
        operationId: 'endRename',
        summary: 'End the rename of a pushed name, or of all valueNames of a sensorId',
        tags,
        params,
        body: someName.meta({ examples: [{ sensorId: 'Pump-7' }] }),
        response: {
          200: z
            .object({ ...ofProject, ended: z.int().describe('Names that count as new ones again.') })
            .meta({ id: 'RenameEnded', examples: [{ ...PROJECT, ended: 1 }] }),
        },
      },
    },
    async (request) => {
      const { organisation, code } = await projectIn(database, request);
      const ended = await changing(() =>
        unrename(database, { organisation, code }, request.body, actorOf(operatorOf(request))),
      );
      return { code, organisation, ended };
    },
  );
}
