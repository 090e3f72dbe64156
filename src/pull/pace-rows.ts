import { BridgeError } from '../core/errors.ts';
import { IDLE } from '../core/pace.ts';
import type { PaceState } from '../core/pace.ts';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gathering.ts';

/** The pace row of a source as it was read. */
export interface PaceRow {
  readonly version: number;
  readonly state: PaceState;
}

/** The rows of `pace`, which all hosts share. */
export interface PaceRows {
  /** Reads the row and makes it where it is missing. Throws `cancelled` where the source is gone. */
  read(sourceId: number): Promise<PaceRow>;
  /**
   * Replaces the row by `next` if it still is as `seen`. The change is durable, because a reserved slot must not be
   * forgotten. Changes of several sources share a commit, and each is compared on its own.
   */
  swap(sourceId: number, seen: PaceRow, next: PaceState): Promise<Swapped>;
}

export interface Swapped {
  readonly done: boolean;
  /** The row as it stands now, with the change of another process where `done` is false. Undefined: read it again. */
  readonly row: PaceRow | undefined;
}

interface Change {
  readonly sourceId: number;
  readonly seen: PaceRow;
  readonly next: PaceState;
}

interface Found {
  readonly place: number;
  readonly done: boolean;
  readonly version: number;
  readonly state: PaceState | null;
}

/** SQL: a row of `pace` as a `PaceState`. */
const STATE = `jsonb_strip_nulls(state || jsonb_build_object('requests', requests, 'next', next, 'leases', leases))`;

/** The lock reads the newest row, also where it changed after the statement began. */
const SWAP = (rows: string): string => `
  with locked as (
    select change.*, version, case when version <> seen then ${STATE} end as state
    from pace join unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[], $5::jsonb[], $6::jsonb[]) with ordinality
      as change (locked, seen, new_requests, new_next, new_leases, new_state, place) on source_id = locked
    for no key update of pace ${rows}),
  swapped as (
    update pace set version = seen + 1, requests = new_requests, next = new_next, leases = new_leases, state = new_state from locked
    where source_id = locked and pace.version = seen
    returning place)
  select place, version, state, swapped.place is not null as done from locked left join swapped using (place)`;

/** The columns of `SWAP` for these states. */
function columnsOf(states: readonly PaceState[]): unknown[][] {
  const rows = states.map(({ requests, next, leases, ...state }) => [
    requests ?? null,
    next,
    JSON.stringify(leases),
    JSON.stringify(state),
  ]);
  return [0, 1, 2, 3].map((column) => rows.map((row) => row[column]));
}

let leasesTaken = 0;

/** The id of a new lease of a worker; short, because it is written with every slot. */
export function newLeaseId(workerId: string): string {
  leasesTaken += 1;
  return `${workerId}/${leasesTaken.toString(36)}`;
}

export const holderOf = (leaseId: string): string => leaseId.slice(0, leaseId.indexOf('/'));

export function paceRowsOf(database: Database): PaceRows {
  const swap = gathering<Change, Swapped>(async (changes, rows) => {
    const { rows: found } = await database.pool.query<Found>({
      name: `swap-paces ${rows}`.trim(),
      text: SWAP(rows),
      values: [
        changes.map(({ sourceId }) => sourceId),
        changes.map(({ seen }) => seen.version),
        ...columnsOf(changes.map(({ next }) => next)),
      ],
    });
    const swapped = new Map<Change, Swapped>();
    for (const { place, done, version, state } of found) {
      const change = changes[place - 1] as Change;
      const after = done ? { version: version + 1, state: change.next } : { version, state };
      // Without a state another change of the same row was in this group and came first.
      swapped.set(change, { done, row: after.state === null ? undefined : (after as PaceRow) });
    }
    return swapped;
  });

  const find = gathering<number, PaceRow | undefined>(async (ids) => {
    const { rows: found } = await database.pool.query<PaceRow & { id: number }>({
      name: 'read-paces',
      text: `select source_id as id, version, ${STATE} as state from pace where source_id = any($1)`,
      values: [ids],
    });
    const rows = new Map(found.map(({ id, ...row }) => [id, row]));
    return new Map(ids.map((id) => [id, rows.get(id)]));
  });

  async function read(sourceId: number): Promise<PaceRow> {
    const found = await find(sourceId);
    if (found) return found;
    // A source has its row from its registration on; one whose row is missing came from another state of the database.
    const made = await database.run(
      'insert into pace (source_id, state) select id, $2 from source where id = $1 on conflict do nothing',
      [sourceId, JSON.stringify({ holdUntil: IDLE.holdUntil })],
    );
    if (made === 0 && !(await database.row('select 1 from source where id = $1', [sourceId]))) {
      throw new BridgeError({ code: 'cancelled' }, 'the source was removed');
    }
    return read(sourceId);
  }

  return {
    read,
    async swap(sourceId, seen, next) {
      return (await swap({ sourceId, seen, next })) ?? { done: false, row: undefined };
    },
  };
}
