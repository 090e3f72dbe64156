import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gathering.ts';
import type { Work } from '../queue/queue.ts';
import { HISTORY_FAILURES, NEXT_DUE, mayClaim, mayRun } from './work.ts';
import type { SourceCache } from './open/source-cache.ts';
import type { SourceRow, Stream } from './open/open-source.ts';

/** Work that only this process may do, until it reports: a poll or a look of a source, or the history of one of its streams. */
export interface Claimed extends SourceRow {
  readonly work: Work;
  /** Failures in a row of the source. */
  readonly failures: number;
  /** Whether the source shows a fault, which a poll that is well ends. */
  readonly faulty: boolean;
  /** Failures in a row of this work; those of polls are the source's. */
  readonly workFailures: number;
  /** How far the platform's clock was last found to be ahead of ours, negative where it is behind; null where it is right. */
  readonly clock_ahead: Microseconds | null;
  /** All that are read, in history the one. They stand in the order of their ids for a look alone, because a poll asks them in turn. */
  readonly streams: readonly Stream[];
}

/** How a run ended. */
export interface Report {
  /** The platform answered, or there was nothing to ask. */
  readonly healthy: boolean;
  /** When the next run is due; null where there is nothing left to do. Undefined: when the claim said. */
  readonly dueAt?: Instant | null;
  /** Failures in a row from now on; undefined: as they stand. */
  readonly failures?: number;
}

/** SQL: a `tstzmultirange` as a coverage. Nearly every stream has one range or none, which needs no query. */
const coverage = (ranges: string): string =>
  `case when ${ranges} = '{}' then '[]'
    when ${ranges} = tstzmultirange(range_merge(${ranges})) then json_build_array(json_build_object('from', instant_of(lower(${ranges})), 'to', instant_of(upper(${ranges}))))
    else (select json_agg(json_build_object('from', instant_of(lower(part)), 'to', instant_of(upper(part)))) from unnest(${ranges}) as part) end`;

/**
 * SQL: a row of `stream` as JSON (`Stream`), beside the row `history` of its work. The history of a stream that is complete but for
 * unreadable time is due when that is tried again, which may be later.
 */
const STREAM = `json_build_object('id', stream.id, 'key', stream.key, 'selection', stream.selection,
  'covered', ${coverage('stream.covered')}, 'learned', stream.learned, 'failures', stream.failures, 'askedAt', instant_of(stream.turn_at),
  'historyFailures', coalesce(history.failures, 0), 'historyDue', coalesce(history.failures > 0 or history.due_at < now() + interval '1 minute', false),
  'retryAt', instant_of(stream.retry_at), 'unreadable', case when exists (select from unreadable where stream_id = stream.id) then (
    select json_agg(json_build_object('from', instant_of(from_at), 'to', instant_of(to_at), 'tries', tries, 'retryAt', instant_of(retry_at)) order by from_at)
    from unreadable where stream_id = stream.id) else '[]' end,
  'lookAgain', ${coverage('stream.look_again')}, 'looksNoted', stream.looks_noted, 'looksFrom', instant_of(stream.looks_from))`;

const STREAMS = "from stream left join work as history on history.kind = 'history' and history.id = stream.id";

/** The stream as it stands now; undefined where it is gone. */
export async function streamNow(database: Database, id: number): Promise<Stream | undefined> {
  const row = await database.row<{ stream: Stream }>(`select ${STREAM} as stream ${STREAMS} where stream.id = $1`, [
    id,
  ]);
  return row?.stream;
}

/**
 * Takes work for this process and gives it back. Claims and reports that come together share a statement. A claim ends with its
 * report, and when the process falls silent (`database/presence.ts`); from then on nothing of its run is stored.
 */
export interface Claims {
  /** Undefined where the source or stream is gone, may not be asked now, or another live worker has the work. */
  take(work: Work, id: number): Promise<Claimed | undefined>;
  /**
   * Gives work back. What was asked for meanwhile stays due, and so does the work of a source whose configuration was replaced
   * meanwhile: such a report tells nothing about the new one.
   */
  report(claimed: Claimed, report: Report): Promise<void>;
}

/** `dispatched`: work is taken only where it is due, because a job may come late and its source may have been dispatched anew since. */
export function claimsOf(given: {
  readonly database: Database;
  readonly workerId: string;
  readonly sources: Pick<SourceCache, 'editionOf'>;
  readonly dispatched?: boolean;
}): Claims {
  const { database, workerId, sources, dispatched = false } = given;

  const takeOf = (work: Work) =>
    gathering<number, Claimed | undefined>(async (ids, rows) => {
      // A job of history names its stream alone, so its claim always carries the configuration.
      const editions = ids.map((id) => (work === 'history' ? undefined : sources.editionOf(id)) ?? null);
      const { rows: found } = await database.pool.query<FoundWork>({
        name: `claim-${work} ${rows}`.trim(),
        text: claimOf(work, rows),
        values: [ids, editions, workerId, dispatched],
      });
      return new Map(found.map(({ locked, ...row }) => [locked, row.id === null ? undefined : { ...row, work }]));
    });
  const take = { poll: takeOf('poll'), look: takeOf('look'), history: takeOf('history') };

  const report = gathering<Reported, true>(async (reports, rows) => {
    const { rows: found } = await database.pool.query<{ place: number }>({
      name: `report ${rows}`.trim(),
      text: reportOf(rows),
      values: [
        workerId,
        reports.map(({ work }) => work),
        reports.map((each) => idOf(each)),
        reports.map(({ edition }) => edition),
        reports.map(({ healthy }) => healthy),
        reports.map(({ dueAt }) => dueAt === null),
        reports.map(({ dueAt }) => dueAt ?? null),
        reports.map(({ failures }) => failures ?? null),
      ],
    });
    return new Map(found.map(({ place }) => [reports[place - 1] as Reported, true]));
  });

  return {
    take: (work, id) => take[work](id),
    async report(claimed, ended) {
      const { work, id, edition, streams } = claimed;
      if (work === 'poll' && ended.healthy && claimed.faulty) await database.run(WELL_AGAIN, [id, edition, workerId]);
      await report({ work, id, edition, streams, ...ended });
    },
  };
}

type Reported = Pick<Claimed, 'work' | 'id' | 'edition' | 'streams'> & Report;

/** What a row of `work` is about. */
const idOf = ({ work, id, streams: [stream] }: Pick<Claimed, 'work' | 'id' | 'streams'>): number =>
  work === 'history' ? (stream as Stream).id : id;

/** The row of work that was asked for; without an id where it could not be claimed. */
type FoundWork = { readonly locked: number } & (Omit<Claimed, 'work'> | { readonly id: null });

const claimOf = (work: Work, rows: string): string => `
  with locked as (
    select work.id as locked, wanted.edition as known
    from work join unnest($1::int[], $2::uuid[]) as wanted (id, edition) using (id)
    where kind = '${work}' for no key update of work ${rows}),
  claimed as (
    update work set claimed_by = $3, sent_at = null, asked = false${work === 'poll' ? `, due_at = ${NEXT_DUE}` : ''}
    from locked, source where work.kind = '${work}' and work.id = locked and source.id = source_id and ${mayRun(work)} and ${mayClaim('$3', '$4')}
    returning locked as claimed, source.id, source.name, source.organisation_id as organisation, source.revision, source.edition, source.project_id as "projectId",
      source.failures, source.failures > 0 or source.last_fault is not null as faulty, work.failures as "workFailures",
      source.clock_ahead_us as clock_ahead, instant_of(source.start_at) as start,
      case when source.edition = known then null else source.config end as config,
      coalesce((select json_agg(${STREAM}${work === 'look' ? ' order by stream.id' : ''}) ${STREAMS}
       where ${work === 'history' ? 'stream.id = locked' : 'stream.source_id = source.id'} and retired_at is null), '[]') as streams)
  select locked, claimed.* from locked left join claimed on claimed = locked`;

/** No work is due before the end of a hold. */
const reportOf = (rows: string): string => `
  with ended as (
    select place, work.kind, work.id, ended.healthy, ended.failures,
      is_done and not asked and source.edition = ended.edition as is_done,
      case when asked or source.edition <> ended.edition then least(due_at, now())
        when due_us is null then due_at else greatest(at_instant(due_us), source.held_until) end as due
    from work join unnest($2::text[], $3::int[], $4::uuid[], $5::bool[], $6::bool[], $7::bigint[], $8::int[]) with ordinality
      as ended (kind, id, edition, healthy, is_done, due_us, failures, place) using (kind, id)
    join source on source.id = source_id
    for no key update of work ${rows}),
  done as (
    delete from work using ended where work.kind = ended.kind and work.id = ended.id and claimed_by = $1 and is_done),
  given_back as (
    update work set claimed_by = null, asked = false, due_at = due, ended_at = now(),
      well_at = case when healthy then now() else well_at end,
      failures = case when asked then least(work.failures, ended.failures) else coalesce(ended.failures, work.failures) end
    from ended where work.kind = ended.kind and work.id = ended.id and claimed_by = $1 and not is_done)
  select place from ended`;

/** The last fault stays visible while the source is stopped or one of its streams waits. */
const WELL_AGAIN = `
  update source set failures = 0,
    last_fault = case when state <> 'stopped' and not exists (
      select from stream where source_id = source.id and retired_at is null and failures + ${HISTORY_FAILURES} > 0) then null else last_fault end
  where id = $1 and edition = $2 and exists (select from work where kind = 'poll' and work.id = $1 and claimed_by = $3)`;
