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

/** The rows of `pace`, or with `string` those of `host_pace`, which all processes share. */
export interface PaceRows<Key extends number | string = number> {
  /** Reads the row and makes it where it is missing. Throws `cancelled` where the source is gone. */
  read(key: Key): Promise<PaceRow>;
  /**
   * Replaces the row by `next` if it still is as `seen`. The change is durable, because a reserved slot must not be
   * forgotten. Changes of several sources share a commit, and each is compared on its own.
   */
  swap(key: Key, seen: PaceRow, next: PaceState): Promise<Swapped>;
}

export interface Swapped {
  readonly done: boolean;
  /** The row as it stands now, with the change of another process where `done` is false. Undefined: read it again. */
  readonly row: PaceRow | undefined;
}

interface Change<Key> {
  readonly key: Key;
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

/** A table of paces. */
interface Kept<Key> {
  readonly table: 'pace' | 'host_pace';
  readonly key: 'source_id' | 'host';
  readonly type: 'int' | 'text';
  /** Makes a row that is missing. */
  readonly make: (database: Database, key: Key) => Promise<void>;
}

/** The lock reads the newest row, also where it changed after the statement began. */
const SWAP = ({ table, key, type }: Pick<Kept<never>, 'table' | 'key' | 'type'>, rows: string): string => `
  with locked as (
    select change.*, version, case when version <> seen then ${STATE} end as state
    from ${table} as pace join unnest($1::${type}[], $2::bigint[], $3::text[], $4::bigint[], $5::jsonb[], $6::jsonb[]) with ordinality
      as change (locked, seen, new_requests, new_next, new_leases, new_state, place) on ${key} = locked
    for no key update of pace ${rows}),
  swapped as (
    update ${table} as pace set version = seen + 1, requests = new_requests, next = new_next, leases = new_leases, state = new_state from locked
    where ${key} = locked and pace.version = seen
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

/** A source has its row from its registration on; one whose row is missing came from another state of the database. */
async function makeOfSource(database: Database, sourceId: number): Promise<void> {
  const made = await database.run(
    'insert into pace (source_id, state) select id, $2 from source where id = $1 on conflict do nothing',
    [sourceId, JSON.stringify({ holdUntil: IDLE.holdUntil })],
  );
  if (made === 0 && !(await database.row('select 1 from source where id = $1', [sourceId]))) {
    throw new BridgeError({ code: 'cancelled' }, 'the source was removed');
  }
}

/** The first request to a host makes its row. */
async function makeOfHost(database: Database, host: string): Promise<void> {
  await database.run('insert into host_pace (host, state) values ($1, $2) on conflict do nothing', [
    host,
    JSON.stringify({ holdUntil: IDLE.holdUntil }),
  ]);
}

/** The paces of sources, by their ids. */
export const paceRowsOf = (database: Database): PaceRows =>
  rowsIn(database, { table: 'pace', key: 'source_id', type: 'int', make: makeOfSource });

/** The paces of hosts, by their names. */
export const hostPaceRowsOf = (database: Database): PaceRows<string> =>
  rowsIn(database, { table: 'host_pace', key: 'host', type: 'text', make: makeOfHost });

function rowsIn<Key extends number | string>(database: Database, kept: Kept<Key>): PaceRows<Key> {
  const { table, key: column, type } = kept;
  const swap = gathering<Change<Key>, Swapped>(async (changes, rows) => {
    const { rows: found } = await database.pool.query<Found>({
      name: `swap-${table}s ${rows}`.trim(),
      text: SWAP(kept, rows),
      values: [
        changes.map(({ key }) => key),
        changes.map(({ seen }) => seen.version),
        ...columnsOf(changes.map(({ next }) => next)),
      ],
    });
    const swapped = new Map<Change<Key>, Swapped>();
    for (const { place, done, version, state } of found) {
      const change = changes[place - 1] as Change<Key>;
      const after = done ? { version: version + 1, state: change.next } : { version, state };
      // Without a state another change of the same row was in this group and came first.
      swapped.set(change, { done, row: after.state === null ? undefined : (after as PaceRow) });
    }
    return swapped;
  });

  const find = gathering<Key, PaceRow | undefined>(async (keys) => {
    const { rows: found } = await database.pool.query<PaceRow & { key: Key }>({
      name: `read-${table}s`,
      text: `select ${column} as key, version, ${STATE} as state from ${table} where ${column} = any($1::${type}[])`,
      values: [keys],
    });
    const rows = new Map(found.map(({ key, ...row }) => [key, row]));
    return new Map(keys.map((key) => [key, rows.get(key)]));
  });

  async function read(key: Key): Promise<PaceRow> {
    const found = await find(key);
    if (found) return found;
    await kept.make(database, key);
    return read(key);
  }

  return {
    read,
    async swap(key, seen, next) {
      return (await swap({ key, seen, next })) ?? { done: false, row: undefined };
    },
  };
}
