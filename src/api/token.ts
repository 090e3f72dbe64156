import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { GrantRefused, TokenAnswer, TokenRequest } from '../access/token-endpoint.ts';
import { inTime } from '../database/patience.ts';
import type { ApiSettings } from '../settings-api.ts';
import { clientOf } from './attempts.ts';
import { decodeUtf8, readBody } from './body.ts';
import { problemOf } from './fault.ts';
import { basicOf, formOf } from './form.ts';
import { retryAfterHeader } from './problem.ts';
import { tokenLimitsOf } from './token-limits.ts';
import { tokenDocumentation } from './token-schema.ts';
import type { TokenError } from './token-schema.ts';

export interface TokenRouteParts {
  readonly settings: ApiSettings;
  readonly grant: (request: TokenRequest) => Promise<TokenAnswer | GrantRefused>;
  readonly log: Logger;
}

/** Bytes a body may hold at most; a request for a token needs far fewer. */
const MOST_BYTES = 16_384;

/** An error answer of the token endpoint. */
class Refused extends Error {
  readonly status: number;
  readonly body: TokenError;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: TokenError['error'], description: string, headers = {}) {
    super(description);
    this.status = status;
    this.body = { error, error_description: description };
    this.headers = headers;
  }
}

/** `POST /v0/oauth2/token`. Its answers are for the client alone, so no cache may keep them. */
export function addToken(app: FastifyInstance, { settings, grant, log }: TokenRouteParts): void {
  const limits = tokenLimitsOf(settings);

  app.withTypeProvider<ZodTypeProvider>().route({
    method: 'POST',
    url: '/v0/oauth2/token',
    schema: tokenDocumentation,
    validatorCompiler: () => (value) => ({ value }),
    async handler(request, reply) {
      reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
      const basic = basicOf(request.headers.authorization);
      const form = await readForm(request, reply).catch((error: unknown) => refusedBy(error, log));
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
        });
        const answer = await inTime(settings.waitMs, asked);
        if (!('error' in answer)) {
          limits.issued(attempt.address, answer.refresh_token);
          return await reply.send(answer);
        }
        const header = answer.wwwAuthenticate === undefined ? {} : { 'www-authenticate': answer.wwwAuthenticate };
        throw new Refused(answer.status, answer.error, answer.error_description, header);
      } catch (error) {
        const refused = refusedBy(error, log);
        if (!proved && refused.status < 500) limits.failed(attempt);
        throw refused;
      }
    },
    errorHandler(error, _request, reply) {
      const { status, body, headers } = refusedBy(error, log);
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
    gzip: false,
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
  throw new Refused(429, 'temporarily_unavailable', 'too many requests; try again later', retryAfterHeader(seconds));
}

function refusedBy(error: unknown, log: Logger): Refused {
  if (error instanceof Refused) return error;
  const { status, message, headers } = problemOf(error, log);
  if (status < 500) return new Refused(status === 415 ? 400 : status, 'invalid_request', message, headers);
  return new Refused(status, status === 503 ? 'temporarily_unavailable' : 'server_error', message, headers);
}
