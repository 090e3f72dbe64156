import { hourOf, requestsByMinute, sumOfRequests } from '../core/request-counts.ts';
import type { HourOfRequests, RequestCounts, RequestTally } from '../core/request-counts.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { Platform } from '../platform/contract.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Registry } from '../platform/registry.ts';
import { allowedPerHour } from './demand.ts';

/** The requests of one host of a platform: those of all sources whose `connection.url` leads there, in all organisations. */
export interface HostRequests extends HourOfRequests {
  /** Its origin, such as `https://plant.example:8443`. */
  readonly host: string;
  /** The requests in an hour that the paces of its sources allow together; null where one of them is not known. */
  readonly allowed: number | null;
  /** The part of `allowed` that was sent, mostly 0..1. */
  readonly share: number | null;
  /** The sources with the most requests first. */
  readonly sources: readonly SourceRequests[];
}

export interface SourceRequests extends HourOfRequests {
  readonly name: string;
  readonly organisation: string;
  readonly allowed: number | null;
}

interface Row {
  readonly name: string;
  readonly organisation: string;
  readonly url: string | null;
  readonly platform: string;
  readonly requestsPerSecond: number | null;
  readonly counts: RequestCounts | null;
  readonly now: Instant;
}

const ROWS = `
  select name, organisation_id as organisation, config #>> '{connection,url}' as url, platform,
    (config #>> '{pace,requestsPerSecond}')::float8 as "requestsPerSecond", pace.requests as counts, instant_of(now()) as now
  from source left join pace on source_id = id
  where $1::text[] is null or organisation_id = any($1) order by organisation_id, name`;

/**
 * The requests of the last hour for each host, the one that was asked closest to its pace first. With `organisations` those of the
 * sources of these alone.
 */
export async function requestsByHost(
  database: Database,
  listed: Registry['platforms'],
  organisations?: readonly string[],
): Promise<HostRequests[]> {
  const rows = await database.rows<Row & Record<string, unknown>>(ROWS, [organisations ?? null]);
  const byDefault = rows.filter(({ requestsPerSecond }) => requestsPerSecond === null);
  const platforms = await loadedOf(
    listed,
    byDefault.map(({ platform }) => platform),
  );
  const hosts = Map.groupBy(rows, ({ url }) => originOf(url ?? ''));
  return [...hosts]
    .map(([host, of]) => hostRequests(host, of, platforms))
    .toSorted((one, other) => (other.share ?? -1) - (one.share ?? -1) || other.all - one.all);
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

function hostRequests(host: string, rows: readonly Row[], platforms: readonly Platform[]): HostRequests {
  const minutes = rows.map(({ counts, now }) => requestsByMinute(counts ?? undefined, now));
  const sources = rows
    .map((row, index) => ({
      name: row.name,
      organisation: row.organisation,
      ...hourOf(minutes[index] ?? []),
      allowed: allowedPerHour(row, platforms),
    }))
    .toSorted((one, other) => other.all - one.all);
  const hour = hourOf(addedUp(minutes));
  const allowed = sources.reduce<number | null>(
    (sum, source) => (sum === null || source.allowed === null ? null : sum + source.allowed),
    0,
  );
  return { host, ...hour, allowed, share: allowed === null ? null : hour.all / allowed, sources };
}

/** The same minute of all sources together, because the fullest minutes of the sources need not be one. */
const addedUp = (minutes: readonly (readonly RequestTally[])[]): RequestTally[] =>
  (minutes[0] ?? []).map((_, index) => sumOfRequests(minutes.flatMap((each) => each[index] ?? [])));
