import { coverageOf, totalLength } from '../../src/core/coverage.ts';
import { lengthOf } from '../../src/core/window.ts';
import type { Client } from 'pg';

/** A worker that began to work on a source or on the past of a stream. */
interface LoggedClaim {
  /** The source (live) or the stream (history). */
  readonly owner: number;
  readonly worker: string;
  /** The worker that held it at that moment, because it had not given it back. */
  readonly takenFrom: string | null;
}

/** Has a database note every claim of a source (`live`) and of a stream's past (`history`), in the order in which they were made. */
export async function logClaims(client: Client): Promise<void> {
  await client.query(`
    create table claim_log (id bigint generated always as identity, lane text, owner int, worker text, taken_from text);
    create function log_claim() returns trigger language plpgsql as $$ begin
      insert into claim_log (lane, owner, worker, taken_from)
      values (case new.kind when 'poll' then 'live' else new.kind end, new.id, new.claimed_by, old.claimed_by);
      return null; end $$;
    create trigger log_claim after update of claimed_by on work
      for each row when (new.claimed_by is not null) execute function log_claim();`);
}

async function claimsOf(client: Client, lane: 'live' | 'history'): Promise<LoggedClaim[]> {
  const { rows } = await client.query<LoggedClaim>(
    `select owner, worker, taken_from as "takenFrom" from claim_log where lane = $1 order by id`,
    [lane],
  );
  return rows;
}

/** Windows of the time before `startAt` that hold time which was handed over more than once, and how many seconds that is. */
export async function askedAgain(client: Client, startAt: string): Promise<{ seconds: number; windows: unknown[] }> {
  const { rows: windows } = await client.query<{ stream: number; from: Date; to: Date }>(
    `select stream_id as stream, from_at as from, to_at as to, asked_at as asked from window_log as one
     where lane = 'history' and from_at < $1::timestamptz
       and exists (select from window_log as other where other.stream_id = one.stream_id and other.lane = 'history'
         and other.ctid <> one.ctid and tstzrange(one.from_at, one.to_at) && tstzrange(other.from_at, other.to_at))
     order by asked_at`,
    [startAt],
  );
  const seconds = [...Map.groupBy(windows, ({ stream }) => stream).values()].reduce((sum, ofStream) => {
    const asked = ofStream.map(({ from, to }) => ({ from: from.getTime() / 1_000, to: to.getTime() / 1_000 }));
    return sum + asked.reduce((length, window) => length + lengthOf(window), 0) - totalLength(coverageOf(asked));
  }, 0);
  return { seconds, windows };
}

/**
 * How many windows of the past may be asked again, by the claims that were made: a run that takes over asks again for the windows
 * that the worker before it had under way.
 */
export async function mostAskedAgain(client: Client, concurrency: number): Promise<number> {
  const claims = await claimsOf(client, 'history');
  return claims.filter(({ takenFrom }) => takenFrom !== null).length * concurrency;
}

/** Workers from which another one took the source while they polled it. */
export async function robbedOf(client: Client): Promise<Set<string>> {
  const claims = await claimsOf(client, 'live');
  return new Set(
    claims.flatMap(({ worker, takenFrom }) => (takenFrom === null || takenFrom === worker ? [] : [takenFrom])),
  );
}
