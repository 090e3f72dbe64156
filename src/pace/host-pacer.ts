import { HOUR, MILLISECOND, SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { HostPaces } from '../core/host-pace.ts';
import { paceOfHost } from '../core/host-pace.ts';
import { intervalOf, reserve } from '../core/pace.ts';
import type { Pace, PaceState, Reservation, SlotLane } from '../core/pace.ts';
import { NO_RAMP, RAMP_STEP, climb, descend, rampSpread } from '../core/ramp.ts';
import type { Ramp } from '../core/ramp.ts';
import { gathering } from '../database/gathering.ts';
import { pause } from './pause.ts';
import type { Sleep } from './pause.ts';
import { HORIZON } from './slot-waits.ts';
import type { PaceRow, PaceRows } from './pace-rows.ts';

/** What a request learns of its turn at a host with a pace. */
type HostTurn =
  | { readonly kind: 'go'; readonly at: Instant }
  | { readonly kind: 'wait'; readonly askAgainAt: Instant; readonly why: 'host' };

/** The slots of one host with a pace, which all sources of all processes share. */
export interface HostSlots {
  readonly requestsPerSecond: number;
  /** Takes the next slot. A window that has `begun` comes before all others, because what it has read would be thrown away. */
  take(lane: SlotLane, begun: boolean): Promise<HostTurn>;
}

/** A request to a host without a pace. */
interface Turn {
  readonly login: boolean;
  /** It goes on with something that has begun, so it leaves at once and only counts. */
  readonly begun?: boolean;
  readonly sourceId: number;
  /** The requests in any second of its source, with its burst. */
  readonly own: number;
  /** How often its source is polled; undefined for a trial. */
  readonly every: Microseconds | undefined;
}

/** The hosts that a process asks. */
export interface Hosts {
  /** Undefined where the host of an address has no pace. */
  slotsOf(url: URL): HostSlots | undefined;
  /** For a host without a pace: 0, and one more request has left, or how long it has to wait before it asks again, µs. */
  turn(url: URL, about: Turn): Microseconds;
  /** A request that had its turn at `at` was not sent. */
  unsent(url: URL, about: Pick<Turn, 'login'>, at: Instant): void;
}

/** So many hosts are remembered. */
const MOST_RAMPS = 20_000;

/** A backlog may be asked for so many times as fast as the sources of a host are polled in the long run, so it is gone within one interval. */
const CATCH_UP = 2;

/** Logins to a host grow beside its other requests. */
const keyOf = (url: URL, login: boolean): string => (login ? `login ${url.host}` : url.host);

interface Asked {
  ramp: Ramp;
  /** How many were told to wait in a second. */
  told: { readonly second: number; readonly waits: number };
  /** The polls a second of each source of this process. */
  readonly polls: Map<number, number>;
  pollsInAll: number;
  /** Requests of late, and those of them with which something began: a poll or look of several requests counts with all. */
  requests: number;
  begins: number;
}

/** Once a host has so many begins, the process halves its counts of begins and requests, so that what was asked of late weighs more. */
const MOST_BEGINS = 1_000;

export function pacedHostsOf(given: {
  readonly rows: PaceRows<string>;
  readonly paces: HostPaces;
  readonly now: () => Instant;
}): Hosts {
  const { paces, now } = given;
  const slots = new Map<string, HostSlots>();
  const asked = new Map<string, Asked>();
  return {
    slotsOf(url) {
      const found = paceOfHost(paces, url);
      if (found === undefined) return undefined;
      const known = slots.get(found.host) ?? slotsOfHost(given, found.host, found.pace);
      slots.set(found.host, known);
      return known;
    },
    turn(url, { login, begun = false, sourceId, own, every }) {
      const key = keyOf(url, login);
      const known: Asked = asked.get(key) ?? {
        ramp: NO_RAMP,
        told: { second: 0, waits: 0 },
        polls: new Map(),
        pollsInAll: 0,
        requests: 0,
        begins: 0,
      };
      // The one that was asked longest ago comes first, and is forgotten first.
      asked.delete(key);
      asked.set(key, known);
      if (asked.size > MOST_RAMPS) for (const oldest of asked.keys()) if (asked.delete(oldest)) break;
      if (every !== undefined && !login) {
        const rate = SECOND / every;
        known.pollsInAll += rate - (known.polls.get(sourceId) ?? 0);
        known.polls.set(sourceId, rate);
      }
      const at = now();
      const asUsual = known.pollsInAll * Math.max(1, known.requests / Math.max(1, known.begins));
      // Within it nothing waits: a second in which the sources are polled as usual may bring late ones of the second before, too.
      const most = login
        ? { step: RAMP_STEP.login, own: 0 }
        : { step: RAMP_STEP.request, own: Math.max(own, CATCH_UP * asUsual) };
      const answer = climb(known.ramp, at, { ...most, begun });
      if (answer.kind === 'wait') {
        const second = Math.floor(at / SECOND);
        known.told = { second, waits: (known.told.second === second ? known.told.waits : 0) + 1 };
        return answer.askAgainAt - at + rampSpread(known.told.waits, answer.most, Math.random());
      }
      known.ramp = answer.ramp;
      known.requests += 1;
      if (!begun) known.begins += 1;
      if (known.begins > MOST_BEGINS) {
        known.begins /= 2;
        known.requests /= 2;
      }
      return 0;
    },
    unsent(url, { login }, at) {
      const known = asked.get(keyOf(url, login));
      if (known !== undefined) known.ramp = descend(known.ramp, at);
    },
  };
}

interface Asking {
  readonly lane: SlotLane;
  readonly begun: boolean;
}

/**
 * Requests of this process that come together share one change of the row, live first. The row is compared and swapped, as that of a
 * source; a lease is not kept in it, because a host has no bound of requests under way, so that a request writes it once.
 */
function slotsOfHost({ rows, now }: Parameters<typeof pacedHostsOf>[0], host: string, pace: Pace): HostSlots {
  let known: PaceRow | undefined;
  /** When the last request that found no slot is to ask again, of live and of history, which must not keep live waiting. */
  const lastAsksAt = { live: 0, history: 0 };
  const interval = intervalOf(pace);

  /**
   * A request that finds no slot comes behind the one before it, so that they do not all wake for one slot. A window that has begun asks
   * as soon as a slot may be near: its rank decides.
   */
  function askAgain(nearest: Instant, now: Instant, { lane, begun }: Asking): Instant {
    if (begun) return nearest;
    const queue = lane === 'history' ? 'history' : 'live';
    // A clock that was set back begins anew.
    const behind = lastAsksAt[queue] > now + LONGEST_QUEUE ? 0 : lastAsksAt[queue];
    lastAsksAt[queue] = Math.max(nearest, behind + interval);
    return lastAsksAt[queue];
  }

  const take = gathering<Asking, HostTurn>(async (group) => {
    const ranked = group.toSorted((one, other) => rank(one) - rank(other));
    for (;;) {
      const seen: PaceRow = known ?? (await rows.read(host));
      const at = now();
      let state: PaceState = seen.state;
      const turns = ranked.map((asking): [Asking, HostTurn] => {
        const { lane } = asking;
        const decision: Reservation = reserve(pace, state, {
          now: at,
          lane,
          leaseId: '',
          leaseLength: SECOND,
          horizon: HORIZON,
        });
        if (decision.kind === 'wait')
          return [asking, { kind: 'wait', askAgainAt: askAgain(decision.askAgainAt, at, asking), why: 'host' }];
        state = { ...decision.state, leases: [] };
        return [asking, { kind: 'go', at: decision.at }];
      });
      known = state === seen.state ? seen : undefined;
      if (state !== seen.state) {
        const { done, row } = await rows.swap(host, seen, state);
        known = row;
        if (!done) continue;
      }
      return new Map(turns);
    }
  });

  return {
    requestsPerSecond: pace.requestsPerSecond,
    take: async (lane, begun) => (await take({ lane, begun })) as HostTurn,
  };
}

const rank = ({ lane, begun }: Asking): number => (begun ? 0 : lane === 'history' ? 2 : 1);

/** No request is told to wait longer for a slot of a host. */
const LONGEST_QUEUE: Microseconds = HOUR;

/** A slot of a source that lies no further ahead is taken at once; the host is asked when that of a later one has come. */
export const SOON: Microseconds = 2 * MILLISECOND;

/**
 * Waits until a request may leave, where its host has no pace. Throws `cancelled` where `signal` is aborted meanwhile.
 * @returns gives the turn back of a request that was not sent; undefined where it needs none
 */
export async function turnAt(
  hosts: Hosts | undefined,
  request: Pick<Turn, 'sourceId' | 'every'> & {
    readonly url: URL | undefined;
    readonly kind: string;
    readonly begun: boolean;
    readonly signal: AbortSignal;
    /** Of its source. */
    readonly pace: Pace;
  },
  { now, sleep }: { readonly now: () => Instant; readonly sleep: Sleep },
): Promise<(() => void) | undefined> {
  const { url, pace, sourceId, every, signal } = request;
  if (hosts === undefined || url === undefined || hosts.slotsOf(url) !== undefined) return undefined;
  const login = request.kind === 'login';
  const own = pace.requestsPerSecond + pace.burst;
  const about = { login, begun: request.begun && !login, sourceId, own, every };
  for (let wait = hosts.turn(url, about); wait > 0; wait = hosts.turn(url, about)) await pause(sleep, wait, signal);
  const at = now();
  return () => hosts.unsent(url, about, at);
}
