import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MILLISECOND, SECOND } from './instant.ts';
import type { Instant } from './instant.ts';
import { IDLE, reserve } from './pace.ts';
import type { Pace, SlotRequest } from './pace.ts';
import type { Lane } from './plan.ts';

const HORIZON = { live: 30 * SECOND, history: 200 * MILLISECOND };
const START = 1_800_000_000 * SECOND;
const intervalOf = (of: Pace): number => Math.ceil((SECOND * 1.02) / of.requestsPerSecond);

describe('the slot of the next live poll', () => {
  const pace: Pace = { requestsPerSecond: 1, burst: 1, concurrency: 4, quietHours: [] };
  const interval = intervalOf(pace);
  const live = { dueAt: START + 10 * SECOND, every: 10 * SECOND };
  const ask = (now: Instant, lane: Lane = 'history', of = live): SlotRequest => ({
    now,
    lane,
    leaseId: `${now}`,
    leaseLength: SECOND,
    horizon: HORIZON,
    live: of,
  });

  test('is left to live, and history asks again when live has had time to come', () => {
    const early = reserve(pace, IDLE, ask(live.dueAt - interval));
    expect(early).toMatchObject({ kind: 'go' });
    const late = reserve(pace, IDLE, ask(live.dueAt - interval + 1));
    expect(late).toEqual({ kind: 'wait', why: 'live', askAgainAt: live.dueAt + 300 * MILLISECOND });
    expect(reserve(pace, IDLE, ask(live.dueAt - 1, 'live'))).toMatchObject({ kind: 'go' });
    const often = { dueAt: live.dueAt, every: SECOND };
    expect(reserve(pace, IDLE, ask(live.dueAt - 1, 'history', often))).toMatchObject({
      askAgainAt: live.dueAt + 50 * MILLISECOND,
    });
  });

  test('lies in the burst where there is one, so that history takes the rest of it', () => {
    const burst = { ...pace, burst: 3 };
    let state = IDLE;
    const kinds = [1, 2, 3].map((place) => {
      const answer = reserve(burst, state, ask(live.dueAt - SECOND / 2 + place));
      if (answer.kind === 'go') ({ state } = answer);
      return answer.kind;
    });
    expect(kinds).toEqual(['go', 'go', 'wait']);
    expect(reserve(burst, state, ask(live.dueAt, 'live'))).toMatchObject({ kind: 'go', at: live.dueAt });
  });

  test('is never one that live would have had to wait for', () => {
    fc.assert(
      fc.property(fc.nat(12 * SECOND), fc.nat(3 * SECOND), (before, next) => {
        const now = live.dueAt - before;
        const state = { ...IDLE, next: now + next };
        const answer = reserve(pace, state, ask(now));
        const alone = reserve(pace, state, { ...ask(live.dueAt, 'live'), live: undefined });
        if (answer.kind !== 'go' || alone.kind !== 'go') return;
        expect(reserve(pace, answer.state, ask(live.dueAt, 'live'))).toMatchObject({ kind: 'go', at: alone.at });
      }),
    );
  });
});
