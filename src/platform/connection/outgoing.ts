import http from 'node:http';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import { openAgents } from './agents.ts';
import { guardEgress } from './egress.ts';
import type { AllowedHosts } from './egress.ts';
import type { ProxySettings } from './proxy.ts';

/** A request as `fetch` takes it. No redirect is followed. */
export type GuardedFetch = (
  url: URL,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

/** Answers that have no body (Fetch standard, 2.2.3). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` behind the egress guard and the proxy, for requests that go to no platform. Throws `unavailable` where the guard
 * forbids the address or the proxy gives no tunnel; a TypeError whose cause tells the rest, as `fetch` does.
 */
export function outgoingFetch(egress: {
  readonly allowHosts: AllowedHosts;
  readonly proxy: ProxySettings | undefined;
}): GuardedFetch {
  const agents = openAgents({ guard: guardEgress(egress.allowHosts), proxy: egress.proxy }, '', {});
  return async (url, { method, headers, body, signal }) => {
    const answered = Promise.withResolvers<IncomingMessage>();
    const secure = url.protocol === 'https:';
    const options = {
      method,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: secure ? agents.https : agents.http,
      signal,
      givenUp: signal,
    };
    const request = (secure ? https : http).request(url, options);
    request.once('response', answered.resolve);
    request.on('error', answered.reject);
    request.end(body);
    try {
      return responseOf(await answered.promise);
    } catch (error) {
      if (error instanceof BridgeError) throw error;
      throw new TypeError('fetch failed', { cause: asOfFetch(error) });
    }
  };
}

function responseOf(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  if (status >= 300 && status < 400 && status !== 304) {
    answer.destroy();
    throw new Error('unexpected redirect');
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (!WITHOUT_BODY.has(status)) {
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
  }
  answer.resume();
  return new Response(null, { status, headers });
}

/** The parser of `fetch` gives its errors a name; that of `node:http` gives them a code. */
function asOfFetch(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('HPE_'))
    error.name = 'HTTPParserError';
  return error;
}
