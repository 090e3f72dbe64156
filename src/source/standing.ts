import { CONDITIONS } from '../core/condition.ts';
import type { Condition } from '../core/condition.ts';
import type { Instant } from '../core/instant.ts';
import { requestsOfHour } from '../core/request-counts.ts';
import type { RequestCounts } from '../core/request-counts.ts';
import type { Database } from '../database/database.ts';
import { judgedSources } from './condition.ts';
import { inPieces } from './in-pieces.ts';

/** How one source stands: what decides about its place in a list. */
export interface StandingSource {
  readonly id: number;
  readonly organisation: string;
  readonly name: string;
  readonly project: string;
  readonly platform: string;
  readonly condition: Condition;
  readonly isOverdue: boolean;
  readonly lacksTime: boolean;
  readonly streams: number;
  /** Up to where its furthest stream is covered; null without streams. */
  readonly reached: Instant | null;
  /** Its newest time may be so old, µs after `reached`, before it is late. */
  readonly every: number;
  readonly settle: number;
}

/** The place of a source among equals: by a number, then by an instant; organisation and name decide between equals. */
export type Rank = readonly [number: number, instant: number];

/** Before every instant. JSON has no infinity. */
const NEVER = Number.MIN_SAFE_INTEGER;

const SEVEREST = Object.keys(CONDITIONS);

const overdueSince = ({ reached, every, settle }: StandingSource): number =>
  reached === null ? NEVER : reached + every + settle;

/** The rank of each sort. A source without streams has no lag and comes first among the longest. */
const RANKS = {
  name: () => [0, 0],
  lag: ({ reached }) => [0, reached ?? NEVER],
  overdue: (source) => [0, overdueSince(source)],
  trouble: (source) => [SEVEREST.indexOf(source.condition), overdueSince(source)],
  requests: ({ id }, requests) => [-(requests.get(id) ?? 0), 0],
} as const satisfies Record<string, (source: StandingSource, requests: ReadonlyMap<number, number>) => Rank>;

/**
 * `name`: by organisation and name; `lag`: the longest lag first; `overdue`: the most overdue first; `trouble`: the worst condition
 * first, and in it the most overdue; `requests`: the most requests in the last hour first.
 */
export type SourceSort = keyof typeof RANKS;

export const SOURCE_SORTS = Object.keys(RANKS) as [SourceSort, ...SourceSort[]];

/** All sources at one instant. */
export interface Standing {
  /** In the order of a sort, each with its rank. */
  sorted(sort: SourceSort): Promise<readonly Ranked[]>;
}

export interface Ranked {
  readonly source: StandingSource;
  readonly rank: Rank;
}

const ROWS = `
  select judged.id, judged.organisation, judged.name, code as project, judged.platform, condition, is_overdue as "isOverdue", lacks_time as "lacksTime",
    judged.streams, instant_of(reached) as reached, (extract(epoch from every) * 1000000)::bigint as every, (extract(epoch from settle) * 1000000)::bigint as settle
  from (${judgedSources({ source: '($1::text[] is null or source.organisation_id = any($1))' })}) as judged
  join ml_project on ml_project.id = judged.project_id order by judged.organisation collate "C", judged.name collate "C"`;

/** Judges all sources, or those of some organisations. */
export async function standingSources(
  database: Database,
  organisations: readonly string[] | undefined,
): Promise<Standing> {
  const sources = await database.rows<StandingSource & Record<string, unknown>>(ROWS, [organisations ?? null]);
  const known = new Map<SourceSort, Promise<readonly Ranked[]>>();
  return {
    sorted(sort) {
      const made = known.get(sort) ?? sortedBy(database, sources, sort);
      known.set(sort, made);
      return made;
    },
  };
}

async function sortedBy(
  database: Database,
  sources: readonly StandingSource[],
  sort: SourceSort,
): Promise<readonly Ranked[]> {
  const requests = sort === 'requests' ? await requestsBySource(database) : new Map<number, number>();
  const ranked = sources.map((source): Ranked => ({ source, rank: RANKS[sort](source, requests) }));
  // They come in the order of their names, which stays between equals.
  return sort === 'name' ? ranked : ranked.toSorted((one, other) => byRank(one.rank, other.rank));
}

/** Orders ranks. */
export const byRank = (one: Rank, other: Rank): number => one[0] - other[0] || one[1] - other[1];

/** The requests of the last hour of each source that has a pace, which only this program reads out of their text. */
async function requestsBySource(database: Database): Promise<ReadonlyMap<number, number>> {
  const rows = await database.rows<{ id: number; counts: RequestCounts | null; now: Instant }>(
    `select source_id as id, requests as counts, instant_of(now()) as now from pace`,
  );
  return new Map(
    await inPieces(rows, ({ id, counts, now }) => [id, requestsOfHour(counts ?? undefined, now)] as const),
  );
}

/** How long a standing is told to all that ask, ms. */
const FRESH_MS = 1_000;

/** With very many sources a standing is told for this many times as long as it took. */
const TIMES_AS_LONG = 5;

/** A standing older than this, ms, and than this many times as long as it took, ends with an event of a source, too. */
const EVENT_MS = 200;
const TIMES_AS_LONG_FOR_EVENT = 2;

/** True while no event of the kinds `$2` happened since the snapshot `$1`: changes are noted in the transaction that makes them. */
const UNCHANGED = `select not exists (
  select from event where kind = any($2) and xact >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xact, $1::pg_snapshot)) as unchanged`;

/**
 * The standing of all sources, made once for all that ask within a second, because it reads the rows of every source. An operator
 * finds what any operator changed before: such a change ends it at once, in every process. A page that was told of a source which failed
 * or came back finds that, too, unless all standings are made for such pages alone. `nowMs`: a clock in milliseconds.
 */
export function sharedStanding(database: Database, nowMs = () => performance.now()): () => Promise<Standing> {
  let last: Shared | undefined;
  const make = (): Promise<Standing> => {
    const began = nowMs();
    const snapshot = snapshotOf(database);
    const standing = snapshot.then(() => standingSources(database, undefined));
    const made: Shared = { snapshot, standing, until: Infinity, firmUntil: Infinity };
    last = made;
    standing.then(
      () => {
        const took = nowMs() - began;
        made.until = nowMs() + Math.max(FRESH_MS, TIMES_AS_LONG * took);
        made.firmUntil = nowMs() + Math.max(EVENT_MS - took, TIMES_AS_LONG_FOR_EVENT * took);
      },
      () => (made.until = 0),
    );
    return standing;
  };
  return async () => {
    const known = last;
    if (known === undefined || nowMs() >= known.until) return await make();
    const kinds = nowMs() >= known.firmUntil ? ['audit', 'source'] : ['audit'];
    const row = await database.row<{ unchanged: boolean }>(UNCHANGED, [await known.snapshot, kinds]);
    if (row?.unchanged === true) return await known.standing;
    return await (last === undefined || last === known ? make() : last.standing);
  };
}

interface Shared {
  readonly standing: Promise<Standing>;
  /** What the standing saw at least. */
  readonly snapshot: Promise<string>;
  until: number;
  /** Until then an event of a source does not end it. */
  firmUntil: number;
}

const snapshotOf = async (database: Database): Promise<string> =>
  (await database.row<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot'))?.snapshot ?? '';
