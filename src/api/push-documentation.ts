import type { z } from 'zod';
import type { ApiSettings } from '../settings-api.ts';
import type { JsonBounds } from './json-bounds.ts';
import { PROBLEM_TYPE, HttpProblem, problemSchema } from './problem.ts';
import type { ProblemName } from './problems.ts';
import { SOME_REFUSED, answerSchema, bodySchema, paramsSchema, pushQuerySchema } from './push-schema.ts';

/** At most this many arrays and objects are nested: a body of readings has three, and future fields may need more. */
const MOST_LEVELS = 32;

/**
 * The bounds of a body. Beyond a thousand, they grow with the number of readings: on average a reading may have twenty
 * fields and labels, and four arrays and objects.
 */
export const bodyBounds = ({ readings }: Pick<ApiSettings, 'readings'>): JsonBounds => ({
  levels: MOST_LEVELS,
  elements: readings,
  values: 1_000 + 20 * readings,
  containers: 1_000 + 4 * readings,
  names: 1_000,
});

/** The request id of the examples. */
const EXAMPLE_ID = 'a1b2c3d4e5f60718-42';

/** An error answer in the reference: when it comes, and an example. */
export function problemResponse(description: string, name: ProblemName, detail: string) {
  const example = new HttpProblem(name, detail).documentFor(EXAMPLE_ID, '');
  return { description, content: { [PROBLEM_TYPE]: { schema: problemSchema, example } } };
}

const described = (description: string, example: z.infer<typeof answerSchema>) => ({
  description,
  content: { 'application/json': { schema: answerSchema, example } },
});

/** The answer that every path gives to a malformed request. */
export const malformed = problemResponse('The request is malformed.', 'bad-request', 'Send one Host header.');

/** The errors of a token that is not valid for the project of the path. */
export const problemsOfTarget = {
  401: problemResponse(
    'The access token is missing, invalid or expired. Renew it or create a new one, and send again.',
    'invalid-token',
    'The token has expired; renew it or create a new one.',
  ),
  403: problemResponse(
    'The token is for another organisation, or not for this project.',
    'forbidden',
    'The token is for organisation default.',
  ),
  404: problemResponse(
    'The organisation or the project does not exist. The operator creates both before readings are sent.',
    'unknown-project',
    'The organisation or the project code does not exist; the operator issues both.',
  ),
};

/** The push endpoint as the reference shows it. */
export function pushDocumentation(settings: ApiSettings) {
  return {
    operationId: 'pushReadings',
    summary: 'Push readings',
    description: `Stores the readings of an ML project. They are durable when \`200\` arrives, so a client may drop its copy then.

Sending a reading again is harmless. Project, sensorId, valueName and date identify it: with the same content it is a *duplicate*, with other content it is *revised*, and the content sent last is kept. After \`5xx\`, or when no answer came, send the same body again.

With \`?dryRun=true\` everything is judged and counted in the same way, and nothing is stored: a mapping can be tried before its first reading is sent.

An invalid reading is refused alone; the other readings of its body are stored. Where a body holds several readings of one sensorId, valueName and date (to the microsecond), the last of them is stored: equal ones are *duplicates*, and earlier ones with other content are refused (\`same-instant\`).

A body holds at most ${settings.readings} readings and ${settings.bodyBytes} bytes, counted after unpacking, and on average at most twenty fields and labels for each reading. It may be packed with gzip or zstd (\`Content-Encoding: gzip\` or \`zstd\`; of zstd in one frame, with a window of at most 8 MiB).

    curl -X POST "$BASE_URL/v0/organisations/default/data/pump-hall" \\
      -H "Authorization: Bearer $ACCESS_TOKEN" -H 'Content-Type: application/json' \\
      -d '[{"sensorId": "pump-7", "date": "2026-11-20T08:15:30Z", "value": 4.25}]'`,
    tags: ['Readings'],
    security: [{ accessToken: [] }],
    params: paramsSchema,
    querystring: pushQuerySchema,
    body: bodySchema,
    response: {
      200: described('The readings are stored, except those that were refused.', SOME_REFUSED),
      422: described('Every reading was refused and nothing was stored. The body lists the reasons, as with 200.', {
        ...SOME_REFUSED,
        accepted: 0,
        duplicates: 0,
      }),
      400: problemResponse(
        `The body is not JSON, not UTF-8, not an array, or nested deeper than ${MOST_LEVELS} levels.`,
        'not-json',
        'The body is not UTF-8.',
      ),
      ...problemsOfTarget,
      408: problemResponse('The body took too long to arrive.', 'too-slow', 'Send smaller bodies.'),
      413: problemResponse(
        'The body is too large, or holds too many readings, fields, labels or names of fields.',
        'too-many-readings',
        `A body may hold at most ${settings.readings} readings. Send several bodies.`,
      ),
      415: problemResponse(
        'The content type is not application/json, or the content encoding is none of gzip, zstd and identity; `Accept-Encoding` names those that are accepted.',
        'unsupported-media-type',
        'Send application/json in UTF-8.',
      ),
      429: problemResponse(
        'This address was refused too often. `Retry-After` says when to try again.',
        'too-many-failures',
        'This address was refused too often. Wait before you try again.',
      ),
      503: problemResponse(
        'The service has too much to do, or its database is away. A body is never stored in part; send the same body again after `Retry-After` seconds.',
        'overloaded',
        'Too many readings wait to be stored. Nothing of this body was stored; send it again later.',
      ),
    } satisfies Record<number, { description: string; content: Record<string, { schema: z.ZodType }> }>,
  };
}
