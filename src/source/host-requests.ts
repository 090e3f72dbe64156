import { counted } from '../core/counted.ts';
import { paceOfHost } from '../core/host-pace.ts';
import type { HostPaces } from '../core/host-pace.ts';
import { HOUR, SECOND } from '../core/instant.ts';
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
  /** The requests a second that the host may get from all sources (`DATABRIDGE_HOST_PACES`); null where it has no pace. */
  readonly pace: number | null;
  /** The most requests that may leave in one second, by the paces and bursts of its sources and its own; null where one is not known. */
  readonly fullestSecond: number | null;
  /** Why the host should get a pace; null where nothing speaks for it. */
  readonly advice: string | null;
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
  readonly burst: number | null;
  readonly counts: RequestCounts | null;
  readonly now: Instant;
}

const ROWS = `
  select name, organisation_id as organisation, config #>> '{connection,url}' as url, platform,
    (config #>> '{pace,requestsPerSecond}')::float8 as "requestsPerSecond", (config #>> '{pace,burst}')::float8 as burst, pace.requests as counts, instant_of(now()) as now
  from source left join pace on source_id = id
  where $1::text[] is null or organisation_id = any($1) order by organisation_id, name`;

/**
 * The requests of the last hour for each host, the one that was asked closest to its pace first. With `organisations` those of the
 * sources of these alone. `paces`: those of hosts.
 */
export async function requestsByHost(
  database: Database,
  {
    listed,
    paces,
    organisations,
  }: {
    readonly listed: Registry['platforms'];
    readonly paces: HostPaces;
    readonly organisations?: readonly string[] | undefined;
  },
): Promise<HostRequests[]> {
  const rows = await database.rows<Row & Record<string, unknown>>(ROWS, [organisations ?? null]);
  const byDefault = rows.filter(({ requestsPerSecond, burst }) => requestsPerSecond === null || burst === null);
  const platforms = await loadedOf(
    listed,
    byDefault.map(({ platform }) => platform),
  );
  const read = await inPieces(rows, (row) => ({ row, minutes: requestsByMinute(row.counts ?? undefined, row.now) }));
  const hosts: HostRequests[] = [];
  for (const [host, of] of Map.groupBy(read, ({ row }) => originOf(row.url ?? '')))
    hosts.push(await hostRequests(host, of, { platforms, paces }));
  return hosts.toSorted((one, other) => (other.share ?? -1) - (one.share ?? -1) || other.all - one.all);
}

/**
 * The pace of the host of an address and the requests a second that live polls of all its sources had in the last hour; undefined where it
 * has none.
 */
export async function paceAndLiveOf(
  database: Database,
  url: URL,
  { listed, paces }: { readonly listed: Registry['platforms']; readonly paces: HostPaces },
): Promise<{ readonly requestsPerSecond: number; readonly liveRequestsPerSecond: number } | undefined> {
  const paced = paceOfHost(paces, url);
  if (paced === undefined) return undefined;
  const hosts = await requestsByHost(database, { listed, paces });
  const live = hosts
    .filter(({ host }) => URL.canParse(host) && paceOfHost(paces, new URL(host))?.host === paced.host)
    .reduce((sum, one) => sum + one.live, 0);
  return { requestsPerSecond: paced.pace.requestsPerSecond, liveRequestsPerSecond: (live * SECOND) / HOUR };
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

type Minutes = readonly RequestTally[];

async function hostRequests(
  host: string,
  read: readonly { readonly row: Row; readonly minutes: Minutes }[],
  { platforms, paces }: { readonly platforms: readonly Platform[]; readonly paces: HostPaces },
): Promise<HostRequests> {
  // The same minute of all sources together, because the fullest minutes of the sources need not be one.
  let together: Minutes = [];
  const found = await inPieces(read, ({ row, minutes }) => {
    together = minutes.map((minute, index) => sumOfRequests([minute, ...together.slice(index, index + 1)]));
    const { name, organisation } = row;
    return { name, organisation, ...hourOf(minutes), allowed: allowedPerHour(row, platforms) };
  });
  const sources = found.toSorted((one, other) => other.all - one.all);
  const hour = hourOf(together);
  const pace = (URL.canParse(host) ? paceOfHost(paces, new URL(host))?.pace.requestsPerSecond : undefined) ?? null;
  const bySources = sumOf(sources.map((source) => source.allowed));
  const byHost = pace === null ? null : (pace * HOUR) / SECOND;
  const allowed = byHost === null || bySources === null ? (byHost ?? bySources) : Math.min(byHost, bySources);
  const seconds = sumOf(read.map(({ row }) => mostInSecond(row, platforms)));
  const fullestSecond = pace === null || seconds === null ? seconds : Math.min(seconds, Math.ceil(pace));
  const share = allowed === null ? null : hour.all / allowed;
  return {
    host,
    ...hour,
    allowed,
    share,
    pace,
    fullestSecond,
    advice: adviceOf(read.length, { pace, fullestSecond }),
    sources,
  };
}

/** Null where one is not known. */
const sumOf = (numbers: readonly (number | null)[]): number | null =>
  numbers.reduce((sum, number) => (sum === null || number === null ? null : sum + number), 0);

/** `reserve` lets so many requests of a source leave in a second at most. */
function mostInSecond({ platform, requestsPerSecond, burst }: Row, platforms: readonly Platform[]): number | null {
  const usual = platforms.find(({ name }) => name === platform)?.facts.pace;
  const [rate, most] = [requestsPerSecond ?? usual?.requestsPerSecond, burst ?? usual?.burst];
  return rate === undefined || most === undefined ? null : Math.ceil(rate + most);
}

/**
 * So many sources on a host without a pace are worth a word: nobody adds up that many paces by hand, and at the usual five requests a second
 * each they may send a host a hundred in a second, which none of them was agreed for.
 */
const MANY_SOURCES = 20;

function adviceOf(
  sources: number,
  { pace, fullestSecond }: Pick<HostRequests, 'pace' | 'fullestSecond'>,
): string | null {
  if (pace !== null || sources < MANY_SOURCES) return null;
  const most =
    fullestSecond === null ? '' : ` and may send ${counted(fullestSecond, 'request')} in one second together`;
  return `${counted(sources, 'source')} ask it, each at its own pace${most}; DATABRIDGE_HOST_PACES bounds them`;
}
