import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { HostPaces } from '../core/host-pace.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from './database.ts';

/** The heartbeat of this process. Its claims are free again when it has not beaten for `SILENCE`. */
export interface Presence {
  /** `clockAhead`: how far the clock of this host disagrees with the database's, while the process polls nothing because of that. */
  beat(clockAhead?: Microseconds): Promise<void>;
  leave(): Promise<void>;
}

const SILENCE = "interval '12 s'";

/**
 * SQL condition on a row of `worker`: its process lives. A heartbeat in the future stems from a clock that was ahead; a
 * living worker replaces it within three seconds.
 */
export const LIVES = `beat_at between now() - ${SILENCE} and now() + ${SILENCE}`;

/** SQL condition on a row of `worker`: its process lives and polls. A command that asks a platform lives, and polls nothing. */
export const POLLS = `polls and ${LIVES}`;

/** How often `beat` must be called, ms: several times within the silence that frees its claims. */
export const BEAT_MS = 3_000;

/** SQL condition: no living process but `me` (a parameter like $2) holds the claim in `column`. */
export const claimable = (column: string, me: string): string =>
  `(${column} is null or ${column} = ${me} or not exists (select from worker where id = ${column} and ${LIVES}))`;

interface PresenceOptions {
  readonly polls?: boolean;
  readonly kids?: () => Promise<readonly string[]>;
  readonly disk?: () => Promise<{ readonly free: number; readonly size: number }>;
  readonly hostPaces?: HostPaces;
}

/** The same for processes with the same paces of hosts, whatever the order in which their settings name them. */
export const hostPacesMark = (paces: HostPaces): string =>
  createHash('sha256')
    .update(
      [...paces]
        .map(([host, pace]) => `${host}=${pace}`)
        .toSorted()
        .join(),
    )
    .digest('hex')
    .slice(0, 16);

/**
 * `polls`: false for a process that takes slots and claims nothing. `kids`: asks for the ids of the sealing keys that the process
 * has, because a rotation waits until all processes have the new key; left out for work inside a process that is present already.
 * `disk`: asks for the room on the disk of its home, in bytes. `hostPaces`: the paces of hosts that the process keeps, for the check that all
 * keep the same.
 */
export function presenceOf(
  database: Database,
  workerId: string,
  version: string,
  { polls = true, kids, disk, hostPaces }: PresenceOptions = {},
): Presence {
  const mark = hostPaces === undefined ? null : hostPacesMark(hostPaces);
  return {
    async beat(clockAhead) {
      const room = await disk?.();
      const values = [clockAhead ?? null, polls, (await kids?.()) ?? null, room?.free ?? null, room?.size ?? null];
      await database.run(
        `insert into worker (id, host, pid, version, clock_ahead_us, polls, kids, disk_free, disk_size, host_paces)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (id) do update set beat_at = now(), clock_ahead_us = $5, kids = $7, disk_free = $8, disk_size = $9`,
        [workerId, hostname(), process.pid, version, ...values, mark],
      );
      await database.run(`delete from worker where beat_at < now() - interval '1 hour'`);
    },
    async leave() {
      await database.run('delete from worker where id = $1', [workerId]);
    },
  };
}

/**
 * The workers among `ids` that are silent, each with the instant of its last heartbeat, or undefined where it has left; their
 * claims are free.
 */
export async function silentOf(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Instant | undefined>> {
  const rows = await database.rows<{ id: string; beat: Instant | null }>(
    `select id, (select instant_of(beat_at) from worker where worker.id = holder.id) as beat from unnest($1::uuid[]) as holder (id)
     where not exists (select from worker where worker.id = holder.id and ${LIVES})`,
    [ids],
  );
  return new Map(rows.map(({ id, beat }) => [id, beat ?? undefined]));
}
