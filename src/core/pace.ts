import { shareAt } from './ease.ts';
import type { Ease } from './ease.ts';
import { DAY, MINUTE, SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';
import type { Lane } from './plan.ts';
import { nextAllowed } from './quiet-hours.ts';
import type { QuietHours } from './quiet-hours.ts';
import type { RequestCounts } from './request-counts.ts';

/**
 * The lanes in which requests wait for slots. A look for sensors takes its turn with live for the rate, because a live lane
 * that is always busy would keep it waiting for ever; but like history it leaves live a place.
 */
export type SlotLane = Lane | 'look';

/** The limits within which a source may be asked. */
export interface Pace {
  readonly requestsPerSecond: number;
  /** Requests that may leave at once after idleness. */
  readonly burst: number;
  /** Requests that may be under way at the same time. */
  readonly concurrency: number;
  readonly quietHours: readonly QuietHours[];
  /** The longest silence that a platform is granted, µs; a longer hold counts as none. One day unless told. */
  readonly longestSilence?: Microseconds;
}

/** A request under way or about to be sent. It counts until it is released or `until` has passed. */
export interface Lease {
  readonly id: string;
  readonly lane: SlotLane;
  readonly until: Instant;
  /** The bridge gave the request up, and the platform may still work on it. Only `until` ends it. */
  readonly abandoned?: true;
}

/** The state of one source's pace that all hosts share, as plain JSON. */
export interface PaceState {
  /** When the full burst is available again: the "theoretical arrival time" of the generic cell rate algorithm. */
  readonly next: Instant;
  /** No request leaves before this instant. */
  readonly holdUntil: Instant;
  readonly leases: readonly Lease[];
  /**
   * Set when live found every place taken. Until this instant history takes no place, so that live gets the next one.
   */
  readonly liveWaitsUntil?: Instant;
  /** The platform is asked more slowly than agreed. */
  readonly ease?: Ease | undefined;
  /** The newest configuration of the source: a run with an older one gets no slot any more. */
  readonly revision?: number;
  /** The operator paused the source, or a fault stopped it: no run gets a slot. */
  readonly paused?: boolean;
  /** The account that the credentials of the source belong to, as a digest. */
  readonly account?: string;
  /** The platform may refuse the credentials: a request that carries them asks the account before it leaves. */
  readonly doubt?: boolean;
  /** The requests of the last hour, each counted when it takes its slot. */
  readonly requests?: RequestCounts | undefined;
}

/** Whether a request with the credentials of `account` has to ask the account before it leaves. */
export const isInDoubt = (state: PaceState, account: string): boolean =>
  state.account !== account || state.doubt === true;

/** Whether a run that was opened with `revision` of the source may still ask. */
export const isOpenTo = ({ paused = false, revision: newest = 0 }: PaceState, revision: number): boolean =>
  !paused && revision >= newest;

export const IDLE: PaceState = { next: 0, holdUntil: 0, leases: [] };

/** A request asks for a slot. */
export interface SlotRequest {
  readonly now: Instant;
  readonly lane: SlotLane;
  readonly leaseId: string;
  readonly leaseLength: Microseconds;
  /** How far ahead each lane may reserve, a look as far as live. History's is short, so that live never waits behind it. */
  readonly horizon: Readonly<Record<Lane, Microseconds>>;
  /** When live is due next and how often; history leaves it the slot of that instant. Undefined: history need not. */
  readonly live?: { readonly dueAt: Instant; readonly every: Microseconds } | undefined;
}

/**
 * `go`: the caller keeps `state` and sends the request at `at`, which is never before `now`. Until then the caller
 * watches for a hold that another request brings (`state.holdUntil > at`).
 *
 * `wait`: nothing was reserved, and no slot is free before `askAgainAt`. With `concurrency` that is when the next lease
 * expires; a release may free a place earlier, with `abandoned` none can. The caller keeps `state` where there is one: it
 * tells history that live waits.
 */
export type Reservation =
  | { readonly kind: 'go'; readonly at: Instant; readonly state: PaceState }
  | {
      readonly kind: 'wait';
      readonly askAgainAt: Instant;
      readonly why: keyof typeof NO_SLOT;
      readonly state?: PaceState;
    };

/** Why no slot is free, in an operator's words. */
export const NO_SLOT = {
  pace: 'requestsPerSecond of the source',
  host: 'requests a second of the host, over all its sources',
  hold: 'the platform asked for silence',
  quiet: 'quiet hours of the source',
  concurrency: 'other requests are under way',
  abandoned: 'the platform may still work on requests that got no answer',
  live: 'the live poll that is due has the next slot',
} as const;

/** Requests leave 2 % further apart than agreed, because jitter on the network must not make them arrive too fast. */
const GUARD = 1.02;

/** The clocks of two hosts may differ by this much in their view of the database's clock. */
export const SLACK_OF_HOSTS: Microseconds = 2 * SECOND;

/** A lease ends this long after the instant of its slot, even if its process lives and has not given it back; longer than any request. */
export const LEASE: Microseconds = 5 * MINUTE;

/** No request holds a lease for longer, whichever host took it. */
const LONGEST_LEASE: Microseconds = 10 * MINUTE;

/** An abandoned request counts until it has run this many times as long as the bridge waited for it. */
const ABANDONED_RUNS = 3;

/** No platform silences a source for longer; see core/retry-after.ts. */
const LONGEST_HOLD: Microseconds = DAY;

/** Where quiet hours leave no time at all, the caller asks again after this, because an operator may change them. */
const ALWAYS_QUIET_WAIT: Microseconds = DAY;

/** Live counts as waiting for this long after it found no place; it asks several times in this time. */
const LIVE_WAITS: Microseconds = SECOND / 2;

/** A poll that is due comes within this time: the planner looks for it four times a second. */
const LIVE_COMES: Microseconds = 300_000;

/** The part of the time between two polls that history waits for one at most, so that little is lost where it does not come. */
const KEPT_SHARE = 20;

/** The distance between two requests, whole µs. */
export const intervalOf = (pace: Pick<Pace, 'requestsPerSecond'>): Microseconds =>
  Math.ceil((SECOND * GUARD) / pace.requestsPerSecond);

/**
 * Reserves the next slot, or says when to ask again. The source gets at most `burst + requestsPerSecond` requests in
 * any second, even where the clocks of the hosts differ. No slot lies in quiet hours or before `holdUntil`. At most
 * `concurrency` leases are alive at a time; where that is more than one, the last place is kept for live. History takes no slot
 * that the next live poll would wait for. A lease id that already has a lease gets a new one in its place.
 */
export function reserve(agreed: Pace, stored: PaceState, ask: SlotRequest): Reservation {
  const pace = easedPace(agreed, stored, ask.now);
  const interval = intervalOf(pace);
  const state = withoutFuture(stored, ask, { ...pace, burstLength: pace.burst * interval });
  const byPace = Math.max(ask.now, state.next - (pace.burst - 1) * interval);
  const afterHold = Math.max(byPace, state.holdUntil);
  const at = nextAllowed(pace.quietHours, afterHold);
  if (at === undefined) return { kind: 'wait', askAgainAt: ask.now + ALWAYS_QUIET_WAIT, why: 'quiet' };

  const horizon = ask.horizon[ask.lane === 'history' ? 'history' : 'live'];
  if (at - ask.now > horizon) {
    const why = at > afterHold ? 'quiet' : afterHold > byPace ? 'hold' : 'pace';
    return { kind: 'wait', askAgainAt: at - horizon, why };
  }

  const leases = state.leases.filter((lease) => lease.until > ask.now && lease.id !== ask.leaseId);
  const { liveWaitsUntil: marked = 0, ...rest } = state;
  const liveWaitsUntil = marked > ask.now + LIVE_WAITS + SLACK_OF_HOSTS ? 0 : marked;
  const abandoned = leases.filter((lease) => lease.abandoned);
  const lostUntil =
    busyUntil(abandoned, pace.concurrency) ??
    (ask.lane === 'live' ? undefined : busyUntil(abandoned.filter(isOther), otherPlaces(pace)));
  if (lostUntil !== undefined) return { kind: 'wait', askAgainAt: lostUntil, why: 'abandoned' };
  const freeAt =
    busyUntil(leases, pace.concurrency) ??
    (ask.lane === 'live' ? undefined : othersBusyUntil(leases, pace, ask.now, liveWaitsUntil));
  if (freeAt !== undefined) {
    const wait = { kind: 'wait', askAgainAt: freeAt, why: 'concurrency' } as const;
    if (ask.lane !== 'live' || liveWaitsUntil > ask.now + LIVE_WAITS / 2) return wait;
    return { ...wait, state: { ...state, liveWaitsUntil: ask.now + LIVE_WAITS } };
  }

  const next = Math.max(at, state.next) + interval;
  if (ask.lane === 'history' && ask.live !== undefined && next - (pace.burst - 1) * interval > ask.live.dueAt) {
    const kept = Math.min(LIVE_COMES, Math.ceil(ask.live.every / KEPT_SHARE));
    return { kind: 'wait', askAgainAt: Math.max(ask.now, ask.live.dueAt) + kept, why: 'live' };
  }
  const lease = { id: ask.leaseId, lane: ask.lane, until: at + ask.leaseLength };
  return { kind: 'go', at, state: { ...rest, next, leases: [...leases, lease] } };
}

/** The pace that is left of the agreed one where the platform is asked more slowly. */
export function easedPace(pace: Pace, { ease }: Pick<PaceState, 'ease'>, now: Instant): Pace {
  const share = shareAt(ease, now);
  if (share === 1) return pace;
  const burst = Math.max(1, Math.floor(pace.burst * share));
  return { ...pace, requestsPerSecond: pace.requestsPerSecond * share, burst };
}

/**
 * The state without instants that no request at `now` could have written. Such instants stem from a clock that was ahead and
 * would silence the source until that time comes.
 */
function withoutFuture(
  state: PaceState,
  { now, horizon, leaseLength }: SlotRequest,
  { burstLength, longestSilence = LONGEST_HOLD }: Pick<Pace, 'longestSilence'> & { readonly burstLength: Microseconds },
): PaceState {
  const latest = now + Math.max(...Object.values(horizon)) + SLACK_OF_HOSTS;
  const latestEnd = latest + Math.max(leaseLength, LONGEST_LEASE);
  return {
    ...state,
    next: Math.min(state.next, latest + burstLength),
    holdUntil: state.holdUntil > now + longestSilence + SLACK_OF_HOSTS ? 0 : state.holdUntil,
    leases: state.leases.filter(({ until }) => until <= latestEnd),
  };
}

/** The latest instant at which one of `places` is free again; undefined where one is free now. */
function busyUntil(leases: readonly Lease[], places: number): Instant | undefined {
  const ends = leases.map((lease) => lease.until).toSorted((one, other) => one - other);
  // Where a place is free, this is before the first end.
  return ends[leases.length - places];
}

/**
 * History and looks leave one place to live, because a long request of theirs must not keep the edge waiting. Where there is
 * only one place, the lanes take turns: while live waits, no other lane takes it.
 */
function othersBusyUntil(
  leases: readonly Lease[],
  pace: Pace,
  now: Instant,
  liveWaitsUntil: Instant,
): Instant | undefined {
  return busyUntil(leases.filter(isOther), otherPlaces(pace)) ?? (liveWaitsUntil > now ? liveWaitsUntil : undefined);
}

const isOther = ({ lane }: Lease): boolean => lane !== 'live';

/** How many requests of history and looks may be under way. */
const otherPlaces = ({ concurrency }: Pace): number => Math.max(1, concurrency - 1);

/** The platform asked for silence (429, 503, Retry-After): no slot before `until`. A hold never gets shorter. */
export const hold = (state: PaceState, until: Instant): PaceState => ({
  ...state,
  holdUntil: Math.max(state.holdUntil, until),
});

/**
 * The bridge gave a request up that was sent at `sentAt`, and the platform may still work on it: the connection was cut, or no
 * answer came in time. How long such a query runs on is unknown. It may run about as much longer the longer it ran, so its
 * place stays taken for a multiple of that time, and at most as long as any lease.
 */
export const abandon = (
  state: PaceState,
  leaseId: string,
  { sentAt, givenUpAt }: { readonly sentAt: Instant; readonly givenUpAt: Instant },
): PaceState => {
  const until = sentAt + Math.min(LONGEST_LEASE, ABANDONED_RUNS * Math.max(0, givenUpAt - sentAt));
  const leases = state.leases.map((lease) =>
    lease.id === leaseId ? { ...lease, until, abandoned: true as const } : lease,
  );
  return { ...state, leases };
};

/** The request is over. An id without a lease changes nothing: its lease had expired. */
export const release = (state: PaceState, leaseId: string): PaceState => ({
  ...state,
  leases: state.leases.filter((lease) => lease.id !== leaseId),
});
