import { newestIn } from '../core/batch.ts';
import type { Batch } from '../core/batch.ts';
import type { Coverage } from '../core/coverage.ts';
import type { Instant } from '../core/instant.ts';
import type { Learned } from '../core/learn.ts';
import type { Window } from '../core/window.ts';
import { multirangeOf } from '../database/multirange.ts';
import { remembers } from '../database/memory.ts';
import type { Stamp } from '../database/memory.ts';
import { printableJson } from '../database/printable.ts';
import { REFUSED, RESOLVED, refusedHours } from '../ingest/refused-hours.ts';
import type { Taken } from '../ingest/window-readings.ts';
import type { Meter } from '../platform/connection/index.ts';
import type { OpenSource, Stream } from './open/open-source.ts';

/** Everything one window leaves behind, committed together or not at all (law 1). */
export interface Handover {
  /** The configuration that the window was read with; `edition` tells it from all others, see table source. */
  readonly source: Pick<OpenSource, 'id' | 'revision' | 'edition' | 'projectId'>;
  /** As it was when the window was planned. Its key is compared, because a restored database may have another stream with this number. */
  readonly stream: Pick<Stream, 'id' | 'key' | 'covered' | 'looksNoted'>;
  /** Who claimed the source or, in history, the stream. */
  readonly workerId: string;
  /** The memory of this process when the read began (database/memory.ts): it held the names of the series. */
  readonly process: string;
  readonly lane: 'live' | 'history';
  readonly window: Window;
  readonly learned: Learned;
  /** The looks that are owed because of the window (core/look-back.ts). */
  readonly looks: Coverage;
  /**
   * One overlap before the question. Where looks were noted since the plan, the window settles them only before this instant: a point
   * that came into that time after the question is later than the overlap.
   */
  readonly settledTo: Instant;
  /** The backfill that asked, which the window is counted for, and those of covered time that have it now. */
  readonly backfills: { readonly asking: number | undefined; readonly served: readonly number[] } | undefined;
  readonly askedAt: Instant;
  readonly meter: Meter;
  readonly normaliseMs: number;
  readonly batch: Batch;
}

/** The columns of `windows` with their types. */
const COLUMNS = {
  stream_id: 'int',
  stream_key: 'text',
  revision: 'int',
  edition: 'uuid',
  worker: 'uuid',
  process: 'uuid',
  mark: 'bigint',
  source_id: 'int',
  lane: 'text',
  from_us: 'bigint',
  to_us: 'bigint',
  learned: 'jsonb',
  known_looks: 'int',
  settled_us: 'bigint',
  looks: 'tstzmultirange',
  backfill_id: 'int',
  served: 'text',
  asked_us: 'bigint',
  newest_us: 'bigint',
  requests: 'int',
  bytes: 'bigint',
  readings: 'int',
  refused: 'int',
  repeats: 'int',
  outside: 'int',
  waited_ms: 'real',
  http_ms: 'real',
  normalise_ms: 'real',
  store_ms: 'real',
  refusals: 'jsonb',
  fresh: 'bigint',
  revised: 'bigint',
  late: 'bigint',
  oldest_news: 'bigint',
} as const;

type ColumnName = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as ColumnName[];

/** A window as a row of `windows`. */
export type Settlement = Readonly<Partial<Record<ColumnName, string | number | null | undefined>>>;

/** The parameters of `lockedStreams`: an array for each column, because PostgreSQL takes JSON ten times as slowly. */
export const windowsOf = (rows: readonly Settlement[]): Record<ColumnName, unknown[]> =>
  Object.fromEntries(NAMES.map((name) => [name, rows.map((row) => row[name] ?? null)])) as Record<
    ColumnName,
    unknown[]
  >;

/** SQL: `windows` has a row for each window of the parameters (`windowsOf`); the `part` of the first one is 1. */
const WINDOWS = `
  windows as materialized (
    select *, tstzmultirange(tstzrange(at_instant(from_us), at_instant(to_us))) as time
    from unnest(${NAMES.map((name) => `$${name}::${COLUMNS[name]}[]`).join(', ')}) with ordinality as one (${NAMES.join(', ')}, part))`;

/**
 * SQL: `locked` locks the rows of the streams whose windows may be committed. The fence: the stream is the one that was read, its
 * configuration stands, and so do the numbers of its series and the claim. A worker that stood still for long may have lost its claim
 * to one that has read newer values since.
 */
export const lockedStreams = (rows: 'skip locked' | ''): string => `
  ${WINDOWS},
  locked as materialized (
    select one.part, stream.id
    from windows as one join stream on stream.id = one.stream_id and stream.key = one.stream_key and stream.source_revision = one.revision
    where exists (select from source where source.id = stream.source_id and source.edition = one.edition)
      and exists (select from work where kind = case one.lane when 'live' then 'poll' else 'history' end
        and work.id = case one.lane when 'live' then stream.source_id else stream.id end and claimed_by = one.worker)
      and ${remembers('one.mark', 'one.process')}
    for no key update of stream ${rows})`;

/**
 * SQL: `moved` covers the windows of `locked`, with what was covered before as `ranges`. A live window ends the failures of live;
 * those of history end with a run that could read all its windows.
 */
export const MOVED = `
  moved as (
    update stream set covered = covered + one.time, looks_noted = looks_noted + (one.looks <> '{}')::int,
      look_again = look_again + one.looks - case when looks_noted = one.known_looks then one.time
        else one.time * tstzmultirange(tstzrange(null, at_instant(one.settled_us))) end,
      learned = one.learned,
      last_fault = case when one.lane = 'live' and last_fault ->> 'lane' is distinct from 'history' then null else last_fault end,
      failures = case when one.lane = 'live' then 0 else failures end,
      retry_at = case when one.lane = 'live' then null else retry_at end,
      turn_at = case when one.lane = 'live' then now() else turn_at end,
      newest_at = greatest(newest_at, at_instant(one.newest_us))
    from locked join windows as one using (part) where stream.id = locked.id
    returning one.part, stream.id as stream_id, old.covered as ranges)`;

const COUNTED = `one.source_id, one.lane, one.requests, one.bytes, one.readings, one.readings - taken.fresh - taken.revised as duplicates,
      taken.revised, one.refused, one.repeats, one.outside, taken.late`;

const BACKFILLED = `
  backfilled as (
    update backfill_stream set done = done + one.time from moved join windows as one using (part)
    where backfill_stream.backfill_id = any(string_to_array(one.served, ',')::int[]) and backfill_stream.stream_id = moved.stream_id),
  of_day as (
    insert into backfill_day as total (backfill_id, day, windows, failures, requests, bytes, readings, worked_ms)
    select backfill.id, (at_instant(one.asked_us) at time zone 'UTC')::date, 1, 0, one.requests, one.bytes, one.readings,
      one.http_ms + one.normalise_ms + one.store_ms
    from moved join windows as one using (part) join backfill on backfill.id = one.backfill_id
    on conflict (backfill_id, day) do update set windows = total.windows + 1, requests = total.requests + excluded.requests,
      bytes = total.bytes + excluded.bytes, readings = total.readings + excluded.readings,
      worked_ms = total.worked_ms + excluded.worked_ms),`;

const LOGGED = `
  counted as (
    select ${COUNTED}, moved.stream_id, at_instant(one.asked_us) as asked_at, at_instant(one.from_us) as from_at,
      at_instant(one.to_us) as to_at, one.waited_ms, one.http_ms, one.normalise_ms, one.store_ms
    from moved join windows as one using (part) join taken using (part)),
  logged as (
    insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates,
      revised, refused, repeats, outside, late, waited_ms, http_ms, normalise_ms, store_ms)
    select stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised, refused, repeats,
      outside, late, waited_ms, http_ms, normalise_ms,
      store_ms + extract(epoch from clock_timestamp() - statement_timestamp()) * 1000
    from counted),
  summed as (
    insert into window_sum as total (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused,
      repeats, outside, late)
    select source_id, date_trunc('hour', asked_at, 'UTC'), lane, count(*), 0, sum(requests), sum(bytes), sum(readings), sum(duplicates),
      sum(revised), sum(refused), sum(repeats), sum(outside), sum(late)
    from counted group by 1, 2, 3 order by 1, 2, 3
    on conflict (source_id, hour, lane) do update set windows = total.windows + excluded.windows,
      requests = total.requests + excluded.requests, bytes = total.bytes + excluded.bytes, readings = total.readings + excluded.readings,
      duplicates = total.duplicates + excluded.duplicates, revised = total.revised + excluded.revised,
      refused = total.refused + excluded.refused, repeats = total.repeats + excluded.repeats,
      outside = total.outside + excluded.outside, late = total.late + excluded.late)`;

/**
 * SQL: logs the windows of `moved`, and ends the statement with the rows of `taken` that are in `moved`. `alone`: the statement has
 * one window, which may belong to backfills, and of which points may have been refused.
 */
export const settled = ({ alone }: { alone: boolean }): string =>
  `${alone ? BACKFILLED : ''} ${LOGGED}, ${alone ? REFUSED : RESOLVED} select taken.* from taken join moved using (part)`;

/** A window as a row of `windows`. `storeMs`: how long the readings took to store before the statement; `taken`: what they were. */
export function settlementOf(handover: Handover, { process, mark }: Stamp, storeMs = 0, taken?: Taken): Settlement {
  const { source, stream, batch, meter, window } = handover;
  return {
    stream_id: stream.id,
    stream_key: stream.key,
    revision: source.revision,
    edition: source.edition,
    worker: handover.workerId,
    process,
    mark,
    source_id: source.id,
    lane: handover.lane,
    from_us: window.from,
    to_us: window.to,
    learned: JSON.stringify(handover.learned),
    looks: multirangeOf(handover.looks),
    known_looks: stream.looksNoted,
    settled_us: handover.settledTo,
    backfill_id: handover.backfills?.asking,
    served: handover.backfills?.served.join(','),
    asked_us: handover.askedAt,
    newest_us: newestIn(batch),
    requests: meter.requests,
    bytes: meter.bytesIn,
    readings: batch.readings,
    refused: refusedIn(batch),
    repeats: batch.repeats,
    outside: batch.outside + batch.unchosen,
    waited_ms: meter.waitedMs,
    http_ms: meter.httpMs,
    normalise_ms: handover.normaliseMs,
    store_ms: storeMs,
    ...(batch.refusals.length > 0 && { refusals: printableJson(refusedHours(batch.refusals)) }),
    ...(taken && {
      fresh: taken.fresh,
      revised: taken.revised,
      late: taken.late,
      oldest_news: taken.oldestNews,
    }),
  };
}

export const refusedIn = ({ refused }: Batch): number => [...refused.values()].reduce((sum, count) => sum + count, 0);
