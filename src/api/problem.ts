import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { PROBLEMS, PROBLEM_NAMES } from './problems.ts';
import type { ProblemName } from './problems.ts';
import { REQUEST_ID, instanceOf } from './request-id.ts';

/** The body of an error answer, `application/problem+json` (RFC 9457). */
export const problemSchema = z
  .object({
    type: z
      .string()
      .describe(
        'The kind of problem as a URI reference: its page, with meaning and remedy. A URN where the service has no pages.',
      ),
    code: z
      .enum(PROBLEM_NAMES as [ProblemName, ...ProblemName[]])
      .describe('The kind of problem, for programs: the end of `type`, the same on every service.'),
    title: z.string().describe('The kind of problem in words, the same for every problem of this type.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('The cause in this case, and the remedy.'),
    instance: z
      .string()
      .describe('The request: `urn:databridge:request:` and the `X-Request-Id` of the answer, for the operator.'),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .describe('Each error in the body with its place (JSON pointer); empty where no place is known.'),
  })
  .meta({ id: 'Problem' });

type ProblemDocument = z.infer<typeof problemSchema>;
/** A problem without the request that met it. */
type ProblemKind = Omit<ProblemDocument, 'instance' | 'type'>;

/** An error that is sent to the client as the answer, so `detail` never holds a secret. */
export class HttpProblem extends Error {
  readonly type: ProblemName;
  private readonly kind: ProblemKind;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    name: ProblemName,
    detail: string,
    more: { errors?: ProblemDocument['errors']; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.type = name;
    const [status, title] = PROBLEMS[name];
    this.kind = { code: name, title, status, detail, errors: more.errors ?? [] };
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return this.kind.status;
  }

  /** The body of the answer to a request. `typeBase`: the beginning of every `type` (`typeBaseOf`). */
  documentFor(requestId: string, typeBase: string): ProblemDocument {
    const { errors, code, ...kind } = this.kind;
    return { type: `${typeBase}${code}`, code, ...kind, instance: instanceOf(requestId), errors };
  }
}

/** The header that tells a client when to try again, in whole seconds. */
export const retryAfterHeader = (seconds: number): { 'retry-after': string } => ({
  'retry-after': String(Math.max(1, Math.ceil(seconds))),
});

export const PROBLEM_TYPE = 'application/problem+json';

/** Sends a problem as the answer to a request. */
export const problemSender =
  (typeBase: string) =>
  (reply: FastifyReply, problem: HttpProblem): FastifyReply =>
    reply
      .code(problem.status)
      .header(REQUEST_ID, reply.request.id)
      .headers(problem.headers)
      .type(PROBLEM_TYPE)
      .send(JSON.stringify(problem.documentFor(reply.request.id, typeBase)));
