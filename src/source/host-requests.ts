import { hourOf, requestsByMinute, sumOfRequests } from '../core/request-counts.ts';
import type { HourOfRequests, RequestCounts, RequestTally } from '../core/request-counts.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { Platform } from '../platform/contract.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Registry } from '../platform/registry.ts';
import { allowedPerHour } from './demand.ts';
import { inPieces } from './in-pieces.ts';

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
  const read = await inPieces(rows, (row) => ({ row, minutes: requestsByMinute(row.counts ?? undefined, row.now) }));
  const hosts: HostRequests[] = [];
  for (const [host, of] of Map.groupBy(read, ({ row }) => originOf(row.url ?? '')))
    hosts.push(await hostRequests(host, of, platforms));
  return hosts.toSorted((one, other) => (other.share ?? -1) - (one.share ?? -1) || other.all - one.all);
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

type Minutes = readonly RequestTally[];

async function hostRequests(
  host: string,
  read: readonly { readonly row: Row; readonly minutes: Minutes }[],
  platforms: readonly Platform[],
): Promise<HostRequests> {
  // The same minute of all sources together, because the fullest minutes of the sources need not be one.
  let together: Minutes = [];
  const sources = await inPieces(read, ({ row, minutes }) => {
    together = minutes.map((minute, index) => sumOfRequests([minute, ...together.slice(index, index + 1)]));
    const { name, organisation } = row;
    return { name, organisation, ...hourOf(minutes), allowed: allowedPerHour(row, platforms) };
  });
  const hour = hourOf(together);
  const allowed = sources.reduce<number | null>(
    (sum, source) => (sum === null || source.allowed === null ? null : sum + source.allowed),
    0,
  );
  const byRequests = sources.toSorted((one, other) => other.all - one.all);
  return { host, ...hour, allowed, share: allowed === null ? null : hour.all / allowed, sources: byRequests };
}
