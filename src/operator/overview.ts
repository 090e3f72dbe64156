import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { listAlerts } from '../alerts/alerts.ts';
import { overviewDocument, overviewOf } from '../alerts/overview.ts';
import type { Judgement } from '../alerts/judgement.ts';
import type { Overview } from '../alerts/overview.ts';
import { DEFAULT_RULES, readRules } from '../alerts/rules.ts';
import { operatorOf } from './authenticate.ts';
import { answered, shows } from './documents.ts';
import type { OperatorParts } from './parts.ts';
import { conditions } from './source-shapes.ts';

/** How long an overview is told to all that ask, ms. */
const FRESH_MS = 3_000;

/** Troubles of an answer, the worst of them. */
const MOST_TROUBLES = 200;

const overviewSchema = shows<ReturnType<typeof overviewDocument> & { readonly troublesInAll: number }>()(
  z
    .object({
      now: z.string(),
      state: z.enum(['ok', 'warning', 'failed']).describe('`failed`: an operator is needed now; `warning`: later.'),
      verdict: z.string().describe('The same in one sentence.'),
      sources: z.int(),
      conditions: z.partialRecord(z.enum(conditions), z.int()).describe('Sources in each condition.'),
      plannerAgeSeconds: z.number().nullable().describe('Since the planner planned; null before its first step.'),
      workers: z.array(
        z.object({
          host: z.string(),
          pid: z.int(),
          version: z.string(),
          ageSeconds: z.number().describe('Since its last sign of life.'),
          clockAheadSeconds: z.number().nullable().describe('Null where its clock agrees with the database.'),
        }),
      ),
      work: z.object({
        due: z.object({ poll: z.int(), look: z.int(), history: z.int() }).describe('Due, and not taken yet.'),
        outbox: z
          .object({
            waiting: z.int(),
            oldestAge: z.number().describe('Seconds.'),
            full: z.int().describe('Projects whose outbox is full.'),
            stopped: z.int().describe('Projects whose delivery waits for an operator.'),
          })
          .describe('Readings that wait for another service.'),
      }),
      disks: z
        .array(z.object({ host: z.string(), free: z.number(), size: z.number() }))
        .optional()
        .describe('In bytes; for operators of all organisations.'),
      holds: z.array(z.string()).describe('Projects on hold: nothing of them is removed.'),
      troubles: z
        .array(
          z.object({
            state: z.enum(['warning', 'failed']),
            kind: z.string(),
            cause: z.string(),
            count: z.int().describe('How many sources, projects or hosts it hits.'),
            ofSources: z.boolean(),
            subjects: z.array(z.string()).describe('The first of them.'),
            detail: z.string(),
            remedy: z.string(),
            next: z.string().describe('The command that goes on from here.'),
          }),
        )
        .describe('What is wrong, grouped by its cause, the worst first. At most 200.'),
      troublesInAll: z.int(),
    })
    .meta({
      id: 'Overview',
      examples: [
        {
          now: '2026-11-22T10:00:00Z',
          state: 'ok',
          verdict: 'all is well with 2 sources',
          sources: 2,
          conditions: { well: 2 },
          plannerAgeSeconds: 0.2,
          workers: [{ host: 'bridge-1', pid: 4711, version: '0.1.0', ageSeconds: 1.4, clockAheadSeconds: null }],
          work: {
            due: { poll: 0, look: 0, history: 0 },
            outbox: { waiting: 0, oldestAge: 0, full: 0, stopped: 0 },
          },
          holds: [],
          troubles: [],
          troublesInAll: 0,
        },
      ],
    }),
);

/** `GET /api/v1/overview`. */
export function addOverviewRoutes(app: FastifyInstance, { database, settings }: OperatorParts): void {
  let rules = DEFAULT_RULES;
  /** By the organisations that are seen; all that ask at a time, and shortly afterwards, get the same one. */
  const made = new Map<string, Promise<Overview>>();
  /** The alerts look at the key, which takes too long to do for each answer. */
  const keyFindings = async (): Promise<readonly Judgement[]> =>
    (await listAlerts(database, { kind: 'key', state: 'open' }, 100)).map(
      ({ kind, organisation, subject, severity, what, remedy }) => ({
        check: 'key',
        state: severity === 'critical' ? 'failed' : 'warning',
        kind,
        organisation,
        subject,
        detail: what,
        remedy,
      }),
    );
  const overviewFor = (organisations: readonly string[] | null): Promise<Overview> => {
    const key = JSON.stringify(organisations);
    const known = made.get(key);
    if (known !== undefined) return known;
    const making = (async () => {
      // A file that was broken meanwhile is told by doctor; the rules of before go on.
      rules = await readRules(settings.alerts).catch(() => rules);
      const { limits } = rules;
      const isEmbedded = settings.databaseUrl === undefined;
      const more = await keyFindings();
      return await overviewOf(database, { limits, isEmbedded, organisations: organisations ?? undefined, more });
    })();
    made.set(key, making);
    const forget = (): void => void made.delete(key);
    making.then(() => setTimeout(forget, FRESH_MS).unref(), forget);
    return making;
  };
  app.withTypeProvider<ZodTypeProvider>().get(
    '/api/v1/overview',
    {
      config: { role: 'viewer', costly: true },
      schema: {
        operationId: 'getOverview',
        summary: 'The state of the bridge on one screen: a verdict, sources by condition, and troubles by cause',
        description: 'It is computed once in 3 seconds for all that ask.',
        tags: ['Overview'],
        response: { 200: overviewSchema },
      },
    },
    async (request) => {
      const { disks, ...overview } = overviewDocument(await overviewFor(operatorOf(request).organisations));
      return {
        ...answered(overview),
        ...(disks && { disks: answered(disks) }),
        troubles: answered(overview.troubles.slice(0, MOST_TROUBLES)),
        troublesInAll: overview.troubles.length,
      };
    },
  );
}
