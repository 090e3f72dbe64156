import type { ClientBase, Pool } from 'pg';
import { MILLISECOND, MINUTE } from '../../src/core/instant.ts';
import type { PaceState } from '../../src/core/pace.ts';

/** A lease ends this long after its slot (src/pace/pacer.ts). */
const LEASE = 5 * MINUTE;

/** A request slot that a process reserved; `at` in µs on the database's clock. */
export interface ReservedSlot {
  readonly id: string;
  readonly lane: string;
  readonly at: number;
}

export interface LoggedPace {
  readonly version: number;
  readonly state: PaceState;
}

/**
 * Has a database note every state that `pace` takes. What was reserved is known to the µs then, however busy the machine is;
 * arrivals of requests are not, because a process that stands still for a moment sees many of them at once.
 */
export async function logPace(client: ClientBase | Pool): Promise<void> {
  await client.query(
    `create table pace_log (id bigint generated always as identity, source_id int, version bigint, state jsonb)`,
  );
  await client.query(`create function log_pace() returns trigger language plpgsql as
    'begin insert into pace_log (source_id, version, state)
      values (new.source_id, new.version, new.state || jsonb_build_object(''requests'', new.requests, ''next'', new.next, ''leases'', new.leases)); return null; end'`);
  await client.query(`create trigger log_pace after insert or update on pace for each row execute function log_pace()`);
}

/** Every state of a source's pace since `logPace`, in order. */
export async function loggedPaces(client: ClientBase | Pool, sourceId: number): Promise<LoggedPace[]> {
  const { rows } = await client.query<{ version: string; state: PaceState }>(
    'select version::text, state from pace_log where source_id = $1 order by id',
    [sourceId],
  );
  return rows.map(({ version, state }) => ({ version: Number(version), state }));
}

/** Every slot that was ever reserved, in the order of the reservations, also one that was given back unused. */
export function slotsOf(states: readonly LoggedPace[]): ReservedSlot[] {
  const seen = new Map<string, ReservedSlot>();
  for (const { state } of states) {
    for (const { id, lane, until, abandoned } of state.leases) {
      // It was seen before it was abandoned, with another `until`.
      if (abandoned) continue;
      if (!seen.has(`${id} ${until}`)) seen.set(`${id} ${until}`, { id, lane, at: until - LEASE });
    }
  }
  return [...seen.values()];
}

/** The requests that came before their slots, given arrivals in ms: each request waits for a slot of its own. */
export function requestsWithoutSlot(
  slots: readonly ReservedSlot[],
  arrivedMs: readonly number[],
  toleranceMs: number,
): number[] {
  const granted = slots.map(({ at }) => at / MILLISECOND).toSorted((one, other) => one - other);
  return arrivedMs
    .toSorted((one, other) => one - other)
    .filter((at, place) => at < (granted[place] ?? Infinity) - toleranceMs);
}
