import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from './instant.ts';
import { IDLE, abandon, isInDoubt, isOpenTo, reserve } from './pace.ts';
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
});

describe('a clock that was ahead', () => {
  test('leaves no slot, hold or lease that no request at this instant could have written', () => {
    const far = NOW + 3_000 * MINUTE;
    const state: PaceState = { next: far, holdUntil: far, leases: [{ id: 'ahead', lane: 'live', until: far }] };
    const answer = reserve({ ...PACE, concurrency: 1 }, state, ask('live'));
    expect(answer).toMatchObject({ kind: 'wait', why: 'pace' });
    // The next slot is as far away as the longest reservation and a whole burst allow.
    expect(answer.kind === 'wait' && answer.askAgainAt - NOW).toBeLessThan(3 * SECOND);
  });

  test('leaves a hold and a lease that a platform may have asked for', () => {
    const state: PaceState = { ...IDLE, holdUntil: NOW + 60 * MINUTE };
    expect(reserve(PACE, state, ask('live'))).toMatchObject({ kind: 'wait', why: 'hold' });
    const busy: PaceState = { ...IDLE, leases: [{ id: 'other', lane: 'live', until: NOW + 9 * MINUTE }] };
    expect(reserve({ ...PACE, concurrency: 1 }, busy, ask('live'))).toMatchObject({ kind: 'wait', why: 'concurrency' });
  });
});
