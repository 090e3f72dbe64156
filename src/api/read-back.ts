import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { DAY, formatInstant, parseInstant } from '../core/instant.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { inTime } from '../database/patience.ts';
import { pushedSeriesOf } from '../ingest/pushed-series.ts';
import type { PushedSeries, SeriesPlace, WantedSeries } from '../ingest/pushed-series.ts';
import { attemptsOf } from './attempts.ts';
import type { Attempts } from './attempts.ts';
import { HttpProblem, retryAfterHeader } from './problem.ts';
import {
  MOST_DAYS,
  READ_BACKS_PER_MINUTE,
  SENSORS_PATH,
  readBackDocumentation,
  readBackQuery,
} from './read-back-schema.ts';
import { targetOf } from './target.ts';
import type { SharedAttempts } from './shared-attempts.ts';
import type { TargetParts } from './target.ts';

/** How long the database may count for one answer, ms. */
const COUNT_MS = 10_000;
/** At most this many answers are counted at a time by a process, because the database has to store pushes meanwhile. */
const AT_ONCE = 2;

/** `GET …/data/{ml_project}/sensors`: the newest reading and the number of readings of each pushed series. */
export function addReadBack(
  app: FastifyInstance,
  {
    target,
    database,
    clock,
    attempts: by,
  }: { target: TargetParts; database: Database; clock: SharedClock; attempts: SharedAttempts },
): void {
  const attempts = attemptsOf(READ_BACKS_PER_MINUTE, { shared: { by, name: 'read-backs' } });
  let counting = 0;

  async function counted(wanted: WantedSeries): Promise<readonly PushedSeries[]> {
    if (counting >= AT_ONCE) {
      throw new HttpProblem('overloaded', 'Other answers are being counted.', { headers: retryAfterHeader(1) });
    }
    counting += 1;
    try {
      return await inTime(COUNT_MS + 1_000, pushedSeriesOf(database, wanted, COUNT_MS));
    } catch (error) {
      if (!isGivenUp(error)) throw error;
      const detail = 'Counting takes too long. Ask for a shorter time, or for fewer sensors at a time (limit).';
      throw new HttpProblem('overloaded', detail, { headers: retryAfterHeader(5) });
    } finally {
      counting -= 1;
    }
  }

  app
    .withTypeProvider<ZodTypeProvider>()
    .get(
      SENSORS_PATH,
      { schema: readBackDocumentation, validatorCompiler: () => (value) => ({ value }) },
      async (request, reply) => {
        const { applicationId, projectId } = await targetOf(request, target);
        limit(reply, attempts, applicationId);
        const { range, sensor, after, most } = wantedOf(request.query, clock.now());
        // One more shows whether there is a next page.
        const found = await counted({ projectId, range, sensor, after, limit: most + 1 });
        const page = found.slice(0, most);
        const last = page.at(-1);
        const sensors = page.map(({ newest, ...one }) => ({
          ...one,
          newest: newest === null ? null : formatInstant(newest),
        }));
        const next = last !== undefined && found.length > most ? cursorOf(last) : null;
        return { from: formatInstant(range.from), to: formatInstant(range.to), sensors, next };
      },
    );
}

/** Counts the request, and tells the client what is left (`RateLimit`). Throws 429 where nothing is. */
function limit(reply: FastifyReply, attempts: Attempts, applicationId: string): void {
  const wait = attempts.take(applicationId);
  const { left, fullSeconds } = attempts.left(applicationId);
  reply.headers({
    'ratelimit-policy': `"read-back";q=${READ_BACKS_PER_MINUTE};w=60`,
    ratelimit: `"read-back";r=${left};t=${fullSeconds}`,
  });
  if (wait === 0) return;
  throw new HttpProblem('too-many-requests', `Ask at most ${READ_BACKS_PER_MINUTE} times a minute.`, {
    headers: retryAfterHeader(wait),
  });
}

/** PostgreSQL ended the statement because of its time limit. */
const isGivenUp = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014';

function wantedOf(
  query: unknown,
  now: number,
): Pick<WantedSeries, 'range' | 'sensor' | 'after'> & { readonly most: number } {
  const given = readBackQuery.safeParse(query);
  if (!given.success) {
    const [issue] = given.error.issues;
    const field = issue?.path.join('.') || (issue && 'keys' in issue ? issue.keys.join(', ') : '');
    throw wrong(`${field}: ${issue?.message ?? 'is wrong'}`);
  }
  const { from, to, sensor, after, limit: most } = given.data;
  const end = to === undefined ? now : instantOf('to', to);
  const range = { from: from === undefined ? end - DAY : instantOf('from', from), to: end };
  if (range.from >= range.to) throw wrong('from is not before to');
  if (range.to - range.from > MOST_DAYS * DAY) throw wrong(`from and to may be at most ${MOST_DAYS} days apart`);
  return { range, sensor, after: after === undefined ? undefined : placeOf(after), most };
}

function instantOf(field: string, text: string): number {
  const instant = parseInstant(text);
  if (instant === undefined) throw wrong(`${field} is no instant such as 2026-11-20T08:15:30Z`);
  return instant;
}

const wrong = (fault: string): HttpProblem => new HttpProblem('bad-query', `${fault}.`);

const cursorOf = ({ sensorId, valueName }: SeriesPlace): string =>
  Buffer.from(JSON.stringify([sensorId, valueName])).toString('base64url');

function placeOf(cursor: string): SeriesPlace {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(place) && place.length === 2) {
      const [sensorId, valueName] = place as unknown[];
      if (isName(sensorId) && isName(valueName)) return { sensorId, valueName };
    }
  } catch {
    // Not a cursor.
  }
  throw wrong('after is not the next of an earlier answer');
}

/** PostgreSQL takes no text with a zero byte. */
const isName = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
