import { AxiosHeaders } from 'axios';
import http from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { BridgeError } from '../../core/errors.ts';
import type { Agents, TunnelOptions } from './agents.ts';
import { Body } from './body.ts';
import { startDeadlines } from './deadlines.ts';
import { requestName } from './layer.ts';
import type { RequestEnd, Phase, PlatformAnswer, PlatformRequest, Wire } from './layer.ts';
import type { RequestLimits } from './limits.ts';
import type { Meter } from './meter.ts';
import { StaleConnection, isStale } from './stale.ts';
import { explainTransport } from './unreachable.ts';

/** The innermost layer: sends one request within our time limits; statuses are not judged here. */
export function transport(agents: Agents, limits: RequestLimits): Wire {
  return async (request, ended): Promise<PlatformAnswer> => {
    const { meter } = request.conversation;
    const sentAt = performance.now();
    let started: ClientRequest | undefined;
    let socket: Socket | undefined;
    let body: Body | undefined;
    let stopped: BridgeError | undefined;

    const proxy = agents.proxyOf(request.url);
    const tunnel = proxy === undefined ? undefined : new AbortController();
    const stop = (why: BridgeError): void => {
      stopped ??= why;
      (body ?? started)?.destroy(stopped);
      tunnel?.abort();
    };
    const deadlines = startDeadlines(limits, request, stop, proxy);

    function settle(ending: RequestEnd): void {
      deadlines.end();
      meter.httpMs += performance.now() - sentAt;
      if (socket) countBytes(socket, meter);
      ended(ending);
    }

    try {
      meter.requests += 1;
      const answered = Promise.withResolvers<IncomingMessage>();
      const data = bytesOf(request);
      const sent = (request.url.protocol === 'https:' ? https : http).request(
        optionsFor(request, { data, agents, maxHeaderSize: limits.maxHeaderBytes, givenUp: tunnel?.signal }),
      );
      started = sent;
      sent.once('response', (raw) => {
        deadlines.answered(raw);
        body = new Body(raw, {
          name: requestName(request),
          maxBodyBytes: limits.maxBodyBytes,
          arrived: deadlines.arrived,
          explain: (error) => explainTransport(error, 'body', request),
        });
        answered.resolve(raw);
      });
      // It stays, because a connection may also fail behind the head of an answer.
      sent.on('error', answered.reject);
      sent.once('socket', (given) => {
        socket = given;
        deadlines.connecting(sent, given);
      });
      sent.end(data);

      const { statusCode: status = 0, statusMessage: statusText = '', headers } = await answered.promise;
      if (stopped) throw stopped;
      const read = body as unknown as Body;
      const closed = (): void => {
        if (status === GATEWAY_TIME_OUT) settle('abandoned');
        else settle(read.errored ? endingOf(read.errored, 'body') : status >= 400 ? 'failed' : 'answered');
      };
      if (read.closed) closed();
      else read.once('close', closed);
      return { status, statusText, headers: AxiosHeaders.from(headers as Record<string, string>), body: read };
    } catch (error) {
      const explained = stopped ?? explainTransport(error, deadlines.phase, request);
      const stale = stopped === undefined && isStale(request, started, error, performance.now() - sentAt);
      settle(stale ? 'failed' : endingOf(explained, deadlines.phase));
      if (!stale) throw explained;
      agents.dropIdle(request.url);
      throw new StaleConnection(explained);
    }
  };
}

/** The answer of a gateway that waits no longer for the platform behind it. */
const GATEWAY_TIME_OUT = 504;

/**
 * Whether the platform may still work on a request that failed so: it was sent, and then no answer came or it stopped. An
 * answer that flowed until the bridge cut it off has ended, because the platform hears of that with its next piece.
 */
function endingOf(error: Error, phase: Phase): RequestEnd {
  if (!(error instanceof BridgeError) || phase === 'connect') return 'failed';
  const { fault } = error;
  if (fault.code === 'cancelled') return phase === 'head' ? 'abandoned' : 'failed';
  const lost = fault.code === 'unavailable' && (fault.why === 'time-out' || fault.why === 'reset');
  return lost ? 'abandoned' : 'failed';
}

function bytesOf({ method, url, data }: PlatformRequest): Buffer | undefined {
  if (data === undefined || data === null || data === '') return undefined;
  if (typeof data === 'string') return Buffer.from(data);
  if (Buffer.isBuffer(data)) return data;
  if (data instanceof ArrayBuffer) return Buffer.from(data);
  throw new BridgeError({ code: 'bug' }, `${method} ${url.origin}: only text and bytes can be sent`);
}

/** What a header may not hold (RFC 9110, 5.5). */
const NO_HEADER = /[^\t\x20-\x7e\x80-\xff]+/g;

function optionsFor(
  { method, url, headers }: PlatformRequest,
  given: { data: Buffer | undefined; agents: Agents; maxHeaderSize: number } & TunnelOptions,
): RequestOptions {
  const { data, agents, ...rest } = given;
  const sent: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers.toJSON())) {
    sent[name] = Array.isArray(value)
      ? value.map((one) => one.replace(NO_HEADER, ''))
      : String(value).replace(NO_HEADER, '').trim();
  }
  if (data !== undefined && !headers.has('content-length')) sent['Content-Length'] = String(data.length);
  return {
    ...rest,
    method,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname + url.search,
    headers: sent,
    agent: url.protocol === 'https:' ? agents.https : agents.http,
  };
}

const counted = new WeakMap<Socket, { read: number; written: number }>();

/** A connection serves one request at a time, so the bytes since its last count belong to this request. */
function countBytes(socket: Socket, meter: Meter): void {
  const before = counted.get(socket) ?? { read: 0, written: 0 };
  const after = { read: socket.bytesRead, written: socket.bytesWritten };
  counted.set(socket, after);
  meter.bytesIn += after.read - before.read;
  meter.bytesOut += after.written - before.written;
}
