import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import { isApplicationId } from '../access/names.ts';
import type { GrantRefused, TokenAnswer, TokenRequest } from '../access/token-endpoint.ts';
import { inTime } from '../database/patience.ts';
import type { ApiSettings } from '../settings-api.ts';
import { clientOf } from './attempts.ts';
import { decodeUtf8, readBody } from './body.ts';
import { problemOf } from './fault.ts';
import { basicOf, formOf } from './form.ts';
import { retryAfterHeader } from './problem.ts';
import type { RefusedAuthentications } from './refused-authentications.ts';
import type { SharedAttempts } from './shared-attempts.ts';
import { tokenLimitsOf } from './token-limits.ts';
import { tokenDocumentation } from './token-schema.ts';
import type { TokenError } from './token-schema.ts';

export interface TokenRouteParts {
  readonly settings: ApiSettings;
  readonly grant: (request: TokenRequest) => Promise<TokenAnswer | GrantRefused>;
  readonly refused: RefusedAuthentications;
  readonly log: Logger;
  readonly attempts: SharedAttempts;
}

/** Bytes a body may hold at most; a request for a token needs far fewer. */
const MOST_BYTES = 16_384;

/** An error answer of the token endpoint. */
class Refused extends Error {
  readonly status: number;
  readonly body: TokenError;
  readonly headers: Readonly<Record<string, string>>;
  /** For the log. */
  readonly reason: string;
  /** The application of the refresh token, where it is known. */
  readonly application: string | undefined;

  constructor(
    status: number,
    error: TokenError['error'],
    description: string,
    more: { headers?: Readonly<Record<string, string>>; reason?: string; application?: string | undefined } = {},
  ) {
    super(description);
    this.status = status;
    this.body = { error, error_description: description };
    this.headers = more.headers ?? {};
    this.reason = more.reason ?? error.replaceAll('_', '-');
    this.application = more.application;
  }
}

/** `POST /v0/oauth2/token`. Its answers are for the client alone, so no cache may keep them. */
export function addToken(app: FastifyInstance, { settings, grant, refused, log, attempts }: TokenRouteParts): void {
  const limits = tokenLimitsOf(settings, attempts);

  app.withTypeProvider<ZodTypeProvider>().route({
    method: 'POST',
    url: '/v0/oauth2/token',
    schema: tokenDocumentation,
    validatorCompiler: () => (value) => ({ value }),
    async handler(request, reply) {
      reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
      const basic = basicOf(request.headers.authorization);
      const form = await readForm(request, reply).catch((error: unknown) => refusedBy(error, request.id, log));
      const refreshToken = form instanceof Refused ? undefined : form.get('refresh_token');
      const attempt = { address: clientOf(request.ip), basic, refreshToken };
      assertNoWait(limits.request(attempt));
      let proved = false;
      const onMatch = (): void => {
        proved = true;
        assertNoWait(limits.matched(attempt));
      };
      try {
        if (form instanceof Refused) throw form;
        const asked = grant({
          grantType: form.get('grant_type'),
          basic,
          refreshToken,
          scope: form.get('scope'),
          address: request.ip,
          onMatch,
          onIssued: (application, by) =>
            log.info({ requestId: request.id, address: request.ip, application, grant: by }, 'a token was given'),
        });
        const answer = await inTime(settings.waitMs, asked);
        if (!('error' in answer)) {
          limits.issued(attempt.address, answer.refresh_token);
          return await reply.send(answer);
        }
        throw refusalOf(answer);
      } catch (error) {
        const answer = refusedBy(error, request.id, log);
        if (!proved && answer.status < 500) limits.failed(attempt);
        throw answer;
      }
    },
    errorHandler(error, request, reply) {
      const { id: requestId, ip: address } = request;
      const { status, body, headers, reason, application } = refusedBy(error, requestId, log);
      const named = application ?? basicOf(request.headers.authorization)?.id;
      // A text of another form may be a secret in the wrong place.
      if (status < 500) {
        refused.note({ requestId, address, reason, application: isApplicationId(named ?? '') ? named : undefined });
      }
      reply
        .code(status as 400)
        .headers(headers)
        .type('application/json');
      void reply.send(body);
    },
  });
}

async function readForm(request: FastifyRequest, reply: FastifyReply): Promise<ReadonlyMap<string, string>> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new Refused(400, 'invalid_request', 'send application/x-www-form-urlencoded');
  }
  const body = await readBody(request, reply, {
    mostBytes: MOST_BYTES,
    smaller: 'A request for a token needs fewer than a thousand.',
    packed: false,
    reserve: () => undefined,
  });
  const text = decodeUtf8(body);
  if (text === undefined) throw new Refused(400, 'invalid_request', 'the body is not UTF-8');
  const form = formOf(text);
  if (!('repeated' in form)) return form;
  throw new Refused(400, 'invalid_request', 'a field may be sent only once');
}

function assertNoWait(seconds: number): void {
  if (seconds === 0) return;
  throw new Refused(429, 'temporarily_unavailable', 'too many requests; try again later', {
    headers: retryAfterHeader(seconds),
    reason: 'too-many-requests',
  });
}

function refusalOf({
  status,
  error,
  error_description,
  wwwAuthenticate,
  renewal,
  applicationId,
}: GrantRefused): Refused {
  return new Refused(status, error, error_description, {
    ...(wwwAuthenticate !== undefined && { headers: { 'www-authenticate': wwwAuthenticate } }),
    ...(renewal !== undefined && { reason: `refresh-token-${renewal}` }),
    application: applicationId,
  });
}

function refusedBy(error: unknown, requestId: string, log: Logger): Refused {
  if (error instanceof Refused) return error;
  const { status, message, headers } = problemOf(error, requestId, log);
  if (status < 500) return new Refused(status === 415 ? 400 : status, 'invalid_request', message, { headers });
  return new Refused(status, status === 503 ? 'temporarily_unavailable' : 'server_error', message, { headers });
}
