import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { listAudit } from '../access/audit.ts';
import type { AuditChoice, AuditEntry } from '../access/audit.ts';
import { formatInstant } from '../core/instant.ts';
import { operatorOf } from './authenticate.ts';
import { boundsIn, idIn, pageBelow, pageQuery, pageSchemaOf, timeField } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { OperatorProblem } from './problem.ts';
import { openStreamsOf } from './streams.ts';

const auditSchema = z
  .object({
    id: z.int(),
    at: z.string(),
    actor: z.string().describe('`operator:NAME`, `cli:ACCOUNT` or `application:ID`.'),
    action: z.string(),
    subject: z.string(),
    detail: z.unknown().meta({ id: 'AuditDetail', description: 'What changed; each action has fields of its own.' }),
  })
  .meta({
    id: 'AuditEntry',
    examples: [
      {
        id: 41,
        at: '2026-11-22T10:00:00Z',
        actor: 'operator:anna',
        action: 'source.pause',
        subject: 'hall-3',
        detail: { organisation: 'default' },
      },
    ],
  });

const choiceQuery = z.object({
  source: z.string().max(63).optional(),
  organisation: z.string().max(128).optional().describe('That of the source.'),
  actor: z.string().max(200).optional().describe('A part of the name.'),
  action: z.string().max(100).optional().describe('Such as `source.pause`; `source.*` for all that begin so.'),
  from: timeField.optional(),
  to: timeField.optional(),
});

/** Entries that an export reads at a time, exports that may run, and the most entries of one. */
const AT_ONCE = 500;
const MOST_EXPORTS = { each: 2, all: 4 };
const MOST_ENTRIES = 1_000_000;

const documentOf = (entry: AuditEntry) => ({ ...entry, at: formatInstant(entry.at) });

/** A line of CSV (RFC 4180). A text that a program would take for a formula begins with an apostrophe. */
const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => `"${(/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`).join(',')}\r\n`;

const FORMATS = {
  csv: {
    type: 'text/csv',
    head: csvLine(['id', 'at', 'actor', 'action', 'subject', 'detail']),
    line: ({ id, at, actor, action, subject, detail }: AuditEntry) =>
      csvLine([String(id), formatInstant(at), actor, action, subject, JSON.stringify(detail)]),
  },
  jsonl: {
    type: 'application/x-ndjson',
    head: '',
    line: (entry: AuditEntry) => `${JSON.stringify(documentOf(entry))}\n`,
  },
} as const;

/** The routes that show who changed what. */
export function addAuditRoutes(app: FastifyInstance, { database, clock }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const streams = openStreamsOf(app, MOST_EXPORTS);
  const tags = ['Audit'];
  const description = 'An operator of some organisations sees the changes that name one of these.';
  /** The changes that a request asks for and that its operator sees. */
  const choiceOf = (request: FastifyRequest, { from, to, ...choice }: z.infer<typeof choiceQuery>): AuditChoice => {
    if (choice.organisation !== undefined && choice.source === undefined)
      throw new OperatorProblem('invalid', 'organisation is that of a source.', { remedy: 'Name the source.' });
    return {
      ...choice,
      ...boundsIn({ from, to }, clock.now()),
      among: operatorOf(request).organisations ?? undefined,
    };
  };
  typed.get(
    '/api/v1/audit',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listAudit',
        summary: 'List changes and their actors, the newest first',
        description,
        tags,
        querystring: pageQuery.extend(choiceQuery.shape),
        response: { 200: pageSchemaOf(auditSchema) },
      },
    },
    async (request) => {
      const { limit, cursor, ...choice } = request.query;
      const entries = await listAudit(database, { ...choiceOf(request, choice), before: idIn(cursor), limit });
      return pageBelow(entries.map(documentOf), limit);
    },
  );
  typed.get(
    '/api/v1/audit/export',
    {
      config: { role: 'viewer', streams: true },
      schema: {
        operationId: 'exportAudit',
        summary: 'All changes that are wanted as a file, the newest first',
        description,
        tags,
        querystring: choiceQuery.extend({
          format: z.enum(['csv', 'jsonl']).default('csv'),
          before: z.coerce
            .number()
            .int()
            .min(1)
            .max(Number.MAX_SAFE_INTEGER)
            .optional()
            .describe('Only entries before this one, to go on behind a file that was cut.'),
        }),
        response: {
          200: {
            description:
              'An entry a line. Beyond 1,000,000 the last line has the action `export.cut` and says how to go on.',
            content: {
              'text/csv': { schema: z.string() },
              'application/x-ndjson': { schema: z.string() },
            },
          },
        },
      },
    },
    (request, reply) => {
      const { format, ...query } = request.query;
      const choice = choiceOf(request, query);
      const { type } = FORMATS[format];
      reply.header('content-disposition', `attachment; filename="audit.${format}"`);
      const read = (before: number | undefined) => listAudit(database, { ...choice, before, limit: AT_ONCE });
      return streams.answer(request, reply, type, (signal) =>
        auditFile(read, { format, begin: query.before, most: MOST_ENTRIES, signal }),
      );
    },
  );
}

/** The parts of a file of the audit. One that has more than `most` entries ends with a line that says so, and how to go on. */
export async function* auditFile(
  read: (before: number | undefined) => Promise<readonly AuditEntry[]>,
  {
    format,
    begin,
    most,
    signal,
  }: {
    readonly format: keyof typeof FORMATS;
    /** Only entries before this one. */
    readonly begin?: number | undefined;
    readonly most: number;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<string> {
  const { head, line } = FORMATS[format];
  yield head;
  let before = begin;
  let last: AuditEntry | undefined;
  for (let told = 0; !signal.aborted;) {
    const entries = await read(before);
    if (entries.length === 0) return;
    if (told >= most && last !== undefined) {
      const detail = { remedy: `this file was cut here; ask again with before=${last.id} for the older entries` };
      yield line({ ...last, actor: 'databridge', action: 'export.cut', subject: String(last.id), detail });
      return;
    }
    yield entries.map(line).join('');
    told += entries.length;
    last = entries.at(-1);
    before = last?.id;
  }
}
