import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { BUCKET_STATES, STATE_LETTERS } from '../core/buckets.ts';
import type { BucketState, Cut } from '../core/buckets.ts';
import { DAY } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { REFUSALS } from '../core/reading.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { Window } from '../core/window.ts';
import { zoneOf } from '../core/zone.ts';
import { coverageDocument, stripsDocument } from '../source/coverage-document.ts';
import { reportCoverage, stripsOfSources } from '../source/coverage-report.ts';
import type { PlaceOfStream } from '../source/coverage-rows.ts';
import type { FoundSource } from '../source/find-source.ts';
import { operatorOf } from './authenticate.ts';
import {
  cursorOf,
  instantOfField,
  noCursor,
  placeIn,
  sourceIn,
  sourceParams,
  textsIn,
  timeField,
} from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem, noSuch } from './problem.ts';

/** Two years of days. */
const MOST_BUCKETS = 750;
const USUAL_BUCKETS = 56;
/** Buckets of all rows of an answer: each is at most one character, and may need a look for a reading (about 15 µs). */
const MOST_CELLS = 100_000;
const MOST_SOURCES = 200;
const MOST_CELLS_OF_SOURCES = 40_000;

const rangeQuery = z.object({
  from: timeField.optional().describe('Begin; without it seven days ago.'),
  to: timeField.optional().describe('End; without it now.'),
  buckets: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_BUCKETS)
    .optional()
    .describe(
      `Exactly so many equal buckets. Without it and without \`zone\` at most ${USUAL_BUCKETS} of a usual length, such as an hour, on whole multiples of it in UTC.`,
    ),
  zone: z
    .string()
    .max(64)
    .optional()
    .describe('A zone such as `Europe/Berlin`: each bucket is a day there, so that it may have 23 or 25 hours.'),
});

const legend = (Object.keys(STATE_LETTERS) as BucketState[])
  .map((state) => `\`${STATE_LETTERS[state]}\` ${BUCKET_STATES[state]}`)
  .join(', ');

const stripFields = {
  states: z
    .string()
    .regex(/^(?:[famrdebn](?:[1-9][0-9]*)?)*$/)
    .describe(
      `The state of each bucket as a letter, and behind it the number of its neighbours with the same state where there are any: \`b12d300m\` are 12 + 300 + 1 buckets. ${legend}. A bucket that holds several has the first of them.`,
    ),
  coveredSeconds: z.number().describe('Time of the whole range that was fetched.'),
  failedSeconds: z.number().describe('Time that cannot be read.'),
  missingSeconds: z.number().describe('Time that is wanted and that nothing asks for now.'),
  askingSeconds: z.number().describe('Time that running history and backfills ask for.'),
};

const gridFields = {
  from: z.string().describe('Begin of the first bucket.'),
  to: z.string().describe('End of the last bucket.'),
  buckets: z.int(),
  bucketSeconds: z.number().nullable().describe('The length of a bucket; null where they are days of a zone.'),
  zone: z.string().nullable(),
  edges: z.array(z.string()).describe('Where the buckets begin, and where the last one ends.'),
};

const EXAMPLE_GRID = {
  from: '2026-11-15T00:00:00Z',
  to: '2026-11-15T06:00:00Z',
  buckets: 2,
  bucketSeconds: 10_800,
  zone: null,
  edges: ['2026-11-15T00:00:00Z', '2026-11-15T03:00:00Z', '2026-11-15T06:00:00Z'],
};
const EXAMPLE_STRIP = {
  states: 'dm',
  coveredSeconds: 10_800,
  failedSeconds: 0,
  missingSeconds: 10_800,
  askingSeconds: 0,
};

const coverageSchema = z
  .object({
    sensor: z.string().nullable().describe('The sensor that was asked about.'),
    ...gridFields,
    streams: z
      .array(
        z.object({
          key: z.string(),
          ...stripFields,
          readings: z.array(z.int()).nullable().describe('Of the sensor in each bucket; null without `sensor`.'),
          refused: z
            .array(z.int())
            .nullable()
            .describe('Refused points of the sensor in each bucket; null without `sensor`.'),
        }),
      )
      .describe('Those that lack most come first.'),
    hiddenStreams: z.int().describe('Streams beyond this page.'),
    refusals: z
      .array(
        z.object({
          reason: z.enum(Object.keys(REFUSALS) as [RefusalReason, ...RefusalReason[]]),
          refused: z.int(),
          raw: z
            .string()
            .nullable()
            .describe('The value of the last one whose value is kept, as the platform sent it.'),
          first: z.string(),
          last: z.string(),
        }),
      )
      .describe('Refused points of these streams in the range.'),
    refusalsNotKept: z.int().describe('Refused points of these streams, of any time, that were only counted.'),
    keptFrom: z
      .string()
      .nullable()
      .describe('Readings before are not kept, and shown as before the start; null where all are.'),
    next: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
  })
  .meta({
    id: 'Coverage',
    examples: [
      {
        sensor: null,
        ...EXAMPLE_GRID,
        streams: [{ key: 'pump', ...EXAMPLE_STRIP, readings: null, refused: null }],
        hiddenStreams: 0,
        refusals: [],
        refusalsNotKept: 0,
        keptFrom: null,
        next: null,
      },
    ],
  });

const stripsSchema = z
  .object({
    ...gridFields,
    sources: z.array(
      z.object({
        organisation: z.string(),
        name: z.string(),
        strip: z
          .object(stripFields)
          .nullable()
          .describe('All streams of the source together: it lacks what any of them lacks. Null without streams.'),
      }),
    ),
  })
  .meta({
    id: 'CoverageStrips',
    examples: [{ ...EXAMPLE_GRID, sources: [{ organisation: 'default', name: 'hall-3', strip: EXAMPLE_STRIP }] }],
  });

/** The range of a query and how it is cut. */
function gridIn(
  { from, to, buckets, zone }: z.infer<typeof rangeQuery>,
  now: Instant,
): { readonly range: Window; readonly cut: Cut } {
  const range = {
    from: from === undefined ? now - 7 * DAY : instantOfField(from, now, 'from'),
    to: to === undefined ? now : instantOfField(to, now, 'to'),
  };
  if (zone === undefined) return { range, cut: buckets === undefined ? { most: USUAL_BUCKETS } : { exactly: buckets } };
  if (buckets !== undefined) throw wrong('buckets', 'cannot be given beside zone', 'Give either of them.');
  if (range.to - range.from > (MOST_BUCKETS - 2) * DAY)
    throw wrong('from', `lies more than ${MOST_BUCKETS - 2} days before to`, 'Ask for a shorter range.');
  return { range, cut: { daysOf: zoneOf(zone) } };
}

const wrong = (field: string, detail: string, remedy: string): OperatorProblem =>
  new OperatorProblem('invalid', `${field} ${detail}.`, { remedy, errors: [{ pointer: `/${field}`, detail }] });

/** The stream behind which a page begins. */
function placeOf(cursor: string | undefined): PlaceOfStream | undefined {
  const texts = textsIn(cursor, 2);
  if (cursor === undefined || texts === undefined) return undefined;
  const [lack, key] = texts;
  if (key === undefined || lack === undefined || !/^\d{1,18}$/.test(lack)) throw noCursor();
  return { at: placeIn(cursor)[0], lack: Number(lack), key };
}

/** The buckets that a range is cut into at most. */
const bucketsOf = ({ range, cut }: ReturnType<typeof gridIn>): number =>
  'most' in cut ? cut.most : 'exactly' in cut ? cut.exactly : Math.ceil((range.to - range.from) / DAY) + 2;

/** The routes that show coverage. */
export function addCoverageRoutes(app: FastifyInstance, { database, clock }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const config = { role: 'viewer', costly: true } as const;
  const tags = ['Sources'];
  typed.get(
    '/api/v1/sources/:organisation/:name/coverage',
    {
      config,
      schema: {
        operationId: 'getCoverage',
        summary: 'The time of each stream that is covered, missing or unreadable',
        tags,
        params: sourceParams,
        querystring: rangeQuery.extend({
          sensor: z.string().max(300).optional().describe('Only this sensor, as the platform or as readings call it.'),
          limit: z.coerce.number().int().min(1).max(1000).default(40).describe('At most this many streams.'),
          cursor: z.string().max(500).optional().describe('`next` of the page before; without it the first page.'),
        }),
        response: { 200: coverageSchema },
      },
    },
    async (request) => {
      const source = await sourceIn(database, request);
      const { sensor, limit, cursor, zone, ...query } = request.query;
      const behind = placeOf(cursor);
      const grid = gridIn({ ...query, zone }, behind?.at ?? clock.now());
      const report = await reportCoverage(database, source, {
        ...grid,
        sensor,
        mostStreams: Math.min(limit, Math.ceil(MOST_CELLS / bucketsOf(grid))),
        behind,
        signal: request.leaving ?? undefined,
      });
      const { next } = report;
      return {
        ...coverageDocument(report, { sensor, zone }),
        next: next === undefined ? null : cursorOf([next.at, JSON.stringify([String(next.lack), next.key])]),
      };
    },
  );
  typed.get(
    '/api/v1/coverage',
    {
      config,
      schema: {
        operationId: 'listCoverage',
        summary: 'The time of several sources, a strip each',
        tags,
        querystring: rangeQuery.extend({
          sources: z
            .string()
            .max(MOST_SOURCES * 200)
            .describe('Up to 200 sources, each as `organisation/name`, with commas between them.'),
        }),
        response: { 200: stripsSchema },
      },
    },
    async (request) => {
      const { sources: wanted, ...query } = request.query;
      const grid = gridIn(query, clock.now());
      const titles = [...new Set(wanted.split(',').filter((title) => title !== ''))];
      if (titles.length > Math.min(MOST_SOURCES, Math.floor(MOST_CELLS_OF_SOURCES / bucketsOf(grid))))
        throw wrong('sources', 'are too many for so many buckets', 'Ask for fewer sources or buckets.');
      const organisations = operatorOf(request).organisations ?? null;
      const found = await database.rows<FoundSource & Record<string, unknown>>(
        `select source.id, name, organisation_id as organisation, project_id as "projectId"
         from unnest($1::text[]) with ordinality as wanted (title, place) join source on organisation_id || '/' || name = title
         where $2::text[] is null or organisation_id = any($2) order by place`,
        [titles, organisations],
      );
      const missing = titles.find((title) => !found.some((one) => `${one.organisation}/${one.name}` === title));
      if (missing !== undefined) throw noSuch(`source ${missing}`);
      const strips = await stripsOfSources(database, found, { ...grid, signal: request.leaving ?? undefined });
      return stripsDocument(strips, found, query.zone);
    },
  );
}
