import type { AxiosHeaders } from 'axios';
import type { Readable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import type { SlotLane } from '../../core/pace.ts';
import type { Meter } from './meter.ts';

/**
 * Shared by the requests of one `http`: the lane they wait in, the signal that stops them, the meter that counts them.
 */
export interface Conversation {
  readonly lane: SlotLane;
  readonly signal: AbortSignal;
  readonly meter: Meter;
  /** Told of every wait for the head of an answer, with the login and the slot before it, so that the job may make room. */
  readonly place?: { waitFor<T>(answer: Promise<T>): Promise<T> } | undefined;
  /** Its requests are about a token. */
  readonly login?: true;
  /**
   * Asked with the slot in hand before each request leaves, also one about a token. Throws where it may not leave; a login always may, because
   * others wait for its token.
   */
  readonly allow?: ((login: boolean) => Promise<void>) | undefined;
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
  readonly permit?: Permit | undefined;
}

/** The permission of a request that carries credentials. Both functions throw where the request may not leave at all. */
export interface Permit {
  /**
   * Asked with the slot in hand, right before the request leaves. False: the request gives its slot back and waits until it
   * is ready. `inDoubt` is false where the row of the pace says that the credentials work.
   */
  readonly mayLeave: (inDoubt: boolean) => Promise<boolean>;
  /** Asked without a slot: whether taking one makes sense. */
  readonly isReady: () => Promise<boolean>;
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

/**
 * How a request ended. `answered`: with a status below 400. `failed`: without an answer, or with another status. `abandoned`: it
 * failed because the bridge waits for its answer no longer, and the platform may still work on it. `unsent`: it never left.
 */
export type RequestEnd = 'answered' | 'failed' | 'abandoned' | 'unsent';

/** The innermost Send. It calls `ended` once: when the answer was read to its end, failed or was given up. */
export type Wire = (request: PlatformRequest, ended: (ending: RequestEnd) => void) => Promise<PlatformAnswer>;

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
