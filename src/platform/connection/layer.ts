import type { AxiosHeaders } from 'axios';
import type { Readable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import type { Lane } from '../../core/plan.ts';
import type { Meter } from './meter.ts';

/**
 * Shared by the requests of one `http`: the lane they wait in, the signal that stops them, the meter that counts them.
 */
export interface Conversation {
  readonly lane: Lane;
  readonly signal: AbortSignal;
  readonly meter: Meter;
}

/** The part of a request that is under way: connecting, waiting for the head of the answer, reading its body. */
export type Phase = 'connect' | 'head' | 'body';

/** One request between the layers. `data` is never a stream, because a request may be sent more than once. */
export interface PlatformRequest {
  /** Upper case. */
  readonly method: string;
  readonly url: URL;
  readonly headers: AxiosHeaders;
  readonly data: unknown;
  /** Error statuses that the caller handles itself. */
  readonly expect: readonly number[];
  readonly conversation: Conversation;
}

/** An answer whose head has arrived. A layer must read `body` to its end or destroy it, because it holds a slot. */
export interface PlatformAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: AxiosHeaders;
  /**
   * Unpacked, with limits of size and time; fails only with BridgeErrors; emits `close` exactly once, also on failure.
   */
  readonly body: Readable;
}

/** A layer is a Send around another Send. It throws BridgeErrors. */
export type Send = (request: PlatformRequest) => Promise<PlatformAnswer>;

/** `GET http://10.0.0.5:8086/query`: without the query, which is long and may hold secrets. */
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
