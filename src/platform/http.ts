import type { AxiosInstance } from 'axios';

/**
 * An axios instance with the layers of the bridge in it; its base URL is `connection.url`. Requests to another origin
 * are refused, except in `obtain` and `renew`. `responseType` is `json` (the default), `text`, `arraybuffer` or
 * `stream`; a stream holds its request slot until it ends or is destroyed. It throws only BridgeErrors:
 *
 * | answer | error |
 * |---|---|
 * | 401, also when repeated with a fresh token | `credentials-rejected` |
 * | 403 | `credentials-rejected {right}` |
 * | 413, a body over the size limit, a body that flows for longer than the time limit | `too-much` |
 * | 429, and 503 with a `Retry-After` of a second or more | `throttled` |
 * | other 5xx, 408, no connection, no answer in time, an answer that breaks off | `unavailable` |
 * | other 4xx, text or nothing where JSON was asked for, a redirect to another origin | `contract-broken` |
 * | the caller stops | `cancelled` |
 *
 * Where `expect` lists a status, the answer is returned instead: as JSON, or as text where it is not JSON.
 */
export type Http = AxiosInstance;

/** The head of an answer whose bytes are to become data. */
export interface AnswerHead {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly charset: string;
  /** It ends when nobody waits for the data any more. */
  readonly signal: AbortSignal;
}

/**
 * Makes the data of an answer from its bytes elsewhere than on the event loop of the bridge. A SyntaxError says that the bytes are
 * no JSON, and is judged like one of `JSON.parse`.
 */
export type AnswerParser = (bytes: Uint8Array, head: AnswerHead) => unknown;

declare module 'axios' {
  // oxlint-disable-next-line typescript/no-explicit-any, no-unused-vars -- a merged declaration repeats axios' own
  export interface AxiosRequestConfig<D = any, P = any> {
    /** Error statuses that the caller handles itself: they are returned instead of thrown. */
    expect?: readonly number[];
    /** For `json` and `text`: makes the data of the answer; without it that is the JSON or the text. */
    parse?: AnswerParser;
  }
}
