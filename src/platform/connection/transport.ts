import { AxiosHeaders, getAdapter } from 'axios';
import type { InternalAxiosRequestConfig } from 'axios';
import http from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { BridgeError } from '../../core/errors.ts';
import type { Agents, TunnelOptions } from './agents.ts';
import { Body } from './body.ts';
import { startDeadlines } from './deadlines.ts';
import { requestName } from './layer.ts';
import type { RequestEnd, Phase, PlatformAnswer, Wire } from './layer.ts';
import type { RequestLimits } from './limits.ts';
import type { Meter } from './meter.ts';
import { StaleConnection, isStale } from './stale.ts';
import { explainTransport } from './unreachable.ts';

/** The innermost layer: axios' http adapter sends one request within our time limits; statuses are not judged here. */
export function transport(agents: Agents, limits: RequestLimits): Wire {
  const dispatch = getAdapter('http');

  return async (request, ended): Promise<PlatformAnswer> => {
    const { meter } = request.conversation;
    const sentAt = performance.now();
    let started: ClientRequest | undefined;
    let socket: Socket | undefined;
    let body: Body | undefined;
    let stopped: BridgeError | undefined;
    let failure: unknown;

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

    function open(given: RequestOptions, onAnswer: (raw: IncomingMessage) => void): ClientRequest {
      // A kept connection holds the options of its first request; `beforeRedirects` would hold the whole request, too.
      const { beforeRedirects: _redirects, ...options } = given as RequestOptions & { beforeRedirects?: unknown };
      const secure = options.protocol === 'https:';
      const asked: TunnelOptions = { givenUp: tunnel?.signal };
      started = (secure ? https : http).request(
        { ...options, ...asked, maxHeaderSize: limits.maxHeaderBytes },
        (raw) => {
          deadlines.answered(raw);
          body = new Body(raw, {
            name: requestName(request),
            maxBodyBytes: limits.maxBodyBytes,
            arrived: deadlines.arrived,
            explain: (error) => explainTransport(error, 'body', request),
          });
          onAnswer(raw);
        },
      );
      started.once('socket', (given: Socket) => {
        socket = given;
      });
      started.once('error', (error) => {
        failure = error;
      });
      deadlines.connecting(started);
      if (stopped) started.destroy(stopped);
      return started;
    }

    try {
      meter.requests += 1;
      const response = await dispatch(configFor(request, agents, open));
      if (stopped) throw stopped;
      if (body === undefined) throw new TypeError('an answer came without a request over http');
      const { closed } = body;
      const bodyClosed = (): void => {
        if (response.status === GATEWAY_TIME_OUT) settle('abandoned');
        else settle(body?.errored ? endingOf(body.errored, 'body') : response.status >= 400 ? 'failed' : 'answered');
      };
      if (closed) bodyClosed();
      else body.once('close', bodyClosed);
      return {
        status: response.status,
        statusText: response.statusText,
        headers: AxiosHeaders.from(response.headers as AxiosHeaders),
        body,
      };
    } catch (error) {
      const explained = stopped ?? explainTransport(failure ?? error, deadlines.phase, request);
      const stale = stopped === undefined && isStale(request, started, failure, performance.now() - sentAt);
      settle(stale ? 'failed' : endingOf(explained, deadlines.phase));
      if (!stale) throw explained;
      agents.dropIdle();
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

/** Axios only sends: its own handling of bodies, statuses and redirects is off, because the layers do that. */
function configFor(request: Parameters<Wire>[0], agents: Agents, open: unknown): InternalAxiosRequestConfig {
  return {
    method: request.method,
    url: request.url.href,
    headers: new AxiosHeaders(request.headers),
    data: request.data,
    responseType: 'stream',
    decompress: false,
    maxRedirects: 0,
    maxContentLength: -1,
    maxBodyLength: -1,
    proxy: false,
    ...(request.url.protocol === 'https:' ? { httpsAgent: agents.https } : { httpAgent: agents.http }),
    transport: { request: open },
    validateStatus: () => true,
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
