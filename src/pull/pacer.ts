import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BridgeError, ownPace } from '../core/errors.ts';
import { MILLISECOND, MINUTE, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { hold, release, reserve } from '../core/pace.ts';
import type { Lease, Pace, PaceState } from '../core/pace.ts';
import type { Lane } from '../core/plan.ts';
import type { Database } from '../database/database.ts';
import type { Pacer } from '../platform/connection/index.ts';
import { silentOf } from '../database/presence.ts';
import type { Paced, PaceRows } from './pace-rows.ts';

/** Waits up to this long happen here; longer ones go back to the planner as `throttled`. */
const LONGEST_WAIT: Microseconds = 5 * SECOND;

/** How far ahead a slot may be taken. History's is short: what it holds, live has to wait for. */
const HORIZON = { live: LONGEST_WAIT, history: 100 * MILLISECOND };

/** A wait that may end any moment (a place becomes free, a hold comes) is looked at again this often. */
const LOOK_AGAIN: Microseconds = 100 * MILLISECOND;

/** While all places are taken, their holders are asked for this often. */
const ASK_FOR_SILENT: Microseconds = SECOND;

/** A request that has not said that it ended is over after this, even if its process lives. */
const LEASE: Microseconds = 5 * MINUTE;

/** A slot that could not be used in time is not used at all: the others went on meanwhile. */
const LATE: Microseconds = SECOND;

/**
 * What this process has under way. A lease in its name that is not in here was lost on the way to or from the database
 * (it went away before it could be given back, or before the answer came) and counts no more.
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
  readonly pace: Pace;
  /** Who asks: what a worker that fell silent had under way is over. */
  readonly workerId: string;
  /** The database's clock: slots of several hosts are points on one clock, not on each one's own. */
  readonly now: () => Instant;
}): Pacer {
  const { database, rows, sourceId, pace, now, workerId } = given;
  let known: Paced | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let askedForSilentAt = -Infinity;

  /** One change at a time in this process; those of others show as a version that moved on. */
  function change<T>(decide: (state: PaceState) => { next: PaceState | undefined; result: T }): Promise<T> {
    const mine = turn.then(() => swap(decide));
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function swap<T>(decide: (state: PaceState) => { next: PaceState | undefined; result: T }): Promise<T> {
    for (;;) {
      // Kept apart: whoever waits forgets what is known at any time, also while this change is under way.
      const seen = known ?? (await rows.read(sourceId));
      known = seen;
      const { next, result } = decide(seen.state);
      if (next === undefined) return result;
      const { done, row } = await rows.swap(sourceId, seen, next);
      known = row;
      if (done) return result;
    }
  }

  /** A process that was killed cannot release what it had under way. */
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
      const decision = await change((state) => {
        const counted = { ...state, leases: state.leases.filter(counts) };
        const answer = reserve(pace, counted, { now: at, lane, leaseId, leaseLength: LEASE, horizon: HORIZON });
        return { next: answer.state, result: answer };
      });
      if (decision.kind === 'wait') {
        // What it was decided on may be out of date: others release, hold and reserve too.
        known = undefined;
        if (decision.why === 'concurrency') await releaseSilent();
        const until =
          decision.why === 'concurrency' ? Math.min(decision.askAgainAt, at + LOOK_AGAIN) : decision.askAgainAt;
        // Where the platform asked for silence, live is the one that finds out whether it has ended (law 4).
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
        // A hold that came while the slot was waited for counts: the platform asked for silence.
        const held = await change((state) => ({ next: undefined, result: state.holdUntil > decision.at }));
        // Not twice in a row: a database that is merely slow must not keep a source from being asked.
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
