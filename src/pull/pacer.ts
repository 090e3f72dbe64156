import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BridgeError, ownPace } from '../core/errors.ts';
import { MILLISECOND, MINUTE, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { hold, isOpenTo, release, reserve } from '../core/pace.ts';
import type { Lease, Pace, PaceState, Reservation } from '../core/pace.ts';
import type { Lane } from '../core/plan.ts';
import type { Database } from '../database/database.ts';
import type { Pacer } from '../platform/connection/index.ts';
import { silentOf } from '../database/presence.ts';
import type { PaceRow, PaceRows } from './pace-rows.ts';

/** A request waits at most this long for its slot. For a longer wait it fails with `throttled`, and the planner takes over. */
const LONGEST_WAIT: Microseconds = 5 * SECOND;

/** How far ahead a slot may be reserved. History's horizon is short, because live has to wait for every slot it reserves. */
const HORIZON = { live: LONGEST_WAIT, history: 100 * MILLISECOND };

/** A request that waits for another one to end looks again this often. */
const LOOK_AGAIN: Microseconds = 100 * MILLISECOND;

/** While all leases are taken, the pacer looks this often for leases of silent workers. */
const ASK_FOR_SILENT: Microseconds = SECOND;

/** A lease ends after this, even if its process lives and has not given it back. */
const LEASE: Microseconds = 5 * MINUTE;

/** A request that missed its slot by more than this takes a new one, because other requests went on meanwhile. */
const LATE: Microseconds = SECOND;

/**
 * The leases of this process. A lease in its name that is not in this set does not count, because it was lost when the
 * database went away before the lease was given back or before the answer came.
 */
const underWay = new Set<string>();

/**
 * Request slots of one source, shared by all hosts through one row of the database (law 3). The arithmetic is
 * core/pace.ts; here it is compared and swapped: the row changes only if nobody changed it since it was read.
 */
export function pacerOf(given: {
  readonly database: Database;
  readonly rows: PaceRows;
  readonly sourceId: number;
  /** The configuration this run was opened with. */
  readonly revision: number;
  readonly pace: Pace;
  /** The worker that takes the slots. The leases of a worker that fell silent are released. */
  readonly workerId: string;
  /** The clock of the database, because slots of several hosts are points on one clock. */
  readonly now: () => Instant;
}): Pacer {
  const { database, rows, sourceId, revision, pace, now, workerId } = given;
  let known: PaceRow | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let askedForSilentAt = -Infinity;

  /** Makes one change at a time in this process. A change by another process shows as a higher version. */
  function change<T>(decide: (state: PaceState) => { next: PaceState | undefined; result: T }): Promise<T> {
    const mine = turn.then(() => swap(decide));
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function swap<T>(decide: (state: PaceState) => { next: PaceState | undefined; result: T }): Promise<T> {
    for (;;) {
      // A copy, because a waiting request may reset `known` while this change is under way.
      const seen = known ?? (await rows.read(sourceId));
      known = seen;
      const { next, result } = decide(seen.state);
      if (next === undefined) return result;
      const { done, row } = await rows.swap(sourceId, seen, next);
      known = row;
      if (done) return result;
    }
  }

  /** Releases the leases of silent workers, because a killed process cannot release its own. */
  async function releaseSilent(): Promise<void> {
    if (now() < askedForSilentAt + ASK_FOR_SILENT) return;
    askedForSilentAt = now();
    const seen = await rows.read(sourceId);
    known = seen;
    const holders = new Set(seen.state.leases.map((lease) => holderOf(lease.id)).filter((id) => id !== workerId));
    if (holders.size === 0) return;
    const silent = new Set(await silentOf(database, [...holders]));
    const gone = seen.state.leases.filter((lease) => silent.has(holderOf(lease.id)));
    if (gone.length === 0) return;
    await change((state) => ({
      next: gone.reduce((rest, lease) => release(rest, lease.id), state),
      result: undefined,
    }));
  }

  const counts = ({ id }: Lease): boolean => holderOf(id) !== workerId || underWay.has(id);

  const giveBack = (leaseId: string): Promise<void> =>
    change((state) => ({ next: release(state, leaseId), result: undefined }));

  async function take(leaseId: string, lane: Lane, signal: AbortSignal): Promise<void> {
    for (let missed = false; ;) {
      if (signal.aborted) throw stoppedWaiting();
      const at = now();
      const decision = await change<Reservation | undefined>((state) => {
        if (!isOpenTo(state, revision)) return { next: undefined, result: undefined };
        const counted = { ...state, leases: state.leases.filter(counts) };
        const answer = reserve(pace, counted, { now: at, lane, leaseId, leaseLength: LEASE, horizon: HORIZON });
        return { next: answer.state, result: answer };
      });
      if (decision === undefined)
        throw new BridgeError({ code: 'cancelled' }, 'the source was changed or paused meanwhile');
      if (decision.kind === 'wait') {
        // Other processes release, hold and reserve too, so the known state may be out of date.
        known = undefined;
        if (decision.why === 'concurrency') await releaseSilent();
        const until =
          decision.why === 'concurrency' ? Math.min(decision.askAgainAt, at + LOOK_AGAIN) : decision.askAgainAt;
        // Where the platform asked for silence, the next live request finds out whether it has ended (law 4).
        const givesWay = lane === 'history' && decision.why === 'hold';
        if (givesWay || until - at > LONGEST_WAIT) {
          throw ownPace(until, `the next request slot is at ${formatInstant(until)} (${decision.why})`);
        }
        await pause(until - now(), signal);
        continue;
      }
      try {
        const wait = decision.at - now();
        await pause(wait, signal);
        if (wait > LOOK_AGAIN) known = undefined;
        // A hold that came while this request waited counts, because the platform asked for silence.
        const held = await change((state) => ({ next: undefined, result: state.holdUntil > decision.at }));
        // Not twice in a row, because a slow database must not keep a source from being asked.
        missed = !missed && now() > decision.at + LATE;
        if (!held && !missed) return;
      } catch (error) {
        await giveBack(leaseId);
        throw error;
      }
      await giveBack(leaseId);
    }
  }

  return {
    async slot(lane, signal) {
      const leaseId = `${workerId}/${randomUUID()}`;
      underWay.add(leaseId);
      try {
        await take(leaseId, lane, signal);
      } catch (error) {
        underWay.delete(leaseId);
        throw error;
      }
      return {
        release() {
          underWay.delete(leaseId);
          return giveBack(leaseId);
        },
      };
    },
    hold: (until) => change((state) => ({ next: hold(state, until), result: undefined })),
  };
}

async function pause(length: Microseconds, signal: AbortSignal): Promise<void> {
  if (length <= 0) return;
  try {
    await sleep(Math.ceil(length / MILLISECOND), undefined, { signal });
  } catch {
    throw stoppedWaiting();
  }
}

export const stoppedWaiting = (): BridgeError =>
  new BridgeError({ code: 'cancelled' }, 'stopped while waiting for a request slot');

const holderOf = (leaseId: string): string => leaseId.slice(0, leaseId.indexOf('/'));
