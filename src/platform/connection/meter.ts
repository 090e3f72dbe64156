/** What a conversation with a platform has cost so far; the layers add to it, the caller reads it. */
export interface Meter {
  /** Requests sent, with logins, renewals, redirects and repeats. */
  requests: number;
  /** Bytes received: heads and bodies as they came, still packed. */
  bytesIn: number;
  bytesOut: number;
  /** Milliseconds spent waiting for request slots. */
  waitedMs: number;
  /** Milliseconds from a request being sent to its answer being read or given up. */
  httpMs: number;
}

export const newMeter = (): Meter => ({ requests: 0, bytesIn: 0, bytesOut: 0, waitedMs: 0, httpMs: 0 });
