import { z } from 'zod';
import { CONDITIONS } from '../core/condition.ts';
import type { Condition } from '../core/condition.ts';
import type { sourceLineDocument } from '../source/listing.ts';
import { shows } from './documents.ts';
import { pageSchemaOf } from './route-shapes.ts';

/** The conditions of a source, the worst first. */
export const conditions = Object.keys(CONDITIONS) as [Condition, ...Condition[]];

/** A fault in answers. */
export const faultSchema = z
  .object({
    code: z.string().describe('What kind of fault it is, for programs.'),
    message: z.string(),
    remedy: z.string().optional(),
    at: z.string(),
    why: z.string().optional().describe('Of `unavailable`: how the platform could not be reached.'),
    status: z.int().optional().describe('The HTTP status of the platform.'),
    right: z
      .boolean()
      .optional()
      .describe('Of `credentials-rejected`: a right is missing, and not the credential wrong.'),
    where: z.string().optional().describe('What was done when it happened.'),
    lane: z.enum(['live', 'history']).optional(),
    own: z.literal(true).optional().describe('The pace of the bridge itself made the source wait.'),
    page: z.string().optional().describe('The redacted answer of the platform, where it broke its contract.'),
  })
  .meta({ id: 'Fault' });

const tally = {
  all: z.int(),
  live: z.int(),
  history: z.int(),
  look: z.int(),
  login: z.int(),
  failed: z.int().describe('Those among them without an answer, or with a status from 400 on.'),
  fullestMinute: z.int(),
};

/** Requests of the last hour, against the pace. */
export const requestsFields = {
  ...tally,
  allowed: z.number().nullable().describe('What the pace allows in an hour; null where it is not known here.'),
};

/** Live polls that need more than the pace allows. */
export const overloadSchema = z
  .object({
    times: z.number().describe('How many times the pace would be needed.'),
    message: z.string(),
    remedy: z.string(),
  })
  .meta({ id: 'Overload' });

const lineFields = {
  name: z.string(),
  organisation: z.string(),
  project: z.string(),
  platform: z.string(),
  state: z.enum(['active', 'paused', 'stopped']).describe('As an operator or a fault left it.'),
  condition: z.enum(conditions).describe('One word for all there is to know.'),
  isOverdue: z.boolean().describe('Whether it is later than its schedule allows.'),
  lacksTime: z.boolean().describe('Whether it lacks readings that its schedule promised, for whatever reason.'),
  every: z.string().describe('The interval of its polls, such as `1m`.'),
  settle: z.string().describe('Points are asked for when they are this old, such as `30s`.'),
  lagSeconds: z.number().nullable().describe('From the end of its coverage to now; null without streams.'),
  overdueSeconds: z.number().nullable().describe('The part of the lag that its schedule does not allow.'),
  newestAt: z.string().nullable().describe('The instant of its newest reading.'),
  newestAgeSeconds: z.number().nullable().describe('The age of its newest reading.'),
  silence: z
    .strictObject({ sensors: z.int(), silent: z.int(), never: z.int(), muted: z.int() })
    .nullable()
    .describe(
      'Its sensors at the last look at their readings: all, those that are silent by their own rhythm, those of them that never gave a reading, and those of the silent ones that are muted.',
    ),
  gaps: z.boolean().nullable().describe('Whether older time is missing.'),
  lastSuccessAt: z.string().nullable().describe('The end of the last poll without a fault.'),
  readings24h: z.int().describe('New and revised readings of the last 24 hours.'),
  requestsLastHour: z.object(requestsFields).describe('By kind, as the platform saw them.'),
  allRefused: z
    .object({ reason: z.string(), meaning: z.string(), remedy: z.string() })
    .nullable()
    .describe('Why its newest point was refused, where every one of the last 24 hours was.'),
  failures: z.int().describe('Failures in a row.'),
  heldUntil: z.string().nullable().describe('It is not asked before.'),
  outboxFullSince: z
    .string()
    .nullable()
    .describe('Since when it is not asked because the outbox of its project is full.'),
  clocksDisagree: z
    .boolean()
    .describe('No source is asked, because the clocks of all hosts disagree with the database.'),
  platformClockAheadSeconds: z.number().nullable().describe('Null where the clock of the platform is right.'),
  fault: faultSchema.nullable(),
  lookFault: faultSchema.nullable().describe('Of the last look for sensors.'),
  unreadable: z.int().describe('Stretches of time that could not be read, and are asked for again slowly.'),
  overload: overloadSchema.nullable(),
  unproven: z.boolean().describe('The operator accepted that nothing proves its answers complete.'),
  adapter: z.string().nullable().describe('Where its platform comes from; null where it is a part of databridge.'),
};

const EXAMPLE = {
  name: 'hall-3',
  organisation: 'default',
  project: 'pump-hall',
  platform: 'influxdb',
  state: 'active',
  condition: 'well',
  isOverdue: false,
  lacksTime: false,
  every: '1m',
  settle: '30s',
  streams: 2,
  lagSeconds: 41.2,
  overdueSeconds: 0,
  newestAt: '2026-11-22T10:00:00Z',
  newestAgeSeconds: 43.1,
  silence: { sensors: 40, silent: 0, never: 0, muted: 0 },
  gaps: false,
  lastSuccessAt: '2026-11-22T10:00:31Z',
  readings24h: 86400,
  requestsLastHour: { all: 61, live: 60, history: 0, look: 1, login: 0, failed: 0, fullestMinute: 2, allowed: 3600 },
  allRefused: null,
  failures: 0,
  heldUntil: null,
  outboxFullSince: null,
  clocksDisagree: false,
  platformClockAheadSeconds: null,
  fault: null,
  lookFault: null,
  unreadable: 0,
  overload: null,
  unproven: false,
  adapter: null,
} as const;

/** The fields that a source in a list and one by itself share, and an example of them. */
export const LINE = { fields: lineFields, example: EXAMPLE };

/** A source in a list. */
const lineSchema = shows<ReturnType<typeof sourceLineDocument>>()(
  z.object({ ...lineFields, streams: z.int() }).meta({ id: 'SourceLine' }),
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
