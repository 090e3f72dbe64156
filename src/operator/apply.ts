import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../access/operators.ts';
import type { Operator } from '../access/operators.ts';
import { decodeUtf8 } from '../api/body.ts';
import type { Instant } from '../core/instant.ts';
import { parsePath } from '../core/source/path.ts';
import { applySource } from '../source/registration.ts';
import type { Applied, ApplyWish } from '../source/registration.ts';
import { sentSource } from '../source/sent.ts';
import type { SentSource } from '../source/sent.ts';
import { assertSeen, operatorOf } from './authenticate.ts';
import { answered, shows } from './documents.ts';
import { changing, expectedIn, flag } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem, pointerOf } from './problem.ts';

/** A source with a table of sensors has thousands of rows of a hundred bytes. Bytes. */
const LONGEST_SOURCE = 4 * 1024 * 1024;

const MEDIA_TYPES = ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml'] as const;

/** Bodies of the routes of a scope arrive as text: one source in YAML or JSON. Throws 400 for a body that is not UTF-8. */
export function takeSourceText(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    [...MEDIA_TYPES],
    { parseAs: 'buffer', bodyLimit: LONGEST_SOURCE },
    (_request, body, done) => {
      const text = decodeUtf8(body as Buffer);
      if (text === undefined) done(new OperatorProblem('bad-request', 'The body is not UTF-8.'));
      else done(null, text);
    },
  );
}

/** The body of a route that takes a source. */
export const sourceText = z
  .string()
  .describe('One source in YAML or JSON, as `databridge source apply` takes it.')
  .meta({
    examples: [
      'name: hall-3\nproject: pump-hall\nkind: user-credentials\nplatform: influxdb\nconnection:\n  url: https://influx.example\n  username: reader\n  password: s3cret\noptions:\n  database: plant\nschedule:\n  every: 1m\n  start: 2026-11-01T00:00:00Z\n',
    ],
  });

/** The source that a request carries. Throws 400 with every problem of it, 404 for an organisation that the operator does not see. */
export const sourceOfBody = (parts: OperatorParts, request: FastifyRequest): Promise<SentSource> =>
  sourceOfText(parts, operatorOf(request), request.body as string);

/** The source that a text holds, as `sourceOfBody`. */
export async function sourceOfText(parts: OperatorParts, operator: Operator, text: string): Promise<SentSource> {
  const sent = await sentSource(parts, text, { now: parts.clock.now(), trusted: operator.role === 'admin' });
  if ('config' in sent) {
    assertSeen(operator, sent.config.organisation, `project ${sent.config.project}`);
    return sent;
  }
  const [first] = sent.problems;
  throw new OperatorProblem('invalid', `The source is not valid: ${first?.path ?? ''} ${first?.message ?? ''}`, {
    remedy: first?.remedy,
    errors: sent.problems.map(({ path, line, column, message, remedy }) => ({
      pointer: pointerOf(parsePath(path) ?? []),
      line,
      column,
      detail: `line ${line}, column ${column}: ${message}; try: ${remedy}`,
    })),
  });
}

/** A table of sensors may change in thousands of rows. */
const MOST_SHOWN = 2_000;

const seriesTitle = z.object({ sensorId: z.string(), valueName: z.string() });

/** The answer of a route that applies a configuration. */
export const appliedSchema = shows<ReturnType<typeof appliedAnswer>>()(
  z
    .object({
      name: z.string(),
      organisation: z.string(),
      action: z.enum(['created', 'changed', 'unchanged']),
      differences: z
        .array(
          z.object({
            path: z.string(),
            before: z.string().optional().describe('None where the field was not written.'),
            after: z.string().optional(),
          }),
        )
        .describe('Each changed field; secrets are not shown. At most 2,000.'),
      differencesInAll: z.int().optional().describe('Their number, where more are left out.'),
      namesakes: z.array(z.string()).describe('Other organisations with a source of the name of a created one.'),
      move: z.object({
        coverage: z.enum(['kept', 'begins-anew']),
        fields: z.array(z.string()).describe('The changed fields that say where the data is or its readings go.'),
        byText: z.array(z.string()).describe('Those that are references and were compared by their text.'),
        streams: z.int(),
      }),
      renames: z
        .array(
          z.object({
            from: seriesTitle,
            to: z
              .union([seriesTitle, z.string()])
              .describe('The new name, or why there is none; `not-known` before the platform is asked.'),
            stored: z.boolean().describe('Whether a series of the old name is stored.'),
          }),
        )
        .describe('Names that the change takes away from variables. At most 2,000.'),
      renamesInAll: z.int().optional(),
      seriesOfOthers: z
        .array(z.object({ owner: z.string().nullable().describe('Null: pushing applications.'), series: z.int() }))
        .describe('Series that it names and that another one owns; its points for them are refused.'),
      repair: z
        .object({
          refused: z.int(),
          series: z.int(),
          reasons: z.array(z.string()),
          from: z.string(),
          to: z.string(),
          command: z.string(),
        })
        .nullable()
        .describe('The backfill that repairs refused points.'),
    })
    .meta({
      id: 'Applied',
      examples: [
        {
          name: 'hall-3',
          organisation: 'default',
          action: 'changed',
          differences: [{ path: 'schedule.every', before: '1m', after: '5m' }],
          namesakes: [],
          move: { coverage: 'kept', fields: [], byText: [], streams: 2 },
          renames: [],
          seriesOfOthers: [],
          repair: null,
        },
      ],
    }),
);

/** The answer of an apply. */
export const appliedAnswer = ({ differences, renames, ...applied }: Applied) => ({
  ...answered(applied),
  differences: answered(differences.slice(0, MOST_SHOWN)),
  ...(differences.length > MOST_SHOWN && { differencesInAll: differences.length }),
  renames: answered(renames.slice(0, MOST_SHOWN)),
  ...(renames.length > MOST_SHOWN && { renamesInAll: renames.length }),
});

/** The query of a route that applies a configuration. */
export const applyQuery = z.object({
  dryRun: flag.describe('Show the difference, and change nothing.'),
  sameData: flag.describe('Keep the coverage, because a changed address or database holds the same data as before.'),
  rename: flag.describe('Let series that have readings get other names.'),
});

/** What a request of a route with `applyQuery` wishes. */
export function wishOf(request: FastifyRequest, now: Instant): ApplyWish {
  const { dryRun, sameData, rename } = request.query as z.infer<typeof applyQuery>;
  return {
    now,
    actor: actorOf(operatorOf(request)),
    dryRun: dryRun === 'true',
    sameData: sameData === 'true',
    rename: rename === 'true',
    expected: expectedIn(request),
  };
}

/** `POST /api/v1/sources/apply`. */
export function addApplyRoutes(app: FastifyInstance, parts: OperatorParts): void {
  app.register((scope, _options, done) => {
    takeSourceText(scope);
    scope.withTypeProvider<ZodTypeProvider>().post(
      '/api/v1/sources/apply',
      {
        config: { role: 'operator', idempotent: true },
        schema: {
          operationId: 'applySource',
          summary: 'Create or change a source',
          description:
            'The body is one source in YAML or JSON. A secret that reads `(secret)` stays as it is while kind, platform, connection, tls and options do. References such as `${env:X}`, and adapters, need the role admin. `If-Match` with the `ETag` of the source changes it only while it is as it was read, `If-None-Match: *` creates it only.',
          tags: ['Sources'],
          consumes: [...MEDIA_TYPES],
          querystring: applyQuery,
          body: sourceText,
          response: { 200: appliedSchema },
        },
      },
      async (request) => {
        const { config, registry } = await sourceOfBody(parts, request);
        const wish = wishOf(request, parts.clock.now());
        return appliedAnswer(await changing(() => applySource({ ...parts, registry }, config, wish)));
      },
    );
    done();
  });
}
