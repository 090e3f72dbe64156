import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { checkInSteps } from '../source/check-in-steps.ts';
import { commandPresence } from '../source/command-presence.ts';
import { previewSource } from '../source/preview.ts';
import { registeredSource } from '../source/registered.ts';
import type { BridgeAtHand, RegisteredSource } from '../source/registered.ts';
import { searchSensors } from '../source/sensor-search.ts';
import { previewDocument, sensorsDocument, stepDocument } from '../source/trial-documents.ts';
import { VERSION } from '../version.ts';
import { sourceOfBody, sourceText, takeSourceText } from './apply.ts';
import { flag, instantOfField, sourceIn, sourceParams, timeField } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { errorLine, jsonLine, linesAnswer, openStreamsOf } from './streams.ts';

/** Checks and previews under way at a time; each asks a platform and holds an answer in memory. */
const MOST_TRIALS = { each: 2, all: 8 };

const trialQuery = z.object({
  inQuietHours: flag.describe('Ask the platform although the source has quiet hours.'),
  tryAgain: flag.describe('Send credentials once more that the platform refused before.'),
});
const sensorsQuery = trialQuery.extend({
  search: z.string().max(200).default('').describe('A part of an id or a name, in capital letters or not.'),
  limit: z.coerce.number().int().min(1).max(1000).default(50).describe('At most this many sensors.'),
});
const previewQuery = trialQuery.extend({
  from: timeField,
  to: timeField.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(20).describe('At most this many readings.'),
});

const STEPS = linesAnswer(
  'One JSON document a line: each `step` as soon as it is done, then the `result`; `error` where it could not go on.',
);
const RESULT = linesAnswer('One JSON document a line: the `result`, or the `error`.');

type Tried = Pick<RegisteredSource, 'config' | 'platform'>;

/** A trial that begins with its answer. */
type Work = (signal: AbortSignal) => AsyncIterable<string>;

/** The routes that ask a platform by hand and save nothing. A client that leaves ends the work. */
export function addTrialRoutes(app: FastifyInstance, parts: OperatorParts): void {
  const { settings, clock, database } = parts;
  const streams = openStreamsOf(app, MOST_TRIALS);

  const given = (query: z.infer<typeof trialQuery>, bridge: BridgeAtHand, signal: AbortSignal) => ({
    now: clock.now,
    signal,
    bridge,
    inQuietHours: query.inQuietHours === 'true',
    tryAgain: query.tryAgain === 'true',
    maxReadings: settings.windowReadings,
    ...settings.egress,
  });

  /** Runs a trial as a process of its own, because its leases count while it is present only, also where no worker runs here. */
  async function* present(work: (bridge: BridgeAtHand) => AsyncIterable<string>): AsyncGenerator<string> {
    const { bridge, leave } = await commandPresence(parts, { version: VERSION });
    try {
      yield* work(bridge);
    } catch (error) {
      yield errorLine(error, parts.log, 'a check, preview or search failed');
    } finally {
      await leave();
    }
  }

  const check =
    (tried: Tried, request: FastifyRequest): Work =>
    (signal) =>
      present(async function* steps(bridge) {
        const query = request.query as z.infer<typeof trialQuery>;
        const checking = checkInSteps(tried.config, tried.platform, {
          ...given(query, bridge, signal),
          whyAlone: 'the source is not registered',
        });
        let next = await checking.next();
        while (!next.done) {
          yield jsonLine({ step: stepDocument(next.value) });
          next = await checking.next();
        }
        const { requestsPerSecond: _, ...result } = next.value;
        yield jsonLine({ result });
      });

  /** Throws 400, before the answer begins, where the range is none. */
  const preview = (tried: Tried, request: FastifyRequest): Work => {
    const query = request.query as z.infer<typeof previewQuery>;
    const now = clock.now();
    const range = {
      from: instantOfField(query.from, now, 'from'),
      to: query.to === undefined ? undefined : instantOfField(query.to, now, 'to'),
    };
    return (signal) =>
      present(async function* read(bridge) {
        const trial = { ...given(query, bridge, signal), range, limit: query.limit };
        const read = await previewSource(tried.config, tried.platform, trial);
        const why = read.sharesPace ? null : 'the source is not registered';
        yield jsonLine({ result: { ...previewDocument(tried.config, read), why } });
      });
  };

  const search =
    (tried: Tried, request: FastifyRequest): Work =>
    (signal) =>
      present(async function* look(bridge) {
        const query = request.query as z.infer<typeof sensorsQuery>;
        const { search: text, limit } = query;
        const found = await searchSensors(tried.config, tried.platform, {
          ...given(query, bridge, signal),
          search: text,
          limit,
        });
        yield jsonLine({ result: sensorsDocument(tried.config, found) });
      });

  const registered = async (request: FastifyRequest): Promise<Tried> => {
    const { name, organisation } = await sourceIn(database, request);
    return await registeredSource(parts, { name, organisation });
  };
  const config = { role: 'operator' } as const;
  const tags = ['Sources'];
  const searches = 'Find sensors on the platform, to choose them, and save nothing';
  const trials = [
    ['check', 'check', 'Try a source step by step within its pace, and save nothing', trialQuery, STEPS, check],
    ['sensors', 'search', searches, sensorsQuery, RESULT, search],
    ['preview', 'preview', 'Read a range as polls would, and save nothing', previewQuery, RESULT, preview],
  ] as const;
  for (const [name, verb, summary, querystring, response, work] of trials) {
    app.withTypeProvider<ZodTypeProvider>().post(
      `/api/v1/sources/:organisation/:name/${name}`,
      {
        config,
        schema: { operationId: `${verb}Source`, summary, tags, params: sourceParams, querystring, response },
      },
      async (request, reply) => {
        const tried = await registered(request);
        return streams.answer(request, reply, 'application/x-ndjson', work(tried, request));
      },
    );
    app.register((scope, _options, done) => {
      takeSourceText(scope);
      scope.withTypeProvider<ZodTypeProvider>().post(
        `/api/v1/sources/${name}`,
        {
          config,
          schema: {
            operationId: `${verb}Document`,
            summary: `${summary}: a source that is sent`,
            tags,
            querystring,
            body: sourceText,
            response,
          },
        },
        async (request, reply) => {
          const tried = await sourceOfBody(parts, request);
          return streams.answer(request, reply, 'application/x-ndjson', work(tried, request));
        },
      );
      done();
    });
  }
}
