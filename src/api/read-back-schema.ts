import { z } from 'zod';
import { count, paramsSchema } from './push-schema.ts';
import { problemResponse, problemsOfTarget } from './push-documentation.ts';

/** Requests per minute of an application. */
export const READ_BACKS_PER_MINUTE = 60;
/** Readings are counted over at most this time, days. */
export const MOST_DAYS = 31;

export const SENSORS_PATH = '/v0/organisations/:organisation_id/data/:ml_project/sensors';

const instant = z.string().max(64);

/** The query of a read-back. */
export const readBackQuery = z.strictObject({
  from: instant.optional().describe('Readings are counted from here on (ISO 8601). A day before `to` by default.'),
  to: instant
    .optional()
    .describe(`Readings are counted before this. Now by default; at most ${MOST_DAYS} days after \`from\`.`),
  sensor: z
    .string()
    .min(1)
    .max(256)
    .refine((text) => !text.includes('\0'), 'holds a character that no sensorId has')
    .optional()
    .describe('Only sensors whose sensorId matches: `*` is any text, `?` any character.'),
  after: z.string().max(4_096).optional().describe('`next` of the answer before, for the next page.'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('Series in the answer, at most 1000.'),
});

const EXAMPLE = {
  from: '2026-11-20T00:00:00Z',
  to: '2026-11-21T00:00:00Z',
  sensors: [{ sensorId: 'pump-7', valueName: 'axis_x', newest: '2026-11-20T08:15:30.123456Z', count: 8640 }],
  next: null,
};

const pushedSensorsSchema = z
  .object({
    from: z.string(),
    to: z.string(),
    sensors: z
      .array(
        z.object({
          sensorId: z.string(),
          valueName: z.string(),
          newest: z
            .string()
            .nullable()
            .describe('Date of the newest stored reading of all time; null where none is stored.'),
          count: count('Stored readings from `from` on and before `to`. Exact.'),
        }),
      )
      .describe('In the order of sensorId and valueName.'),
    next: z.string().nullable().describe('Where the next page begins, for `after`; null on the last page.'),
  })
  .meta({ id: 'PushedSensors', examples: [EXAMPLE] });

/** The read-back as the reference shows it. */
export const readBackDocumentation = {
  operationId: 'listPushedSensors',
  summary: 'Read back what was stored',
  description: `Lists the sensors and variables of an ML project that clients push, each with the date of its newest reading and the exact number of its readings in a time.

    curl -H "Authorization: Bearer $ACCESS_TOKEN" "$BASE_URL/v0/organisations/default/data/pump-hall/sensors?from=2026-11-20T00:00:00Z"`,
  tags: ['Readings'],
  security: [{ accessToken: [] as string[] }],
  params: paramsSchema,
  querystring: readBackQuery,
  response: {
    200: {
      description: 'The sensors.',
      content: { 'application/json': { schema: pushedSensorsSchema, example: EXAMPLE } },
    },
    400: problemResponse('A parameter of the query is wrong.', 'bad-query', 'from is not before to.'),
    ...problemsOfTarget,
    429: problemResponse(
      `The application asked more than ${READ_BACKS_PER_MINUTE} times in a minute, or this address was refused too often. \`Retry-After\` says when to try again.`,
      'too-many-requests',
      `Ask at most ${READ_BACKS_PER_MINUTE} times a minute.`,
    ),
    503: problemResponse(
      'The service has too much to do, counting takes too long, or the database is away. Try again after `Retry-After` seconds.',
      'overloaded',
      'Counting takes too long. Ask for a shorter time, or for fewer sensors at a time (limit).',
    ),
  },
};
