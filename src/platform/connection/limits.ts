/** The limits of one request, in milliseconds and bytes. */
export interface RequestLimits {
  /** The limit for name resolution, TCP and TLS together. */
  readonly connectMs: number;
  /** The limit from the connection to the head of the answer. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly idleMs: number;
  /**
   * From the start to the last byte. Shorter than the lease of a slot, because a slot could be given twice otherwise.
   */
  readonly totalMs: number;
  /** The limit for the unpacked body. */
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
}

const MIB = 1024 * 1024;

export const defaultLimits: RequestLimits = {
  connectMs: 10_000,
  headersMs: 60_000,
  idleMs: 60_000,
  totalMs: 240_000,
  maxBodyBytes: 256 * MIB,
  maxHeaderBytes: 32 * 1024,
};

/** `1.5 s`, `50 ms`. */
export const formatMs = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds} ms` : `${milliseconds / 1000} s`;
