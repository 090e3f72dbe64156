import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MILLISECOND, MINUTE, SECOND, parseInstant } from './instant.ts';
import type { Instant } from './instant.ts';
import { IDLE, hold, release, reserve } from './pace.ts';
import type { SlotRequest, Pace, PaceState } from './pace.ts';
import type { Lane } from './plan.ts';
import { nextAllowed } from './quiet-hours.ts';

const HORIZON = { live: 30 * SECOND, history: 200 * MILLISECOND };
const START = parseInstant('2026-03-28T20:00:00Z') ?? NaN;
const intervalOf = (of: Pace): number => Math.ceil((SECOND * 1.02) / of.requestsPerSecond);

const paceArbitrary = fc.record({
  requestsPerSecond: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(0.05, 0.5, 1.5, 3.3)),
  burst: fc.integer({ min: 1, max: 20 }),
  concurrency: fc.integer({ min: 1, max: 8 }),
  quietHours: fc.constantFrom([], [{ from: '22:00', to: '06:00', zone: 'Europe/Berlin' }]),
});

const step = fc.record({
  lane: fc.constantFrom<Lane>('live', 'history'),
  pass: fc.oneof(fc.nat(3 * SECOND), fc.constant(0), fc.nat(HOUR)),
  skew: fc.integer({ min: -SECOND, max: SECOND }),
  leaseLength: fc.integer({ min: 1, max: 5 * SECOND }),
  holdFor: fc.option(fc.nat(10 * SECOND), { nil: undefined, freq: 10 }),
  obedient: fc.boolean(),
  releases: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Sent {
  readonly now: Instant;
  readonly at: Instant;
  readonly until: Instant;
  readonly holdUntil: Instant;
  readonly leases: PaceState['leases'];
}

/** Plays a script of requests of both lanes; an obedient request comes back when it was told to. */
function play(pace: Pace, steps: readonly Step[], more: { skewed?: boolean; releasing?: boolean } = {}): Sent[] {
  const sent: Sent[] = [];
  let [state, clock] = [IDLE, START];
  for (const [index, each] of steps.entries()) {
    clock += each.pass;
    if (each.holdFor !== undefined) state = hold(state, clock + each.holdFor);
    const oldest = state.leases[0];
    if (more.releasing && each.releases && oldest) state = release(state, oldest.id);
    const { lane, leaseLength } = each;
    const ask: SlotRequest = { now: clock, lane, leaseId: `${index}`, leaseLength, horizon: HORIZON };
    let answer = reserve(pace, state, more.skewed ? { ...ask, now: clock + each.skew } : ask);
    if (answer.kind === 'wait' && each.obedient && !more.skewed) {
      expect(answer.askAgainAt).toBeGreaterThan(clock);
      clock = answer.askAgainAt;
      answer = reserve(pace, state, { ...ask, now: clock });
    }
    if (answer.kind === 'wait') continue;
    state = answer.state;
    const { at } = answer;
    sent.push({ now: clock, at, until: at + leaseLength, holdUntil: state.holdUntil, leases: state.leases });
  }
  return sent;
}

const check = <T>(property: fc.IProperty<T>, numRuns = 300): void => fc.assert(property, { numRuns });
const script = fc.array(step, { minLength: 1, maxLength: 80 });

describe('with any requests of both lanes', () => {
  test('no second gets more than burst + rate, even where clocks differ', () =>
    check(
      fc.property(paceArbitrary, script, fc.boolean(), (given, steps, skewed) => {
        const pace = { ...given, concurrency: 1_000 };
        const times = play(pace, steps, { skewed }).map((each) => each.at);
        for (const from of times) {
          const within = times.filter((at) => at >= from && at < from + SECOND).length;
          expect(within).toBeLessThanOrEqual(pace.burst + pace.requestsPerSecond);
        }
      }),
    ));

  test('no request leaves in the past, during a hold or in quiet hours', () =>
    check(
      fc.property(paceArbitrary, script, (pace, steps) => {
        for (const { now, at, holdUntil } of play(pace, steps, { releasing: true })) {
          expect(at).toBeGreaterThanOrEqual(now);
          expect(at).toBeGreaterThanOrEqual(holdUntil);
          expect(nextAllowed(pace.quietHours, at)).toBe(at);
        }
      }),
    ));

  test('no more requests are under way than the pace allows', () =>
    check(
      fc.property(paceArbitrary, script, (pace, steps) => {
        const sent = play(pace, steps);
        for (const { at } of sent) {
          const alive = sent.filter((other) => other.at <= at && other.until > at).length;
          expect(alive).toBeLessThanOrEqual(pace.concurrency);
        }
        const most = Math.max(0, ...play(pace, steps, { releasing: true }).map((each) => each.leases.length));
        expect(most).toBeLessThanOrEqual(pace.concurrency);
      }),
    ));

  test('the state is plain JSON', () =>
    check(
      fc.property(paceArbitrary, fc.nat(5 * SECOND), (pace, later) => {
        const ask: SlotRequest = { now: START, lane: 'live', leaseId: 'a', leaseLength: SECOND, horizon: HORIZON };
        const first = reserve(pace, IDLE, { ...ask, horizon: { live: DAY, history: 0 } });
        if (first.kind === 'wait') throw new Error('a day is enough');
        const copy = JSON.parse(JSON.stringify(first.state)) as PaceState;
        const next = { ...ask, now: START + later, leaseId: 'b' };
        expect(reserve(pace, copy, next)).toEqual(reserve(pace, first.state, next));
      }),
    ));
});

const ask = (lane: Lane, now: Instant, leaseId = `${now}`): SlotRequest => ({
  now,
  lane,
  leaseId,
  leaseLength: 1,
  horizon: HORIZON,
});

describe('history that asks all the time', () => {
  /** History comes back whenever it is told to, until it had `turns` slots. */
  function saturate(pace: Pace, turns: number): { state: PaceState; now: Instant; gone: number } {
    let [state, now, gone] = [IDLE, START, 0];
    while (gone < turns) {
      const answer = reserve(pace, state, ask('history', now, `${gone}`));
      if (answer.kind === 'wait') now = answer.askAgainAt;
      else [state, gone] = [answer.state, gone + 1];
    }
    return { state, now, gone };
  }
  const idle = paceArbitrary.map((pace) => ({ ...pace, quietHours: [], concurrency: 10_000 }));

  test('uses at least 95 % of the pace', () =>
    check(
      fc.property(idle, (pace) => {
        const { now, gone } = saturate(pace, 500);
        expect(gone).toBeGreaterThanOrEqual((0.95 * pace.requestsPerSecond * (now - START)) / SECOND);
      }),
      60,
    ));

  test('never makes live wait for longer than the horizon of history and one interval', () =>
    check(
      fc.property(idle, fc.integer({ min: 1, max: 60 }), fc.nat(SECOND), (pace, turns, later) => {
        const { state, now } = saturate(pace, turns);
        const generous = { ...ask('live', now + later, 'live'), horizon: { live: DAY, history: 0 } };
        const answer = reserve(pace, state, generous);
        if (answer.kind === 'wait') throw new Error('live may reserve a day ahead');
        expect(answer.at - generous.now).toBeLessThanOrEqual(HORIZON.history + intervalOf(pace));
      }),
    ));
});

describe('reserve', () => {
  const pace: Pace = { requestsPerSecond: 2, burst: 3, concurrency: 10, quietHours: [] };
  const go = (of: Pace, state: PaceState, request: SlotRequest): { at: Instant; state: PaceState } => {
    const answer = reserve(of, state, request);
    if (answer.kind === 'wait') throw new Error(`waits for ${answer.why}`);
    return answer;
  };

  test('lets a burst leave at once after idleness, then one request each interval', () => {
    let state = IDLE;
    const times = ['a', 'b', 'c', 'd', 'e'].map((id) => {
      const slot = go(pace, state, ask('live', START, id));
      state = slot.state;
      return slot.at - START;
    });
    expect(times).toEqual([0, 0, 0, 510 * MILLISECOND, 1020 * MILLISECOND]);
  });

  test('tells history when to come back, and then gives it a slot', () => {
    const slow = { ...pace, burst: 1, requestsPerSecond: 0.1 };
    const first = go(slow, IDLE, ask('history', START));
    const wait = reserve(slow, first.state, ask('history', START, 'again'));
    expect(wait).toEqual({ kind: 'wait', askAgainAt: START + 10_200_000 - HORIZON.history, why: 'pace' });
    if (wait.kind === 'wait')
      expect(go(slow, first.state, ask('history', wait.askAgainAt)).at).toBe(START + 10_200_000);
  });

  test('waits out a hold, which never gets shorter', () => {
    const held = hold(hold(IDLE, START + MINUTE), START + SECOND);
    expect(held.holdUntil).toBe(START + MINUTE);
    const wait = reserve(pace, held, ask('live', START));
    expect(wait).toEqual({ kind: 'wait', askAgainAt: START + MINUTE - HORIZON.live, why: 'hold' });
    expect(go(pace, held, ask('live', START + 40 * SECOND)).at).toBe(START + MINUTE);
  });

  test('waits out quiet hours, and asks again after a day where they never end', () => {
    const evening = { ...pace, quietHours: [{ from: '21:00', to: '22:00', zone: 'Europe/Berlin' }] };
    const wait = reserve(evening, IDLE, ask('history', START));
    expect(wait).toEqual({ kind: 'wait', askAgainAt: START + HOUR - HORIZON.history, why: 'quiet' });
    const always = { ...pace, quietHours: [{ from: '00:00', to: '00:00', zone: 'UTC' }] };
    expect(reserve(always, IDLE, ask('live', START))).toEqual({
      kind: 'wait',
      askAgainAt: START + DAY,
      why: 'quiet',
    });
  });

  test('counts a lease until it is released or has expired, and counts an id once', () => {
    const narrow = { ...pace, concurrency: 1 };
    const lasting = { ...ask('live', START, 'a'), leaseLength: 5 * SECOND };
    const { state } = go(narrow, IDLE, lasting);
    const busy = { kind: 'wait', askAgainAt: START + 5 * SECOND, why: 'concurrency' };
    expect(reserve(narrow, state, ask('live', START + SECOND, 'b'))).toMatchObject(busy);
    expect(go(narrow, state, ask('live', START + 5 * SECOND, 'b')).state.leases).toHaveLength(1);
    expect(go(narrow, release(state, 'a'), ask('live', START + SECOND, 'b')).state.leases).toHaveLength(1);
    expect(go(narrow, state, ask('live', START + SECOND, 'a')).state.leases).toHaveLength(1);
  });
});

test('history leaves the last of several places to live', () => {
  const pace = { requestsPerSecond: 1000, burst: 1000, concurrency: 2, quietHours: [] };
  const ask = { now: 0, leaseLength: 1_000_000, horizon: { live: 0, history: 0 } };
  const first = reserve(pace, IDLE, { ...ask, lane: 'history', leaseId: 'a' });
  if (first.kind !== 'go') throw new Error('the first history request has to go');
  expect(reserve(pace, first.state, { ...ask, lane: 'history', leaseId: 'b' })).toMatchObject({ why: 'concurrency' });
  const live = reserve(pace, first.state, { ...ask, lane: 'live', leaseId: 'c' });
  expect(live.kind).toBe('go');
  expect(reserve({ ...pace, concurrency: 1 }, IDLE, { ...ask, lane: 'history', leaseId: 'd' }).kind).toBe('go');
});

describe('where there is one place', () => {
  const pace = { requestsPerSecond: 1000, burst: 1000, concurrency: 1, quietHours: [] };
  const ask = (lane: Lane, now: Instant, leaseId: string): SlotRequest => ({
    now,
    lane,
    leaseId,
    leaseLength: MINUTE,
    horizon: { live: 0, history: 0 },
  });
  const after = (state: PaceState, next: SlotRequest): PaceState => reserve(pace, state, next).state ?? state;

  test('a waiting live request gets it next, although many history requests ask before', () => {
    const taken = after(IDLE, ask('history', 0, 'first'));
    const waiting = after(taken, ask('live', 1, 'live'));
    const free = release(waiting, 'first');
    expect(reserve(pace, free, ask('history', 2, 'second'))).toEqual({
      kind: 'wait',
      askAgainAt: 1 + SECOND / 2,
      why: 'concurrency',
    });
    const served = after(free, ask('live', 3, 'live'));
    expect(served.leases.map(({ id }) => id)).toEqual(['live']);
    expect(reserve(pace, release(served, 'live'), ask('history', 4, 'second')).kind).toBe('go');
  });

  test('history waits only briefly for a live request that does not come back, and live rarely rewrites the state', () => {
    const taken = after(IDLE, ask('history', 0, 'first'));
    const waiting = after(taken, ask('live', 1, 'live'));
    expect(reserve(pace, waiting, ask('live', 2, 'live'))).not.toHaveProperty('state');
    expect(reserve(pace, waiting, ask('live', SECOND / 2, 'live'))).toHaveProperty('state');
    expect(reserve(pace, release(waiting, 'first'), ask('history', 1 + SECOND / 2, 'second')).kind).toBe('go');
  });
});
