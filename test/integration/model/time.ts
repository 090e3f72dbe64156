import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import { MILLISECOND } from '../../../src/core/instant.ts';
import type { Database } from '../../../src/database/database.ts';

/**
 * The time of a history. It stands still except where it is moved: by a request, by a wait for a slot, and by the history
 * itself. The database of the model has a `now()` of its own (`TIME_IN_DATABASE`), so all parts see the same time.
 */
export interface ModelTime {
  /** The time of the plant, which is true. */
  now(): Instant;
  /** The clock of the database, which a history may put ahead. Every worker follows it. */
  shown(): Instant;
  /**
   * A worker reads the clock. Each look at it takes a microsecond, so no two reads of the plant begin at the same instant and
   * the judge can tell the answer that a window was committed with from every other one.
   */
  read(): Instant;
  /** The instant of the last such look. */
  readLast(): Instant;
  /** Moves on; the heartbeats of living workers move with it. */
  advance(length: Microseconds): Promise<void>;
  /** Puts the clock of the database ahead of true time by this much. */
  skew(ahead: Microseconds): Promise<void>;
  /** The workers that live. */
  readonly alive: Set<string>;
}

/** SQL, before the migrations: a schema whose `now()` comes before PostgreSQL's own. */
export const timeInDatabase = (name: string): string => `
  create schema simulated;
  create table simulated.clock (at timestamptz not null, ahead bigint not null default 0);
  insert into simulated.clock values ('2026-01-01Z');
  create function simulated.now() returns timestamptz language sql stable parallel safe return (select at from simulated.clock);
  create function simulated.clock_timestamp() returns timestamptz language sql volatile return (select at from simulated.clock);
  alter database ${name} set search_path = simulated, pg_catalog, public`;

const MOVE = `
  with moved as (update simulated.clock set at = at_instant($1), ahead = $3 returning at)
  update worker set beat_at = moved.at from moved where id = any($2)`;

export async function timeFrom(database: Database, start: Instant): Promise<ModelTime> {
  const alive = new Set<string>();
  let now = start;
  let ahead = 0;
  let looks = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const change = (decide: () => { now: Instant; ahead: Microseconds }): Promise<void> => {
    const mine = turn.then(async () => {
      const next = decide();
      // With a name, PostgreSQL plans it once a connection and not at each of the hundreds of steps of a history.
      const values = [next.now + next.ahead, [...alive], next.ahead];
      await database.pool.query({ name: 'move-time', text: MOVE, values });
      if (next.now > now) looks = 0;
      ({ now, ahead } = next);
    });
    turn = mine.catch(() => undefined);
    return mine;
  };

  const time: ModelTime = {
    now: () => now,
    shown: () => now + ahead,
    read: () => now + ahead + ++looks,
    readLast: () => now + ahead + looks,
    advance: (length) => {
      // Two that wait at the same time wait together, not one after the other.
      const until = now + Math.max(0, Math.round(length));
      return change(() => ({ now: Math.max(now, until), ahead }));
    },
    skew: (wanted) => change(() => ({ now, ahead: wanted })),
    alive,
  };
  await change(() => ({ now, ahead }));
  return time;
}

let present: ModelTime | undefined;

/** The time of the history that runs; undefined between histories. */
export const setModelTime = (time: ModelTime | undefined): void => {
  present = time;
};

/** Takes the place of `setTimeout` of `node:timers/promises`: the time of the model moves on instead. */
export async function sleepInModel<T>(
  ms = 0,
  value?: T,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T | undefined> {
  signal?.throwIfAborted();
  await present?.advance(ms * MILLISECOND);
  signal?.throwIfAborted();
  return value;
}
