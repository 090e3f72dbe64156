import { createHash, createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../database/database.ts';
import type { OperatorParts } from './parts.ts';
import { operatorOf } from './authenticate.ts';
import { OperatorProblem } from './problem.ts';

/** Says what is kept of an answer that holds a secret: its path or id, and how to get another secret. */
interface Withheld {
  /** The field of the answer that names the thing that was made. */
  readonly made: string;
  readonly remedy: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route makes something, and takes an `Idempotency-Key`: a request that is sent again is answered as before, and does nothing.
     * An answer with a secret is never stored; its repetition is refused with the id of the thing that was made.
     */
    readonly idempotent?: true | Withheld;
  }
  interface FastifyRequest {
    /** The key that the request claimed and that its answer has to be noted for. */
    claimedKey: string | null;
    /** Whether the database was lost in the request, perhaps while it committed: the thing is made, or it is not. */
    isEndUnknown: boolean;
  }
}

/** A key is any text of this form, in quotes as the draft of the IETF has it, or without them. */
const KEY = /^"?([\x21\x23-\x7e]{1,200})"?$/;
/** Longer answers are not kept. Characters. That of 50 started backfills fits. */
const LONGEST_ANSWER = 65_536;
/** Keys of one operator that are kept at a time, and the characters of their answers. */
const MOST_KEYS = 2_000;
const MOST_KEPT = 32_000_000;

interface Known {
  readonly same: boolean;
  readonly status: number | null;
  readonly answer: string | null;
  readonly made: string | null;
}

/** Lets routes with `idempotent` take keys. To be added before any route. */
export function addIdempotency(app: FastifyInstance, { database, log }: Pick<OperatorParts, 'database' | 'log'>): void {
  app.decorateRequest('claimedKey', null);
  app.decorateRequest('isEndUnknown', false);
  // After validation, so that a request that is refused for its form spends no key.
  app.addHook('preHandler', async (request, reply) => {
    const { idempotent } = request.routeOptions.config;
    const given = request.headers['idempotency-key'];
    if (idempotent === undefined || given === undefined) return undefined;
    const text = KEY.exec(String(given))?.[1];
    if (text === undefined) {
      throw new OperatorProblem('bad-request', 'The Idempotency-Key is not one.', {
        remedy: 'Send 1 to 200 printable ASCII characters without a space, such as a UUID.',
      });
    }
    const key = createHash('sha256').update(text).digest('base64url');
    const known = await claimed(database, request, { text, key });
    if (known === undefined) {
      request.claimedKey = key;
      return undefined;
    }
    return again(reply, known, idempotent);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { claimedKey: key } = request;
    const { idempotent } = request.routeOptions.config;
    if (key === null || idempotent === undefined) return payload;
    request.claimedKey = null;
    const text = typeof payload === 'string' ? payload : '';
    // The thing is made or not, whether the note is written or not; without it the key stays one whose end is not known.
    if (request.isEndUnknown) return payload;
    await note(database, { key, operatorId: operatorOf(request).id, reply, text, idempotent }).catch(
      (error: unknown) => {
        log.warn({ err: error, request: request.id }, 'the answer of an idempotent request was not noted');
      },
    );
    return payload;
  });
}

/** Claims a key for a request. @returns the request that had it before; undefined where this one has it now */
async function claimed(
  database: Database,
  request: FastifyRequest,
  { text, key }: { readonly text: string; readonly key: string },
): Promise<Known | undefined> {
  const operatorId = operatorOf(request).id;
  const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
  // With the rights of the operator, so that no answer is given again to one who may not see it any more.
  const { role, organisations } = operatorOf(request);
  const asked = JSON.stringify([
    request.method,
    request.url,
    match,
    noneMatch,
    request.body ?? null,
    role,
    organisations,
  ]);
  // The body may hold a password, which a plain hash would let a reader of the database guess. The key as it was sent is not stored.
  const hash = createHmac('sha256', text).update(asked).digest();
  const find = (): Promise<(Known & Record<string, unknown>) | undefined> =>
    database.row<Known & Record<string, unknown>>(
      `select request = $3 as same, status, answer, made from idempotent_request
       where operator_id = $1 and key = $2 and at >= now() - interval '1 day'`,
      [operatorId, key, hash],
    );
  // First, because a request that is sent again is answered whatever the number of keys.
  const before = await find();
  if (before !== undefined) return before;
  const row = await database.row<{ keys: number; kept: number }>(
    `select count(*)::int as keys, coalesce(sum(length(answer)), 0)::int as kept from idempotent_request
     where operator_id = $1 and at >= now() - interval '1 day'`,
    [operatorId],
  );
  if (row !== undefined && (row.keys >= MOST_KEYS || row.kept >= MOST_KEPT)) {
    throw new OperatorProblem(
      'too-many-requests',
      `You sent ${row.keys} keys in a day, and the bridge keeps no more of them or of their answers.`,
      {
        remedy: 'Send it with its key tomorrow. A request that was never sent may go without a key.',
      },
    );
  }
  // A key is free again after a day, whether the clean-up has run or not.
  const mine = await database.run(
    `insert into idempotent_request (operator_id, key, request) values ($1, $2, $3)
     on conflict (operator_id, key) do update set request = excluded.request, at = now(), status = null, answer = null, made = null
     where idempotent_request.at < now() - interval '1 day'`,
    [operatorId, key, hash],
  );
  if (mine > 0) return undefined;
  // Without a row the request that had it failed just now.
  return (await find()) ?? { same: true, status: null, answer: null, made: null };
}

/** Answers a request whose key was sent before. Throws 422 for another request, 409 where the answer cannot be given again. */
function again(reply: FastifyReply, { same, status, answer, made }: Known, idempotent: true | Withheld): FastifyReply {
  if (!same) {
    throw new OperatorProblem('key-reused', 'This Idempotency-Key was sent with another request.', {
      remedy: 'Use a new key for each request.',
    });
  }
  if (status === null) {
    throw new OperatorProblem(
      'conflict',
      'The request with this Idempotency-Key has not ended, or its end is not known.',
      {
        remedy: 'Wait and send it again; where this stays so, look whether it took effect before you use another key.',
      },
    );
  }
  if (answer === null) {
    const what = made === null ? '' : `It made ${made}. `;
    throw new OperatorProblem('conflict', `The request was done before. ${what}Its answer is not kept.`, {
      remedy: idempotent === true ? 'Read the thing itself.' : idempotent.remedy,
    });
  }
  if (made !== null) reply.header('location', made);
  return reply.code(status).header('idempotency-replayed', 'true').type('application/json').send(JSON.parse(answer));
}

async function note(
  database: Database,
  {
    key,
    operatorId,
    reply,
    text,
    idempotent,
  }: {
    readonly key: string;
    readonly operatorId: number;
    readonly reply: FastifyReply;
    readonly text: string;
    readonly idempotent: true | Withheld;
  },
): Promise<void> {
  const { statusCode: status } = reply;
  // Nothing was done, so the same key may try again. After a fault of the bridge it is not known, and the key stays as it is.
  if ((status >= 400 && status < 500) || status === 503) {
    await database.run('delete from idempotent_request where operator_id = $1 and key = $2', [operatorId, key]);
    return;
  }
  if (status >= 500) return;
  const isKept = idempotent === true && text.length <= LONGEST_ANSWER;
  const location = reply.getHeader('location');
  const made =
    idempotent === true
      ? typeof location === 'string'
        ? location
        : null
      : ((JSON.parse(text) as Record<string, string>)[idempotent.made] ?? null);
  await database.run(
    'update idempotent_request set status = $3, answer = $4, made = $5 where operator_id = $1 and key = $2',
    [operatorId, key, status, isKept ? text : null, made],
  );
}
