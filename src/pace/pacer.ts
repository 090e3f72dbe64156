import { setTimeout } from 'node:timers/promises';
import { BridgeError, ownPace } from '../core/errors.ts';
import { MINUTE, SECOND, formatInstant } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { LEASE, NO_SLOT, abandon, easedPace, hold, isInDoubt, isOpenTo, release, reserve } from '../core/pace.ts';
import type { Lease, Pace, PaceState, Reservation, SlotLane, SlotRequest } from '../core/pace.ts';
import { countEnd, countRequest } from '../core/request-counts.ts';
import type { RequestKind } from '../core/request-counts.ts';
import type { Database } from '../database/database.ts';
import type { Pacer, RequestEnd } from '../platform/connection/index.ts';
import { silentOf } from '../database/presence.ts';
import { easingOf } from './easing.ts';
import { oneByOne, pause, stoppedWaiting } from './pause.ts';
import type { Sleep } from './pause.ts';
import { SOON, turnAt } from './host-pacer.ts';
import type { HostSlots, Hosts } from './host-pacer.ts';
import {
  ASK_FOR_SILENT,
  AT_ONCE,
  HORIZON,
  LATE,
  LONGEST_WAIT,
  LOOK_AGAIN,
  SLOTS_AWAITED,
  isBounded,
  restAfter,
  waitFor,
} from './slot-waits.ts';
import { holderOf, newLeaseId } from './pace-rows.ts';
import type { PaceRow, PaceRows } from './pace-rows.ts';

/** The account of a source. `link` notes it in the row of the pace, unless a newer configuration of the source is in force. */
export interface PacedAccount {
  readonly digest: string;
  link(sourceId: number, revision: number): Promise<unknown>;
}

/** The counters of slots. A process that nobody monitors has none. Times in seconds. */
export interface SlotMeters {
  /** A request gave its slot back. */
  slot(kind: RequestKind, ending: RequestEnd): void;
  /** A request waited for a slot; `got`: it has one. */
  waited(kind: RequestKind, seconds: number, got: boolean): void;
}

/** A slot whose instant has come. */
interface Taken {
  readonly sentAt: Instant;
  /** The platform may refuse the credentials. */
  readonly inDoubt: boolean;
}

interface SlotWanted {
  readonly lane: SlotLane;
  readonly kind: RequestKind;
  readonly signal: AbortSignal;
  readonly begun: boolean;
  readonly url: URL | undefined;
}

/**
 * The leases of this process. A lease in its name that is not in this set does not count, because it was lost when the
 * database went away before the lease was given back or before the answer came.
 */
const underWay = new Set<string>();

/**
 * Request slots of one source, shared by all hosts through one row of the database (law 3). The arithmetic is
 * core/pace.ts; here it is compared and swapped: the row changes only if it is still as it was read.
 */
export function pacerOf(given: {
  readonly database: Database;
  readonly rows: PaceRows;
  readonly sourceId: number;
  /** The configuration this run was opened with. */
  readonly revision: number;
  readonly pace: Pace;
  /** The account that the credentials of this run belong to. */
  readonly account: PacedAccount;
  /** The worker that takes the slots. The leases of a worker that fell silent are released. */
  readonly workerId: string;
  /** The clock of the database, because slots of several hosts are points on one clock. */
  readonly now: () => Instant;
  /** When live is due next, for the slot that history leaves it. */
  readonly liveAfter?: (now: Instant) => SlotRequest['live'];
  /** An operator asks by hand, which a paused or stopped source lets pass. */
  readonly byHand?: boolean;
  readonly meters?: SlotMeters | undefined;
  /** The hosts that the sources of this process share. */
  readonly hosts?: Hosts | undefined;
  /** How often the source is polled; undefined for a trial. */
  readonly every?: Microseconds | undefined;
  /** Waits; tests give a clock of their own. */
  readonly sleep?: Sleep;
}): Pacer {
  const { database, rows, sourceId, revision, pace, account, now, workerId, meters, sleep = setTimeout } = given;
  const isOpen = (state: PaceState): boolean =>
    isOpenTo(given.byHand === true ? { ...state, paused: false } : state, revision);
  let known: PaceRow | undefined;
  let linked = false;
  const [inTurn, beside] = [oneByOne(), oneByOne()];
  let askedForSilentAt = -Infinity;
  const easing = easingOf(pace, now);
  /** Since when history has waited here without a slot. */
  let historyWaitsSince: Instant | undefined;

  /** Makes one change at a time in this process. A change by another process shows as a higher version. */
  const change = <T>(decide: (state: PaceState) => { next: PaceState | undefined; result: T }): Promise<T> =>
    inTurn(() => swap(decide));

  async function swap<T>(decide: (state: PaceState) => { next: PaceState | undefined; result: T }): Promise<T> {
    for (;;) {
      // A copy, because a waiting request may reset `known` while this change is under way.
      const seen = known ?? (await read());
      known = seen;
      const { next, result } = decide(seen.state);
      if (next === undefined) return result;
      const { done, row } = await rows.swap(sourceId, seen, next);
      known = row;
      if (done) return result;
    }
  }

  /**
   * Reads the row, and notes the account in it once. Hosts with different secrets do not contend for the row: the one whose
   * account is not noted asks its account before each request.
   */
  async function read(): Promise<PaceRow> {
    const row = await rows.read(sourceId);
    if (linked || row.state.account === account.digest || !isOpen(row.state)) return row;
    linked = true;
    await account.link(sourceId, revision);
    return await rows.read(sourceId);
  }

  /** Releases the leases of silent workers, because a killed process cannot release its own. */
  async function releaseSilent(): Promise<void> {
    if (now() < askedForSilentAt + ASK_FOR_SILENT) return;
    askedForSilentAt = now();
    const seen = await rows.read(sourceId);
    known = seen;
    const holders = new Set(seen.state.leases.map((lease) => holderOf(lease.id)).filter((id) => id !== workerId));
    if (holders.size === 0) return;
    const silent = await silentOf(database, [...holders]);
    const gone = seen.state.leases.filter(({ id, abandoned }) => !abandoned && silent.has(holderOf(id)));
    if (gone.length === 0) return;
    await change((state) => ({
      next: gone.reduce(
        // It was sent with its lease, and given up when the worker last lived.
        (rest, { id, until }) =>
          abandon(rest, id, { sentAt: until - LEASE, givenUpAt: silent.get(holderOf(id)) ?? until - LEASE }),
        state,
      ),
      result: undefined,
    }));
  }

  const counts = ({ id, abandoned }: Lease): boolean =>
    abandoned === true || holderOf(id) !== workerId || underWay.has(id);

  /** Gives a slot back. Its request was counted with the slot, so that no crash loses it; here the count is corrected. */
  function end(leaseId: string, { at, kind }: { at: Instant; kind: RequestKind }, ending: RequestEnd): Promise<void> {
    const life = { sentAt: at, givenUpAt: now() };
    if (ending === 'answered') easing.answered(kind, life.givenUpAt - at);
    return change((state) => {
      const next = ending === 'abandoned' ? abandon(state, leaseId, life) : release(state, leaseId);
      if (ending === 'answered') return { next: easing.ended(next, { at, kind }), result: undefined };
      const about = { at, kind, ending: ending === 'unsent' ? ending : ('failed' as const) };
      return { next: { ...next, requests: countEnd(next.requests, about) }, result: undefined };
    });
  }

  /** @returns the slot once its instant has come */
  async function take(leaseId: string, { lane, kind, signal, begun, url }: SlotWanted): Promise<Taken> {
    const host = url && given.hosts?.slotsOf(url);
    const slots = begun ? SLOTS_AWAITED.begun : SLOTS_AWAITED.first;
    const current = easedPace(pace, known?.state ?? {}, now());
    const slowest = Math.min(current.requestsPerSecond, host?.requestsPerSecond ?? Infinity);
    // Windows that have begun come first at their host, but those of all its sources wait for each other.
    const others = host !== undefined && begun ? MINUTE : 0;
    const givesUpAt = now() + LONGEST_WAIT + others + (slots * SECOND) / slowest;
    if (isBounded({ lane, begun })) historyWaitsSince ??= now();
    let readAnew = false;
    // Once a request, because live that is due all the time would keep history waiting for ever.
    let leftUntil: Instant | undefined;
    for (let missed = false; ;) {
      if (signal.aborted) throw stoppedWaiting();
      const at = now();
      const live = (): SlotRequest['live'] =>
        lane === 'history' && at < (leftUntil ?? Infinity) ? given.liveAfter?.(at) : undefined;
      /** With `isLook` nothing is reserved. */
      const ask = (from: Instant, horizon: SlotRequest['horizon'], isLook = false): Promise<Reservation | undefined> =>
        change<Reservation | undefined>((state) => {
          if (!isOpen(state)) return { next: undefined, result: undefined };
          const counted = { ...state, leases: state.leases.filter(counts) };
          const wanted = { now: from, lane, leaseId, leaseLength: LEASE, horizon, live: live() };
          const answer = reserve(pace, counted, wanted);
          if (answer.kind === 'wait') return { next: answer.state, result: answer };
          if (isLook) return { next: undefined, result: answer };
          const requests = countRequest(state.requests, answer.at, kind);
          return { next: { ...answer.state, requests }, result: answer };
        });
      /** One after the other, so that requests of the source do not take slots of the host for one slot of its own. */
      const askBeside = async (slotsOf: HostSlots): Promise<Reservation | undefined> => {
        const own = await ask(now(), HORIZON, true);
        // A slot of the host that lies ahead would be lost to its other sources, so the source waits for its own first.
        if (own?.kind === 'go' && own.at > now() + SOON) return { kind: 'wait', askAgainAt: own.at, why: 'pace' };
        if (own?.kind !== 'go') return own;
        const turnOfHost = await slotsOf.take(lane, begun);
        // Where the source has no slot at that instant, because another process took it meanwhile, that of the host is lost.
        return turnOfHost.kind === 'wait' ? turnOfHost : await ask(turnOfHost.at, AT_ONCE);
      };
      const decision = await (host === undefined ? ask(at, HORIZON) : beside(() => askBeside(host)));
      if (decision === undefined)
        throw new BridgeError({ code: 'cancelled' }, 'the source was changed or paused meanwhile');
      if (decision.kind === 'wait') {
        // Other processes release, hold and reserve too, so the known state may be out of date.
        known = undefined;
        if (decision.why === 'live') leftUntil ??= decision.askAgainAt;
        if (decision.why === 'concurrency') await releaseSilent();
        const { until, waits, inVain } = waitFor(decision, { lane, begun, at, givesUpAt });
        if (!waits) {
          // An operator may have lifted the silence since this process read the row.
          if (!readAnew) {
            readAnew = true;
            continue;
          }
          const retryAt = inVain ? Math.max(until, at + restAfter(at - (historyWaitsSince ?? at))) : until;
          throw ownPace(retryAt, `the next request slot is at ${formatInstant(until)} (${NO_SLOT[decision.why]})`);
        }
        // In pieces, so that a pause of the source ends the wait.
        await pause(sleep, Math.min(until - now(), LONGEST_WAIT), signal);
        continue;
      }
      try {
        const wait = decision.at - now();
        await pause(sleep, wait, signal);
        if (wait > LOOK_AGAIN) known = undefined;
        // A hold that came while this request waited counts, because the platform asked for silence.
        const { held, inDoubt } = await change((state) => ({
          next: undefined,
          result: { held: state.holdUntil > decision.at, inDoubt: isInDoubt(state, account.digest) },
        }));
        // Not twice in a row, because a slow database must not keep a source from being asked.
        missed = !missed && now() > decision.at + LATE;
        if (!held && !missed) {
          if (lane === 'history') historyWaitsSince = undefined;
          return { sentAt: decision.at, inDoubt };
        }
      } catch (error) {
        await end(leaseId, { at: decision.at, kind }, 'unsent');
        throw error;
      }
      await end(leaseId, { at: decision.at, kind }, 'unsent');
    }
  }

  return {
    async slot(lane, signal, { begun = false, login = false, url } = {}) {
      const leaseId = newLeaseId(workerId);
      const kind = login ? 'login' : lane;
      underWay.add(leaseId);
      let taken: Taken;
      let unsent: (() => void) | undefined;
      const asked = performance.now();
      const waited = (got: boolean): void => meters?.waited(kind, (performance.now() - asked) / 1000, got);
      try {
        const wanted: SlotWanted = { lane, kind, signal, begun, url };
        const about = { ...wanted, sourceId, pace, every: given.every };
        unsent = await turnAt(given.hosts, about, { now, sleep });
        taken = await take(leaseId, wanted);
        waited(true);
      } catch (error) {
        waited(false);
        unsent?.();
        underWay.delete(leaseId);
        throw error;
      }
      return {
        inDoubt: taken.inDoubt,
        async release(ending = 'answered') {
          meters?.slot(kind, ending);
          if (ending === 'unsent') unsent?.();
          // Without its lease here, the process no longer counts the one in the row, also where the row cannot be changed.
          if (ending !== 'abandoned') underWay.delete(leaseId);
          await end(leaseId, { at: taken.sentAt, kind }, ending);
          underWay.delete(leaseId);
        },
      };
    },
    hold: (until, sign) =>
      change((state) => {
        const silent = until > state.holdUntil ? hold(state, until) : state;
        const next = sign === undefined ? silent : easing.heed(silent, sign);
        return { next: next === state ? undefined : next, result: undefined };
      }),
  };
}
