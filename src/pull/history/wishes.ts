import type { Coverage } from '../../core/coverage.ts';
import { BridgeError } from '../../core/errors.ts';
import { formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import type { Window } from '../../core/window.ts';
import type { Database } from '../../database/database.ts';
import type { Meter } from '../../platform/connection/index.ts';
import { coverageFrom } from '../../database/multirange.ts';
import type { Ranges } from '../../database/multirange.ts';

/** A running backfill, seen from one of its streams. */
export interface Wish {
  readonly id: number;
  /** Its end may not have settled yet. */
  readonly range: Window;
  /** The parts of the range that it asks for. */
  readonly wanted: Coverage;
  readonly order: 'oldest' | 'newest';
  /** Covered time is asked again, too. Progress is then counted in `done`, otherwise in the stream's coverage. */
  readonly again: boolean;
  readonly done: Coverage;
  /** Without it, only the pace bounds its requests. */
  readonly budget?: Budget;
}

/** The requests that a backfill may send on a day of UTC. */
export interface Budget {
  /** Neither used nor reserved by a window under way, in whichever run. */
  readonly left: number;
  /** Nothing was used or reserved today. */
  readonly untouched: boolean;
  /**
   * What a window of this backfill needed so far, rounded up; all that is left before the first one, so that it goes first and alone. A window
   * reserves as much, at most a day's requests.
   */
  readonly perWindow: number;
  /** The first instant of the next day; where windows under way may give a part of what they reserved back, a minute from now. */
  readonly renewsAt: Instant;
}

/**
 * Whether a window may be begun: what it needs is left for today. Where that is more than a day's requests, it begins a day alone and is
 * halved when they are used (`allowanceOf`).
 */
export const mayAskMore = ({ left, untouched, perWindow }: Budget): boolean =>
  left >= perWindow || (untouched && left > 0);

const TODAY = `(now() at time zone 'UTC')::date`;
const TOMORROW = `date_trunc('day', now(), 'UTC') + interval '1 day'`;

/** SQL: a backfill that goes on, now or when an operator resumes it. */
export const IS_OPEN = `backfill.state in ('running', 'paused')`;

/** SQL: the row `stream` has one of `sensors`, a text[] of its key and of names as the platform or as readings have them; null: all do. */
export const hasOneOf = (sensors: string): string => `(${sensors} is null or stream.key = any(${sensors}) or exists (
  select from jsonb_array_elements(stream.sensors) as listed where listed ->> 'id' = any(${sensors}) or exists (
    select from series_name where series_name.source_id = stream.source_id and sensor_id = any(${sensors}) and holder::jsonb ->> 0 = listed ->> 'id')))`;

/** SQL for the time that is wanted of a stream. */
export const WANTED = 'coalesce(backfill_stream.wanted, tstzmultirange(tstzrange(from_at, to_at)))';

/** SQL: covered time is asked again, too. */
export const IS_AGAIN = `backfill.what in ('refused', 'all')`;

/** SQL for the time a stream has done of a backfill. */
export const DONE_IN_STREAM = `case when ${IS_AGAIN} then backfill_stream.done else stream.covered end`;

/** The running backfills of a stream, the oldest first. */
export async function wishesOf(database: Database, streamId: number): Promise<Wish[]> {
  const rows = await database.rows<{
    id: number;
    from: Instant;
    to: Instant;
    wanted: Ranges;
    newest: boolean;
    again: boolean;
    done: Ranges;
    perDay: number | null;
    today: number;
    perWindow: number;
    renewsAt: Instant;
  }>(
    `select backfill.id, instant_of(from_at) as from, instant_of(to_at) as to, instants_of(${WANTED}) as wanted, newest_first as newest,
       ${IS_AGAIN} as again, instants_of(done) as done, requests_per_day as "perDay",
       coalesce(used.today, 0) as today, coalesce(ceil(used.per_window), greatest(1, requests_per_day - coalesce(used.today, 0)))::int as "perWindow",
       instant_of(case when used.reserved > 0 then least(now() + interval '1 minute', ${TOMORROW}) else ${TOMORROW} end) as "renewsAt"
     from backfill join backfill_stream on backfill_id = backfill.id
     left join lateral (
       select sum(requests + reserved) filter (where day = ${TODAY}) as today, sum(reserved) filter (where day = ${TODAY}) as reserved,
         case when sum(windows + failures) > 0 then greatest(1, sum(requests) / sum(windows + failures)) end as per_window
       from backfill_day where backfill_day.backfill_id = backfill.id and requests_per_day is not null) as used on true
     where stream_id = $1 and state = 'running' order by backfill.id`,
    [streamId],
  );
  return rows.map(({ id, from, to, wanted, newest, again, done, perDay, today, perWindow, renewsAt }) => ({
    id,
    range: { from, to },
    wanted: coverageFrom(wanted),
    order: newest ? 'newest' : 'oldest',
    again,
    done: coverageFrom(done),
    ...(perDay !== null && { budget: { left: perDay - today, untouched: today === 0, perWindow, renewsAt } }),
  }));
}

/** SQL: marks the backfills of the source `$1` as done whose wanted time every stream has. See `finishCovered`. */
export const FINISH_COVERED = `
  update backfill set state = 'done', finished_at = now()
  where source_id = $1 and state = 'running'
    and exists (select from source where source.id = source_id and discovered_at is not null)
    and (what in ('failed', 'refused')
      or exists (select from backfill_stream join stream on stream.id = stream_id where backfill_id = backfill.id and retired_at is null))
    and not exists (
      select from backfill_stream join stream on stream.id = stream_id
      where backfill_id = backfill.id and retired_at is null and not (${WANTED} <@ (${DONE_IN_STREAM})))`;

/**
 * Marks the backfills of a source as done whose time every stream of the source has covered. None is done before the first complete
 * look, because a look stores streams while it goes on. Where a change of the source ended all streams, a backfill goes on with those of the
 * next look; one of time that failed or was refused has nothing left, because the coverage of its streams went with them.
 */
export const finishCovered = (database: Database, sourceId: number): Promise<number> =>
  database.run(FINISH_COVERED, [sourceId]);

/** What a window reserved of a day's requests. */
export interface Reserved {
  readonly backfillId: number;
  readonly requests: number;
  /** The day, as PostgreSQL writes it. */
  readonly day: string;
}

/**
 * Reserves what a window may need of today's requests, at most all of them, so that runs of several streams and processes do not all use
 * the same rest. What a killed process had reserved stays used for its day.
 * @returns undefined where other windows have it
 */
export async function reserveRequests(
  database: Database,
  backfillId: number,
  requests: number,
): Promise<Reserved | undefined> {
  // The row is locked before it is judged.
  return await database.row<Reserved & Record<string, unknown>>(
    `insert into backfill_day as total (backfill_id, day, windows, failures, requests, bytes, readings, worked_ms, reserved)
     select id, ${TODAY}, 0, 0, 0, 0, 0, 0, least($2, requests_per_day) from backfill where id = $1
     on conflict (backfill_id, day) do update set reserved = total.reserved + excluded.reserved
       where total.requests + total.reserved + excluded.reserved <= (select requests_per_day from backfill where id = $1)
     returning backfill_id as "backfillId", (select least($2, requests_per_day) from backfill where id = $1) as requests, day::text`,
    [backfillId, requests],
  );
}

/** The requests of one window of a backfill. */
export interface Allowance {
  /**
   * Asked before each request. Beyond what was reserved, and on another day, it reserves one more. Throws `too-much` where the day has none
   * left: a shorter window may do with what a day has. Without a login nobody else could ask, so one that finds none left is counted later.
   */
  readonly allow: (login: boolean) => Promise<void>;
  /** Everything that is to be given back. */
  readonly reserved: readonly Reserved[];
}

/** The allowance of a window that has reserved `first`. `now`: the clock of the database. */
export function allowanceOf(database: Database, first: Reserved, now: () => Instant): Allowance {
  const { backfillId } = first;
  const reserved = [first];
  let { day, requests: left } = first;
  return {
    reserved,
    async allow(login) {
      if (left > 0 && formatInstant(now()).startsWith(day)) {
        left -= 1;
        return;
      }
      const more = await reserveRequests(database, backfillId, 1);
      const last = reserved.at(-1);
      if (more?.day === last?.day && last !== undefined) {
        reserved.splice(-1, 1, { ...last, requests: last.requests + 1 });
      } else if (more !== undefined) {
        [day, left] = [more.day, 0];
        reserved.push(more);
      } else if (!login) {
        throw new BridgeError(
          { code: 'too-much' },
          `a window needs more requests than backfill ${backfillId} has left today`,
          {
            remedy: 'start the backfill with more requests a day',
          },
        );
      }
    },
  };
}

/** What this process could not give back while a database was away. */
const owed = new WeakMap<Database, Set<Reserved>>();

/**
 * Gives back what windows reserved, after their requests were counted, and what could not be given back before. Where the database is
 * away, the next call does it.
 */
export async function giveBack(database: Database, ...reserved: readonly Reserved[]): Promise<void> {
  const all = owed.get(database) ?? new Set();
  owed.set(database, all);
  for (const one of reserved) all.add(one);
  for (const one of all) {
    // Another call does not give it back, too, while the database answers.
    all.delete(one);
    try {
      await database.run(GIVE_BACK, [one.backfillId, one.day, one.requests]);
    } catch (error) {
      all.add(one);
      throw error;
    }
  }
}

const GIVE_BACK =
  'update backfill_day set reserved = greatest(0, reserved - $3) where backfill_id = $1 and day = $2::date';

/** Counts the requests of a window of a backfill that could not be read. */
export const noteFailed = (
  database: Database,
  backfillId: number,
  { requests, bytesIn, httpMs }: Pick<Meter, 'requests' | 'bytesIn' | 'httpMs'>,
): Promise<number> =>
  database.run(
    `insert into backfill_day as total (backfill_id, day, windows, failures, requests, bytes, readings, worked_ms)
     select id, ${TODAY}, 0, 1, $2, $3, 0, $4 from backfill where id = $1
     on conflict (backfill_id, day) do update set failures = total.failures + 1, requests = total.requests + excluded.requests,
       bytes = total.bytes + excluded.bytes, worked_ms = total.worked_ms + excluded.worked_ms`,
    [backfillId, requests, bytesIn, httpMs],
  );
