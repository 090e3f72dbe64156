import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { answerOf } from './answer.ts';
import type { PushGrant, PushGrantStore, PushAnswer, PushClient, PushClientOptions, Remote } from './contract.ts';
import { exchange } from './exchange.ts';
import type { Answered } from './exchange.ts';
import { notABridge, quoted } from './fault.ts';
import type { PushError } from './fault.ts';
import { pushErrorOf, isPage, parsedObject } from './statuses.ts';
import type { ErrorContext } from './statuses.ts';
import { isToken, obtainGrant } from './token.ts';

const TIMEOUT_MS = 60_000;

/** A token that expires sooner is replaced before it is used, because the request takes time to arrive. */
const EXPIRY_MARGIN_MS = 1_000;

/** Smaller bodies are not compressed, because they fit into one packet. */
const COMPRESSED_FROM_BYTES = 1_024;

const compressed = promisify(gzip);

/**
 * A client of the `/v0` API for one application. It sends nothing before the first push and needs no closing.
 * Throws TypeError for an invalid `baseUrl`.
 */
export function openPushClient(remote: Remote, options: PushClientOptions = {}): PushClient {
  const {
    timeoutMs = TIMEOUT_MS,
    nowMs = Date.now,
    userAgent = 'databridge-client',
    fetch = globalThis.fetch,
  } = options;
  const base = baseOf(remote.baseUrl);
  const grants = options.grants ?? grantsInMemory();
  const tokenParts = { remote, url: new URL(`${base}/v0/oauth2/token`), userAgent, timeoutMs, nowMs, fetch };
  const obtain = (previous: PushGrant | undefined): Promise<PushGrant> => obtainGrant(tokenParts, previous);

  async function usableGrant(): Promise<PushGrant> {
    const current = await grants.current();
    if (current !== undefined && isToken(current.accessToken) && !isSpent(current, nowMs())) return current;
    return await grants.replace(current, obtain);
  }

  return {
    async push(project, readings, { signal } = {}) {
      const url = new URL(`${base}/v0/organisations/${segment(remote.organisation)}/data/${segment(project)}`);
      const { body, headers } = await bodyOf(readings, options.gzip ?? true);
      const send = ({ accessToken }: PushGrant): Promise<Answered> =>
        exchange(
          {
            url,
            headers: {
              ...headers,
              authorization: `Bearer ${accessToken}`,
              accept: 'application/json',
              'user-agent': userAgent,
            },
            body,
          },
          { fetch, timeoutMs, signal },
        );
      let grant = await unlessAborted(signal, usableGrant());
      let answered = await send(grant);
      if (isStale(answered)) {
        grant = await unlessAborted(signal, grants.replace(grant, obtain));
        answered = await send(grant);
      }
      const answer = isAnswer(answered.status) ? answerOf(answered.status, answered.text, readings.length) : undefined;
      const secrets = [grant.accessToken, grant.refreshToken ?? '', remote.applicationSecret];
      if (answer !== undefined) return withoutSecrets(answer, secrets);
      throw errorOf(answered, { url, nowMs: nowMs(), secrets });
    },
  };
}

/** Callers keep and show the texts of an answer, and a careless service may quote the secrets of the request in them. */
const withoutSecrets = (answer: PushAnswer, secrets: readonly string[]): PushAnswer => ({
  ...answer,
  refused: answer.refused.map((one) => ({
    ...one,
    pointer: quoted(one.pointer, secrets),
    reason: quoted(one.reason, secrets),
    message: quoted(one.message, secrets),
  })),
  unknownFieldNames: answer.unknownFieldNames.map((name) => quoted(name, secrets)),
});

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!fits) throw new TypeError('baseUrl must be an http or https address without query');
  if (url.username !== '' || url.password !== '') throw new TypeError('baseUrl must hold no user and no password');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** A path segment. Throws TypeError for an empty text, `.` and `..`, because they would change the path. */
function segment(text: string): string {
  const encoded = encodeURIComponent(text);
  if (/^\.{0,2}$/.test(encoded))
    throw new TypeError(`${JSON.stringify(text)} is neither an organisation nor a project`);
  return encoded;
}

const isSpent = ({ expiresAtMs }: PushGrant, nowMs: number): boolean =>
  expiresAtMs !== undefined && expiresAtMs - EXPIRY_MARGIN_MS <= nowMs;

async function bodyOf(
  readings: readonly unknown[],
  mayCompress: boolean,
): Promise<{ body: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const body = JSON.stringify(readings);
  const headers = { 'content-type': 'application/json' };
  if (!mayCompress || body.length < COMPRESSED_FROM_BYTES) return { body, headers };
  // Level 3 compresses readings nearly as well as the default and takes half its time.
  return { body: await compressed(body, { level: 3 }), headers: { ...headers, 'content-encoding': 'gzip' } };
}

/** Rejects once `signal` is aborted; the promise goes on, because other pushes may wait for the same token. */
function unlessAborted<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const isStale = (answered: Answered): boolean => answered.status === 401 && !isPage(answered);

const isAnswer = (status: number): boolean => status === 200 || status === 422;

/** A 422 with a problem document is an error like any other; every other 200 or 422 that comes here has a wrong body. */
function errorOf(answered: Answered, context: ErrorContext): PushError {
  const { status, text } = answered;
  const isProblem = status === 422 && typeof parsedObject(text)?.['title'] === 'string';
  if (!isAnswer(status) || isProblem) return pushErrorOf(answered, context);
  return notABridge(`${context.url.origin} answers ${status} with a body that does not fit the readings sent`);
}

/** Keeps the grant of one process. */
function grantsInMemory(): PushGrantStore {
  let kept: PushGrant | undefined;
  let underWay: Promise<PushGrant> | undefined;
  return {
    current: () => Promise.resolve(kept),
    replace(stale, obtain) {
      if (kept !== undefined && kept.accessToken !== stale?.accessToken) return Promise.resolve(kept);
      underWay ??= obtain(kept)
        .then((grant) => (kept = grant))
        .finally(() => (underWay = undefined));
      return underWay;
    },
  };
}
