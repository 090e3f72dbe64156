import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { GrantRefused, TokenAnswer, TokenRequest } from '../access/token-endpoint.ts';
import { inTime } from '../database/patience.ts';
import type { ApiSettings } from '../settings-api.ts';
import { attemptsOf, clientOf } from './attempts.ts';
import { decodeUtf8, readBody } from './body.ts';
import { problemOf } from './fault.ts';
import { basicOf, formOf } from './form.ts';
import { retryAfterHeader } from './problem.ts';
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
  const limits = limitsOf(settings);

  app.withTypeProvider<ZodTypeProvider>().route({
    method: 'POST',
    url: '/v0/oauth2/token',
    schema: tokenDocumentation,
    validatorCompiler: () => (value) => ({ value }),
    async handler(request, reply) {
      reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
      const basic = basicOf(request.headers.authorization);
      const client = { address: clientOf(request.ip), application: basic?.id };
      limits.request(client);
      const form = await readForm(request, reply);
      const asked = grant({
        grantType: form.get('grant_type'),
        basic,
        refreshToken: form.get('refresh_token'),
        scope: form.get('scope'),
        address: request.ip,
      });
      const answer = await inTime(settings.waitMs, asked);
      if (!('error' in answer)) return await reply.send(answer);
      if (answer.error === 'invalid_client' || answer.error === 'invalid_grant') limits.failed(client);
      const header = answer.wwwAuthenticate === undefined ? {} : { 'www-authenticate': answer.wwwAuthenticate };
      throw new Refused(answer.status, answer.error, answer.error_description, header);
    },
    errorHandler(error, _request, reply) {
      const { status, body, headers } = error instanceof Refused ? error : refusedBy(error, log);
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
  const body = await readBody(request, reply, { mostBytes: MOST_BYTES, gzip: false, reserve: () => undefined });
  const text = decodeUtf8(body);
  if (text === undefined) throw new Refused(400, 'invalid_request', 'the body is not UTF-8');
  const form = formOf(text);
  if (!('repeated' in form)) return form;
  throw new Refused(400, 'invalid_request', 'a field may be sent only once');
}

interface Client {
  readonly address: string;
  /** The application id that the client sent. */
  readonly application: string | undefined;
}

/** Characters of an application id that are counted, because a client may send an id of any length. */
const LONGEST_KEY = 64;

/**
 * Limits by address and by application. Failures count for the pair of both, so that a wrong secret stops neither other
 * applications behind the same address nor other addresses of the same application: those have ten times the limit.
 */
function limitsOf({ tokensPerMinute, failuresPerMinute }: ApiSettings): {
  request(client: Client): void;
  failed(client: Client): void;
} {
  const byApplication = attemptsOf(tokensPerMinute);
  const byAddress = attemptsOf(10 * tokensPerMinute);
  const failures = attemptsOf(failuresPerMinute);
  const manyFailures = attemptsOf(10 * failuresPerMinute);

  const keysOf = ({ address, application }: Client): { pair: string; both: string[] } => {
    const id = application?.slice(0, LONGEST_KEY);
    const both = id === undefined ? [`address ${address}`] : [`address ${address}`, `application ${id}`];
    return { pair: `${address} ${id ?? ''}`, both };
  };
  return {
    request(client) {
      const { pair, both } = keysOf(client);
      const wait =
        Math.max(failures.wait(pair), manyFailures.wait(...both)) ||
        byAddress.take(client.address) ||
        (client.application === undefined ? 0 : byApplication.take(client.application.slice(0, LONGEST_KEY)));
      if (wait > 0)
        throw new Refused(429, 'temporarily_unavailable', 'too many requests; try again later', retryAfterHeader(wait));
    },
    failed(client) {
      const { pair, both } = keysOf(client);
      failures.take(pair);
      for (const key of both) manyFailures.take(key);
    },
  };
}

function refusedBy(error: unknown, log: Logger): Refused {
  const { status, message, headers } = problemOf(error, log);
  if (status < 500) return new Refused(status === 415 ? 400 : status, 'invalid_request', message, headers);
  return new Refused(status, status === 503 ? 'temporarily_unavailable' : 'server_error', message, headers);
}
