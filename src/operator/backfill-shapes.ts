import { z } from 'zod';
import type { quoteDocument } from '../source/backfill/quote.ts';
import type { backfillDocument } from '../source/backfill/state.ts';
import { shows } from './documents.ts';
import { pageSchemaOf } from './route-shapes.ts';
import { overloadSchema } from './source-shapes.ts';
import { KINDS_OF_BACKFILL, STATES_OF_BACKFILL } from '../core/backfill.ts';

const expected = z
  .object({
    expected: z.number(),
    least: z.number().describe('Most likely not less than this.'),
    most: z.number().describe('Most likely not more than this.'),
  })
  .meta({ id: 'Expected' });

const quoteFields = {
  streams: z.int(),
  timeSeconds: z.number().describe('The time that is asked for, over all streams.'),
  windows: z.int(),
  requests: expected,
  bytes: expected,
  readings: expected,
  seconds: expected.nullable().describe('Until it is done; null where live polls or quiet hours leave it no request.'),
  requestsPerSecond: z.number().describe('What live polls leave of the pace.'),
  liveWaitSeconds: z.number().describe('A live poll waits at most so much longer for a request.'),
  basis: z.int().describe('So many windows of the last 30 days showed what is expected.'),
};

export const quoteSchema = shows<ReturnType<typeof quoteDocument>>()(
  z
    .object({
      source: z.string(),
      organisation: z.string(),
      from: z.string(),
      to: z.string(),
      ...quoteFields,
      besides: z.array(z.int()).describe('Running and paused backfills with time in the range: they share the work.'),
    })
    .meta({
      id: 'BackfillQuote',
      examples: [
        {
          source: 'hall-3',
          organisation: 'default',
          from: '2025-11-22T10:00:00Z',
          to: '2026-11-22T10:00:00Z',
          streams: 3,
          timeSeconds: 94_608_000,
          windows: 8_760,
          requests: { expected: 8_760, least: 8_760, most: 12_300 },
          bytes: { expected: 1_200_000_000, least: 860_000_000, most: 1_680_000_000 },
          readings: { expected: 94_608_000, least: 67_000_000, most: 133_000_000 },
          seconds: { expected: 2_200, least: 2_100, most: 3_400 },
          requestsPerSecond: 4,
          liveWaitSeconds: 0.2,
          basis: 1_500,
          besides: [],
        },
      ],
    }),
);

const example = {
  id: 7,
  source: 'hall-3',
  organisation: 'default',
  from: '2026-11-15T10:00:00Z',
  to: '2026-11-22T10:00:00Z',
  what: 'missing',
  order: 'oldest',
  requestsPerDay: null,
  sensors: null,
  requestedBy: 'operator:anna',
  state: 'running',
  share: 0.42,
  streams: 3,
  readings: 254_000,
  createdAt: '2026-11-22T10:00:03Z',
  finishedAt: null,
  tookSeconds: null,
  work: { windows: 71, failures: 0, requests: 71, bytes: 5_400_000, readings: 254_000, requestsToday: 71 },
  quoted: null,
  speed: { readingsPerSecond: 2_100, timePerSecond: 5_000, leftSeconds: { expected: 210, least: 180, most: 250 } },
  waits: null,
  unreadable: 0,
  errors: [],
  overload: null,
  sourceState: 'active',
  settlesAt: null,
  heldUntil: null,
  outboxFullSince: null,
} as const;

export const backfillSchema = shows<ReturnType<typeof backfillDocument>>()(
  z
    .object({
      id: z.int(),
      source: z.string(),
      organisation: z.string(),
      from: z.string(),
      to: z.string(),
      what: z.enum(KINDS_OF_BACKFILL),
      order: z.enum(['oldest', 'newest']),
      requestsPerDay: z.int().nullable(),
      sensors: z.array(z.string()).nullable(),
      requestedBy: z.string(),
      state: z.enum(STATES_OF_BACKFILL),
      share: z.number().describe('The part of the wanted time that is covered, 0 to 1.'),
      streams: z.int(),
      readings: z.int(),
      createdAt: z.string(),
      finishedAt: z.string().nullable(),
      tookSeconds: z.number().nullable(),
      work: z.object({
        windows: z.int(),
        failures: z.int(),
        requests: z.int(),
        bytes: z.int(),
        readings: z.int(),
        requestsToday: z.int().describe('On the present day of UTC.'),
      }),
      quoted: z.object(quoteFields).nullable().describe('What was expected when it started.'),
      speed: z
        .object({
          readingsPerSecond: z.number(),
          timePerSecond: z
            .number()
            .describe('Time of its range that it got in a second, over all streams, in seconds.'),
          leftSeconds: expected.nullable(),
        })
        .nullable()
        .describe('Of the last ten minutes; null where it is not running.'),
      waits: z.string().nullable().describe('Why it does not go on as it should.'),
      unreadable: z.int().describe('Stretches of its range that cannot be read now.'),
      errors: z.array(z.string()).describe('The newest different faults of its streams, at most three.'),
      overload: overloadSchema.nullable(),
      sourceState: z.string(),
      settlesAt: z.string().nullable().describe('When the end of its range settles and is asked for.'),
      heldUntil: z.string().nullable(),
      outboxFullSince: z.string().nullable(),
    })
    .meta({ id: 'Backfill', examples: [example] }),
);

/** The answer to a start for all sources. */
export const startedSchema = pageSchemaOf(
  z.object({
    organisation: z.string(),
    source: z.string(),
    backfill: z.int().nullable(),
    fault: z.string().nullable().describe('Why none was started.'),
  }),
).meta({
  examples: [{ items: [{ organisation: 'default', source: 'hall-3', backfill: 7, fault: null }], next: null }],
});
