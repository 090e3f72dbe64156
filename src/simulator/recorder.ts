/** One request as it reached a simulator. Headers and bodies are left out on purpose: they hold credentials. */
export interface RecordedRequest {
  readonly number: number;
  /** When the simulator saw it, see {@link preciseNowMs}. */
  readonly arrivedMs: number;
  readonly method: string;
  readonly path: string;
  /** The raw query string without its question mark. */
  readonly query: string;
  /** `null` until it is answered, and for ever if the connection ends without an answer. */
  status: number | null;
  /** When its answer was sent or its connection ended; `null` until then. */
  finishedMs: number | null;
}

export interface RequestStatistics {
  readonly total: number;
  /** The most arrivals in any stretch `(t − 1 s, t]`; two requests exactly one second apart do not share one. */
  readonly maxInOneSecond: number;
  readonly maxConcurrent: number;
  readonly concurrent: number;
}

/** Milliseconds since 1970 with fractions of a millisecond; the monotonic clock, so it never steps back. */
export function preciseNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Counts events in the stretch `(t − 1 s, t]` that ends at the newest event. */
export class SlidingSecond {
  readonly #times: number[] = [];

  /** Forgets the events that are a second old or older at `atMs` and returns how many remain. */
  count(atMs: number): number {
    const firstKept = this.#times.findIndex((time) => time > atMs - 1000);
    this.#times.splice(0, firstKept === -1 ? this.#times.length : firstKept);
    return this.#times.length;
  }

  /** Adds an event and returns how many lie in the second that ends with it, itself included. `atMs` never decreases. */
  add(atMs: number): number {
    this.count(atMs);
    return this.#times.push(atMs);
  }
}

/** The most events in any sliding second, e.g. over the merged logs of several simulators. Order does not matter. */
export function maxInSlidingSecond(timesMs: readonly number[]): number {
  const second = new SlidingSecond();
  return timesMs.toSorted((a, b) => a - b).reduce((max, time) => Math.max(max, second.add(time)), 0);
}

/**
 * Records every request of a simulator, how many arrived in a second and how many were open at once. The arrival is the
 * moment this process reads the request, so a stalled event loop can bring arrivals together but cannot lose a request.
 */
export class Recorder {
  readonly #log: RecordedRequest[] = [];
  #second = new SlidingSecond();
  #total = 0;
  #maxInOneSecond = 0;
  #concurrent = 0;
  #maxConcurrent = 0;

  arrive(method: string, path: string, query: string, arrivedMs = preciseNowMs()): RecordedRequest {
    this.#total += 1;
    this.#concurrent += 1;
    this.#maxConcurrent = Math.max(this.#maxConcurrent, this.#concurrent);
    this.#maxInOneSecond = Math.max(this.#maxInOneSecond, this.#second.add(arrivedMs));
    const request = { number: this.#total, arrivedMs, method, path, query, status: null, finishedMs: null };
    this.#log.push(request);
    return request;
  }

  /** `status` is `null` if the connection ended without an answer. Only the first call for a request counts. */
  leave(request: RecordedRequest, status: number | null, finishedMs = preciseNowMs()): void {
    if (request.finishedMs !== null) return;
    request.status = status;
    request.finishedMs = finishedMs;
    this.#concurrent -= 1;
  }

  log(): readonly RecordedRequest[] {
    return this.#log;
  }

  statistics(): RequestStatistics {
    return {
      total: this.#total,
      maxInOneSecond: this.#maxInOneSecond,
      maxConcurrent: this.#maxConcurrent,
      concurrent: this.#concurrent,
    };
  }

  /** Starts the log and the maxima afresh; requests still open keep counting as concurrent. */
  reset(): void {
    this.#log.length = 0;
    this.#second = new SlidingSecond();
    this.#total = 0;
    this.#maxInOneSecond = 0;
    this.#maxConcurrent = this.#concurrent;
  }
}
