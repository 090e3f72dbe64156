import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Condition } from '../core/condition.ts';
import { formatDuration } from '../core/duration.ts';
import { SECOND, instantOrNull } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { requestsOfHour } from '../core/request-counts.ts';
import type { RequestCounts } from '../core/request-counts.ts';
import type { Database } from '../database/database.ts';
import type { Platform } from '../platform/contract.ts';
import type { Registry } from '../platform/registry.ts';
import { allRefusedDocument } from './all-refused.ts';
import { SEVERITY, judgedSources } from './condition.ts';
import type { ConditionCounts } from './condition.ts';
import { allowedPerHour, measuredOverload, platformsBehind } from './demand.ts';
import { lineOf, sourceLinesOf } from './report.ts';
import type { SourceLine, StoredLine } from './report.ts';

/**
 * SQL: the order of each sort as a number and an instant; organisation and name decide between equals. A source without streams has
 * no lag and comes first among the longest.
 */
const RANKS = {
  name: ['0', `timestamptz 'epoch'`],
  lag: ['0', `coalesce(reached, '-infinity')`],
  overdue: ['0', `coalesce(reached + every + settle, '-infinity')`],
  trouble: [SEVERITY, `coalesce(reached + every + settle, '-infinity')`],
  requests: ['-coalesce(counted.requests, 0)', `timestamptz 'epoch'`],
} as const;

/**
 * `name`: by organisation and name; `lag`: the longest lag first; `overdue`: the most overdue first; `trouble`: the worst condition
 * first, and in it the most overdue; `requests`: the most requests in the last hour first.
 */
export type SourceSort = keyof typeof RANKS;

export const SOURCE_SORTS = Object.keys(RANKS) as [SourceSort, ...SourceSort[]];

/** The sources that an operator asked for; without `sort` those that lack time come with the longest lag first, others by name. */
export interface WantedSources {
  readonly behind?: boolean | undefined;
  readonly condition?: Condition | undefined;
  readonly platform?: string | undefined;
  readonly project?: string | undefined;
  /** A part of the name, in capital letters or not. */
  readonly text?: string | undefined;
  readonly sort?: SourceSort | undefined;
  /** The organisations whose sources are wanted; undefined: all. */
  readonly organisations?: readonly string[] | undefined;
  /** At most so many; undefined: all. */
  readonly limit?: number | undefined;
  /** The last source of the page before: the page begins behind the place that it had. */
  readonly behindSource?: ListedPlace | undefined;
}

/** A source in a sorted list, with the rank that it had. */
export interface ListedPlace {
  readonly organisation: string;
  readonly name: string;
  readonly rank: readonly [number: string, instant: string];
}

/** The answer to a list of sources. */
export interface ListedSources {
  /** Every source of these organisations, also those that the filters leave out. */
  readonly counts: ConditionCounts;
  /** How many sources the filters let through. */
  readonly matching: number;
  readonly lines: readonly SourceLine[];
  /** The last line, where more follow. */
  readonly last: ListedPlace | undefined;
  /** The platforms that explain the overload of these lines. */
  readonly platforms: readonly Platform[];
}

/** Sources that are counted before others may run. */
const COUNTED_AT_ONCE = 2_000;

/** The requests of the last hour of each source that has a pace, which only this program reads out of their text. */
async function requestsOf(
  database: Database,
  organisations: readonly string[] | undefined,
): Promise<readonly [ids: readonly number[], requests: readonly number[]]> {
  const rows = await database.rows<{ id: number; counts: RequestCounts | null; now: Instant }>(
    `select source_id as id, pace.requests as counts, instant_of(now()) as now from pace join source on source.id = source_id
     where $1::text[] is null or organisation_id = any($1)`,
    [organisations ?? null],
  );
  const requests: number[] = [];
  for (const { counts, now } of rows) {
    requests.push(requestsOfHour(counts ?? undefined, now));
    if (requests.length % COUNTED_AT_ONCE === 0) await letOthersRun();
  }
  return [rows.map(({ id }) => id), requests];
}

interface Row {
  readonly counts: ConditionCounts;
  readonly matching: number;
  readonly lines: readonly (StoredLine & { readonly rank: ListedPlace['rank'] })[];
  readonly left: number;
}

const ORDER = 'first, second, organisation collate "C", name collate "C"';

/** One statement, so that counts and lines are of one instant. */
const listOf = (sort: SourceSort): string => `
  with judged as materialized (${judgedSources({ source: '($1::text[] is null or source.organisation_id = any($1))' })}),
  chosen as not materialized (
    select judged.*, ${RANKS[sort][0]}::bigint as first, ${RANKS[sort][1]} as second from judged
    ${sort === 'requests' ? 'left join unnest($12::int[], $13::bigint[]) as counted (id, requests) on counted.id = judged.id' : ''}
    where (not $2::boolean or lacks_time) and ($3::text is null or condition = $3) and ($4::text is null or platform = $4)
      and ($5::text is null or exists (select from ml_project where ml_project.id = project_id and code = $5))
      and ($6 = '' or position(lower($6) in lower(name)) > 0)),
  following as not materialized (
    select * from chosen
    where $8::text is null or (first, second, organisation collate "C", name collate "C") > ($10::bigint, $11::timestamptz, $8 collate "C", $9 collate "C")),
  page as materialized (select * from following order by ${ORDER} limit $7)
  select (select coalesce(jsonb_object_agg(condition, sources), '{}') from (select condition, count(*) as sources from judged group by condition) as each) as counts,
    (select count(*) from chosen) as matching, (select count(*) from following) as left,
    (select coalesce(jsonb_agg(to_jsonb(line) - 'first' - 'second' || jsonb_build_object('rank', jsonb_build_array(first::text, second::text))
       order by ${ORDER}), '[]') from (${sourceLinesOf('page', 'judged.first, judged.second,')}) as line) as lines`;

/** Lists, filters and sorts sources in the database, and loads the platforms that their lines need. */
export async function listedSources(
  database: Database,
  listed: Registry['platforms'],
  {
    organisations,
    behind = false,
    condition,
    platform,
    project,
    text = '',
    limit,
    behindSource,
    ...wanted
  }: WantedSources,
): Promise<ListedSources> {
  const sort = wanted.sort ?? (behind ? 'lag' : 'name');
  const [number, instant] = behindSource?.rank ?? [null, null];
  const row = await database.row<Row & Record<string, unknown>>(listOf(sort), [
    organisations ?? null,
    behind,
    condition ?? null,
    platform ?? null,
    project ?? null,
    text,
    limit ?? null,
    behindSource?.organisation ?? null,
    behindSource?.name ?? null,
    number,
    instant,
    ...(sort === 'requests' ? await requestsOf(database, organisations) : []),
  ]);
  if (row === undefined) throw new Error('a list of sources has no row');
  const { counts, matching, left } = row;
  const lines = row.lines.map(({ rank, ...line }) => ({ rank, line: lineOf(line) }));
  const demands = lines.map(({ line }) => line.demand);
  const end = lines.at(-1);
  const last = end && { organisation: end.line.organisation, name: end.line.name, rank: end.rank };
  return {
    counts,
    matching,
    lines: lines.map(({ line }) => line),
    last: left > lines.length ? last : undefined,
    platforms: await platformsBehind(demands, listed),
  };
}

const UNWELL = `with judged as materialized (${judgedSources({ source: '($1::text[] is null or source.organisation_id = any($1))' })})
  select (select coalesce(jsonb_object_agg(condition, sources), '{}') from (select condition, count(*) as sources from judged group by condition) as each) as conditions,
    (select coalesce(jsonb_agg(line order by line.severity, organisation collate "C", name collate "C"), '[]')
     from (${sourceLinesOf("(select * from judged where condition not in ('well', 'paused'))", `${SEVERITY} as severity,`)}) as line) as lines`;

/** How many sources are in each condition, and the lines of those that an operator should look at, the worst first. */
export async function unwellSources(
  database: Database,
  organisations?: readonly string[],
): Promise<{ readonly conditions: ConditionCounts; readonly lines: readonly SourceLine[] }> {
  const row = await database.row<{ conditions: ConditionCounts; lines: readonly StoredLine[] }>(UNWELL, [
    organisations ?? null,
  ]);
  return { conditions: row?.conditions ?? {}, lines: (row?.lines ?? []).map(lineOf) };
}

/** A line of the list as a JSON document: instants and durations as text, other lengths of time in seconds. */
export const sourceLineDocument = (
  { lag, overdue, newestAge, demand, clockAhead, requests, ...line }: SourceLine,
  platforms: readonly Platform[],
) => ({
  ...line,
  requestsLastHour: { ...requests, allowed: allowedPerHour(demand, platforms) },
  allRefused: allRefusedDocument(line.allRefused),
  every: formatDuration(line.every),
  lagSeconds: lag === null ? null : lag / SECOND,
  overdueSeconds: overdue === null ? null : overdue / SECOND,
  newestAt: instantOrNull(line.newestAt),
  newestAgeSeconds: newestAge === null ? null : newestAge / SECOND,
  lastSuccessAt: instantOrNull(line.lastSuccessAt),
  overload: measuredOverload(demand, platforms) ?? null,
  heldUntil: instantOrNull(line.heldUntil),
  outboxFullSince: instantOrNull(line.outboxFullSince),
  settle: formatDuration(line.settle),
  platformClockAheadSeconds: clockAhead === null ? null : clockAhead / SECOND,
});
