/** The cost of a conversation with a platform so far. The layers add to it, the caller reads it. */
export interface Meter {
  /** Requests sent, logins, renewals, redirects and repeats included. */
  requests: number;
  /** Bytes received: heads, and bodies still packed. */
  bytesIn: number;
  bytesOut: number;
  /** Milliseconds spent waiting for request slots. */
  waitedMs: number;
  /** Milliseconds from the start of each request until its answer was read or given up. */
  httpMs: number;
}

export const newMeter = (): Meter => ({ requests: 0, bytesIn: 0, bytesOut: 0, waitedMs: 0, httpMs: 0 });
