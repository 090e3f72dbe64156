import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { REQUEST_ID, instanceOf } from './request-id.ts';

/** The error answers of the API, except those of the token endpoint: status and title by name. */
const PROBLEMS = {
  'bad-request': [400, 'The request cannot be understood'],
  'bad-query': [400, 'A parameter of the query is wrong'],
  'not-json': [400, 'The body is not JSON'],
  'not-an-array': [400, 'The body is not a JSON array'],
  'too-deep': [400, 'The body is nested too deeply'],
  'invalid-token': [401, 'The access token is not accepted'],
  forbidden: [403, 'The access token is not for this organisation or project'],
  'not-found': [404, 'There is no such path'],
  'unknown-project': [404, 'There is no such organisation or ML project'],
  'method-not-allowed': [405, 'The method is not allowed here'],
  'too-slow': [408, 'The request took too long to arrive'],
  'body-too-large': [413, 'The body is too large'],
  'too-many-readings': [413, 'The body holds too many readings'],
  'too-many-values': [413, 'The body holds too many values'],
  'unsupported-media-type': [415, 'The content type is not supported'],
  'unsupported-encoding': [415, 'The content encoding is not supported'],
  'headers-too-large': [431, 'The headers are too large'],
  'too-many-failures': [429, 'Too many failed authentications'],
  'too-many-requests': [429, 'Too many requests'],
  internal: [500, 'Something is wrong with the service'],
  overloaded: [503, 'The service has too much to do'],
  'wrong-key': [503, 'The service cannot open what it stored'],
  'database-away': [503, 'The service cannot store anything at present'],
} as const;

export type ProblemName = keyof typeof PROBLEMS;

/** The body of an error answer, `application/problem+json` (RFC 9457). */
export const problemSchema = z
  .object({
    type: z.string().describe('The kind of problem, for programs: a URN that does not change.'),
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
type ProblemKind = Omit<ProblemDocument, 'instance'>;

/** An error that is sent to the client as the answer, so `detail` never holds a secret. */
export class HttpProblem extends Error {
  private readonly kind: ProblemKind;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    name: ProblemName,
    detail: string,
    more: { errors?: ProblemDocument['errors']; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.name = 'Problem';
    const [status, title] = PROBLEMS[name];
    this.kind = { type: `urn:databridge:problem:${name}`, title, status, detail, errors: more.errors ?? [] };
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return this.kind.status;
  }

  /** The body of the answer to a request. */
  documentFor(requestId: string): ProblemDocument {
    const { errors, ...kind } = this.kind;
    return { ...kind, instance: instanceOf(requestId), errors };
  }
}

/** The header that tells a client when to try again, in whole seconds. */
export const retryAfterHeader = (seconds: number): { 'retry-after': string } => ({
  'retry-after': String(Math.max(1, Math.ceil(seconds))),
});

export const PROBLEM_TYPE = 'application/problem+json';

export const sendProblem = (reply: FastifyReply, problem: HttpProblem): FastifyReply =>
  reply
    .code(problem.status)
    .header(REQUEST_ID, reply.request.id)
    .headers(problem.headers)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problem.documentFor(reply.request.id)));
