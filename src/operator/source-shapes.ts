import { z } from 'zod';
import { CONDITIONS } from '../core/condition.ts';
import type { Condition } from '../core/condition.ts';
import { looseDocument, pageSchemaOf } from './route-shapes.ts';

/** The conditions of a source, the worst first. */
export const conditions = Object.keys(CONDITIONS) as [Condition, ...Condition[]];

const lineFields = {
  name: z.string(),
  organisation: z.string(),
  project: z.string(),
  platform: z.string(),
  state: z.enum(['active', 'paused', 'stopped']).describe('As an operator or a fault left it.'),
  condition: z.enum(conditions).describe('One word for all there is to know.'),
  every: z.string().describe('The interval of its polls, such as `1m`.'),
  streams: z.int(),
  lagSeconds: z.number().nullable().describe('From the end of its coverage to now; null without streams.'),
  overdueSeconds: z.number().nullable().describe('The part of the lag that its schedule does not allow.'),
  newestAt: z.string().nullable().describe('The instant of its newest reading.'),
  newestAgeSeconds: z.number().nullable().describe('The age of its newest reading.'),
  silence: z
    .strictObject({ sensors: z.int(), silent: z.int(), never: z.int() })
    .nullable()
    .describe(
      'Its sensors at the last look at their readings: all, those that are silent by their own rhythm, and those of them that never gave a reading.',
    ),
  gaps: z.boolean().nullable().describe('Whether older time is missing.'),
  readings24h: z.int().describe('New and revised readings of the last 24 hours.'),
  allRefused: z
    .looseObject({ reason: z.string(), remedy: z.string() })
    .nullable()
    .describe('Why its newest point was refused, where every one of the last 24 hours was.'),
  failures: z.int().describe('Failures in a row.'),
  fault: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
};

const EXAMPLE = {
  name: 'hall-3',
  organisation: 'default',
  project: 'pump-hall',
  platform: 'influxdb',
  state: 'active',
  condition: 'well',
  every: '1m',
  streams: 2,
  lagSeconds: 41.2,
  overdueSeconds: 0,
  newestAt: '2026-11-22T10:00:00Z',
  newestAgeSeconds: 43.1,
  silence: { sensors: 40, silent: 0, never: 0 },
  gaps: false,
  readings24h: 86400,
  allRefused: null,
  failures: 0,
  fault: null,
} as const;

/** A source in a list. */
export const lineSchema = looseDocument(lineFields, 'SourceLine');
/** A source with all there is to know of it. */
export const sourceSchema = looseDocument(
  {
    ...lineFields,
    revision: z.int(),
    revisionTag: z.string().describe('The value of `ETag`, for `If-Match` of a change.'),
    config: z.unknown().describe('The configuration; a secret reads `(secret)`.'),
    streams: z.array(z.looseObject({ key: z.string() })),
    slowed: z
      .string()
      .nullable()
      .describe('How much slower than agreed its platform is asked, why, and until when; null: as agreed.'),
    windows: z.array(z.looseObject({})).describe('The last windows that were asked for.'),
  },
  'Source',
  {
    ...EXAMPLE,
    revision: 3,
    revisionTag: '3-0a1b2c3d',
    config: { name: 'hall-3', platform: 'influxdb', connection: { password: '(secret)' } },
    streams: [{ key: 'pump' }],
    slowed: null,
    windows: [],
  },
);

/** A page of sources. */
export const sourcesSchema = pageSchemaOf(lineSchema)
  .extend({
    matching: z.int().describe('The sources on all pages.'),
    conditions: z
      .partialRecord(z.enum(conditions), z.int())
      .describe(
        'How many sources of the organisation, or of all, are in each condition, whatever the other filters say.',
      ),
  })
  .meta({ id: 'Sources', examples: [{ items: [EXAMPLE], next: null, matching: 1, conditions: { well: 1 } }] });
