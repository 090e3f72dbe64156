import type { AxiosHeaders } from 'axios';
import type { Readable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import type { Lane } from '../../core/plan.ts';
import type { Meter } from './meter.ts';

/** What the requests of one `http` share: whose turn they take, when they stop, where they are counted. */
export interface Conversation {
  readonly lane: Lane;
  readonly signal: AbortSignal;
  readonly meter: Meter;
}

/** How far a request has come: its connection, the head of its answer, the body. */
export type Phase = 'connect' | 'head' | 'body';

/** One request between the layers. It can be sent more than once, so `data` is never a stream. */
export interface PlatformRequest {
  /** Upper case. */
  readonly method: string;
  readonly url: URL;
  readonly headers: AxiosHeaders;
  readonly data: unknown;
  /** Error statuses the caller handles itself. */
  readonly expect: readonly number[];
  readonly conversation: Conversation;
}

/** An answer whose head has arrived. Whoever gets it must read `body` to its end or destroy it: it holds a slot. */
export interface PlatformAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: AxiosHeaders;
  /** Unpacked, limited, timed; errors with BridgeErrors only; emits `close` exactly once however it ends. */
  readonly body: Readable;
}

/** A layer is a Send around another Send. It throws BridgeErrors. */
export type Send = (request: PlatformRequest) => Promise<PlatformAnswer>;

/** `GET http://10.0.0.5:8086/query`, without the parameters: they are long and may hold secrets. */
export const requestName = (request: Pick<PlatformRequest, 'method' | 'url'>): string =>
  `${request.method} ${request.url.origin}${request.url.pathname}`;

/** The value of a header that came once, or undefined. */
export function headerOf(headers: AxiosHeaders, name: string): string | undefined {
  const value: unknown = headers.get(name);
  return typeof value === 'string' ? value : undefined;
}

export const cancelled = (message: string): BridgeError => new BridgeError({ code: 'cancelled' }, message);

export const hasCode = (error: unknown, code: BridgeError['code']): error is BridgeError =>
  error instanceof BridgeError && error.code === code;
