import { BridgeError } from '../core/errors.ts';
import type { PushFetch } from './contract.ts';
import { PushError, notABridge } from './fault.ts';
import type { WhyUnreachable } from './fault.ts';

/** A request; all requests of this client are POST. */
export interface Call {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** A complete answer of any status. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** No answer of the service is larger. */
const MOST_ANSWER_BYTES = 16 * 1_048_576;

/**
 * Sends a request and reads the whole answer, within `timeoutMs`. A redirect is never followed.
 * Throws PushError `unreachable` or `not-a-bridge`; the reason of `signal` once that is aborted.
 */
export async function exchange(
  { url, headers, body }: Call,
  {
    fetch,
    timeoutMs,
    signal,
  }: { readonly fetch: PushFetch; readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<Answered> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const tooLate = new PushError(
    { code: 'unreachable', why: 'time-out' },
    `${url.origin} did not answer within ${timeoutMs / 1000} s`,
  );
  const timer = setTimeout(() => stop.abort(tooLate), timeoutMs);
  const onAbort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: stop.signal });
    return { status: response.status, headers: response.headers, text: await textOf(response, url) };
  } catch (error) {
    signal?.throwIfAborted();
    if (stop.signal.aborted) throw tooLate;
    throw error instanceof PushError ? error : unreachable(error, url);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function textOf(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the answer.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_ANSWER_BYTES) throw notABridge(`${url.origin} answers more than ${MOST_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}

/** Codes of getaddrinfo, the kernel and fetch. */
const CODES: Readonly<Record<string, readonly [why: WhyUnreachable, words: string]>> = {
  ECONNREFUSED: ['refused', 'no program listens there'],
  EHOSTUNREACH: ['refused', 'there is no route to the host'],
  ENETUNREACH: ['refused', 'there is no route to the network'],
  EADDRNOTAVAIL: ['refused', 'this host has no address to reach it from'],
  EACCES: ['refused', 'this host forbids the connection'],
  EPERM: ['refused', 'this host forbids the connection'],
  ENOTFOUND: ['unknown-host', 'the host name is not known'],
  ENODATA: ['unknown-host', 'the host name has no address'],
  ETIMEDOUT: ['time-out', 'no answer'],
  UND_ERR_CONNECT_TIMEOUT: ['time-out', 'no answer'],
  UND_ERR_HEADERS_TIMEOUT: ['time-out', 'no answer'],
  UND_ERR_BODY_TIMEOUT: ['time-out', 'the answer stopped half-way'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', 'its certificate is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls', 'its certificate comes from an authority that is not trusted here'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['tls', 'its certificate comes from an authority that is not trusted here'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls', 'its certificate comes from an authority that is not trusted here'],
  CERT_HAS_EXPIRED: ['tls', 'its certificate has expired'],
  CERT_NOT_YET_VALID: ['tls', 'its certificate is not valid yet'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls', 'its certificate is for another name'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['tls', 'the port does not speak TLS'],
};

const TLS = /^(?:EPROTO|ERR_(?:SSL|TLS|OSSL)_|CERT_|CRL_|UNABLE_TO_|HOSTNAME_|INVALID_(?:CA|PURPOSE))/;

/** Never shows the message of fetch, because it may quote a header, but the code of its cause. */
function unreachable(error: unknown, url: URL): PushError {
  if (error instanceof BridgeError) {
    return new PushError({ code: 'unreachable', why: 'blocked' }, error.message, undefined, { cause: error });
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const text = cause instanceof Error ? cause.message : '';
  // These two errors of fetch have no code, only a message.
  if (text === 'unexpected redirect') return notABridge(`${url.origin} redirects, which is not followed`);
  if (text === 'bad port') return failure('refused', url, 'fetch never connects to this port');
  const code = codeOf(cause);
  const isCutOff = code === 'HPE_INVALID_EOF_STATE' || code === 'HPE_CLOSED_CONNECTION';
  if (cause instanceof Error && cause.name === 'HTTPParserError' && !isCutOff) {
    return notABridge(`${url.origin} does not speak HTTP${url.protocol === 'http:' ? '; does it want https://?' : ''}`);
  }
  const known = CODES[code];
  if (known) return failure(known[0], url, known[1]);
  if (code.startsWith('EAI_')) return failure('unknown-host', url, 'the name server gave no address');
  if (TLS.test(code)) return failure('tls', url, `no secure connection could be agreed on (${code})`);
  return failure('broken', url, `the connection broke off${code === '' ? '' : ` (${code})`}`);
}

const failure = (why: WhyUnreachable, url: URL, words: string): PushError =>
  new PushError({ code: 'unreachable', why }, `${url.origin} cannot be reached: ${words}`);

/** The code of an error; where fetch tried several addresses, the code of the first. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : '';
}
