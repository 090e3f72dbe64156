import type { Instant, Microseconds } from '../../src/core/instant.ts';

/** How far the clocks of the worker and the database may be apart, so that a poll is not taken for the tick before. */
const CLOCKS_APART: Microseconds = 5_000;

/** How punctual one source was. */
export interface Punctuality {
  /** Instants in the watched time at which it was due. */
  readonly due: number;
  /** Polls that began in it. */
  readonly done: number;
  /** Of each due instant: how much later the next poll began, or how long it had been waited for in vain. */
  readonly lags: readonly Microseconds[];
  /** Due instants with a poll before the next one came. */
  readonly inTime: number;
  /** Due instants without any poll until the end: their lags are at least that long. */
  readonly unanswered: number;
}

/**
 * Holds the polls of a source against its grid (phase + n × every). The lag of a due instant is the time to the first
 * poll at or after it; where ticks collapsed into one poll, each of them has waited for it. Leaving out those that
 * nobody answered would make a worker look better the less it can keep up.
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
