import { overloadOf } from '../core/demand.ts';
import type { Overload } from '../core/demand.ts';
import { HOUR, MILLISECOND, SECOND } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import type { Platform } from '../platform/contract.ts';
import type { Registry } from '../platform/registry.ts';
import { loadedOf } from '../platform/registry.ts';

/** What the database knows of the requests that the live polls of a source need. */
export interface MeasuredDemand {
  readonly platform: string;
  readonly every: Microseconds;
  /** As the operator wrote it; null: the default of the platform. */
  readonly requestsPerSecond: number | null;
  readonly concurrency: number | null;
  readonly streams: number;
  /** Measured in the live windows of the last 24 hours. */
  readonly requests: number;
  readonly windows: number;
  /** HTTP time of the newest live windows, on average; null without one in the last hour. */
  readonly httpMs: number | null;
}

/** So many of the newest windows show how long the platform takes. */
const WINDOWS_MEASURED = 20;

/** SQL: sums over the windows of a row of `source` in the last 24 hours, to about an hour, in one row. */
export const SUMS = `
  select coalesce(sum(requests) filter (where lane = 'live'), 0) as live_requests, coalesce(sum(window_sum.windows) filter (where lane = 'live'), 0) as live_windows,
    coalesce(sum(readings - duplicates), 0) as readings, coalesce(bool_or(readings > 0), false) as has_points, coalesce(bool_or(refused > 0), false) as has_refused
  from window_sum where window_sum.source_id = source.id and window_sum.hour > now() - interval '24 hours'`;

/** SQL for the `MeasuredDemand` of a row of `source`, whose row of `SUMS` is `sums`. */
export const DEMAND = `
  jsonb_build_object('platform', source.platform, 'every', source.every_us,
    'requestsPerSecond', source.config #> '{pace,requestsPerSecond}', 'concurrency', source.config #> '{pace,concurrency}',
    'httpMs', (select avg(http_ms) from (
      select http_ms from window_log where window_log.source_id = source.id and lane = 'live' and asked_at > now() - interval '1 hour'
      order by asked_at desc limit ${WINDOWS_MEASURED}) as newest),
    'streams', (select count(*) from stream where stream.source_id = source.id and retired_at is null),
    'requests', sums.live_requests, 'windows', sums.live_windows)`;

/** Loads the platforms whose defaults decide the overload of these sources, and the requests that their paces allow. */
export const platformsBehind = (
  demands: readonly MeasuredDemand[],
  platforms: Registry['platforms'],
): Promise<readonly Platform[]> =>
  loadedOf(
    platforms,
    demands
      .filter(
        ({ windows, requestsPerSecond, concurrency }) =>
          requestsPerSecond === null || (windows > 0 && concurrency === null),
      )
      .map(({ platform }) => platform),
  );

/**
 * The requests that the pace of a registered source allows in an hour; null where the pace is that of an adapter which is not
 * loaded.
 */
export function allowedPerHour(
  { platform, requestsPerSecond }: Pick<MeasuredDemand, 'platform' | 'requestsPerSecond'>,
  platforms: readonly Platform[],
): number | null {
  const perSecond = requestsPerSecond ?? usualPace(platform, platforms)?.requestsPerSecond;
  return perSecond === undefined ? null : (perSecond * HOUR) / SECOND;
}

const usualPace = (platform: string, platforms: readonly Platform[]): Platform['facts']['pace'] | undefined =>
  platforms.find(({ name }) => name === platform)?.facts.pace;

/**
 * The overload of a registered source; undefined where its pace suffices, or where no poll has shown its need yet. `platforms`
 * are those of `platformsBehind`.
 */
export function measuredOverload(measured: MeasuredDemand, platforms: readonly Platform[]): Overload | undefined {
  const { streams, requests, windows, every, httpMs } = measured;
  const usual = usualPace(measured.platform, platforms);
  const requestsPerSecond = measured.requestsPerSecond ?? usual?.requestsPerSecond;
  const concurrency = measured.concurrency ?? usual?.concurrency;
  // The defaults of an adapter are known to the processes that load it.
  if (windows === 0 || requestsPerSecond === undefined || concurrency === undefined) return undefined;
  return overloadOf({
    streams,
    requestsPerWindow: requests / windows,
    timePerWindow: httpMs === null ? undefined : httpMs * MILLISECOND,
    every,
    requestsPerSecond,
    concurrency,
  });
}

/**
 * Why a source does not go on as it should, in one line: its fault; its overload, which also explains a wait for the own pace;
 * '' where there is neither.
 */
export function hindranceOf(
  { fault, demand }: { fault: { message: string; own?: true } | null; demand: MeasuredDemand },
  platforms: readonly Platform[],
): string {
  const overload = measuredOverload(demand, platforms)?.message;
  return (fault?.own ? overload : undefined) ?? fault?.message ?? overload ?? '';
}
