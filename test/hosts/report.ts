import { table } from '../../src/terminal/output.ts';
import type { Difference } from '../kit/point.ts';

/** What the plant was promised. */
export const pace = { requestsPerSecond: 6, burst: 6, concurrency: 2 };

/** Ours: what is asked of the bridge after a fault. */
const LIVE_AGAIN_MS = 30_000;

/** What became of a fault. */
export interface Row {
  readonly fault: string;
  readonly liveAgainMs: number;
  readonly busiestSecond: number;
  /** Readings in the database. */
  readonly stored: number;
  readonly difference: Difference;
  /** Pushes that were acknowledged so far, and how many of them are not stored. */
  readonly pushed: number;
  readonly lostPushes: number;
}

export const tableOf = (rows: readonly Row[]): string =>
  table(
    ['fault', 'live again', 'stored', 'lost', 'doubled', 'wrong', 'busiest second', 'pushed', 'of them lost'],
    rows.map((row) => [
      row.fault,
      `${(row.liveAgainMs / 1000).toFixed(1)} s`,
      row.stored,
      row.difference.missing,
      row.difference.repeated,
      row.difference.changed + row.difference.unexpected,
      row.busiestSecond,
      row.pushed,
      row.lostPushes,
    ]),
  );

/** Nothing is lost, doubled or wrong, the pace was kept, and the bridge was live again in time. */
export const isExact = ({ liveAgainMs, busiestSecond, lostPushes, difference }: Row): boolean =>
  liveAgainMs <= LIVE_AGAIN_MS &&
  busiestSecond <= pace.requestsPerSecond + pace.burst &&
  difference.missing + difference.repeated + difference.changed + difference.unexpected + lostPushes === 0;
