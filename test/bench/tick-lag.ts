import type { Instant, Microseconds } from '../../src/core/instant.ts';

/** The clocks of worker and database are at most this far apart: a poll that seems this much too early is in time. */
const CLOCKS_APART: Microseconds = 5_000;

/** The punctuality of a source. */
export interface Punctuality {
  /** Instants in the watched time at which it was due. */
  readonly due: number;
  /** Polls that began in it. */
  readonly done: number;
  /** For each due instant, the time until the next poll began, or until the end of the watch if no poll followed. */
  readonly lags: readonly Microseconds[];
  /** Due instants with a poll before the next due instant. */
  readonly inTime: number;
  /** Due instants without any poll until the end: their lags are at least that long. */
  readonly unanswered: number;
}

/**
 * Compares the polls of a source with its grid (phase + n × every). The lag of a due instant is the time to the first
 * poll at or after it; several due instants may wait for the same poll. Due instants without a poll count too, because
 * otherwise a worker would look better the less it keeps up.
 *
 * @param watched due instants of `[from, to)` count, and polls up to `until` as their answers
 * @param askedAt when polls began, ascending
 */
export function punctualityOf(
  grid: { readonly phase: Microseconds; readonly every: Microseconds },
  watched: { readonly from: Instant; readonly to: Instant; readonly until: Instant },
  askedAt: readonly Instant[],
): Punctuality {
  const { phase, every } = grid;
  const lags: Microseconds[] = [];
  let due = 0;
  let unanswered = 0;
  let next = 0;
  for (let at = phase + Math.ceil((watched.from - phase) / every) * every; at < watched.to; at += every) {
    due += 1;
    while (next < askedAt.length && (askedAt[next] as Instant) < at - CLOCKS_APART) next += 1;
    const answer = askedAt[next];
    if (answer === undefined) unanswered += 1;
    lags.push(Math.max(0, (answer ?? watched.until) - at));
  }
  const done = askedAt.filter((at) => at >= watched.from - CLOCKS_APART && at < watched.to - CLOCKS_APART).length;
  return { due, done, lags, inTime: lags.filter((lag) => lag < every).length, unanswered };
}
