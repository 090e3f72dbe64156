/** The service that readings are pushed to, and the application that pushes them. */
export interface Remote {
  /** The address before `/v0`: `https://bridge.example`, or with a path: `https://host.example/bridge`. */
  readonly baseUrl: string;
  readonly organisation: string;
  readonly applicationId: string;
  readonly applicationSecret: string;
}

/** An access token and the refresh token that renews it. Instants are ms since 1970 on this host's clock. */
export interface PushGrant {
  readonly accessToken: string;
  readonly expiresAtMs?: number | undefined;
  readonly refreshToken?: string | undefined;
  readonly refreshExpiresAtMs?: number | undefined;
}

/** Keeps the current grant; several processes may share one store. */
export interface PushGrantStore {
  current(): Promise<PushGrant | undefined>;
  /**
   * Single flight: of all callers with the same stale grant exactly one runs `obtain`, and the others get its result.
   * Where another grant has replaced the stale one, resolves to it and does not run `obtain`. Rejects as `obtain` does.
   */
  replace(
    stale: PushGrant | undefined,
    obtain: (previous: PushGrant | undefined) => Promise<PushGrant>,
  ): Promise<PushGrant>;
}

/** One reading as it is sent. `date` is ISO 8601, in UTC or with an offset; `precision` a whole number from 0 to 100. */
export interface Reading {
  readonly sensorId: string;
  /** Letters, digits and underscores; `none` where it is left out. */
  readonly valueName?: string | undefined;
  readonly date: string;
  readonly value: number;
  readonly precision?: number | undefined;
  readonly labels?: readonly string[] | undefined;
}

/** A reading that the service refused. `index` is its place in the body, from 0; `pointer` is its wrong field. */
export interface RefusedReading {
  readonly index: number;
  /** JSON pointer, like `/17/value`. */
  readonly pointer: string;
  /** A code, for programs. */
  readonly reason: string;
  /** A sentence, for people. */
  readonly message: string;
}

/** The result of a push. `accepted + duplicates + revised + refusedCount` is the number of readings that were sent. */
export interface PushAnswer {
  /** Stored for the first time. */
  readonly accepted: number;
  /** Stored already with the same content, or equal to a later reading of this body. */
  readonly duplicates: number;
  /** Stored already with other content, which they replaced. */
  readonly revised: number;
  /** The first 1,000 refusals, in the order of the body. */
  readonly refused: readonly RefusedReading[];
  readonly refusedCount: number;
  /** Number of fields that no reading has; the service ignored them. */
  readonly unknownFields: number;
  /** The names of those fields, each once, at most 20; empty where the service names none. */
  readonly unknownFieldNames: readonly string[];
}

/** Sends a request as `fetch` does, and follows no redirect. */
export type PushFetch = (
  url: URL,
  request: {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array<ArrayBuffer>;
    readonly redirect: 'error';
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

export interface PushClientOptions {
  /** Default: `fetch` of Node.js. Another one may go through a proxy, or refuse addresses by throwing an error. */
  readonly fetch?: PushFetch;
  /** Default: in the memory of this client. */
  readonly grants?: PushGrantStore;
  /** The limit for a whole request, from the connection to the last byte of the answer; default 60,000. */
  readonly timeoutMs?: number;
  /** Compresses bodies above 1 KiB; default true. */
  readonly gzip?: boolean;
  readonly userAgent?: string;
  /** Milliseconds since 1970; default the clock of this host. */
  readonly nowMs?: () => number;
}

export interface PushClient {
  /**
   * Sends one body. 200 and 422 (all readings refused) both resolve; every reading that is not refused is durable then.
   * `readings` may hold anything a caller read from a file, because the service judges them.
   * Throws `PushError`; TypeError for a value that JSON cannot express; the reason of `signal` once that is aborted.
   */
  push(
    project: string,
    readings: readonly unknown[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<PushAnswer>;
}
