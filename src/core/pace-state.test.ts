import { describe, expect, test } from 'vitest';
import { DAY, MINUTE, SECOND } from './instant.ts';
import { IDLE, abandon, hold, isInDoubt, isOpenTo, release, reserve } from './pace.ts';
import type { Lease, Pace, PaceState, SlotRequest } from './pace.ts';

const NOW = 1_000 * MINUTE;
const PACE: Pace = { requestsPerSecond: 10, burst: 5, concurrency: 2, quietHours: [] };
const HORIZON = { live: 5 * SECOND, history: SECOND, look: SECOND };

const ask = (lane: SlotRequest['lane'], leaseId = 'mine'): SlotRequest => ({
  now: NOW,
  lane,
  leaseId,
  leaseLength: 5 * MINUTE,
  horizon: HORIZON as SlotRequest['horizon'],
});

describe('a run', () => {
  test.each<[Partial<PaceState>, boolean]>([
    [{}, true],
    [{ revision: 6 }, true],
    [{ revision: 7 }, true],
    [{ revision: 8 }, false],
    [{ paused: true }, false],
    [{ paused: true, revision: 6 }, false],
    [{ paused: false, revision: 7 }, true],
  ])('of revision 7 and a pace with %o: may it ask? %s', (state, open) => {
    expect(isOpenTo({ ...IDLE, ...state }, 7)).toBe(open);
  });

  test.each<[Partial<PaceState>, boolean]>([
    [{ account: 'mine' }, false],
    [{ account: 'mine', doubt: false }, false],
    [{ account: 'mine', doubt: true }, true],
    [{ account: 'other' }, true],
    [{}, true],
  ])('with the credentials of an account and a pace with %o: are they in doubt? %s', (state, doubt) => {
    expect(isInDoubt({ ...IDLE, ...state }, 'mine')).toBe(doubt);
  });
});

describe('an abandoned request', () => {
  const lease = (id: string): Lease => ({ id, lane: 'live', until: NOW + 5 * MINUTE });
  const before: PaceState = { ...IDLE, next: 7, leases: [lease('one'), lease('two')] };

  test('keeps its place in proportion to the time it was waited for, and no other lease changes', () => {
    const after = abandon(before, 'one', { sentAt: NOW, givenUpAt: NOW + MINUTE });
    expect(after).toMatchObject({ next: 7, leases: [{ id: 'one', lane: 'live', abandoned: true }, lease('two')] });
    const [one] = after.leases;
    expect(one?.until).toBeGreaterThan(NOW + MINUTE);
    const longer = abandon(before, 'one', { sentAt: NOW, givenUpAt: NOW + 2 * MINUTE }).leases[0];
    expect((longer?.until ?? 0) - NOW).toBe(2 * ((one?.until ?? 0) - NOW));
    expect(abandon(before, 'one', { sentAt: NOW, givenUpAt: NOW + 1_000 * MINUTE }).leases[0]?.until).toBe(
      NOW + 10 * MINUTE,
    );
    expect(abandon(before, 'one', { sentAt: NOW, givenUpAt: NOW - MINUTE }).leases[0]?.until).toBe(NOW);
  });

  test('has new requests wait where all places are taken by such', () => {
    const leases = ['one', 'two'].map((id): Lease => ({ ...lease(id), until: NOW + 8 * MINUTE, abandoned: true }));
    for (const lane of ['live', 'history'] as const) {
      expect(reserve(PACE, { ...IDLE, leases }, ask(lane))).toEqual({
        kind: 'wait',
        askAgainAt: NOW + 8 * MINUTE,
        why: 'abandoned',
      });
    }
    const [first] = leases as [Lease];
    expect(reserve(PACE, { ...IDLE, leases: [first] }, ask('live'))).toMatchObject({ kind: 'go' });
  });

  test('of history or a look has those wait where it takes the places they may have, and live goes on', () => {
    const leases: Lease[] = [
      { id: 'one', lane: 'history', until: NOW + 8 * MINUTE, abandoned: true },
      { id: 'two', lane: 'look', until: NOW + 6 * MINUTE, abandoned: true },
    ];
    const state = { ...IDLE, leases };
    const pace = { ...PACE, concurrency: 3 };
    for (const lane of ['history', 'look'] as const) {
      const wait = { kind: 'wait', askAgainAt: NOW + 6 * MINUTE, why: 'abandoned' };
      expect(reserve(pace, state, ask(lane))).toEqual(wait);
    }
    expect(reserve(pace, state, ask('live'))).toMatchObject({ kind: 'go' });
    const ofLive = { ...IDLE, leases: leases.map((lease): Lease => ({ ...lease, lane: 'live' })) };
    expect(reserve(pace, ofLive, ask('history'))).toMatchObject({ kind: 'go' });
  });
});

describe('the places of a source', () => {
  const lease = (id: string, lane: Lease['lane'], minutes: number): Lease => ({
    id,
    lane,
    until: NOW + minutes * MINUTE,
  });

  test('that are all taken are free again when the first lease ends, in whichever order they were taken', () => {
    for (const minutes of [
      [3, 4],
      [4, 3],
    ] as const) {
      const leases = minutes.map((each, index) => lease(`${index}`, 'live', each));
      const answer = reserve(PACE, { ...IDLE, leases }, ask('live'));
      expect(answer).toMatchObject({ kind: 'wait', askAgainAt: NOW + 3 * MINUTE, why: 'concurrency' });
    }
  });

  test('are for history and looks together all but one, whatever live has taken', () => {
    const pace = { ...PACE, concurrency: 3 };
    for (const lane of ['history', 'look'] as const) {
      const one = [lease('one', 'history', 3)];
      expect(reserve(pace, { ...IDLE, leases: one }, ask(lane))).toMatchObject({ kind: 'go' });
      const two = [...one, lease('two', 'look', 2)];
      expect(reserve(pace, { ...IDLE, leases: two }, ask(lane))).toMatchObject({
        kind: 'wait',
        askAgainAt: NOW + 2 * MINUTE,
        why: 'concurrency',
      });
      const ofLive = [lease('one', 'live', 3), lease('two', 'live', 2)];
      expect(reserve(pace, { ...IDLE, leases: ofLive }, ask(lane))).toMatchObject({ kind: 'go' });
    }
  });

  test('are marked as wanted by live alone, and the mark is renewed when half of its time is over', () => {
    const leases = [lease('one', 'live', 3), lease('two', 'live', 3)];
    expect(reserve(PACE, { ...IDLE, leases }, ask('history'))).not.toHaveProperty('state');
    const marked = reserve(PACE, { ...IDLE, leases }, ask('live'));
    expect(marked).toMatchObject({ state: { liveWaitsUntil: NOW + SECOND / 2 } });
    const again = (now: number) => reserve(PACE, marked.state ?? IDLE, { ...ask('live'), now });
    expect(again(NOW + SECOND / 4 - 1)).not.toHaveProperty('state');
    expect(again(NOW + SECOND / 4)).toMatchObject({ state: { liveWaitsUntil: NOW + (3 * SECOND) / 4 } });
  });

  test('are released one by one', () => {
    const state = { ...IDLE, leases: [lease('one', 'live', 3), lease('two', 'live', 3)] };
    expect(release(state, 'one')).toEqual({ ...IDLE, leases: [lease('two', 'live', 3)] });
    expect(release(state, 'three')).toEqual(state);
    expect(hold(state, 7)).toEqual({ ...state, holdUntil: 7 });
  });
});

describe('a clock that was ahead', () => {
  // Hosts see the clock of the database at most 2 s apart; these are the latest instants that one may have written.
  const latestSlot = NOW + HORIZON.live + 2 * SECOND;
  const one = { ...PACE, concurrency: 1 };

  test('leaves no slot that no request at this instant could have reserved', () => {
    const state: PaceState = { ...IDLE, next: NOW + 3_000 * MINUTE };
    // A whole burst may have been reserved at the end of the horizon; the first of it would be free one interval later.
    const first = latestSlot + 102_000;
    expect(reserve(PACE, state, ask('live'))).toEqual({ kind: 'wait', askAgainAt: first - HORIZON.live, why: 'pace' });
  });

  test('leaves no hold beyond the silence that the source grants its platform, and quiet hours as they are', () => {
    const held = (longer: number): PaceState => ({ ...IDLE, holdUntil: NOW + 5 * MINUTE + 2 * SECOND + longer });
    const granting = { ...one, longestSilence: 5 * MINUTE };
    expect(reserve(granting, held(0), ask('live'))).toMatchObject({ kind: 'wait', why: 'hold' });
    expect(reserve(granting, held(1), ask('live'))).toMatchObject({ kind: 'go', at: NOW });
    const quiet = { ...granting, quietHours: [{ from: '00:00', to: '00:00', zone: 'UTC' }] };
    expect(reserve(quiet, IDLE, ask('live'))).toMatchObject({ kind: 'wait', why: 'quiet' });
  });

  test.each<[string, PaceState, PaceState]>([
    [
      'hold that no platform can have asked for',
      { ...IDLE, holdUntil: NOW + DAY + 2 * SECOND },
      { ...IDLE, holdUntil: NOW + DAY + 2 * SECOND + 1 },
    ],
    [
      'lease that no request can have taken',
      { ...IDLE, leases: [{ id: 'other', lane: 'live', until: latestSlot + 10 * MINUTE }] },
      { ...IDLE, leases: [{ id: 'other', lane: 'live', until: latestSlot + 10 * MINUTE + 1 }] },
    ],
    [
      'mark that no waiting request of live can have set',
      { ...IDLE, liveWaitsUntil: NOW + SECOND / 2 + 2 * SECOND },
      { ...IDLE, liveWaitsUntil: NOW + SECOND / 2 + 2 * SECOND + 1 },
    ],
  ])('leaves no %s, and every one that is possible', (_, possible, impossible) => {
    expect(reserve(one, possible, ask('history'))).toMatchObject({ kind: 'wait' });
    expect(reserve(one, impossible, ask('history'))).toMatchObject({ kind: 'go', at: NOW });
  });
});
