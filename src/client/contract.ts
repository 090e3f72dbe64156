/** Where readings go, and who sends them. */
export interface Remote {
  /** What stands before `/v0`: `https://bridge.example`, or with a path of its own. */
  readonly baseUrl: string;
  readonly organisation: string;
  readonly applicationId: string;
  readonly applicationSecret: string;
}

/** A token and what renews it. Instants are ms since 1970 on this host's clock. */
export interface PushGrant {
  readonly accessToken: string;
  readonly expiresAtMs?: number | undefined;
  readonly refreshToken?: string | undefined;
  readonly refreshExpiresAtMs?: number | undefined;
}

/** Where the current grant is kept; several processes may share one. */
export interface PushGrantStore {
  current(): Promise<PushGrant | undefined>;
  /**
   * Single flight: exactly one caller runs `obtain` for the same stale grant, the others get its result. Where the
   * current grant is no longer the stale one, it is the answer and `obtain` is not run. Rejects as `obtain` does.
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

/** A reading the service did not take: its place in what was sent, from 0, and the field that is wrong. */
export interface RefusedReading {
  readonly index: number;
  /** JSON pointer, like `/17/value`. */
  readonly pointer: string;
  /** For programs. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
}

/** What became of a body. `accepted + duplicates + revised + refusedCount` is the number of readings that were sent. */
export interface PushAnswer {
  /** Stored for the first time. */
  readonly accepted: number;
  /** Stored already with the same content, or sent twice in this body. */
  readonly duplicates: number;
  /** Stored already with other content, which they replaced. */
  readonly revised: number;
  /** The first 1,000 that were refused, in order. */
  readonly refused: readonly RefusedReading[];
  readonly refusedCount: number;
  /** Fields that no reading has; they were ignored. */
  readonly unknownFields: number;
}

export interface PushClientOptions {
  /** Default: in the memory of this client. */
  readonly grants?: PushGrantStore;
  /** For a whole request, from the connection to the last byte of the answer; default 60,000. */
  readonly timeoutMs?: number;
  /** Packs bodies above 1 KiB; default true. */
  readonly gzip?: boolean;
  readonly userAgent?: string;
  /** Milliseconds since 1970; default the clock of this host. */
  readonly nowMs?: () => number;
}

export interface PushClient {
  /**
   * Sends one body and gets one answer: 200 and 422 (all refused) both resolve, and what is not refused is then durable.
   * `readings` may hold anything a caller read from a file: it is the service that judges.
   * Throws `PushError`; TypeError for what JSON cannot express at all; the reason of `signal` once that is aborted.
   */
  push(
    project: string,
    readings: readonly unknown[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<PushAnswer>;
}
