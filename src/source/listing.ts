import type { Condition } from '../core/condition.ts';
import { formatDuration } from '../core/duration.ts';
import { SECOND, instantOrNull } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { Platform } from '../platform/contract.ts';
import type { Registry } from '../platform/registry.ts';
import { allRefusedDocument } from './all-refused.ts';
import { SEVERITY, judgedSources } from './condition.ts';
import type { ConditionCounts } from './condition.ts';
import { allowedPerHour, measuredOverload, platformsBehind } from './demand.ts';
import { lineOf, sourceLinesOf } from './report.ts';
import type { SourceLine, StoredLine } from './report.ts';
import { byRank, standingSources } from './standing.ts';
import type { Rank, Ranked, SourceSort, Standing, StandingSource } from './standing.ts';

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
  readonly rank: Rank;
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

/** The lines of sources as they were judged: `$1` ids, `$2` conditions and so on, as columns. */
const LINES = sourceLinesOf(
  `(select id, condition, is_overdue, lacks_time, streams, at_instant(reached) as reached
    from unnest($1::int[], $2::text[], $3::boolean[], $4::boolean[], $5::int[], $6::bigint[]) as one (id, condition, is_overdue, lacks_time, streams, reached))`,
  'source.id,',
);

async function linesOf(database: Database, page: readonly StandingSource[]): Promise<readonly SourceLine[]> {
  if (page.length === 0) return [];
  const column = <Field extends keyof StandingSource>(field: Field) => page.map((source) => source[field]);
  const { rows } = await database.pool.query<StoredLine & { readonly id: number }>({
    // Planning it takes longer than a page of lines.
    name: 'lines of sources',
    text: LINES,
    values: (['id', 'condition', 'isOverdue', 'lacksTime', 'streams', 'reached'] as const).map(column),
  });
  const known = new Map(rows.map(({ id, ...line }) => [id, lineOf(line)]));
  // A source that was removed meanwhile has no line.
  return page.flatMap(({ id }) => known.get(id) ?? []);
}

const countsOf = (ranked: readonly Ranked[]): ConditionCounts => {
  const counts: Partial<Record<Condition, number>> = {};
  for (const { source } of ranked) counts[source.condition] = (counts[source.condition] ?? 0) + 1;
  return counts;
};

/** Whether a source stands behind a place of the order. */
function isBehind({ rank, source }: Ranked, place: ListedPlace): boolean {
  const order = byRank(rank, place.rank);
  if (order !== 0 || source.organisation !== place.organisation)
    return order > 0 || (order === 0 && source.organisation > place.organisation);
  return source.name > place.name;
}

/**
 * Lists, filters and sorts sources, and loads the platforms that their lines need. `standing`: how all sources stand, where it is at
 * hand; otherwise they are judged here.
 */
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
    limit = Infinity,
    behindSource,
    ...wanted
  }: WantedSources,
  standing?: Standing,
): Promise<ListedSources> {
  const sort = wanted.sort ?? (behind ? 'lag' : 'name');
  const judged = await (standing ?? (await standingSources(database, organisations))).sorted(sort);
  const seen =
    organisations === undefined ? judged : judged.filter(({ source }) => organisations.includes(source.organisation));
  const part = text.toLowerCase();
  const chosen = seen.filter(
    ({ source }) =>
      (!behind || source.lacksTime) &&
      (condition === undefined || source.condition === condition) &&
      (platform === undefined || source.platform === platform) &&
      (project === undefined || source.project === project) &&
      source.name.toLowerCase().includes(part),
  );
  const following = behindSource === undefined ? chosen : chosen.filter((one) => isBehind(one, behindSource));
  const page = following.slice(0, limit);
  const lines = await linesOf(
    database,
    page.map(({ source }) => source),
  );
  const end = page.at(-1);
  return {
    counts: countsOf(seen),
    matching: chosen.length,
    lines,
    last:
      end === undefined || following.length === page.length
        ? undefined
        : { organisation: end.source.organisation, name: end.source.name, rank: end.rank },
    platforms: await platformsBehind(
      lines.map(({ demand }) => demand),
      listed,
    ),
  };
}

const unwellOf = (seen: string): string => `with judged as materialized (${judgedSources({ source: seen })})
  select (select coalesce(jsonb_object_agg(condition, sources), '{}') from (select condition, count(*) as sources from judged group by condition) as each) as conditions,
    (select coalesce(jsonb_agg(line order by line.severity, organisation collate "C", name collate "C"), '[]')
     from (${sourceLinesOf("(select * from judged where condition not in ('well', 'paused'))", `${SEVERITY} as severity,`)}) as line) as lines`;

/** Alerts ask it every ten seconds, and planning it takes longer than it does. Without parameters it is planned once. */
const UNWELL = { name: 'unwell sources', text: unwellOf('true') };
const UNWELL_OF_SOME = unwellOf('source.organisation_id = any($1)');

interface UnwellRow {
  readonly conditions: ConditionCounts;
  readonly lines: readonly StoredLine[];
}

/** How many sources are in each condition, and the lines of those that an operator should look at, the worst first. */
export async function unwellSources(
  database: Database,
  organisations?: readonly string[],
): Promise<{ readonly conditions: ConditionCounts; readonly lines: readonly SourceLine[] }> {
  const { rows } =
    organisations === undefined
      ? await database.pool.query<UnwellRow>(UNWELL)
      : await database.pool.query<UnwellRow>(UNWELL_OF_SOME, [organisations]);
  return { conditions: rows[0]?.conditions ?? {}, lines: (rows[0]?.lines ?? []).map(lineOf) };
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
