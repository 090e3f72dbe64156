import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';

/** A window of the log. */
export interface WindowReport {
  readonly stream: string | null;
  readonly lane: 'live' | 'history';
  readonly from: Instant;
  readonly to: Instant;
  readonly askedAt: Instant;
  /** More than 1 where the row stands for the quiet windows of a minute: counts are sums then, and lengths of time averages. */
  readonly windows: number;
  /** The longest of those windows took this long; null for one window. */
  readonly slowestMs: number | null;
  readonly requests: number;
  readonly bytes: number;
  readonly readings: number;
  readonly duplicates: number;
  readonly revised: number;
  readonly refused: number;
  /** Samples equal to another one of the window. */
  readonly repeats: number;
  /** Samples that were not asked for: outside the window, or of a sensor that is not chosen. */
  readonly outside: number;
  readonly late: number;
  readonly waitedMs: number;
  readonly httpMs: number;
  readonly normaliseMs: number;
  readonly storeMs: number;
}

/** A part of the windows of a source, the last ones first. */
export interface PageOfWindows {
  readonly limit: number;
  /** The last window of the page before. */
  readonly behind?: Pick<WindowReport, 'askedAt' | 'from'> & { readonly streamId: number };
}

/** A window with what a page goes on behind. */
export type ListedWindow = WindowReport & { readonly streamId: number };

/** A window as operators see it. */
export function withoutId(listed: ListedWindow): WindowReport {
  const { streamId: _, ...window } = listed;
  return window;
}

/** A page of the log of a source, the windows that were asked for last first. */
export const loggedWindows = (
  database: Database,
  sourceId: number,
  { limit, behind }: PageOfWindows,
): Promise<ListedWindow[]> =>
  database.rows<ListedWindow & Record<string, unknown>>(
    `select stream.key as stream, lane, instant_of(from_at) as from, instant_of(to_at) as to, instant_of(asked_at) as "askedAt",
       windows, slowest_ms as "slowestMs", requests, bytes, readings, duplicates, revised, refused, repeats, outside, late, waited_ms as "waitedMs", http_ms as "httpMs",
       normalise_ms as "normaliseMs", store_ms as "storeMs", window_log.stream_id as "streamId"
     from window_log left join stream on stream.id = stream_id
     where window_log.source_id = $1 and ($3::bigint is null or asked_at <= at_instant($3)
       and (asked_at, window_log.stream_id, from_at) < (at_instant($3), $4::int, at_instant($5)))
     order by asked_at desc, window_log.stream_id desc, from_at desc limit $2`,
    [sourceId, limit, behind?.askedAt ?? null, behind?.streamId ?? null, behind?.from ?? null],
  );
