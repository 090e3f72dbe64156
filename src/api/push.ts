import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DAY, HOUR } from '../core/instant.ts';
import type { SeriesRefusal } from '../core/reading.ts';
import { messageOf } from '../core/refusal-remedies.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { inTime } from '../database/patience.ts';
import type { Intake } from '../ingest/pushed-intake.ts';
import type { PushUses } from '../ingest/pushed-use.ts';
import type { PushedOwnership } from '../ingest/pushed-ownership.ts';
import { judgePushed } from '../ingest/pushed-readings.ts';
import type { Pushed } from '../ingest/pushed-readings.ts';
import { tryPush } from '../ingest/pushed-trial.ts';
import { bytesBesides } from '../ingest/pushed-room.ts';
import type { Room } from '../ingest/pushed-room.ts';
import type { ApiSettings } from '../settings-api.ts';
import { decodeUtf8, readBody } from './body.ts';
import { jsonMeasure } from './json-bounds.ts';
import type { JsonBounds } from './json-bounds.ts';
import type { ApiMeters } from './meters.ts';
import { HttpProblem, retryAfterHeader } from './problem.ts';
import type { ProblemName } from './problems.ts';
import { bodyBounds, pushDocumentation } from './push-documentation.ts';
import { openTargetOf } from './target.ts';
import type { TargetParts } from './target.ts';
import { isDryRun, trialAnswer } from './trial.ts';

export interface PushParts {
  readonly settings: ApiSettings;
  readonly target: TargetParts;
  readonly intake: Intake;
  readonly uses: PushUses;
  readonly database: Database;
  readonly ownership: PushedOwnership;
  readonly room: Room;
  readonly meters?: ApiMeters | undefined;
  readonly clock: SharedClock;
  readonly log: Logger;
}

type Reserve = (bytes: number) => void;

/** Seconds after which a client should try again when no memory is left. */
const FULL_SECONDS = 2;

/** `POST /v0/organisations/{organisation_id}/data/{ml_project}`: authenticate, read, judge, store, answer. */
export function addPushRoute(app: FastifyInstance, parts: PushParts): void {
  const { settings, intake, ownership, clock, log } = parts;
  const { waitMs } = settings;
  const timeBounds = { ahead: settings.aheadHours * HOUR, back: settings.backDays * DAY };
  const jsonBounds = bodyBounds(settings);

  /** A function of its own, so that the body is freed while the readings wait for the database. */
  async function judged(
    request: FastifyRequest,
    reply: FastifyReply,
    { projectId, applicationId }: { readonly projectId: number; readonly applicationId: string },
    { reserve, dryRun }: { reserve: Reserve; dryRun: boolean },
  ): Promise<{ readonly pushed: Pushed; readonly bytes: number }> {
    const inspect = inspectorOf(jsonBounds);
    const body = await readBody(request, reply, {
      mostBytes: settings.bodyBytes,
      smaller: 'Send the readings in several bodies.',
      packed: true,
      reserve,
      inspect,
    });
    const keptFrom = await inTime(settings.waitMs, parts.target.targets.keptFrom(projectId));
    const bounds = { now: clock.now(), keptFrom, ...timeBounds };
    // Parsed anew where that is needed, so that no request holds parsed elements while it waits.
    const renamed = await inTime(settings.waitMs, ownership.renamedIn(projectId));
    const judge = (untaken?: ReadonlyMap<string, SeriesRefusal>): Promise<Pushed> =>
      judgedBody(body, bounds, untaken, renamed);
    const pushed = await judge();
    const untaken = await inTime(
      settings.waitMs,
      dryRun
        ? ownership.untakenNow(projectId, pushed.columns)
        : ownership.untakenAmong({ projectId, applicationId }, pushed.columns),
    );
    return { pushed: untaken.size === 0 ? pushed : await judge(untaken), bytes: body.length };
  }

  app.withTypeProvider<ZodTypeProvider>().post(
    '/v0/organisations/:organisation_id/data/:ml_project',
    // The handler judges each reading by itself, so the schema is for the reference only.
    { schema: pushDocumentation(settings), validatorCompiler: () => (value) => ({ value }) },
    async (request, reply) => {
      const { applicationId, projectId } = await openTargetOf(request, parts.target);
      const dryRun = isDryRun(request.query as Record<string, unknown>);
      assertJson(request.headers['content-type']);
      const share = shareOf(parts.room, applicationId);
      const { reserve } = share;
      try {
        const { pushed, bytes } = await judged(request, reply, { projectId, applicationId }, { reserve, dryRun });
        reserve(bytesBesides(pushed.columns));
        const trial = dryRun
          ? await tryPush(parts.database, { projectId, columns: pushed.columns, waitMs, now: clock.now() })
          : undefined;
        const counts = trial?.counts ?? (await intake.push(applicationId, projectId, pushed));
        if (!dryRun) parts.meters?.pushed({ ...counts, refused: pushed.refused });
        const { refusals, refusedCount, unknownFields, unknownFieldNames } = pushed;
        const refused = refusals.map((refusal) => ({ ...refusal, message: messageOf(refusal.reason, 'pusher') }));
        if (!dryRun) parts.uses.note({ applicationId, at: clock.now(), bytes, ...counts });
        const none = refusedCount > 0 && pushed.readings === 0;
        const tried = trial === undefined ? undefined : trialAnswer(trial);
        const duplicates = counts.duplicates + (dryRun ? pushed.repeats : 0);
        const answer = {
          ...counts,
          duplicates,
          refused,
          refusedCount,
          unknownFields,
          unknownFieldNames,
          dryRun: tried,
        };
        log.debug(
          { requestId: request.id, application: applicationId, dryRun, ...counts, refusedCount },
          'readings were pushed',
        );
        return await reply.code(none ? 422 : 200).send(answer);
      } finally {
        share.giveBack();
      }
    },
  );
}

function assertJson(contentType: string | undefined): void {
  if (contentType === 'application/json') return;
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type === 'application/json' && utf8) return;
  throw new HttpProblem('unsupported-media-type', 'Send application/json in UTF-8.', {
    headers: { accept: 'application/json' },
  });
}

/** Throws where a piece of a body outgrows its bounds. */
function inspectorOf(bounds: JsonBounds): (chunk: Buffer) => void {
  const measure = jsonMeasure(bounds);
  return (chunk) => {
    const outgrown = measure(chunk);
    if (outgrown !== undefined) throw new HttpProblem(...OUTGROWN[outgrown](bounds[outgrown]));
  };
}

const OUTGROWN: Readonly<Record<keyof JsonBounds, (most: number) => [ProblemName, string]>> = {
  levels: (most) => ['too-deep', `A body may be nested at most ${most} levels deep; a body of readings has three.`],
  elements: (most) => ['too-many-readings', `A body may hold at most ${most} readings. Send several bodies.`],
  values: (most) => ['too-many-values', `A body may hold at most ${most} fields and labels. Send several bodies.`],
  containers: (most) => ['too-many-values', `A body may hold at most ${most} arrays and objects. Send several bodies.`],
  names: (most) => ['too-many-values', `The fields of a body may have at most ${most} different names.`],
};

/** A longer body is decoded, parsed and judged in three turns of the event loop, because each takes tens of milliseconds. */
const AT_ONCE_BYTES = 1_000_000;

/** The readings and refusals of a body. Throws `HttpProblem` where it is not an array in JSON. */
export async function judgedBody(
  body: Buffer,
  ...how: Parameters<typeof judgePushed> extends [unknown, ...infer More] ? More : never
): Promise<Pushed> {
  const letOthersRun = async (): Promise<void> => {
    if (body.length > AT_ONCE_BYTES) await setImmediate();
  };
  const text = decodeUtf8(body);
  if (text === undefined) throw new HttpProblem('not-json', 'The body is not UTF-8.');
  await letOthersRun();
  const elements = elementsOf(text);
  await letOthersRun();
  return judgePushed(elements, ...how);
}

/** The elements of the text of a body. Throws `HttpProblem` where it is not an array in JSON. */
function elementsOf(text: string): readonly unknown[] {
  const elements = parse(text);
  if (!Array.isArray(elements))
    throw new HttpProblem('not-an-array', 'Send an array of readings, also for a single reading.');
  return elements;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Only the place is taken over, because the rest of the parser's message quotes the body.
    const place = /position (\d+)/.exec((error as Error).message)?.[1];
    const where = place === undefined ? '' : ` at character ${place}`;
    throw new HttpProblem('not-json', `The body cannot be parsed as JSON${where}.`, {
      errors: [{ pointer: '', detail: `not JSON${where}` }],
    });
  }
}

/** The memory that one request holds. */
function shareOf(room: Room, applicationId: string): { reserve: Reserve; giveBack(): void } {
  let held = 0;
  return {
    reserve(bytes) {
      if (!room.take(applicationId, bytes)) {
        const detail = 'Too many readings wait to be stored. Nothing of this body was stored; send it again later.';
        throw new HttpProblem('overloaded', detail, { headers: retryAfterHeader(FULL_SECONDS) });
      }
      held += bytes;
    },
    giveBack() {
      room.give(applicationId, held);
      held = 0;
    },
  };
}
