import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import { z } from 'zod';
import { PROBLEM_TYPE, retryAfterHeader } from '../api/problem.ts';
import { PROBLEM_URN } from '../api/problems.ts';
import { instanceOf } from '../api/request-id.ts';
import { BridgeError } from '../core/errors.ts';
import type { FaultCode } from '../core/errors.ts';
import { isTemporary } from '../ingest/pushed-intake.ts';

/** The error answers of the operator API: status and title by name. */
const PROBLEMS = {
  'bad-request': [400, 'The request cannot be understood'],
  invalid: [400, 'The request asks for something that cannot be'],
  unauthenticated: [401, 'Sign in first'],
  'wrong-password': [403, 'The password is refused'],
  'sign-in-refused': [403, 'The sign-in is refused'],
  'password-change-needed': [403, 'Choose a password first'],
  'confirmation-needed': [403, 'Show again who you are'],
  'foreign-page': [403, 'Not sent by a page of this server'],
  forbidden: [403, 'Your role does not allow this'],
  'not-found': [404, 'There is no such thing'],
  conflict: [409, 'The present state does not allow this'],
  'precondition-failed': [412, 'It has changed since you read it'],
  'body-too-large': [413, 'The body is too large'],
  'unsupported-media-type': [415, 'The content type is not supported'],
  'key-reused': [422, 'The key belongs to another request'],
  'precondition-required': [428, 'Say which state you read'],
  'too-many-requests': [429, 'Too many requests'],
  internal: [500, 'Something is wrong with the service'],
  'platform-failed': [502, 'The platform did not do as it was asked'],
  unavailable: [503, 'The service cannot answer at present'],
} as const;

export type OperatorProblemName = keyof typeof PROBLEMS;

/** The body of an error answer, `application/problem+json` (RFC 9457). */
export const operatorProblemSchema = z
  .object({
    type: z.string().describe('The kind of problem, for programs: a URN that does not change.'),
    title: z.string().describe('The kind of problem in words, the same for every problem of this type.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('The cause in this case.'),
    instance: z.string().describe('The id of the request as a URN; the log of the service has it, too.'),
    remedy: z.string().nullable().describe('A way to mend it; null where none is known.'),
    errors: z
      .array(
        z.object({
          pointer: z.string(),
          detail: z.string(),
          line: z.int().optional().describe('Of a source in YAML or JSON: its place in the text, from 1.'),
          column: z.int().optional(),
        }),
      )
      .describe('Each error in the request with its place (JSON pointer); empty where no place is known.'),
  })
  // Another id than that of the other API: a process that serves both keeps the ids of all schemas in one place.
  .meta({ id: 'OperatorProblem' });

type Document = z.infer<typeof operatorProblemSchema>;

/** An error that is sent to the operator as the answer, so nothing of it ever holds a secret. */
export class OperatorProblem extends Error {
  readonly status: number;
  readonly title: string;
  readonly type: string;
  readonly remedy: string | null;
  readonly errors: Document['errors'];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    name: OperatorProblemName,
    detail: string,
    more: {
      readonly remedy?: string | undefined;
      readonly errors?: Document['errors'];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail);
    this.name = 'OperatorProblem';
    [this.status, this.title] = PROBLEMS[name];
    this.type = `${PROBLEM_URN}${name}`;
    this.remedy = more.remedy ?? null;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}

/** Thrown for a thing that does not exist, and just so for one of an organisation that the operator does not see. */
export const noSuch = (what: string): OperatorProblem =>
  new OperatorProblem('not-found', `There is no ${what}.`, { remedy: 'Check the name and the organisation.' });

/** Answers with a problem. */
export function sendOperatorProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: OperatorProblem,
): FastifyReply {
  const { type, title, status, message: detail, remedy, errors, headers } = problem;
  const document: Document = { type, title, status, detail, instance: instanceOf(request.id), remedy, errors };
  return reply.code(status).headers(headers).type(PROBLEM_TYPE).send(JSON.stringify(document));
}

/** The answers of each code of a fault that work for an operator ended with. */
const OF_FAULT: Readonly<Partial<Record<FaultCode, OperatorProblemName>>> = {
  'config-invalid': 'invalid',
  unsupported: 'invalid',
  throttled: 'unavailable',
  unavailable: 'platform-failed',
  'too-much': 'platform-failed',
  'too-costly': 'invalid',
  'credentials-rejected': 'platform-failed',
  'contract-broken': 'platform-failed',
  cancelled: 'unavailable',
};

/** Seconds after which to try again while the database is away. */
const AWAY_SECONDS = 5;

/** PostgreSQL ended the statement at its time limit. */
const STATEMENT_ENDED = '57014';

const CHANGES_NOTHING = new Set(['GET', 'HEAD']);

/** The answer to any error. An error of this program goes into the log with its stack, and nothing of it into the answer. */
export function operatorProblemOf(
  error: unknown,
  request: { readonly id: string; readonly method: string },
  log: Logger,
): OperatorProblem {
  if (error instanceof OperatorProblem) return error;
  if (error instanceof Error && 'code' in error && error.code === STATEMENT_ENDED) {
    return new OperatorProblem('unavailable', 'The database gave up, because this takes too long.', {
      remedy: CHANGES_NOTHING.has(request.method)
        ? 'Ask for a shorter range, or for less of it.'
        : 'What it was about to change is as before. Send it again when the database has less to do, or run the command on the host, which has no such limit.',
      headers: retryAfterHeader(AWAY_SECONDS),
    });
  }
  if (isTemporary(error)) {
    return new OperatorProblem('unavailable', 'The database does not answer in time.', {
      remedy: 'Send the same request again.',
      headers: retryAfterHeader(AWAY_SECONDS),
    });
  }
  if (error instanceof BridgeError) {
    const name = OF_FAULT[error.code];
    if (name !== undefined) {
      const { message, remedy, fault } = error;
      const path = 'path' in fault ? fault.path : undefined;
      return new OperatorProblem(name, message, {
        remedy,
        errors: path === undefined ? [] : [{ pointer: pointerOf(path.split('.')), detail: message }],
      });
    }
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.map(({ instancePath, message = 'is not valid' }) => ({
      pointer: instancePath,
      detail: message,
    }));
    const part = error.validationContext ?? 'request';
    return new OperatorProblem('invalid', `The ${part} is not as this route takes it.`, {
      remedy: 'See /api/v1/openapi.json.',
      errors,
    });
  }
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return new OperatorProblem('body-too-large', 'The body is longer than this route takes.');
  if (status === 415) {
    return new OperatorProblem('unsupported-media-type', 'This route takes no body of that content type.', {
      remedy: 'Send application/json.',
    });
  }
  if (typeof status === 'number' && status < 500) {
    return new OperatorProblem('bad-request', `The request is not understood (${STATUS_CODES[status] ?? status}).`);
  }
  log.error({ requestId: request.id, err: error }, 'a request of the operator API failed');
  return new OperatorProblem('internal', 'The error stands in the log of the service, under the id of this request.');
}

/** A JSON pointer (RFC 6901). */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
